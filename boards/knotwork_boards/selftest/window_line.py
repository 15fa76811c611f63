"""The line of text that reports the counters of a window."""

from collections.abc import Mapping

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out


class DecimalWriter(wiring.Component):
    """Writer of a number in decimal, without leading zeros, in ASCII.

    The conversion is "double dabble": all digits double as the next bit is shifted in from below. A
    digit of 5 or more is first raised by 3, so that doubling carries into the digit above.

    Latency
    -------
    `width` cycles to the first digit, then one cycle per leading zero.

    Parameters
    ----------
    width : int
        Width of the number.

    Members
    -------
    start : In(1)
        Pulse that takes `value`; only while not `busy`.
    value : In(width)
        Number to write.
    busy : Out(1)
        The writer is in the middle of a number.
    o : Out(stream)
        Digits in ASCII.
    """

    start: Value
    value: Value
    busy: Value
    o: stream.Interface

    def __init__(self, *, width: int) -> None:
        self._width = width
        super().__init__(
            {
                "start": In(1),
                "value": In(width),
                "busy": Out(1),
                "o": Out(stream.Signature(8)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Convert one bit per cycle, then show one digit after the other from the top."""
        del platform
        m = Module()
        digits = len(str((1 << self._width) - 1))
        binary = Signal(self._width)
        decimal = Signal(data.ArrayLayout(4, digits))
        bits_left = Signal(range(self._width + 1))
        digits_left = Signal(range(digits + 1))
        significant = Signal()
        doubled = Cat(*(Mux(digit >= 5, digit + 3, digit)[:4] for digit in decimal))
        top = decimal[digits - 1]
        shown = significant | (top != 0) | (digits_left == 1)

        m.d.comb += [
            self.busy.eq(digits_left != 0),
            self.o.payload.eq(Cat(top, Const(3, 4))),
            self.o.valid.eq((bits_left == 0) & self.busy & shown),
        ]
        with m.If(~self.busy), m.If(self.start):
            m.d.sync += [
                binary.eq(self.value),
                decimal.eq(0),
                bits_left.eq(self._width),
                digits_left.eq(digits),
                significant.eq(0),
            ]
        with m.Elif(bits_left != 0):
            m.d.sync += [
                Cat(binary, decimal).eq(Cat(Const(0, 1), binary, doubled)),
                bits_left.eq(bits_left - 1),
            ]
        with m.Elif(~shown | self.o.ready):
            m.d.sync += [
                decimal.eq(Cat(Const(0, 4), decimal)),
                digits_left.eq(digits_left - 1),
                significant.eq(shown),
            ]
        return m


_VALUE = 0x80  # a number; the low bits say which
_VERDICT = 0xC0  # here a passed window goes on; a failed one goes on at the end of the script
_END = 0xC1


class WindowLineWriter(wiring.Component):
    r"""Writer of the line of a window: ASCII, with decimal numbers without leading zeros.

    ::

        moebius_n3_twist0 window=3 sent=64 received=64 lost=0 duplicated=0 corrupted=0 misrouted=0
        refused=0 PASS

    is one line, which ends in ``\r\n``. The last word is ``PASS`` or ``FAIL``.

    Parameters
    ----------
    name : str
        First word.
    words : mapping of str to int
        Names of the numbers, in their order, and their widths.

    Members
    -------
    start : In(1)
        Pulse that begins a line.
    values : In(StructLayout)
        Numbers; they and `passed` must not change while `busy`.
    passed : In(1)
        Which verdict to write.
    busy : Out(1)
        The writer is in the middle of a line.
    o : Out(stream)
        Bytes of the line.
    """

    start: Value
    values: data.View
    passed: Value
    busy: Value
    o: stream.Interface

    def __init__(self, *, name: str, words: Mapping[str, int]) -> None:
        self._name = name
        self._words = dict(words)
        super().__init__(
            {
                "start": In(1),
                "values": In(data.StructLayout(self._words)),
                "passed": In(1),
                "busy": Out(1),
                "o": Out(stream.Signature(8)),
            }
        )

    def _script(self) -> tuple[list[int], int]:
        """Bytes and controls of a line, and the place where the end for a failed window begins."""
        script = list(self._name.encode("ascii"))
        for number, name in enumerate(self._words):
            script += [*f" {name}=".encode(), _VALUE | number]
        script += [*b" ", _VERDICT, *b"PASS\r\n", _END]
        failed = len(script)
        return [*script, *b"FAIL\r\n", _END], failed

    def elaborate(self, platform: object) -> Module:
        """Walk through the script, one byte of the memory at a time."""
        del platform
        m = Module()
        script, failed = self._script()
        m.submodules.script = store = memory.Memory(
            shape=8, depth=len(script), init=script, attrs={"ram_style": "block"}
        )
        m.submodules.decimal = decimal = DecimalWriter(width=max(self._words.values()))
        read = store.read_port()
        place = Signal(range(len(script)))
        byte = Signal(8)  # a register behind the memory, which is slow
        ends, judges = Signal(), Signal()
        number = Signal(max(self._words.values()))  # behind a choice of many
        numbers = Array(self.values[name] for name in self._words)
        m.d.sync += number.eq(numbers[byte[:6]])
        m.d.comb += [
            read.addr.eq(place),
            decimal.value.eq(number),
            decimal.o.ready.eq(self.o.ready),
            self.busy.eq(1),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.busy.eq(0)
                m.d.sync += place.eq(0)
                with m.If(self.start):
                    m.next = "FETCH"
            with m.State("FETCH"):
                m.next = "READ"
            with m.State("READ"):
                m.d.sync += byte.eq(read.data)
                m.next = "TELL"
            with m.State("TELL"):
                m.d.sync += [ends.eq(byte == _END), judges.eq(byte == _VERDICT)]
                m.next = "ACT"
            with m.State("ACT"):
                with m.If(~byte[7]):
                    m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(byte)]
                    with m.If(self.o.ready):
                        m.d.sync += place.eq(place + 1)
                        m.next = "FETCH"
                with m.Elif(ends):
                    m.next = "IDLE"
                with m.Elif(judges):
                    m.d.sync += place.eq(Mux(self.passed, place + 1, failed))
                    m.next = "FETCH"
                with m.Else():
                    m.d.comb += decimal.start.eq(1)
                    m.next = "NUMBER"
            with m.State("NUMBER"):
                m.d.comb += [self.o.valid.eq(decimal.o.valid), self.o.payload.eq(decimal.o.payload)]
                with m.If(~decimal.busy):
                    m.d.sync += place.eq(place + 1)
                    m.next = "FETCH"
        return m


def make_line_writer(name: str, m: Module, values: Mapping[str, Value]) -> WindowLineWriter:
    """Make the writer of a line of these values, in their order, and connect them in `m`."""
    line = WindowLineWriter(name=name, words={word: len(value) for word, value in values.items()})
    m.d.comb += [line.values[word].eq(value) for word, value in values.items()]
    return line
