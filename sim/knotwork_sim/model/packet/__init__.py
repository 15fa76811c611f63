"""Golden model of packet routers: wormhole, virtual channels, back-pressure, cycle by cycle.

`model` runs a network; the compiled loop is `plain` (``pipeline=1``), or `network` where links
carry credits, with `allocation` (what crosses a router, and the next fronts) and `registers`
(credits, and what is on its way between routers). `loops` has what both loops share. They read and
write `state` (buffers, and what is decided within a cycle), `stores` (multicast units),
`regulators` (limits of injection) and `copies` (broadcasts), by `buffers` and `interfaces`.
"""

from .model import PacketModel

__all__ = ["PacketModel"]
