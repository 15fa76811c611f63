"""Packet router that shows what its channels do."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import Out

from ....monitoring.channels import input_probes, probe_widths
from ....network import Network, RouterKind
from ...layouts import Link
from ..channel import Channel
from ..router import PacketRouter


class ProbedRouter(PacketRouter):
    """`PacketRouter` whose channels a monitor can watch.

    Its channels are its input channels, by port and virtual channel, and then those to its nodes.

    Parameters
    ----------
    network, kind
        As for `PacketRouter`.

    Members
    -------
    probe_flits : Out(channels)
        A flit comes into the channel.
    probe_waits : Out(channels)
        A flit is at the channel's front, and does not leave in this cycle.
    probe_wants : Out(turns)
        Of each input channel in turn, for which turns the flit at its front asks.
    """

    probe_flits: Signal
    probe_waits: Signal
    probe_wants: Signal

    def __init__(self, network: Network, kind: RouterKind) -> None:
        widths = probe_widths(kind)
        super().__init__(
            network,
            kind,
            more={
                "probe_flits": Out(widths.channels),
                "probe_waits": Out(widths.channels),
                "probe_wants": Out(widths.turns),
            },
        )
        self._seen: dict[tuple[int, int], Channel] = {}

    def _input_channel(self, m: Module, sender: Link, port: int, vc: int) -> Channel:
        channel = super()._input_channel(m, sender, port, vc)
        self._seen[port, vc] = channel
        return channel

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        inputs = [self._seen[one.port, one.virtual_channel] for one in input_probes(self._kind)]
        nodes = [self.node_side(port).eject for port in self._kind.node_ports]
        flits = [one.i.valid & one.i.ready for one in inputs]
        flits += [node.valid & node.ready for node in nodes]
        waits = [one.o.valid & ~one.o.ready for one in inputs]
        waits += [node.valid & ~node.ready for node in nodes]
        m.d.comb += [
            self.probe_flits.eq(Cat(flits)),
            self.probe_waits.eq(Cat(waits)),
            self.probe_wants.eq(Cat(one.select for one in inputs)),
        ]
        return m
