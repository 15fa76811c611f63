"""Input ports by which packets come that can escape: their buffers and front."""

from collections.abc import Hashable, Mapping

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member

from ...network import Network, RouterKind
from ...routing import Turn
from ..parts.arbiter import is_one_hot_or_zero, next_after
from ..parts.crossbar import index_of
from .front import Front, OneHotRegister
from .input_buffer import InputBuffer
from .input_port import InputPort
from .inputs import assign_selected, input_unicast_turns


class EscapeBuffer(InputBuffer):
    """Buffers of an input port; an entry has a flit's way, and that by which it escapes.

    Where a flit cannot escape, both are the same.

    Latency
    -------
    As `InputBuffer`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`; of a routing with an escape class.

    Members
    -------
    arrives, i, select_vc0, ..., front_vc, leaves, last, other_channel, nonempty, at_least_two,
    full, flit
        As of `InputBuffer`; `other_channel` may be `front_vc`.
    escape_vc0, ... : In(turns)
        One-hot or 0: the one of `escape_turns` by which the flit may escape; of the virtual
        channels where packets can.
    behind, other : Out(entry_width)
        Number of a flit's way, of that by which it escapes, and whether it is its packet's last.
    arriving : Out(2 * ways)
        One-hot twice: way of the flit that arrives, and that by which it escapes; 0 without one.
    """

    _choices_per_flit = 2

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        escapes = {
            vc: input_unicast_turns(network, kind, port, vc).escapes for vc in kind.input_vcs(port)
        }
        self._escape_turns = {vc: turns for vc, turns in escapes.items() if turns}
        super().__init__(network, kind, port)

    def _members(self, count: int) -> dict[str, Member]:
        escapes = {escape_name(vc): In(len(turns)) for vc, turns in self._escape_turns.items()}
        return super()._members(count) | escapes

    @property
    def parameters(self) -> Hashable:
        turns = self._escape_turns.items()
        return super().parameters, tuple((vc, tuple(map(self._number, ways))) for vc, ways in turns)

    @property
    def escape_turns(self) -> Mapping[int, tuple[Turn, ...]]:
        return self._escape_turns

    def _entry(self, way: Value) -> Value:
        count = len(self._output_classes)
        return Cat(index_of(way[:count]), index_of(way[count:]))

    def _found(self, m: Module, vc: int) -> Value:
        first = super()._found(m, vc)
        if vc not in self._escape_turns:
            return Cat(first, first)
        escape = Signal(len(self._output_classes), name=f"escape_way_vc{vc}")
        selects = self._selects(self._escape_turns[vc], getattr(self, escape_name(vc)))
        assign_selected(m, escape, selects)
        return Cat(first, Mux(escape.any(), escape, first))

    def _check(self, m: Module, vc: int, arrives: Value, ways: Value) -> None:
        super()._check(m, vc, arrives, ways[: len(self._output_classes)])


def escape_name(vc: int) -> str:
    """Member of a port or a buffer that selects the escape of a virtual channel's flits."""
    return f"escape_vc{vc}"


class EscapePort(InputPort):
    """Input port whose front shows a head's first way, and after a blocked cycle its other one.

    A head that cannot move asks for its way and for its escape in turn, each time that it is shown.
    It stays with the way that was granted until its packet's tail. In the cycle after a blocked one
    the front is another channel's head, if there is one; otherwise it is the same head, which asks
    for its other way.

    Latency
    -------
    As `InputPort`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`; of a routing with an escape class.

    Members
    -------
    arrives, i, select_vc0, ..., full, left, turn, channel, held, last, flit, eligible, granted
        As of `InputPort`.
    escape_vc0, ...
        As of `EscapeBuffer`.
    """

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._escapes = EscapeBuffer(network, kind, port)
        super().__init__(network, kind, port)

    def _make_buffer(self, port: int) -> InputBuffer:
        del port
        return self._escapes

    @property
    def has_eligible(self) -> bool:
        return True

    def _selects(self) -> list[str]:
        return [*super()._selects(), *map(escape_name, self.escape_turns)]

    def _front(self, m: Module, front_vc: OneHotRegister, holds: Value) -> None:
        here, arrives, count, buffer = front_vc.value, self.arrives, len(self.arrives), self._buffer
        names = ("follows", "occupied", "other", "retries", "stays", "load", "took")
        follows, occupied, other, retries, stays, load, took = (Signal(name=n) for n in names)
        others, next_front = (Signal(count, name=name) for name in ("others", "next_front"))
        escaping = self._escaping(m, here, occupied)
        m.d.comb += [
            follows.eq((here & buffer.at_least_two).any()),
            others.eq(next_after(buffer.nonempty & ~here, here)),
            other.eq(others.any()),
            occupied.eq(buffer.nonempty.any()),
            retries.eq(occupied & ~other & ~self.eligible),
            next_front.eq(Mux(other, others, here)),
            buffer.other_channel.eq(next_front),
            took.eq((here & escaping).any()),
            stays.eq(self.eligible & follows & ~(self.last & other)),
            load.eq(self.granted | ~self.eligible),
        ]
        same = self._of_entry(buffer.behind, took & ~self.last, here, ~self.last)
        turned = Mux(other, (others & escaping).any(), took ^ ~self.held)
        new = self._of_entry(buffer.other, turned, next_front, (next_front & holds).any())
        goes_on = (arrives & here).any() & occupied
        out = Mux(goes_on, took & ~self.last, (arrives & escaping).any())
        ways = len(buffer.arriving) // 2
        way = Mux(out, buffer.arriving[ways:], buffer.arriving[:ways])
        come = Front(way, arrives, self.i.last, self._continues(m))
        self._show(m, front_vc, load, (stays, other | retries), (same, new, come))
        m.d.sync += Assert(
            (self.turn.any() == occupied) & is_one_hot_or_zero(self.turn),
            "input port: the front must have one turn if it has a flit",
        )

    def _of_entry(self, entry: Value, escapes: Value, channel: Value, held: Value) -> Front:
        """Front that an entry makes, by its way or its escape."""
        bits = (len(entry) - 1) // 2
        code = Mux(escapes, entry[bits:-1], entry[:bits])
        return self._encoding.of_entry(Cat(code, entry[-1]), channel, held)

    def _escaping(self, m: Module, here: Value, occupied: Value) -> Value:
        """Whether the head of each channel asks for its escape, or its packet took it.

        Only channels whose packets can escape have a register; in others both ways are the same.
        """
        able = [vc in self.escape_turns for vc in self.encoding.channels]
        self.escaping = escaping = Signal(sum(able), name="escaping")
        registers = iter(escaping)
        may_escape: list[Value] = [next(registers) if can else Const(0) for can in able]
        for place, register in enumerate(may_escape):
            if able[place]:
                with m.If(here[place] & occupied):
                    with m.If(self.granted):
                        m.d.sync += register.eq(register & ~self.last)
                    with m.Elif(~self.eligible & ~self.held):
                        m.d.sync += register.eq(~register)
        return Cat(may_escape)
