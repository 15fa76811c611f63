"""Input channel: the buffer of one virtual channel, and the turns of its flits."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...routing import Turn
from ...routing.walks.headers import KnownHeader
from ...topology import LOCAL
from ...untyped import Statement
from ..layouts import Link, flit_layout
from ..parts.arbiter import is_one_hot_or_zero
from ..parts.buffer import Buffer
from ..parts.route import RouteComputation
from .channel import Channel
from .header import carried, completed

NOTHING_KNOWN = KnownHeader()


class InputChannel(Channel):
    """Buffer of one virtual channel of an input port, with the turn of the flit at its head.

    The turn is computed before the buffer and stored beside the flit: computed behind the buffer,
    it would delay arbitration. Address bits that follow from the router's own address are not
    stored.

    With an escape the turn is computed behind the buffer: in every cycle, a packet that has no
    output asks for its route's turn if that is open, else for its escape; it keeps the turn that it
    is granted.

    Latency
    -------
    1 cycle from `i` to `o`.

    Parameters
    ----------
    network : Network
        Widths and depth; with ``pipeline=2`` grants are registers.
    turns : tuple of Turn
        All turns from this input.
    route : RouteComputation or None
        Chooses the turn; None where only broadcasts come.
    escape : RouteComputation or None
        Chooses the turn of a packet whose route is not open.
    ejects_broadcasts : bool
        Broadcasts come here, and are ejected.
    known : KnownHeader
        Bits of the flits' addresses that follow from the router's own; none with `escape`.

    Members
    -------
    address : In(address_width)
        The router's own address.
    i : In(stream.Signature(flit_layout))
        From the link.
    o : Out(stream.Signature(flit_layout))
        To the crossbar.
    select : Out(len(turns))
        One-hot turn of the flit in `o`, 0 while there is none.
    empty : Out(1)
        The buffer holds no flit.
    open : In(len(turns))
        Turns that a new packet would be granted if it alone asked; with `escape` only.
    granted : In(len(turns))
        The turn in `select` that is granted in this cycle, or with ``pipeline=2`` was granted to
        the packet whose flits come out; with `escape` only.
    """

    address: Signal
    i: stream.Interface
    o: stream.Interface
    select: Signal
    empty: Signal
    open: Signal
    granted: Signal

    def __init__(
        self,
        network: Network,
        turns: tuple[Turn, ...],
        route: RouteComputation | None,
        escape: RouteComputation | None = None,
        *,
        ejects_broadcasts: bool = False,
        known: KnownHeader = NOTHING_KNOWN,
    ) -> None:
        self._network = network
        self._known = known
        self._ejects_broadcasts = ejects_broadcasts
        self._turns = turns
        self._route = route
        self._escape = escape
        flits = stream.Signature(flit_layout(network))
        ports = {
            "address": In(network.topology.address_width),
            "i": In(flits),
            "o": Out(flits),
            "select": Out(len(self.turns)),
            "empty": Out(1),
        }
        if escape is not None:
            ports |= {"open": In(len(self.turns)), "granted": In(len(self.turns))}
        super().__init__(ports)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in the order of `select`."""
        return self._turns

    @property
    def routes(self) -> tuple[RouteComputation | None, RouteComputation | None]:
        """Gates of its packets' routes, and of their ways to escape."""
        return self._route, self._escape

    @property
    def escapes(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether it has an escape."""
        return self._escape is not None

    def answer_sender(self, sender: Link, vc: int) -> list[Statement]:
        """Tell the sender that the buffer is empty, on links where packets can escape."""
        from_node = self._network.topology.is_local(self._turns[0].input_port)
        if from_node or self._network.routing.escape_class is None:
            return []
        return [sender.empty[vc].eq(self.empty)]

    def hear_escape(self, number: int, *, is_open: Value, granted: Value) -> list[Statement]:
        """Drive `granted` and `open`."""
        return [self.granted[number].eq(granted), self.open[number].eq(is_open)]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._escape is None:
            self._route_before_buffer(m)
        else:
            self._route_behind_buffer(m)
        return m

    def _route_before_buffer(self, m: Module) -> None:
        """Store each flit's turn beside it, if there is a choice."""
        turn = self._computed(m, "route", self._route, self.i)
        rest = carried(self.i.p, self._known)
        entry = data.StructLayout({"flit": len(rest), "turn": len(turn) if len(turn) > 1 else 0})
        m.submodules.buffer = buffer = Buffer(entry, depth=self._network.hardware.input_buffer)
        out = completed(self.o.p, self._known, self.address, buffer.o.p.flit)
        chosen = buffer.o.p.turn if len(turn) > 1 else Const(1)
        m.d.comb += [
            buffer.i.p.flit.eq(rest),
            buffer.i.p.turn.eq(turn),
            buffer.i.valid.eq(self.i.valid),
            self.i.ready.eq(buffer.i.ready),
            Value.cast(self.o.p).eq(out),
            self.o.valid.eq(buffer.o.valid),
            buffer.o.ready.eq(self.o.ready),
            self.empty.eq(~buffer.o.valid),
            self.select.eq(Mux(buffer.o.valid, chosen, 0)),
        ]

    def _route_behind_buffer(self, m: Module) -> None:
        flit = flit_layout(self._network)
        m.submodules.buffer = buffer = Buffer(flit, depth=self._network.hardware.input_buffer)
        wiring.connect(m, wiring.flipped(self.i), buffer.i)
        wiring.connect(m, buffer.o, wiring.flipped(self.o))
        route, escape = (
            Mux(buffer.o.valid, self._computed(m, name, gates, buffer.o), 0)
            for name, gates in (("route", self._route), ("escape", self._escape))
        )
        m.d.comb += [
            self.empty.eq(~buffer.o.valid),
            self.select.eq(self._kept(m, route, escape)),
        ]

    def _kept(self, m: Module, route: Value, escape: Value) -> Value:
        """Choose between route and escape, and keep the granted turn until the tail."""
        kept = self._granted_before(m)
        blocked = ~(route & self.open).any() & escape.any()
        asked = Mux(blocked, escape, route)
        return Mux(kept.any(), Mux(self.o.valid, kept, 0), asked)

    def _computed(
        self, m: Module, name: str, route: RouteComputation | None, head: stream.Interface
    ) -> Signal:
        """Turn of a stream's flit by one of the route computations; undefined without a flit."""
        chosen = Signal(len(self.turns), name=f"{name}_chosen")
        copy = head.p.broadcast if self._ejects_broadcasts else Const(0)
        if route is not None:
            m.submodules[name] = route
            m.d.comb += [
                route.address.eq(self.address),
                route.destination.eq(head.p.destination),
                Cat(chosen[self.turns.index(turn)] for turn in route.turns).eq(
                    Mux(copy, 0, route.select) if self._ejects_broadcasts else route.select
                ),
            ]
        if self._ejects_broadcasts:
            ejects = [turn.output_port == LOCAL for turn in self.turns].index(True)
            with m.If(copy):
                m.d.comb += chosen[ejects].eq(1)
        message = "input channel: a flit must take one turn of its router"
        # A flit that is to be ejected here has no escape.
        right = is_one_hot_or_zero(chosen)
        if route is self._route:
            right &= chosen.any()
        m.d.sync += Assert(~head.valid | right, message)
        return chosen

    def _granted_before(self, m: Module) -> Value:
        """Turn that an earlier cycle granted to the packet that is leaving; 0 for none."""
        if self._network.cycles_per_hop == 2:
            return self.granted
        kept = Signal(len(self.turns))
        with m.If(self.granted.any()):
            leaves = self.o.valid & self.o.ready & self.o.p.last
            m.d.sync += kept.eq(Mux(leaves, 0, self.select))
        return kept
