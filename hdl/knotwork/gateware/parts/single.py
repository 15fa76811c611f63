"""From a node's stream into a router whose packets have one beat."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ..layouts import inject_layout
from .injector import is_node


class SingleBeats(wiring.Component):
    """Passes packets of one beat; drops longer ones whole, and those to no node.

    Latency
    -------
    0 clocks; `refused` comes in the clock after the dropped packet's last beat.

    Parameters
    ----------
    network : Network
        Addresses and widths.

    Members
    -------
    i : In(stream of inject_layout)
        Beats from the node.
    valid : Out(1)
        There is a packet to send: the beat of `i`.
    ready : In(1)
        The router takes one with this clock.
    refused : Out(1)
        High for one clock for each packet dropped.
    """

    i: stream.Interface
    valid: Signal
    ready: Signal
    refused: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        inject = stream.Signature(inject_layout(network))
        super().__init__({"i": In(inject), "valid": Out(1), "ready": In(1), "refused": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inside, drop = Signal(), Signal()
        beat = self.i.p
        known = is_node(self._network.topology, beat.destination)
        m.d.comb += [
            drop.eq(inside | ~beat.last | ~known),
            self.valid.eq(self.i.valid & ~drop),
            self.i.ready.eq(drop | self.ready),
        ]
        m.d.sync += self.refused.eq(self.i.valid & beat.last & drop)
        with m.If(self.i.valid):  # what is not its packet's last is dropped, so it is taken
            m.d.sync += inside.eq(~beat.last)
        return m
