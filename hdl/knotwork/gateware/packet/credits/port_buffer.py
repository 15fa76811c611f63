"""Buffers of an input port's virtual channels, in one RAM."""

from typing import NamedTuple

from amaranth.hdl import Assert, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ....network import Network, RouterKind
from ....untyped import View
from ...layouts import flit_layout
from ...parts.arbiter import is_one_hot_or_zero
from ...parts.crossbar import one_hot_mux
from ...parts.network_routes import route_computation
from ...parts.route import RouteComputation, input_turns
from ..header import carried, completed
from .turn_queue import TurnQueue


class Way(NamedTuple):
    """Output that a flit turns to, and its class there; it stays in its lane."""

    output: int
    out_class: int


def input_ways(network: Network, kind: RouterKind, port: int) -> list[Way]:
    """Ways from an input port, sorted."""
    classes = network.routing.classes
    turns = [turn for turn in kind.turns if turn.input_port == port]
    return sorted({Way(turn.output_port, turn.output_vc % classes) for turn in turns})


class PortBuffer(wiring.Component):
    """Buffers of an input port's virtual channels: one RAM, and a queue of turns for each.

    One flit of the port can cross in a cycle, so one read port serves all channels. Routes are
    computed before the queues.

    Latency
    -------
    1 cycle from `arrives` to `some`, `entries` and `flit`.

    Parameters
    ----------
    network : Network
        Widths, depth, routes.
    kind : RouterKind
        Turns.
    port : int
        Number in the topology.

    Members
    -------
    address : In(address_width)
        The router's own address.
    arrives : In(channels)
        One-hot: the channel of `i`, in the order of ``kind.input_vcs(port)``.
    i : In(flit_layout)
        Flit that arrives.
    shown, leaves : In(channels)
        One-hot: channel whose head is at the port's front; and it leaves.
    some, more, full : Out(channels)
        The channel has a flit, at least two, no place for one more.
    entries : Out(entry_width).array(channels)
        Number of the way that the channel's head takes, and whether it is its packet's last; where
        the head is shown, of the flit behind it.
    arriving : Out(ways)
        One-hot: way of the flit that arrives; 0 without one.
    flit : Out(flit_layout)
        Head of the channel shown.
    """

    address: Signal
    arrives: Signal
    i: View
    shown: Signal
    leaves: Signal
    some: Signal
    more: Signal
    full: Signal
    entries: list[Signal]
    arriving: Signal
    flit: View

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._network = network
        self._depth = network.depth_at(kind.router, port)
        self._known = network.known_header(kind, port)
        self._ways = input_ways(network, kind, port)
        make = route_computation(network)
        self._routes: dict[int, RouteComputation] = {
            vc: make(network, input_turns(kind, port, vc), router=kind.router)
            for vc in kind.input_vcs(port)
        }
        count = len(self._routes)
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "arrives": In(count),
                "i": In(flit_layout(network)),
                "shown": In(count),
                "leaves": In(count),
                "some": Out(count),
                "more": Out(count),
                "full": Out(count),
                "entries": Out(_bits(len(self._ways)) + 1).array(count),
                "arriving": Out(len(self._ways)),
                "flit": Out(flit_layout(network)),
            }
        )

    @property
    def routes(self) -> dict[int, RouteComputation]:
        """Route computation of each virtual channel."""
        return self._routes

    def elaborate(self, platform: object) -> Module:
        m = Module()
        merged: Value = Const(0, len(self._ways))
        queues = []
        for place, (vc, route) in enumerate(self._routes.items()):
            way = self._way(m, vc, route, self.arrives[place])
            merged = merged | (way & self.arrives[place].replicate(len(way)))
            queues.append(self._queue(m, vc, place, way))
        m.d.comb += self.arriving.eq(merged)
        self._ram(m, queues)
        return m

    def _way(self, m: Module, vc: int, route: RouteComputation, arrives: Value) -> Signal:
        """Way of the flit that arrives, if it comes by this channel."""
        way = Signal(len(self._ways), name=f"way_vc{vc}")
        m.submodules[f"route_vc{vc}"] = route
        m.d.comb += [route.address.eq(self.address), route.destination.eq(self.i.destination)]
        classes = self._network.routing.classes
        for number, turn in enumerate(route.turns):
            place = self._ways.index(Way(turn.output_port, turn.output_vc % classes))
            m.d.comb += way[place].eq(route.select[number])
        m.d.sync += Assert(
            ~arrives | (is_one_hot_or_zero(way) & way.any()),
            "port buffer: a flit must take one turn of its router",
        )
        return way

    def _queue(self, m: Module, vc: int, place: int, way: Signal) -> TurnQueue:
        """Queue of one channel's turns."""
        width = len(self.entries[place])
        m.submodules[f"queue_vc{vc}"] = queue = TurnQueue(width=width, depth=self._depth)
        m.d.comb += [
            queue.arrives.eq(self.arrives[place]),
            queue.i.eq(Cat(_index(way), self.i.last)),
            queue.shown.eq(self.shown[place]),
            queue.leaves.eq(self.leaves[place]),
            self.some[place].eq(queue.some),
            self.more[place].eq(queue.more),
            self.full[place].eq(queue.full),
            self.entries[place].eq(queue.entry),
        ]
        return queue

    def _ram(self, m: Module, queues: list[TurnQueue]) -> None:
        """One RAM for the flits of all channels."""
        rest = carried(self.i, self._known)
        places = 1 << (len(queues[0].head) + _bits(len(queues)))
        m.submodules.ram = ram = Memory(shape=len(rest), depth=places, init=[])
        write, read = ram.write_port(), ram.read_port(domain="comb")
        into = one_hot_mux(list(self.arrives), [queue.into for queue in queues])
        head = one_hot_mux(list(self.shown), [queue.head for queue in queues])
        m.d.comb += [
            write.en.eq(self.arrives.any()),
            write.data.eq(rest),
            write.addr.eq(Cat(into, _index(self.arrives))),
            read.addr.eq(Cat(head, _index(self.shown))),
            Value.cast(self.flit).eq(completed(self.flit, self._known, self.address, read.data)),
        ]


def _bits(count: int) -> int:
    """Bits of a number below `count`."""
    return (count - 1).bit_length()


def _index(one_hot: Value) -> Value:
    """Number of the bit that is set."""
    numbers = range(len(one_hot))
    bits = range(_bits(len(one_hot)))
    return Cat(Cat(one_hot[n] for n in numbers if n >> bit & 1).any() for bit in bits)
