"""Latencies of the packets that come to a node."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...measuring.settings import BINS

METER_CYCLES = 1
"""Cycles from the end of a packet to `NodeMeter.counted`."""


class NodeMeter(wiring.Component):
    """Least and greatest latency of a node's samples, and the bin of each.

    Parameters
    ----------
    stamp_width : int
        Bits of a time of creation.

    Members
    -------
    clear : In(1)
        Forgets all samples.
    now : In(stamp_width)
        Time; a packet whose stamp it is had no latency.
    ended : In(1)
        A sample has come.
    stamp : In(stamp_width)
        Its time of creation.
    counted : Out(1)
        The same, later.
    binned : Out(1)
        The same, another cycle later, when `bin` is its bin.
    bin : Out(4)
        Bin of the histogram.
    least, greatest : Out(stamp_width)
        Of all samples; all ones and 0 if there is none.
    """

    clear: Value
    now: Value
    ended: Value
    stamp: Value
    counted: Value
    binned: Value
    bin: Value
    least: Value
    greatest: Value

    def __init__(self, *, stamp_width: int) -> None:
        self._width = stamp_width
        super().__init__(
            {
                "clear": In(1),
                "now": In(stamp_width),
                "ended": In(1),
                "stamp": In(stamp_width),
                "counted": Out(1),
                "binned": Out(1),
                "bin": Out(range(BINS)),
                "least": Out(stamp_width, init=-1),  # pyright: ignore[reportCallIssue]
                "greatest": Out(stamp_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Subtract; then compare and find the highest one."""
        del platform
        m = Module()
        latency = Signal(self._width)
        m.d.sync += [
            latency.eq(self.now - self.stamp),
            self.counted.eq(self.ended),
            self.binned.eq(self.counted),
            self.bin.eq(_log2(latency)[: len(self.bin)]),
        ]
        with m.If(self.clear):
            m.d.sync += [self.least.eq(-1), self.greatest.eq(0)]
        with m.Elif(self.counted):
            with m.If(latency < self.least):
                m.d.sync += self.least.eq(latency)
            with m.If(latency > self.greatest):
                m.d.sync += self.greatest.eq(latency)
        return m


def _log2(value: Value) -> Value:
    """Place of the highest one, 0 if there is none: half of the bits after the other."""
    if len(value) == 1:
        return value & 0
    half = 1 << (len(value) - 1).bit_length() - 1
    low, high = _log2(value[:half]), _log2(value[half:])
    return Mux(value[half:].any(), high + half, low)
