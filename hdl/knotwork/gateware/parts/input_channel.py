"""Input side of a router: one virtual channel's buffer and its route."""

from amaranth.hdl import Assert, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ..layouts import flit_layout
from .arbiter import is_one_hot_or_zero
from .buffer import Buffer
from .route import RouteComputation


class InputChannel(wiring.Component):
    """Buffer of one virtual channel of an input port, with the turn of the flit at its head.

    With ``pipeline=2`` a register follows the buffer and the route computation, which hold one
    flit more.

    Latency
    -------
    `pipeline` clocks from `i` to `o`.

    Parameters
    ----------
    network : Network
        Widths, depth and pipeline.
    route : RouteComputation
        Chooses the turn.

    Members
    -------
    address : In(address_width)
        The router's own address.
    i : In(stream.Signature(flit_layout))
        From the link.
    o : Out(stream.Signature(flit_layout))
        To the crossbar.
    select : Out(turns)
        One-hot turn of the flit in `o`, 0 while there is none.
    """

    address: Signal
    i: stream.Interface
    o: stream.Interface
    select: Signal

    def __init__(self, network: Network, route: RouteComputation) -> None:
        self._network = network
        self._route = route
        flits = stream.Signature(flit_layout(network))
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "i": In(flits),
                "o": Out(flits),
                "select": Out(len(route.turns)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit = flit_layout(self._network)
        m.submodules.buffer = buffer = Buffer(flit, depth=self._network.hardware.buffer_depth)
        m.submodules.route = route = self._route
        wiring.connect(m, wiring.flipped(self.i), buffer.i)
        m.d.comb += [
            route.address.eq(self.address),
            route.destination.eq(buffer.o.p.destination),
        ]
        chosen = Signal.like(self.select)
        m.d.comb += chosen.eq(Mux(buffer.o.valid, route.select, 0))
        if self._network.hardware.pipeline == 1:
            wiring.connect(m, buffer.o, wiring.flipped(self.o))
            m.d.comb += self.select.eq(chosen)
        else:
            turn = Signal.like(self.select)
            m.d.comb += [
                buffer.o.ready.eq(self.o.ready | ~self.o.valid),
                self.select.eq(turn),
                self.o.valid.eq(turn.any()),
            ]
            with m.If(buffer.o.ready):
                m.d.sync += [
                    self.o.p.eq(buffer.o.p),
                    turn.eq(chosen),
                ]
        m.d.sync += Assert(
            is_one_hot_or_zero(chosen) & (chosen.any() == buffer.o.valid),
            "input channel: a flit must take one turn of its router",
        )
        return m
