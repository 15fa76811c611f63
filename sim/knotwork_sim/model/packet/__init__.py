"""Golden model of packet routers: virtual channels, wormhole, back-pressure, cycle by cycle.

`model` runs a network; the compiled loop is `network`, or that of `credits` where links carry
credits. The loop reads and writes `state` (the registers and buffers of all routers), `stores`
(multicast units), `regulators` (limits of injection), `branches` (broadcasts in input channels) and
`scratch` (what is decided within a cycle). `arbitration`, `buffers` and
`interfaces` are the parts of a router that it calls.
"""

from .model import PacketModel

__all__ = ["PacketModel"]
