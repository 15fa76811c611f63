"""Input side of a router whose flits have parity: whatever bit is wrong, the packet goes on."""

from typing import Any

from amaranth.hdl import Assert, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream

from ...network import Network
from ...routing import Turn
from ...topology import LOCAL
from ..layouts import flit_layout
from .arbiter import is_one_hot_or_zero
from .buffer import Buffer
from .input_channel import InputChannel
from .parity import is_header_broken, voted_last
from .route import RouteComputation


class GuardedChannel(InputChannel):
    """Buffer of one virtual channel whose packets stay whole, whatever bit of a flit is wrong.

    A packet takes its first flit's turn as a whole: from the clock in which that is granted the
    channel keeps it until the tail is through. The turn is ejection where the first flit's header
    does not have its parity when the route is computed, or where what is kept of the turn is not
    one-hot any more when it asks. The node marks what it gets then.

    Guarded are all bits of what the buffer holds. The channel's own state (pointers, levels, the
    turn granted) is not.

    Latency
    -------
    As `InputChannel`.

    Parameters
    ----------
    network : Network
        Widths and depth; with parity.
    turns : tuple of Turn
        All turns from this input, ejection among them.
    route : RouteComputation
        Chooses the turn.
    escape : RouteComputation or None
        Chooses the turn of a packet whose route is not open.

    Members
    -------
    address, i, o, select, empty, open
        As `InputChannel`.
    granted : In(len(turns))
        As `InputChannel`.
    """

    def __init__(
        self,
        network: Network,
        turns: tuple[Turn, ...],
        route: RouteComputation | None,
        escape: RouteComputation | None = None,
    ) -> None:
        super().__init__(network, turns, route, escape, keeps_grants=True)
        number = [turn.output_port == LOCAL for turn in turns].index(True)
        self._ejection = 1 << number
        members = {"flit": flit_layout(network), "route": len(turns)}
        if escape is not None:
            members |= {"escape": len(turns), "escape_parity": 1}
        self._entry = data.StructLayout(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self._network.hardware.buffer_depth
        before = self._escape is None
        if before:
            shape: Any = self._entry
            shown: Any = self._routed(m, self.i)
        else:
            shape, shown = flit_layout(self._network), self.i.p
        m.submodules.buffer = buffer = Buffer(shape, depth=depth)
        m.d.comb += [
            buffer.i.p.eq(shown),
            buffer.i.valid.eq(self.i.valid),
            self.i.ready.eq(buffer.i.ready),
        ]
        head: Any = buffer.o.p if before else self._routed(m, buffer.o)
        m.d.comb += [
            self.o.valid.eq(buffer.o.valid),
            buffer.o.ready.eq(self.o.ready),
            self.empty.eq(~buffer.o.valid),
        ]
        last = voted_last(head.flit)
        m.d.comb += [
            self.o.p.eq(head.flit),
            self.o.p.last.eq(last),
            self.o.p.last_copies.eq(last.replicate(2)),
        ]
        self._select(m, self._asked(m, head))
        return m

    def _routed(self, m: Module, head: stream.Interface) -> Any:
        """Flit of a stream with its turns; ejection where its header is broken."""
        entry: Any = Signal(self._entry, name="routed")
        broken = Signal()
        m.d.comb += [broken.eq(is_header_broken(head.p)), entry.flit.eq(head.p)]
        for name, route in (("route", self._route), ("escape", self._escape)):
            if route is None:
                continue
            m.submodules[name] = route
            chosen = Signal(len(self.turns), name=f"{name}_chosen")
            m.d.comb += [
                route.address.eq(self.address),
                route.destination.eq(head.p.destination),
                Cat(chosen[self.turns.index(turn)] for turn in route.turns).eq(route.select),
            ]
            otherwise = self._ejection if name == "route" else 0
            m.d.comb += entry[name].eq(Mux(broken, otherwise, chosen))
        if self._escape is not None:
            m.d.comb += entry.escape_parity.eq(entry.escape.xor())
        return entry

    def _asked(self, m: Module, head: Any) -> Value:
        """Turn that a packet asks for which was granted none."""
        sound = head.route.xor()  # one bit of a one-hot turn is wrong: none is left, or two
        if self._escape is None:
            return Mux(sound, head.route, self._ejection)
        sound &= ~(head.escape.xor() ^ head.escape_parity)
        route = Signal(len(self.turns), name="route_asked")
        escape = Signal(len(self.turns), name="escape_asked")
        m.d.comb += [
            route.eq(Mux(sound, head.route, self._ejection)),
            escape.eq(Mux(sound, head.escape, 0)),
        ]
        blocked = ~(route & self.open).any() & escape.any()
        return Mux(blocked, escape, route)

    def _select(self, m: Module, asked: Value) -> None:
        """Stay with what was granted until the tail."""
        kept = self._granted_before(m)
        m.d.comb += self.select.eq(Mux(self.o.valid, Mux(kept.any(), kept, asked), 0))
        m.d.sync += Assert(
            is_one_hot_or_zero(self.select) & (self.select.any() == self.o.valid),
            "guarded channel: a packet must take one turn of its router",
        )
