"""Buffers of input ports that are more than a `PortBuffer`: with parity."""

from .guarded_buffer import GuardedBuffer

__all__ = ["GuardedBuffer"]
