"""When the sources of a window create packets, and when that is measured."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...measuring.settings import MEASURE, RATE_ONE, SETTINGS, TIME_WIDTH
from .commands import SETTINGS_LAYOUT

_DIVIDEND_WIDTH = (RATE_ONE + SETTINGS["length"].most).bit_length()


class Pace(wiring.Component):
    """Warm-up and measured part of a window, and how likely a packet is in a cycle.

    Members
    -------
    settings : In(SETTINGS_LAYOUT)
        Settings; constant from `prepare` to the end of the window.
    prepare : In(1)
        Pulse after which `threshold` is computed, in some twenty cycles.
    start : In(1)
        Pulse that begins a window, later.
    threshold : Out(17)
        `Settings.threshold`.
    creating : Out(1)
        Nodes create packets.
    measured : Out(1)
        Those of this cycle count.
    """

    settings: data.View
    prepare: Value
    start: Value
    threshold: Value
    creating: Value
    measured: Value

    def __init__(self) -> None:
        super().__init__(
            {
                "settings": In(SETTINGS_LAYOUT),
                "prepare": In(1),
                "start": In(1),
                "threshold": Out(RATE_ONE.bit_length()),
                "creating": Out(1),
                "measured": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Divide bit by bit; then count the two parts down."""
        del platform
        m = Module()
        self._divide(m)
        settings, left = self.settings, Signal(TIME_WIDTH)
        with m.If(self.start & (settings.mode == MEASURE)):
            warm = settings.warmup != 0
            m.d.sync += [
                self.creating.eq(1),
                self.measured.eq(~warm),
                left.eq(Mux(warm, settings.warmup, settings.cycles)),
            ]
        with m.Elif(self.creating):
            m.d.sync += left.eq(left - 1)
            with m.If(left == 1):
                m.d.sync += [
                    self.creating.eq(~self.measured),
                    self.measured.eq(~self.measured),
                    left.eq(settings.cycles),
                ]
        return m

    def _divide(self, m: Module) -> None:
        """Rate over length, rounded up."""
        length = self.settings.length
        dividend = Signal(_DIVIDEND_WIDTH)  # the quotient comes in from below
        rest = Signal(len(length))
        bits_left = Signal(range(_DIVIDEND_WIDTH + 1))
        grown = Cat(dividend[-1], rest)
        fits = grown >= length
        m.d.comb += self.threshold.eq(dividend)
        with m.If(self.prepare):
            m.d.sync += [
                dividend.eq(self.settings.rate + length - 1),
                rest.eq(0),
                bits_left.eq(_DIVIDEND_WIDTH),
            ]
        with m.Elif(bits_left != 0):
            m.d.sync += [
                dividend.eq(Cat(fits, dividend)),
                rest.eq(Mux(fits, grown - length, grown)),
                bits_left.eq(bits_left - 1),
            ]
