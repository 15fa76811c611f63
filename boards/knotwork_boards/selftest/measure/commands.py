"""Commands from the host to the self-test: their decoder, and what they decide over windows."""

from functools import reduce
from operator import or_
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from knotwork.topology import Topology

from ...measuring import CLEAR, GO, HALT, SETTINGS, TABLE, available_patterns
from ..uart import UartReceiver

SETTINGS_LAYOUT = data.StructLayout({name: f.most.bit_length() for name, f in SETTINGS.items()})
"""Settings of a window."""

DROPPED_WIDTH = 8
"""Width of the number of lines that were dropped."""

_DEFAULTS = {name: field.default for name, field in SETTINGS.items()}
_VALUE_WIDTH = 32
_DIGITS = _VALUE_WIDTH // 4


class CommandDecoder(wiring.Component):
    r"""Reader of commands: a letter, up to eight hexadecimal digits, ``\n``.

    A line that is no command is dropped and counted, as is a value out of range. ``\r`` is skipped,
    and an empty line is ignored.

    Parameters
    ----------
    topology : Topology
        Network, which determines the available patterns.
    longest : int
        Flits of the longest packet.
    tables : bool
        Whether words of a table are taken.
    settings : bool
        Whether settings are; if not, they stay as they are after a reset.

    Members
    -------
    byte, received
        See `UartReceiver`.
    take : In(1)
        The next window begins: `settings` take the values that commands have set.
    line_begins : In(1)
        `dropped` is for a line that begins now, and counts for the next one.
    settings : Out(SETTINGS_LAYOUT)
        Settings of the window.
    going : Out(1)
        Windows run.
    anew : Out(1)
        Window number and verdict restart with the next window; high until `take`.
    dropped : Out(DROPPED_WIDTH)
        Lines that were dropped before the last `line_begins`, or the most that it can count.
    table_word : Out(32)
        Word of a table.
    table_word_valid, table_ended : Out(1)
        High for a cycle when a word comes, or the table's end.
    table_refused : In(1)
        Pulse for a table that is no table of the network: it counts as a dropped line.
    """

    byte: Value
    received: Value
    take: Value
    line_begins: Value
    settings: data.View
    going: Value
    anew: Value
    dropped: Value
    table_word: Value
    table_word_valid: Value
    table_ended: Value
    table_refused: Value

    def __init__(
        self, topology: Topology, *, longest: int, tables: bool = False, settings: bool = True
    ) -> None:
        self._patterns = available_patterns(topology)
        self._most = {name: field.most for name, field in SETTINGS.items()} | {"length": longest}
        self._tables = tables
        self._settings = SETTINGS if settings else {}
        super().__init__(
            {
                "byte": In(8),
                "received": In(1),
                "take": In(1),
                "line_begins": In(1),
                "settings": Out(SETTINGS_LAYOUT, init=_DEFAULTS),  # pyright: ignore[reportCallIssue]
                "going": Out(1, init=1),  # pyright: ignore[reportCallIssue]
                "anew": Out(1),
                "dropped": Out(DROPPED_WIDTH),
                "table_word": Out(_VALUE_WIDTH),
                "table_word_valid": Out(1),
                "table_ended": Out(1),
                "table_refused": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Gather a line, and act on its end in the cycle after."""
        del platform
        m = Module()
        letter, value = Signal(8), self.table_word
        empty, strange = Signal(init=1), Signal()
        digits = Signal(range(_DIGITS + 1))
        ended, understood = Signal(), Signal()
        digit, is_digit = self._digit()
        m.d.sync += ended.eq(0)
        with m.If(self.received):
            with m.If(self.byte == ord("\n")):
                m.d.sync += [ended.eq(~empty), empty.eq(1)]
            with m.Elif(self.byte == ord("\r")):
                pass
            with m.Elif(empty):
                m.d.sync += [letter.eq(self.byte), empty.eq(0), strange.eq(0)]
                m.d.sync += [digits.eq(0), value.eq(0)]
            with m.Elif(is_digit & (digits != _DIGITS)):
                m.d.sync += [value.eq(Cat(digit, value)), digits.eq(digits + 1)]
            with m.Else():
                m.d.sync += strange.eq(1)
        pending = Signal(SETTINGS_LAYOUT, init=_DEFAULTS)
        with m.If(self.take):
            m.d.sync += [self.settings.eq(pending), self.anew.eq(0)]
        with m.If(ended & ~strange), m.Switch(letter):
            self._set(m, pending, value, understood, has_value=digits != 0)
            self._obey(m, understood, has_value=digits != 0)
        wrong = (ended & ~understood) | self.table_refused
        count = Signal(DROPPED_WIDTH)
        with m.If(self.line_begins):
            m.d.sync += [self.dropped.eq(count), count.eq(wrong)]
        with m.Elif(wrong & ~count.all()):
            m.d.sync += count.eq(count + 1)
        return m

    def _digit(self) -> tuple[Value, Value]:
        """Number that a hexadecimal digit stands for, and whether it is one."""
        byte, low = self.byte, self.byte[:4]
        decimal = (byte[4:] == 3) & (low < 10)
        small = byte | Const(0x20, 8)
        other = (small >= ord("a")) & (small <= ord("f"))
        return Mux(decimal, low, low + 9)[:4], decimal | other

    def _set(
        self, m: Module, pending: data.View, value: Value, understood: Value, *, has_value: Value
    ) -> None:
        """Cases of a switch in which a setting gets a value that it may have."""
        for name, field in self._settings.items():
            if name == "pattern":
                allowed = reduce(or_, (value == number for number in self._patterns))
            else:
                allowed = value <= self._most[name]
                if field.least:
                    allowed &= value >= field.least
            with m.Case(ord(field.letter)), m.If(has_value & allowed):
                m.d.comb += understood.eq(1)
                m.d.sync += pending[name].eq(value)

    def _obey(self, m: Module, understood: Value, *, has_value: Value) -> None:
        """Cases of a switch in which a command does something else."""
        for letter, register, to in ((GO, self.going, 1), (HALT, self.going, 0)):
            with m.Case(ord(letter)), m.If(~has_value):
                m.d.comb += understood.eq(1)
                m.d.sync += register.eq(to)
        with m.Case(ord(CLEAR)), m.If(~has_value):
            m.d.comb += understood.eq(1)
            m.d.sync += self.anew.eq(1)
        if self._tables:
            with m.Case(ord(TABLE)):
                m.d.comb += understood.eq(1)
                m.d.comb += [self.table_word_valid.eq(has_value), self.table_ended.eq(~has_value)]


class Host(NamedTuple):
    """Outputs of `Measurement` that decide over windows.

    Members
    -------
    going, anew, measures, busy, all_entered : Value
        See there.
    """

    going: Value
    anew: Value
    measures: Value
    busy: Value
    all_entered: Value


NO_HOST = Host(
    going=Const(1), anew=Const(0), measures=Const(0), busy=Const(0), all_entered=Const(1)
)
"""Without a host, the self-test runs for ever."""


NUMBER_WIDTH = 8
"""Bits of the number of a table."""


class TableHost(wiring.Component):
    """Commands of a self-test that takes tables: to run, halt, restart the count, and load.

    Commands that set what is measured are dropped.

    Parameters
    ----------
    topology : Topology
        Network.
    clock_hz, baud, bit_cycles
        See `UartReceiver`.

    Members
    -------
    rx, take, line_begins
        See `Measurement`, whose place it takes in the self-test.
    clear, start, entered
        See there; not used, because nothing is measured.
    going, anew : Out(1)
        See `CommandDecoder`.
    word : Out(32)
        Next word of a table, if `word_valid`.
    word_valid, ended : Out(1)
        A word comes; the table ends.
    refused : In(1)
        Pulse for a table that the node test cannot take; counts as a dropped command.
    number : In(NUMBER_WIDTH)
        Number of the table in force, 0 for none; constant from the window's start to its line.
    values : Out(StructLayout)
        Words of the line: `dropped` and `table`, which is `number`.
    """

    rx: Value
    take: Value
    line_begins: Value
    clear: Value
    start: Value
    entered: Value
    going: Value
    anew: Value
    word: Value
    word_valid: Value
    ended: Value
    refused: Value
    number: Value
    values: data.View

    def __init__(
        self, topology: Topology, *, clock_hz: int, baud: int, bit_cycles: Value | None = None
    ) -> None:
        self._decoder = CommandDecoder(topology, longest=1, tables=True, settings=False)
        self._receiver = UartReceiver(clock_hz=clock_hz, baud=baud, bit_cycles=bit_cycles)
        values = {"dropped": DROPPED_WIDTH, "table": NUMBER_WIDTH}
        super().__init__(
            {
                "rx": In(1, init=1),  # pyright: ignore[reportCallIssue]
                **dict.fromkeys(("take", "line_begins", "clear", "start", "refused"), In(1)),
                "entered": In(topology.nodes),
                "number": In(NUMBER_WIDTH),
                **dict.fromkeys(("going", "anew"), Out(1)),
                "word": Out(32),
                **dict.fromkeys(("word_valid", "ended"), Out(1)),
                "values": Out(data.StructLayout(values)),
            }
        )

    @property
    def host(self) -> Host:
        """What decides over windows."""
        return NO_HOST._replace(going=self.going, anew=self.anew)

    def elaborate(self, platform: object) -> Module:
        """Connect the parts."""
        del platform
        m = Module()
        m.submodules.receiver = receiver = self._receiver
        m.submodules.decoder = decoder = self._decoder
        m.d.comb += [
            receiver.rx.eq(self.rx),
            decoder.byte.eq(receiver.byte),
            decoder.received.eq(receiver.received),
            decoder.take.eq(self.take),
            decoder.line_begins.eq(self.line_begins),
            decoder.table_refused.eq(self.refused),
            self.going.eq(decoder.going),
            self.anew.eq(decoder.anew),
            self.word.eq(decoder.table_word),
            self.word_valid.eq(decoder.table_word_valid),
            self.ended.eq(decoder.table_ended),
            self.values.dropped.eq(decoder.dropped),
            self.values.table.eq(self.number),
        ]
        return m
