"""Networks that are made from other networks: those without some of their links and routers."""

from .surviving import Surviving, without

__all__ = ["Surviving", "without"]
