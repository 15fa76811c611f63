"""Input ports by which packets come that have several ways: their buffers and front."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member

from ...network import Network, RouterKind
from ...output_ways import output_classes, way_combinations
from ...routing import Turn
from ..parts.arbiter import is_one_hot_or_zero, next_after
from ..parts.crossbar import index_of
from .front import Front, OneHotRegister
from .input_buffer import InputBuffer
from .input_port import InputPort
from .inputs import (
    OtherWay,
    assign_selected,
    input_unicast_turns,
    other_ways,
)


class WaysBuffer(InputBuffer):
    """Buffers of an input port; an entry has all ways of a flit, the last of which is an escape.

    Where a flit has no other ways, all of them are its first.

    Latency
    -------
    As `InputBuffer`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`; of a routing with escape classes.

    Members
    -------
    arrives, i, select_vc0, ..., front_vc, leaves, last, other_channel, nonempty, at_least_two,
    full, flit
        As of `InputBuffer`; `other_channel` may be `front_vc`.
    way1_vc0, ..., escape_vc0, ... : In(turns)
        One-hot or 0, by way and virtual channel: the one of `other_turns` that is the flit's.
    behind, other : Out(entry_width)
        What an entry tells of a flit's ways, and whether it is its packet's last.
    combinations : tuple of tuple of int
        Ways of flits, by their places among the outputs' classes, the first way first; an entry is
        the number of one. Empty where an entry has a number for each way.
    arriving : Out(several times the ways of an output)
        One-hot for each way of the flit that arrives; 0 without one.
    """

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        ways = other_ways(network)
        unicast = {vc: input_unicast_turns(network, kind, port, vc) for vc in kind.input_vcs(port)}
        self._other_turns = {
            way: {vc: found for vc, one in unicast.items() if (found := one.of_way(way))}
            for way in ways
        }
        self._ways_per_flit = 1 + len(ways)
        self.combinations: tuple[tuple[int, ...], ...] = ()
        if len(ways) > 1:
            places = output_classes(network, kind, port)
            self.combinations = tuple(
                tuple(map(places.index, one)) for one in way_combinations(network, kind, port)
            )
        super().__init__(network, kind, port)

    def _members(self, count: int) -> dict[str, Member]:
        others = {
            way.select_name(vc): In(len(turns))
            for way, by_vc in self._other_turns.items()
            for vc, turns in by_vc.items()
        }
        return super()._members(count) | others

    @property
    def parameters(self) -> Hashable:
        others = tuple(
            tuple((vc, tuple(map(self._number, turns))) for vc, turns in by_vc.items())
            for by_vc in self._other_turns.values()
        )
        return super().parameters, others, self.combinations

    @property
    def other_turns(self) -> Mapping[OtherWay, Mapping[int, tuple[Turn, ...]]]:
        return self._other_turns

    def _entry(self, way: Value) -> Value:
        count = len(self._output_classes)
        ways = [way[low : low + count] for low in range(0, len(way), count)]
        if not self.combinations:
            return Cat(map(index_of, ways))
        return index_of(
            Cat(
                Cat(one[place] for one, place in zip(ways, places, strict=True)).all()
                for places in self.combinations
            )
        )

    def _found(self, m: Module, vc: int) -> Value:
        first, found = super()._found(m, vc), []
        if self.combinations and not any(vc in by_vc for by_vc in self._other_turns.values()):
            return self._with_escape(first)
        for way, by_vc in self._other_turns.items():
            if vc not in by_vc:
                found.append(first)
                continue
            other = Signal(len(self._output_classes), name=f"{way.name}_way_vc{vc}")
            selects = self._selects(by_vc[vc], getattr(self, way.select_name(vc)))
            assign_selected(m, other, selects)
            found.append(Mux(other.any(), other, first))
        return Cat(first, *found)

    def _with_escape(self, way: Value) -> Value:
        """Ways of a combination whose escape is the only way of a flit that has escaped.

        Entries of such flits need no numbers of their own; their port reads the escape alone.
        """
        chosen = {one[-1]: one for one in reversed(self.combinations)}
        count = len(self._output_classes)
        return Cat(
            Cat(way[last] for last, one in chosen.items() if one[number] == place).any()
            for number in range(self._ways_per_flit)
            for place in range(count)
        )

    def _check(self, m: Module, vc: int, arrives: Value, ways: Value) -> None:
        super()._check(m, vc, arrives, ways[: len(self._output_classes)])


class Shown(NamedTuple):
    """Flit in a buffer that may come to the front, or be shown there again.

    Members
    -------
    name : str
        Beginning of its signals' names.
    ways : list of Value
        One-hot: the output class of each of its ways.
    channel : Value
        One-hot: the virtual channel by which it came.
    is_head : Value
        It is its packet's first.
    """

    name: str
    ways: list[Value]
    channel: Value
    is_head: Value


class WaysPort(InputPort):
    """Input port whose front requests a head's ways in turn: another one after a blocked cycle.

    A head that cannot move requests its first way, then its others, its escape last, then its first
    again. It stays with the way that was granted until its packet's tail. In the cycle after a
    blocked one the front is another channel's head, if there is one; otherwise it is the same head.

    Latency
    -------
    As `InputPort`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`; of a routing with escape classes.

    Members
    -------
    arrives, i, select_vc0, ..., full, left, turn, channel, held, last, flit, eligible, granted
        As of `InputPort`.
    way1_vc0, ..., escape_vc0, ...
        As of `WaysBuffer`.
    """

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._ways_buffer = WaysBuffer(network, kind, port)
        self._ways = 1 + len(self._ways_buffer.other_turns)
        super().__init__(network, kind, port)

    def _make_buffer(self, port: int) -> InputBuffer:
        del port
        return self._ways_buffer

    @property
    def has_eligible(self) -> bool:
        return True

    def _selects(self) -> list[str]:
        others = [way.select_name(vc) for way, by_vc in self.other_turns.items() for vc in by_vc]
        return [*super()._selects(), *others]

    def _front(self, m: Module, front_vc: OneHotRegister, holds: Value) -> None:
        here, arrives, count, buffer = front_vc.value, self.arrives, len(self.arrives), self._buffer
        names = ("follows", "occupied", "other", "retries", "stays", "load")
        follows, occupied, other, retries, stays, load = (Signal(name=n) for n in names)
        others, next_front = (Signal(count, name=name) for name in ("others", "next_front"))
        requested = self._requested_ways(m, here, occupied)
        m.d.comb += [
            follows.eq((here & buffer.at_least_two).any()),
            others.eq(next_after(buffer.nonempty & ~here, here)),
            other.eq(others.any()),
            occupied.eq(buffer.nonempty.any()),
            retries.eq(occupied & ~other & ~self.eligible),
            next_front.eq(Mux(other, others, here)),
            buffer.other_channel.eq(next_front),
            stays.eq(self.eligible & follows & ~(self.last & other)),
            load.eq(self.granted | ~self.eligible),
        ]
        # By which way: the flit behind, another head or the same again, a flit that comes.
        numbers = ("next_way", "retried_way", "coming_way")
        following, retried, coming = (Signal(range(self._ways), name=name) for name in numbers)
        next_way = _chosen(here, [self._of_next(number) for number in requested])
        same_again = _chosen(here, [self._of_blocked(number) for number in requested])
        retried_way = Mux(other, _chosen(others, requested), same_again)
        goes_on = (arrives & here).any() & occupied
        coming_way = Mux(goes_on, following, _chosen(arrives, requested))
        holding = (next_front & holds).any()
        begins = Mux(goes_on, self.last, ~(arrives & holds).any())
        behind, again = self._ways_of(buffer.behind), self._ways_of(buffer.other)
        m.d.comb += [
            following.eq(self._shown_way(m, next_way, Shown("next", behind, here, self.last))),
            retried.eq(
                self._shown_way(m, retried_way, Shown("retried", again, next_front, ~holding))
            ),
            coming.eq(self._coming_way(coming_way, arrives, begins)),
        ]
        same = self._of_entry(m, buffer.behind, following, here, ~self.last)
        new = self._of_entry(m, buffer.other, retried, next_front, holding)
        size = len(buffer.arriving) // self._ways
        way = Signal(size, name="coming_output")
        ways = [buffer.arriving[low * size : (low + 1) * size] for low in range(self._ways)]
        m.d.comb += way.eq(_numbered(coming, ways))
        come = Front(way, arrives, self.i.last, self._continues(m))
        self._show(m, front_vc, load, (stays, other | retries), (same, new, come))
        shown = [
            Mux(stays, same, Mux(other | retries, new, come))
            for same, new, come in ((here, next_front, arrives), (following, retried, coming))
        ]
        self._keep_shown(m, load, *shown)
        m.d.sync += Assert(
            (self.turn.any() == occupied) & is_one_hot_or_zero(self.turn),
            "input port: the front must have one turn if it has a flit",
        )

    def _of_entry(
        self, m: Module, entry: Value, number: Signal, channel: Value, held: Value
    ) -> Front:
        """Front that an entry makes, by the way of a number."""
        combinations = self._ways_buffer.combinations
        if combinations:
            found = _way_of(entry[:-1], number, combinations)
            way = Signal(len(found), name=number.name.replace("way", "output"))
            m.d.comb += way.eq(found)
            return Front(way, channel, entry[-1], held)
        bits = (len(entry) - 1) // self._ways
        code = Signal(bits, name=number.name.replace("way", "code"))
        codes = [entry[low * bits : (low + 1) * bits] for low in range(self._ways)]
        m.d.comb += code.eq(_numbered(number, codes))
        return self._encoding.of_entry(Cat(code, entry[-1]), channel, held)

    def _of_next(self, number: Value) -> Value:
        """Number of the way of the flit behind one that leaves by the way of a number."""
        if isinstance(number, Const):
            return number
        return number & (~self.last).replicate(len(number))

    def _of_blocked(self, number: Value) -> Value:
        """Number of the way that a flit requests after a blocked cycle."""
        if isinstance(number, Const):
            return number
        return Mux(self.held, number, self._after(number))

    def _after(self, number: Value) -> Value:
        """Number of the way after one, round and round."""
        if self._ways == 1 << len(number):
            return (number + 1)[: len(number)]
        return Mux(number == self._ways - 1, 0, number + 1)[: len(number)]

    def _requested_ways(self, m: Module, here: Value, occupied: Value) -> list[Value]:
        """Number of the way that the head of each channel requests, or that its packet took.

        Only channels whose packets have other ways have a register; in others all are the same.
        """
        requested: list[Value] = []
        self._choosing: list[int] = []
        (*_, escapes) = self.other_turns.values()
        for place, vc in enumerate(self.encoding.channels):
            number = Signal(range(self._ways), name=f"requested_way_vc{vc}")
            only = self._ways - 1 if self._ways_buffer.combinations else 0
            requested.append(number if vc in escapes else Const(only, len(number)))
            if vc in escapes:
                self._choosing.append(place)
                self._change_way(m, number, here[place] & occupied)
        self.requested_ways = requested
        return requested

    def _change_way(self, m: Module, number: Signal, is_shown: Value) -> None:
        """Change the number of the way of a channel's packet as its flits go, or are blocked."""
        with m.If(is_shown):
            with m.If(self.granted):
                m.d.sync += number.eq(self._of_next(number))
            with m.Elif(~self.eligible & ~self.held):
                m.d.sync += number.eq(self._after(number))

    def _shown_way(self, m: Module, number: Value, shown: Shown) -> Value:
        """Number of the way of a flit that comes from its buffer to the front, or is shown again.

        `number` is that of the way whose turn it is, or that its packet took.
        """
        del m, shown
        return number

    def _coming_way(self, number: Value, channel: Value, is_head: Value) -> Value:
        """Number of the way of a flit that arrives and is at the front in the next cycle.

        Parameters
        ----------
        number : Value
            As for `_shown_way`.
        channel, is_head : Value
            As of `Shown`.
        """
        del channel, is_head
        return number

    def _keep_shown(self, m: Module, load: Value, channel: Value, number: Value) -> None:
        """Keep the number of the way with which a flit of a channel is shown; it is known anyway.

        `load` says whether the front is loaded.
        """

    def _ways_of(self, entry: Value) -> list[Value]:
        """One-hot: output class of each way of an entry."""
        count = len(self._ways_buffer.arriving) // self._ways
        if self._ways_buffer.combinations:
            found = list[Value]()
            for way in range(self._ways):
                is_here: list[list[Value]] = [[] for _ in range(count)]
                for place, combination in enumerate(self._ways_buffer.combinations):
                    code = entry[:-1] == place if len(entry) > 1 else Const(1)
                    is_here[combination[way]].append(code)
                found.append(Cat(Cat(terms).any() for terms in is_here))
            return found
        bits = (len(entry) - 1) // self._ways
        return [
            Cat(entry[low * bits : (low + 1) * bits] == number for number in range(count))
            for low in range(self._ways)
        ]


def _way_of(code: Value, number: Value, combinations: Sequence[Sequence[int]]) -> Value:
    """One-hot: the way of a number of a combination, whose code there must be."""
    ways = len(combinations[0])
    # The numbers 1 and 2 of three have a bit each: nothing else is compared.
    is_number = [~number.any(), *number] if ways == 3 else [number == way for way in range(ways)]

    def is_one_of(numbers: Collection[int]) -> Value:
        others = [one for way, one in enumerate(is_number) if way not in numbers]
        if len(others) < len(numbers):
            return ~Cat(others).any()
        return Cat(is_number[way] for way in numbers).any()

    found: list[list[Value]] = [[] for _ in range(1 + max(map(max, combinations)))]
    for place, combination in enumerate(combinations):
        is_here = code == place if len(code) else Const(1)
        for output in set(combination):
            those = {way for way, one in enumerate(combination) if one == output}
            found[output].append(is_here & is_one_of(those))
    return Cat(Cat(terms).any() for terms in found)


def _chosen(one_hot: Value, numbers: Sequence[Value]) -> Value:
    """The one of some numbers that a one-hot value names; 0 if it is 0."""
    result: Value = Const(0, len(numbers[0]))
    for place, number in enumerate(numbers):
        result = result | (number & one_hot[place].replicate(len(number)))
    return result


def _numbered(number: Value, values: Sequence[Value]) -> Value:
    """The one of some values that has this number, which there must be."""
    for bit in number:
        pairs = [values[place : place + 2] for place in range(0, len(values), 2)]
        values = [pair[0] if len(pair) == 1 else Mux(bit, pair[1], pair[0]) for pair in pairs]
    return values[0]
