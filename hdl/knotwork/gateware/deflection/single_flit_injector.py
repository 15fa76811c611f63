"""From a node's stream into a router whose packets are single flits."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Member, Out

from ...network import Network
from ..component import Component
from ..layouts import inject_layout
from ..parts.injector import is_node


class SingleBeats(Component):
    """Passes packets of one beat; drops longer ones whole, and those to no node.

    Where packets are numbered, a memory holds the number of the next packet to each address. It is
    cleared after a reset, so no packet passes in the first ``2^address_width`` cycles.

    Latency
    -------
    0 cycles; `refused` comes in the cycle after the dropped packet's last beat.

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
        The router takes one with this cycle.
    refused : Out(1)
        High for one cycle for each packet dropped.
    sequence : Out(sequence_width)
        Number of the packet among those to its destination; only where they are numbered.
    """

    i: stream.Interface
    valid: Signal
    ready: Signal
    refused: Signal
    sequence: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        members: dict[str, Member] = {
            "i": In(stream.Signature(inject_layout(network))),
            "valid": Out(1),
        }
        members |= {"ready": In(1), "refused": Out(1)}
        if network.sequence_width:
            members["sequence"] = Out(network.sequence_width)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        in_packet, drop = Signal(name="in_packet"), Signal(name="drop")
        beat = self.i.p
        known = is_node(self._network.topology, beat.destination)
        numbered = self._number(m) if "sequence" in self.signature.members else Const(1)
        m.d.comb += [
            drop.eq(in_packet | ~beat.last | ~known),
            self.valid.eq(self.i.valid & ~drop & numbered),
            self.i.ready.eq(drop | (self.ready & numbered)),
        ]
        m.d.sync += self.refused.eq(self.i.valid & beat.last & drop)
        with m.If(self.i.valid):  # beats of longer packets are dropped, so they are taken
            m.d.sync += in_packet.eq(~beat.last)
        return m

    def _number(self, m: Module) -> Value:
        """Number the packets; whether the memory is cleared."""
        width = self._network.topology.address_width
        m.submodules.numbers = numbers = Memory(shape=len(self.sequence), depth=1 << width, init=[])
        into, out_of = numbers.write_port(), numbers.read_port(domain="comb")
        cleared = Signal(width + 1)
        numbered = cleared[-1]
        m.d.comb += [
            out_of.addr.eq(self.i.p.destination),
            self.sequence.eq(out_of.data),
            into.addr.eq(Mux(numbered, self.i.p.destination, cleared[:-1])),
            into.data.eq(Mux(numbered, self.sequence + 1, 0)),
            into.en.eq(~numbered | (self.valid & self.ready)),
        ]
        with m.If(~numbered):
            m.d.sync += cleared.eq(cleared + 1)
        return numbered
