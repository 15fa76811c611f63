"""Packet routers that count credits: a hop takes two cycles, and nothing idles."""

from .layouts import credit_signature
from .link_registers import LinkRegisters
from .probes import Probes
from .router import CreditRouter

__all__ = ["CreditRouter", "LinkRegisters", "Probes", "credit_signature"]
