"""A binary number as decimal digits."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
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
