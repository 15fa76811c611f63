"""Traces of packets: what `Crossings` tell, as a page or for trace viewers."""

from .document import write_trace

__all__ = ["write_trace"]
