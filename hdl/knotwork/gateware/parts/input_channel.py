"""Input side of a router: one virtual channel's buffer and its route."""

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...routing import Turn
from ...topology import LOCAL
from ..layouts import flit_layout
from .arbiter import is_one_hot_or_zero
from .buffer import Buffer
from .route import RouteComputation


class InputChannel(wiring.Component):
    """Buffer of one virtual channel of an input port, with the turn of the flit at its head.

    With ``pipeline=2`` a register follows the buffer and the route computation, which hold one
    flit more.

    With an escape, a packet that no output was granted to asks, clock by clock, for its route's
    turn if that is open, else for its escape; it keeps the turn that it is granted.

    Latency
    -------
    `pipeline` clocks from `i` to `o`.

    Parameters
    ----------
    network : Network
        Widths, depth and pipeline.
    turns : tuple of Turn
        All turns from this input.
    route : RouteComputation or None
        Chooses the turn; None where only broadcasts come.
    escape : RouteComputation or None
        Chooses the turn of a packet whose route is not open.
    ejects_broadcasts : bool
        Broadcasts come here, and are ejected.

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
        No flit is here.
    open : In(len(turns))
        Turns that a new packet would be granted if it alone asked; with `escape` only.
    granted : In(1)
        The turn in `select` is granted in this clock; with `escape` only.
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
    ) -> None:
        self._network = network
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
            ports |= {"open": In(len(self.turns)), "granted": In(1)}
        super().__init__(ports)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in the order of `select`."""
        return self._turns

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._network.hardware.pipeline == 1 and self._escape is None:
            self._route_before_buffer(m)
        else:
            self._route_behind_buffer(m)
        return m

    def _route_before_buffer(self, m: Module) -> None:
        """Keep each flit's turn beside it: behind the buffer it would delay the arbitration."""
        turn = self._computed(m, "route", self._route, self.i)
        entry = data.StructLayout({"flit": flit_layout(self._network), "turn": turn.shape()})
        m.submodules.buffer = buffer = Buffer(entry, depth=self._network.hardware.buffer_depth)
        m.d.comb += [
            buffer.i.p.flit.eq(self.i.p),
            buffer.i.p.turn.eq(turn),
            buffer.i.valid.eq(self.i.valid),
            self.i.ready.eq(buffer.i.ready),
            self.o.p.eq(buffer.o.p.flit),
            self.o.valid.eq(buffer.o.valid),
            buffer.o.ready.eq(self.o.ready),
            self.empty.eq(~buffer.o.valid),
            self.select.eq(Mux(buffer.o.valid, buffer.o.p.turn, 0)),
        ]

    def _route_behind_buffer(self, m: Module) -> None:
        flit = flit_layout(self._network)
        m.submodules.buffer = buffer = Buffer(flit, depth=self._network.hardware.buffer_depth)
        wiring.connect(m, wiring.flipped(self.i), buffer.i)
        routes = [
            Mux(buffer.o.valid, self._computed(m, name, route, buffer.o), 0)
            for name, route in (("route", self._route), ("escape", self._escape))
            if name == "route" or route is not None
        ]
        if self._network.hardware.pipeline == 1:
            wiring.connect(m, buffer.o, wiring.flipped(self.o))
            m.d.comb += self.empty.eq(~buffer.o.valid)
        else:
            routes = self._registered(m, buffer.o, routes)
        m.d.comb += self.select.eq(routes[0] if len(routes) == 1 else self._kept(m, *routes))

    def _computed(
        self, m: Module, name: str, route: RouteComputation | None, head: stream.Interface
    ) -> Signal:
        """Turn of a stream's flit by one of the route computations; any while there is none."""
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

    def _registered(self, m: Module, head: stream.Interface, routes: list[Value]) -> list[Value]:
        """Put the register behind the buffer: flit and turns."""
        names = ("route_registered", "escape_registered")
        turns = [Signal(len(self.turns), name=name) for name, _ in zip(names, routes, strict=False)]
        m.d.comb += [
            head.ready.eq(self.o.ready | ~self.o.valid),
            self.o.valid.eq(turns[0].any()),
            self.empty.eq(~self.o.valid & ~head.valid),
        ]
        with m.If(head.ready):
            m.d.sync += [
                self.o.p.eq(head.p),
                *(t.eq(r) for t, r in zip(turns, routes, strict=True)),
            ]
        return list(turns)

    def _kept(self, m: Module, route: Value, escape: Value) -> Value:
        """Choose between route and escape, and stay with what was granted until the tail."""
        bound, kept = Signal(), Signal(len(self.turns))
        blocked = ~(route & self.open).any() & escape.any()
        turn = Mux(bound, Mux(self.o.valid, kept, 0), Mux(blocked, escape, route))
        with m.If(self.granted):
            m.d.sync += [
                kept.eq(self.select),
                bound.eq(~(self.o.valid & self.o.ready & self.o.p.last)),
            ]
        return turn
