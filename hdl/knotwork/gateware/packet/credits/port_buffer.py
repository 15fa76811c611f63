"""Buffers of an input port's virtual channels, in two RAMs: their flits, and their turns."""

from typing import NamedTuple, TypeAlias

from amaranth.hdl import Assert, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from ....network import Network, RouterKind
from ....routing import Turn
from ....topology import LOCAL
from ....untyped import Statement, View
from ...layouts import flit_layout
from ...parts.arbiter import is_one_hot_or_zero
from ...parts.crossbar import one_hot_mux
from ...parts.network_routes import route_computation
from ...parts.ram import Write
from ...parts.route import RouteComputation
from ..header import carried, completed
from ..inputs import input_ways as turns_of_channel
from .classes import known_in_class
from .layouts import kept_apart
from .turn_queue import TurnQueue


class Way(NamedTuple):
    """Output that a flit turns to, and its class there; it stays in its lane."""

    output: int
    out_class: int


def input_ways(network: Network, kind: RouterKind, port: int) -> list[Way]:
    """Ways from an input port, sorted."""
    return sorted({_way(network, turn) for turn in kind.turns if turn.input_port == port})


def _way(network: Network, turn: Turn) -> Way:
    """Way of a turn."""
    return Way(turn.output_port, turn.output_vc % network.routing.classes)


Selects: TypeAlias = list[tuple[int, Value]]
"""Numbers of ways, and for each a value that selects it."""


class PortBuffer(wiring.Component):
    """Buffers of an input port's virtual channels: a RAM of their flits, and one of their turns.

    One flit of the port can cross in a cycle, so one read port serves all channels. The turns have
    two: of the flit behind the one shown, and of another channel's head. Routes come before both.

    Latency
    -------
    1 cycle from `arrives` to `some`, `behind`, `other` and `flit`.

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
    last : In(1)
        The flit shown is its packet's last; only where the RAM of flits is without that mark.
    asked : In(channels)
        One-hot: channel whose head `other` is of; not with one channel.
    some, more, full : Out(channels)
        The channel has a flit, at least two, no place for one more.
    behind, other : Out(entry_width)
        Number of a flit's way, and whether it is its packet's last: of the flit behind the one
        shown, and of the head of the channel asked.
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
    last: Signal
    asked: Signal
    some: Signal
    more: Signal
    full: Signal
    behind: Signal
    other: Signal
    arriving: Signal
    flit: View
    _ways_per_flit = 1

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._network, self._depth = network, network.depth_at(kind.router, port)
        self._known = known_in_class(network, kind, network.known_header(kind, port))
        self._apart = kept_apart(network, carried(Signal(flit_layout(network)), self._known))
        self._ways = input_ways(network, kind, port)
        self._routes = {vc: _routes(network, kind, port, vc) for vc in kind.input_vcs(port)}
        self._ejects_broadcasts = _ejecting(kind, port)
        super().__init__(self._members(len(self._routes)))

    def _members(self, count: int) -> dict[str, Member]:
        """Members, with `count` channels."""
        ways = self._ways_per_flit * len(self._ways)
        entry = len(self._entry(Signal(ways))) + 1
        return _members(self._network, count, ways=ways, entry=entry, apart=self._apart)

    @property
    def routes(self) -> dict[int, RouteComputation | None]:
        """Route computation of each virtual channel; None where only broadcasts come."""
        return self._routes

    def _entry(self, way: Value) -> Value:
        """What an entry tells of a way."""
        return index_of(way)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        merged: Value = Const(0, len(self.arriving))
        queues = []
        for place, (vc, route) in enumerate(self._routes.items()):
            way = self._way(m, vc, route, self.arrives[place])
            merged = merged | (way & self.arrives[place].replicate(len(way)))
            queues.append(self._queue(m, vc, place))
        m.d.comb += self.arriving.eq(merged)
        self._rams(m, queues)
        return m

    def _way(self, m: Module, vc: int, route: RouteComputation | None, arrives: Value) -> Value:
        """Way of the flit that arrives, if it comes by this channel."""
        way = Signal(len(self._ways), name=f"way_vc{vc}")
        selects = self._alone(m, vc, route)
        if vc in self._ejects_broadcasts:
            copy, ejects = self.i.broadcast, [one.output for one in self._ways].index(LOCAL)
            selects = [*((place, select & ~copy) for place, select in selects), (ejects, copy)]
        assign_ways(m, way, selects)
        right = ~arrives | (is_one_hot_or_zero(way) & way.any())
        m.d.sync += Assert(right, "port buffer: a flit must take one turn of its router")
        return way

    def _alone(self, m: Module, vc: int, route: RouteComputation | None) -> Selects:
        """Number of each way that a packet to one node may take, and whether it does."""
        asked = routed(m, f"route_vc{vc}", route, self.address, self.i.destination)
        return [(self._number(turn), select) for turn, select in asked]

    def _number(self, turn: Turn) -> int:
        """Number of the way of a turn."""
        return self._ways.index(_way(self._network, turn))

    def _queue(self, m: Module, vc: int, place: int) -> TurnQueue:
        """Queue of one channel."""
        m.submodules[f"queue_vc{vc}"] = queue = self._make_queue(vc)
        m.d.comb += [queue.arrives.eq(self.arrives[place]), queue.leaves.eq(self.leaves[place])]
        m.d.comb += self.some[place].eq(queue.some)
        m.d.comb += [self.more[place].eq(queue.more), self.full[place].eq(queue.full)]
        return queue

    def _make_queue(self, vc: int) -> TurnQueue:
        """Queue of a virtual channel."""
        return TurnQueue(depth=self._depth)

    def _rams(self, m: Module, queues: list[TurnQueue]) -> None:
        """RAM for the flits of all channels, and two for their turns, each with one read port."""
        heads, behind = [one.head for one in queues], [one.behind for one in queues]
        write = Write(m, self.arrives.any(), _place(self.arrives, [one.into for one in queues]))
        stored = carried(self.i, self._known, apart=self._apart)
        flit = write.ram("ram", stored, _place(self.shown, heads))
        apart = {"last": self.last} if self._apart else {}
        whole = completed(self.flit, self._known, self.address, flit, apart=apart)
        entry = Cat(self._entry(self.arriving), self.i.last)
        m.d.comb += [
            Value.cast(self.flit).eq(whole),
            self.behind.eq(self._turns(write, "turns", entry, _place(self.shown, behind))),
        ]
        if len(queues) > 1 or self._ways_per_flit > 1:
            # Synthesis would share one RAM, and choose its address late in the cycle.
            twin = self._turns(write, "turns_twin", entry, _place(self.asked, heads))
            m.d.comb += self.other.eq(twin)

    def _turns(self, write: Write, name: str, entry: Value, found: Value) -> Value:
        """RAM of the entries; gives the one at a place."""
        return write.ram(name, entry, found)


def told_last(buffer: PortBuffer, last: Value) -> list[Statement]:
    """Assignment that tells a buffer of the flit that it shows, where it asks."""
    return [buffer.last.eq(last)] if "last" in buffer.signature.members else []


def _place(chosen: Value, pointers: list[Signal]) -> Value:
    """Place in a RAM of all channels, by pointer, of the channel that is chosen."""
    return Cat(one_hot_mux(list(chosen), pointers), index_of(chosen))


def _bits(count: int) -> int:
    """Bits of a number below `count`."""
    return (count - 1).bit_length()


def index_of(one_hot: Value) -> Value:
    """Number of the bit that is set."""
    numbers = range(len(one_hot))
    bits = range(_bits(len(one_hot)))
    return Cat(Cat(one_hot[n] for n in numbers if n >> bit & 1).any() for bit in bits)


def _routes(network: Network, kind: RouterKind, port: int, vc: int) -> RouteComputation | None:
    """Gates that choose the turns of an input channel's packets to one node."""
    alone = turns_of_channel(network, kind, port, vc)
    return computation(network, kind, alone.turns, escape=alone.inside)


def _ejecting(kind: RouterKind, port: int) -> set[int]:
    """Virtual channels of a port by which broadcasts come that go no further."""
    found = {turn.input_vc for turn in kind.broadcast_turns if turn.input_port == port}
    return {vc for vc in found if not kind.branches(port, vc)}


def assign_ways(m: Module, ways: Signal, selects: Selects) -> None:
    """Assign a bit for each way, of values that select ways by number; several may select one."""
    found: dict[int, list[Value]] = {}
    for place, select in selects:
        found.setdefault(place, []).append(select)
    for place, values in found.items():
        m.d.comb += ways[place].eq(values[0] if len(values) == 1 else Cat(values).any())


def computation(
    network: Network, kind: RouterKind, turns: tuple[Turn, ...], *, escape: bool
) -> RouteComputation | None:
    """Gates that choose between turns; None without one."""
    make = route_computation(network, escape=escape)
    return make(network, turns, escape=escape, router=kind.router) if turns else None


def routed(
    m: Module, name: str, route: RouteComputation | None, address: Value, destination: Value
) -> list[tuple[Turn, Value]]:
    """Turns of packets to one node, and whether the gates of a channel choose them."""
    if route is None:
        return []
    m.submodules[name] = route
    m.d.comb += [route.address.eq(address), route.destination.eq(destination)]
    return [(turn, route.select[number]) for number, turn in enumerate(route.turns)]


def _members(
    network: Network, count: int, *, ways: int, entry: int, apart: tuple[str, ...]
) -> dict[str, Member]:
    """Members of a buffer of `count` channels, by its ways and the bits of an entry.

    The fields of a flit that its RAM is without are inputs.
    """
    flit = flit_layout(network)
    return {
        "address": In(network.topology.address_width),
        "arrives": In(count),
        "i": In(flit),
        "shown": In(count),
        "leaves": In(count),
        "asked": In(count),
        "some": Out(count),
        "more": Out(count),
        "full": Out(count),
        "behind": Out(entry),
        "other": Out(entry),
        "arriving": Out(ways),
        "flit": Out(flit),
        **dict.fromkeys(apart, In(1)),
    }
