"""Buffers of an input port's virtual channels: places, and RAMs of flits and of their ways."""

from collections.abc import Hashable, Mapping

from amaranth.hdl import Assert, Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...output_ways import output_class_of, output_classes
from ...routing import Turn
from ...routing.walks.headers import HeaderBits
from ...untyped import View
from ..component import Component, explain, frozen
from ..layouts import flit_layout
from ..parts.arbiter import is_one_hot_or_zero
from ..parts.buffer import SHIFTED, Write, following, shifts
from ..parts.crossbar import index_of, one_hot_mux
from ..parts.parity import Guard
from .inputs import (
    OtherWay,
    Selects,
    assign_selected,
    carried,
    completed,
    ejecting_turns,
    known_port_bits,
    select_name,
    select_turns,
    separate_fields,
    stored_layout,
)


class TurnQueue(Component):
    """Places of an input channel's flits in the RAMs of its port.

    Latency
    -------
    1 cycle from `arrives` to `nonempty`.

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
    nonempty, at_least_two, full : Out(1)
        At least one flit, at least two, as many as there is room for.
    into, head, behind : Out(range(depth))
        Places where a flit is written, of the head, and of the flit behind it.
    """

    arrives: Signal
    leaves: Signal
    nonempty: Signal
    at_least_two: Signal
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
                "nonempty": Out(1),
                "at_least_two": Out(1),
                "full": Out(1),
                "into": Out(range(depth)),
                "head": Out(range(depth)),
                "behind": Out(range(depth)),
            }
        )

    @property
    def variant(self) -> str:
        return str(self._depth)

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
        if shifts(self._depth):
            explain(into_after, SHIFTED)
        # `leaves` arrives late in a cycle: it meets flags, not the pointers' comparison.
        left, stays = Signal(name="two_if_left"), Signal(name="two_if_not")
        m.d.comb += [
            left.eq(self.at_least_two & (self.arrives | (third != self.into))),
            stays.eq(self.at_least_two | (self.nonempty & self.arrives)),
        ]
        fills = self.arrives & (into_after == self.head)
        m.d.sync += [
            self.nonempty.eq(self.arrives | (self.nonempty & ~(self.leaves & ~self.at_least_two))),
            self.at_least_two.eq((left & self.leaves) | (stays & ~self.leaves)),
            self.full.eq(~self.leaves & (self.full | fills)),
            Assert(~(self.arrives & self.full), "queue: a flit must not arrive without a place"),
            Assert(self.nonempty | ~self.leaves, "queue: only a flit that is there can leave"),
        ]
        return m


class InputBuffer(Component):
    """Buffers of an input port's virtual channels: a RAM of their flits, and one of their turns.

    One flit of the port can cross in a cycle, so one read port serves all channels. The turns have
    two: of the flit behind the front's, and of another channel's head. Routes come before both.

    Latency
    -------
    1 cycle from `arrives` to `nonempty`, `behind`, `other` and `flit`.

    Parameters
    ----------
    network : Network
        Widths, depth, turns.
    kind : RouterKind
        Turns.
    port : int
        Number in the topology.

    Members
    -------
    arrives : In(channels)
        One-hot: the channel of `i`, in the order of ``kind.input_vcs(port)``.
    i : In(stored_layout)
        Flit that arrives.
    select_vc0, ... : In(turns)
        One-hot, by virtual channel: the one of `turns` that the flit takes if it is of the channel.
    leaves : In(channels)
        One-hot: channel whose head leaves.
    front_vc : In(channels)
        One-hot: channel whose head is at the port's front; only with several channels.
    last : In(1)
        The front's flit is its packet's last; only where the RAM of flits is without that mark.
    other_channel : In(channels)
        One-hot: channel whose head `other` is of; only if `has_twin`.
    nonempty, at_least_two, full : Out(channels)
        The channel has a flit, at least two, no place for one more.
    behind, other : Out(entry_width)
        Number of a flit's way, and whether it is its packet's last: of the flit behind the
        front's, and of the head of `other_channel`.
    arriving : Out(ways)
        One-hot: way of the flit that arrives; 0 without one.
    flit : Out(stored_layout)
        Head of the channel `front_vc`.
    """

    arrives: Signal
    i: View
    front_vc: Signal
    leaves: Signal
    last: Signal
    other_channel: Signal
    nonempty: Signal
    at_least_two: Signal
    full: Signal
    behind: Signal
    other: Signal
    arriving: Signal
    flit: View
    _ways_per_flit = 1

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._network, self._depth = network, network.depth_at(kind.router, port)
        self._known = known_port_bits(network, kind, port)
        self._layout = stored_layout(flit_layout(network), self._known)
        self._separate = separate_fields(network, self._layout)
        self._output_classes = output_classes(network, kind, port)
        self._select_turns = {
            vc: select_turns(network, kind, port, vc) for vc in kind.input_vcs(port)
        }
        self._ejects_broadcasts = ejecting_turns(kind, port)
        self._guard = self._make_guard(kind, port) if network.has_parity else None
        super().__init__(self._members(len(self._select_turns)))
        self.stored_entries: list[Value] = []

    def _members(self, count: int) -> dict[str, Member]:
        """Members, with `count` channels."""
        ways = self._ways_per_flit * len(self._output_classes)
        entry = len(self._entry(Signal(ways))) + 1
        return {
            **{select_name(vc): In(len(turns)) for vc, turns in self._select_turns.items()},
            "arrives": In(count),
            "i": In(self._layout),
            "leaves": In(count),
            "nonempty": Out(count),
            "at_least_two": Out(count),
            "full": Out(count),
            "behind": Out(entry),
            "arriving": Out(ways),
            "flit": Out(self._layout),
            **({"front_vc": In(count)} if count > 1 else {}),
            **({"other_channel": In(count), "other": Out(entry)} if self.has_twin else {}),
            **dict.fromkeys(self._separate, In(1)),
        }

    @property
    def has_twin(self) -> bool:
        """Whether another flit than the one behind may come to the front: there is `other`."""
        return len(self._select_turns) > 1 or self._ways_per_flit > 1

    @property
    def parameters(self) -> Hashable:
        """Widths, depth, and which way each select stands for."""
        selects = tuple(
            (vc, tuple(map(self._number, turns))) for vc, turns in self._select_turns.items()
        )
        ejects = tuple((vc, self._number(turn)) for vc, turn in self._ejects_broadcasts.items())
        guard = None if self._guard is None else self._guard.parameters
        read = ("last", "broadcast")  # of the fields of a flit; a guard reads them all
        places = tuple((name, self._layout[name].offset) for name in read if name in self._fields)
        flit = (self._layout.size, places) if guard is None else frozen(self._layout)
        return (flit, self._depth, self._separate, len(self._output_classes)), (
            selects,
            ejects,
            guard,
        )

    @property
    def guard(self) -> Guard | None:
        """Guard of the packets; None without parity."""
        return self._guard

    @property
    def _fields(self) -> list[str]:
        """Fields of a flit."""
        return [name for name, _ in self._layout]

    @property
    def variant(self) -> str:
        count = len(self._select_turns)
        channels = f"_{count}vc" if count > 1 else ""
        return f"{len(self._output_classes)}way_{self._layout.size}bit{channels}"

    @property
    def turns(self) -> Mapping[int, tuple[Turn, ...]]:
        """Turns of packets to one node, by virtual channel, in the order of its select."""
        return self._select_turns

    @property
    def other_turns(self) -> Mapping[OtherWay, Mapping[int, tuple[Turn, ...]]]:
        """Turns of the other ways of packets, by the virtual channels where they have any."""
        return {}

    def _entry(self, way: Value) -> Value:
        """What an entry stores of a way."""
        return index_of(way)

    def _make_guard(self, kind: RouterKind, port: int) -> Guard:
        """Guard of the packets, which ejects those that arrive broken."""
        ejects = {}
        for vc in self._select_turns:
            turn = kind.error_turn(port, vc)
            way = 0 if turn is None else 1 << self._number(turn)
            ejects[vc] = sum(
                way << copy * len(self._output_classes) for copy in range(self._ways_per_flit)
            )
        return Guard(ejects)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.stored_entries.clear()
        merged: Value = Const(0, len(self.arriving))
        queues = []
        if self._guard is not None:
            self._guard.watch(m, self.i)
        for place, vc in enumerate(self._select_turns):
            way = self._way(m, vc, self.arrives[place])
            merged = merged | (way & self.arrives[place].replicate(len(way)))
            queues.append(self._queue(m, vc, place))
        m.d.comb += self.arriving.eq(merged)
        self._rams(m, queues)
        return m

    def _way(self, m: Module, vc: int, arrives: Value) -> Value:
        """Ways of the flit that arrives, if it comes by this channel."""
        ways = self._found(m, vc)
        if self._guard is not None:
            ways = self._guard.taken(m, vc, ways, arrives=arrives, last=self.i.last)
            self._guard.drop(m, vc, self._cancels(vc))
        self._check(m, vc, arrives, ways)
        return ways

    def _found(self, m: Module, vc: int) -> Value:
        """Ways that are selected for the flit that arrives."""
        way = Signal(len(self._output_classes), name=f"way_vc{vc}")
        selects = self._unicast_selects(vc)
        if vc in self._ejects_broadcasts:
            copy, ejects = self.i.broadcast, self._number(self._ejects_broadcasts[vc])
            selects = [*((place, select & ~copy) for place, select in selects), (ejects, copy)]
        assign_selected(m, way, selects)
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

    def _unicast_selects(self, vc: int) -> Selects:
        """Number of each way that a packet to one node may take, and whether it does."""
        return self._selects(self._select_turns[vc], getattr(self, select_name(vc)))

    def _selects(self, turns: tuple[Turn, ...], select: Value) -> Selects:
        """Number of the way of each turn, and its bit of a select."""
        return [(self._number(turn), select[number]) for number, turn in enumerate(turns)]

    def _number(self, turn: Turn) -> int:
        """Number of the way of a turn."""
        return self._output_classes.index(output_class_of(self._network, turn))

    def _queue(self, m: Module, vc: int, place: int) -> TurnQueue:
        """Queue of one channel."""
        m.submodules[f"queue_vc{vc}"] = queue = self._make_queue(vc)
        m.d.comb += [queue.arrives.eq(self.arrives[place]), queue.leaves.eq(self.leaves[place])]
        m.d.comb += self.nonempty[place].eq(queue.nonempty)
        m.d.comb += self.at_least_two[place].eq(queue.at_least_two)
        m.d.comb += self.full[place].eq(queue.full)
        return queue

    def _make_queue(self, vc: int) -> TurnQueue:
        """Queue of a virtual channel."""
        return TurnQueue(depth=self._depth)

    def _rams(self, m: Module, queues: list[TurnQueue]) -> None:
        """RAM for the flits of all channels, and two for their turns, each with one read port."""
        heads, behind = [one.head for one in queues], [one.behind for one in queues]
        write = Write(m, self.arrives.any(), _place(self.arrives, [one.into for one in queues]))
        front_vc = self.front_vc if len(queues) > 1 else Const(1)
        words = carried(self.i, HeaderBits(), separate=self._separate)
        self.stored_flit = flit = write.ram("ram", words, _place(front_vc, heads))
        separate = {"last": self.last} if self._separate else {}
        complete = completed(self.flit, HeaderBits(), Const(0), flit, separate=separate)
        entry = Cat(self._entry(self.arriving), self.i.last)
        m.d.comb += [
            Value.cast(self.flit).eq(complete),
            self.behind.eq(self._turns(write, "turns", entry, _place(front_vc, behind))),
        ]
        if self.has_twin:
            # Synthesis would share one RAM, and choose its address late in the cycle.
            twin = self._turns(write, "turns_twin", entry, _place(self.other_channel, heads))
            m.d.comb += self.other.eq(twin)

    def _turns(self, write: Write, name: str, entry: Value, found: Value) -> Value:
        """RAM of the entries; gives the one at a place."""
        stored = entry if self._guard is None else self._guard.stored(entry)
        read = write.ram(name, stored, found)
        self.stored_entries.append(read)
        return read if self._guard is None else self._guard.read(read)


def _place(chosen: Value, pointers: list[Signal]) -> Value:
    """Place in a RAM of all channels, by pointer, of the channel that is chosen."""
    return Cat(one_hot_mux(list(chosen), pointers), index_of(chosen))
