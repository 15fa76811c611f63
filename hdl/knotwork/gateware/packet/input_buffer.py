"""Buffers of an input port's virtual channels: places, and RAMs of flits and of their ways."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from amaranth.hdl import Assert, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...routing import Turn
from ...untyped import Statement, View
from ..layouts import flit_layout
from ..parts.arbiter import is_one_hot_or_zero
from ..parts.buffer import Write, following
from ..parts.crossbar import one_hot_mux
from ..parts.loaded_route import LoadedRoute
from ..parts.network_routes import route_computation
from ..parts.route import RouteComputation
from .classes import known_in_class
from .guard import Guard
from .inputs import carried, completed
from .inputs import input_ways as turns_of_channel

CELL_BITS = 4
"""Width of a cell of distributed RAM."""


def kept_apart(network: Network, flit: Value) -> tuple[str, ...]:
    """Fields that a RAM of flits is without: the mark of a tail, where that saves a cell.

    Not with parity, which is of the flit as it arrived.
    """
    return ("last",) if len(flit) % CELL_BITS == 1 and not network.has_parity else ()


class TurnQueue(wiring.Component):
    """Places of an input channel's flits in the RAMs of its port.

    Latency
    -------
    1 cycle from `arrives` to `some`.

    Parameters
    ----------
    depth : int
        Flits, at least 2.
    more : mapping, optional
        Members that a subclass adds.

    Members
    -------
    arrives : In(1)
        A flit arrives, and is written at `into`.
    leaves : In(1)
        The head leaves.
    some, more, full : Out(1)
        At least one flit, at least two, as many as there is room for.
    into, head, behind : Out(range(depth))
        Places where a flit is written, of the head, and of the flit behind it.
    """

    arrives: Signal
    leaves: Signal
    some: Signal
    more: Signal
    full: Signal
    into: Signal
    head: Signal
    behind: Signal

    def __init__(self, *, depth: int, more: Mapping[str, Member] | None = None) -> None:
        self._depth = depth
        super().__init__(
            {
                **(more or {}),
                "arrives": In(1),
                "leaves": In(1),
                "some": Out(1),
                "more": Out(1),
                "full": Out(1),
                "into": Out(range(depth)),
                "head": Out(range(depth)),
                "behind": Out(range(depth)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        into_after, third = (Signal.like(self.head, name=name) for name in ("into_after", "third"))
        m.d.comb += [
            into_after.eq(following(self.into, self._depth)),
            self.behind.eq(following(self.head, self._depth)),
            third.eq(following(self.behind, self._depth)),
        ]
        with m.If(self.arrives):
            m.d.sync += self.into.eq(into_after)
        with m.If(self.leaves):
            m.d.sync += self.head.eq(self.behind)
        # `leaves` arrives late in a cycle: it meets flags, not the pointers' comparison.
        left, stays = Signal(name="more_if_left"), Signal(name="more_if_not")
        m.d.comb += [
            left.eq(self.more & (self.arrives | (third != self.into))),
            stays.eq(self.more | (self.some & self.arrives)),
        ]
        fills = self.arrives & (into_after == self.head)
        m.d.sync += [
            self.some.eq(self.arrives | (self.some & ~(self.leaves & ~self.more))),
            self.more.eq((left & self.leaves) | (stays & ~self.leaves)),
            self.full.eq(~self.leaves & (self.full | fills)),
            Assert(~(self.arrives & self.full), "queue: a flit must not arrive without a place"),
            Assert(self.some | ~self.leaves, "queue: only a flit that is there can leave"),
        ]
        return m


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


class InputBuffer(wiring.Component):
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
        self._guard = self._make_guard(kind, port) if network.has_parity else None
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

    def _make_guard(self, kind: RouterKind, port: int) -> Guard:
        """Guard of the packets, which ejects those that arrive broken."""
        ejects = {}
        for vc in self._routes:
            turn = kind.error_turn(port, vc)
            way = 0 if turn is None else 1 << self._number(turn)
            ejects[vc] = sum(way << copy * len(self._ways) for copy in range(self._ways_per_flit))
        return Guard(ejects)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        merged: Value = Const(0, len(self.arriving))
        queues = []
        if self._guard is not None:
            self._guard.watch(m, self.i)
        for place, (vc, route) in enumerate(self._routes.items()):
            way = self._way(m, vc, route, self.arrives[place])
            merged = merged | (way & self.arrives[place].replicate(len(way)))
            queues.append(self._queue(m, vc, place))
        m.d.comb += self.arriving.eq(merged)
        self._rams(m, queues)
        return m

    def _way(self, m: Module, vc: int, route: RouteComputation | None, arrives: Value) -> Value:
        """Ways of the flit that arrives, if it comes by this channel."""
        ways = self._found(m, vc, route)
        if self._guard is not None:
            ways = self._guard.taken(m, vc, ways, arrives=arrives, last=self.i.last)
            self._guard.drop(m, vc, self._cancels(vc))
        self._check(m, vc, arrives, ways)
        return ways

    def _found(self, m: Module, vc: int, route: RouteComputation | None) -> Value:
        """Ways that the gates of a channel find for the flit that arrives."""
        way = Signal(len(self._ways), name=f"way_vc{vc}")
        selects = self._alone(m, vc, route)
        if vc in self._ejects_broadcasts:
            copy, ejects = self.i.broadcast, self._number(self._ejects_broadcasts[vc])
            selects = [*((place, select & ~copy) for place, select in selects), (ejects, copy)]
        assign_ways(m, way, selects)
        return way

    def _cancels(self, vc: int) -> Value | None:
        """Whether a channel's incomplete packet is dropped; None where that cannot be."""
        del vc
        return None

    def _check(self, m: Module, vc: int, arrives: Value, ways: Value) -> None:
        """Assert that a flit has ways that it may have."""
        del vc
        right = ~arrives | (is_one_hot_or_zero(ways) & ways.any())
        m.d.sync += Assert(right, "port buffer: a flit must take one turn of its router")

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
        if self._guard is None:
            return write.ram(name, entry, found)
        return self._guard.read(write.ram(name, self._guard.stored(entry), found))


def connect_last(buffer: InputBuffer, last: Value) -> list[Statement]:
    """Assignment of the mark of the flit that is shown, to a buffer whose RAM is without it."""
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
    own = computation(network, kind, alone.turns, escape=alone.inside)
    if network.loads_tables:
        every = tuple(turn for turn in kind.turns if (turn.input_port, turn.input_vc) == (port, vc))
        return LoadedRoute(network, every, own, router=kind.router)
    return own


def _ejecting(kind: RouterKind, port: int) -> dict[int, Turn]:
    """Turns of broadcasts that are ejected to one node and go no further, by virtual channel."""
    turns = [turn for turn in kind.broadcast_turns if turn.input_port == port]
    return {turn.input_vc: turn for turn in turns if not kind.branches(port, turn.input_vc)}


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
