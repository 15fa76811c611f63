"""Buffers of an input port with parity: a packet stays whole whatever bit of a flit is wrong."""

from amaranth.hdl import Module, Mux, Signal, Value

from .....network import Network, RouterKind
from .....topology import LOCAL
from ....parts.parity import is_header_broken, majority
from ....parts.ram import Write
from ....parts.route import RouteComputation
from ..port_buffer import PortBuffer, Selects, assign_ways

_COPIES = 3


class GuardedBuffer(PortBuffer):
    """Buffers of an input port whose packets stay whole, whatever bit of a flit is wrong.

    A whole packet takes the way of its first flit; if the parity of that flit's header is wrong
    when it arrives, the packet is ejected. An entry beside a flit has three copies, and their
    majority counts. The flits are stored as they arrive, with all copies of their last bit.

    This guards every bit that the RAMs store. It does not guard the state of the channels:
    pointers, and the way of the packet that is coming in.

    Latency
    -------
    As `PortBuffer`.

    Parameters
    ----------
    network, kind, port
        As for `PortBuffer`; with parity.

    Members
    -------
    address, arrives, shown, leaves, asked, some, more, full, behind, other, arriving, flit
        As of `PortBuffer`.
    i : In(flit_layout)
        Flit that arrives; its `last` is what the majority of its copies says, its `wrong` is 0.
    """

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        super().__init__(network, kind, port)
        self._broken = Signal(name="broken")

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self._broken.eq(is_header_broken(self.i))
        return m

    def _alone(self, m: Module, vc: int, route: RouteComputation | None) -> Selects:
        count, arrives = len(self._ways), self.arrives[list(self._routes).index(vc)]
        found, taken, first = (
            Signal(count, name=f"{name}_vc{vc}") for name in ("routed", "taken", "way_of_first")
        )
        inside = Signal(name=f"in_packet_vc{vc}")
        assign_ways(m, found, super()._alone(m, vc, route))
        ejects = 1 << [way.output for way in self._ways].index(LOCAL)
        m.d.comb += taken.eq(Mux(inside, first, Mux(self._broken, ejects, found)))
        with m.If(arrives):
            m.d.sync += [inside.eq(~self.i.last), first.eq(taken)]
        return [(number, taken[number]) for number in range(count)]

    def _turns(self, write: Write, name: str, entry: Value, found: Value) -> Value:
        kept = write.ram(name, entry.replicate(_COPIES), found)
        return majority(*(kept.word_select(copy, len(entry)) for copy in range(_COPIES)))
