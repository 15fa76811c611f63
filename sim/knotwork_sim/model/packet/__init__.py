"""Golden model of packet routers: wormhole, virtual channels, back-pressure, cycle by cycle.

`model` runs a network; the compiled loop is `plain` (``pipeline=1``), or `credits` where links
carry credits, with `allocation` (the registers of its routers, what crosses them, and the next
fronts). `loops` has what both loops share. They read and write `state` (buffers, and what is
decided within a cycle), by `buffers` and `interfaces`. `loaded` loads tables in service.
"""

from .model import PacketModel

__all__ = ["PacketModel"]
