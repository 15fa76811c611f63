"""Input channel with parity: a packet stays whole whatever bit of a flit is wrong."""

from amaranth.hdl import Assert, Cat, Module, Mux, Signal, Value
from amaranth.lib import stream

from ...network import Network
from ...routing import Turn
from ...topology import LOCAL
from ...untyped import View
from ..layouts import flit_layout
from ..parts.arbiter import is_one_hot_or_zero
from ..parts.buffer import Buffer
from ..parts.parity import is_data_broken, is_header_broken, majority, voted_last
from ..parts.route import RouteComputation
from .input_channel import InputChannel


class GuardedChannel(InputChannel):
    """Buffer of one virtual channel whose packets stay whole, whatever bit of a flit is wrong.

    A whole packet takes the turn of its first flit. If the parity of that flit's header is wrong
    when the route is computed, the packet is ejected. A turn stored beside a flit has three copies,
    and their majority counts.

    This guards every bit that the buffer stores. It does not guard the channel's own state:
    pointers, levels, and the turn of the packet that is coming in.

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
    address, i, o, select, empty, open, granted
        As `InputChannel`; if the flit in `o` is to be ejected, its `wrong` is high where a parity
        is wrong or the flit is for another node.
    """

    def __init__(
        self,
        network: Network,
        turns: tuple[Turn, ...],
        route: RouteComputation | None,
        escape: RouteComputation | None = None,
    ) -> None:
        super().__init__(network, turns, route, escape)
        self._local = [turn.output_port == LOCAL for turn in turns].index(True)
        self._bits = flit_layout(network).size - 1  # `wrong`, the last bit, is not stored
        self._flit = flit_layout(network)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self._network.hardware.input_buffer
        flit = Value.cast(self.i.p)[: self._bits]
        before = self._escape is None
        kept = self._turns_of(m, self.i) * 3 if before else []
        held = Cat(flit, *kept)
        m.submodules.buffer = buffer = Buffer(len(held), depth=depth)
        m.d.comb += [
            buffer.i.p.eq(held),
            buffer.i.valid.eq(self.i.valid),
            self.i.ready.eq(buffer.i.ready),
        ]
        shown: View = stream.Signature(self._flit).create(path=("shown",))
        m.d.comb += [
            Value.cast(shown.p).eq(buffer.o.p[: self._bits]),
            shown.valid.eq(buffer.o.valid),
            shown.ready.eq(self.o.ready),
            buffer.o.ready.eq(self.o.ready),
            self.empty.eq(~buffer.o.valid),
        ]
        if before:
            width = len(self.turns)
            copies = [buffer.o.p[self._bits :].word_select(copy, width) for copy in range(3)]
            turns = [majority(*copies)]
        else:
            turns = self._turns_of(m, shown)
        self._show(m, shown, turns)
        return m

    def _turns_of(self, m: Module, head: stream.Interface) -> list[Value]:
        """Turn of a stream's flit, and its escape if there is one.

        Without an escape the turn is that of its packet's first flit; with one `_kept` sees to it.
        """
        broken = Signal()
        m.d.comb += broken.eq(is_header_broken(head.p))
        found: list[Value] = []
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
            found.append(Mux(broken, 0 if found else 1 << self._local, chosen))
        if self._escape is None:
            in_packet, first = (
                Signal(name="in_packet"),
                Signal(len(self.turns), name="turn_of_first"),
            )
            turn = Signal(len(self.turns), name="turn")
            m.d.comb += turn.eq(Mux(in_packet, first, found[0]))
            with m.If(head.valid & head.ready):
                m.d.sync += [in_packet.eq(~voted_last(head.p)), first.eq(turn)]
            return [turn]
        return found

    def _show(self, m: Module, head: stream.Interface, turns: list[Value]) -> None:
        """Flit, its turn, or that and its escape, and whether it is wrong."""
        flit, last = head.p, voted_last(head.p)
        turns = [Mux(head.valid, turn, 0) for turn in turns]
        wrong = is_data_broken(flit) | is_header_broken(flit)
        is_away = self.select[self._local] & (flit.destination != self.address)
        m.d.comb += [
            self.o.valid.eq(head.valid),
            self.o.p.eq(flit),
            self.o.p.last.eq(last),
            self.o.p.last_copies.eq(last.replicate(2)),
            self.o.p.wrong.eq(wrong | is_away),
            self.select.eq(turns[0] if len(turns) == 1 else self._kept(m, *turns)),
        ]
        m.d.sync += Assert(
            is_one_hot_or_zero(self.select) & (self.select.any() == self.o.valid),
            "guarded channel: a packet must take one turn of its router",
        )
