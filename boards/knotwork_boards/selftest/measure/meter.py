"""Latencies of packets: least, greatest and bins at each node, and sums over all nodes."""

from collections.abc import Sequence

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...measuring import BINS, TIME_WIDTH
from ..tally import ones

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


_LATENCY_WIDTH = 16
"""Width of the largest mean latency that the sum can hold."""

_SAMPLES_LOG2 = 12
"""Logarithm of the largest number of a node's samples under way, queue included."""


class Meter(wiring.Component):
    """Sums over all nodes of samples, flits and latencies.

    The sum of the latencies is that of the samples under way, cycle by cycle (Little's law): it
    needs no addition per packet, and is exact however few bits of its time a packet carries.

    Parameters
    ----------
    nodes, stamp_width : int
        Nodes, and bits of a latency.
    delay : int
        Cycles from one in which a packet is created to `flit`, of a packet of one flit that needs
        no time in the network. From `sampled` to `counted` it is as long.

    Members
    -------
    clear : In(1)
        Sets all to 0.
    measured : In(1)
        See `Pace`.
    sampled, overrun, flit, counted, binned : In(nodes)
        Events of the nodes: see `NodeSource` and `NodeMeter`; a flit has left the network.
    bins, least, greatest : In(ArrayLayout)
        By node: see `NodeMeter`.
    values : Out(StructLayout)
        Words of the line.
    """

    clear: Value
    measured: Value
    flit: Value
    counted: Value
    binned: Value
    sampled: Value
    overrun: Value
    bins: Sequence[Value]
    least: Sequence[Value]
    greatest: Sequence[Value]
    values: data.View

    def __init__(self, *, nodes: int, stamp_width: int, delay: int) -> None:
        self._nodes = nodes
        self._stamp_width = stamp_width
        self._delay = delay
        count = (nodes << TIME_WIDTH).bit_length()
        counts = dict.fromkeys(("overrun", "flits", "samples"), count)
        latencies = {"latency_min": stamp_width, "latency_sum": count + _LATENCY_WIDTH}
        latencies |= {"latency_max": stamp_width}
        bins = dict.fromkeys((f"h{k}" for k in range(BINS)), count)
        by_node = data.ArrayLayout(stamp_width, nodes)
        events = ("sampled", "overrun", "flit", "counted", "binned")
        super().__init__(
            {
                "clear": In(1),
                "measured": In(1),
                **{event: In(nodes) for event in events},
                "bins": In(data.ArrayLayout((BINS - 1).bit_length(), nodes)),
                "least": In(by_node),
                "greatest": In(by_node),
                "values": Out(data.StructLayout(counts | latencies | bins)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the nodes of each event, then add."""
        del platform
        m = Module()
        values = self.values
        within = _delayed(m, self.measured, self._delay)
        samples = self._sum(m, "samples", self.counted)
        self._sum(m, "overrun", self.overrun)
        self._sum(m, "flits", self.flit & within.replicate(self._nodes))
        for k in range(BINS):
            self._sum(m, f"h{k}", Cat(bin_ == k for bin_ in self.bins) & self.binned)
        created = Signal(range(self._nodes + 1))
        m.d.sync += created.eq(ones(self.sampled))
        under_way = Signal(range(self._nodes << _SAMPLES_LOG2))
        with m.If(self.clear):
            m.d.sync += [under_way.eq(0), values.latency_sum.eq(0)]
        with m.Else():
            m.d.sync += [
                under_way.eq(under_way + _delayed(m, created, self._delay) - samples),
                values.latency_sum.eq(values.latency_sum + under_way),
            ]
        self._find_extremes(m)
        return m

    def _sum(self, m: Module, name: str, event: Value) -> Signal:
        """Count an event in the word of this name; return how many nodes had it a cycle ago."""
        now, value = Signal(range(self._nodes + 1), name=f"{name}_now"), self.values[name]
        m.d.sync += [now.eq(ones(event)), value.eq(Mux(self.clear, 0, value + now))]
        return now

    def _find_extremes(self, m: Module) -> None:
        """Look at one node after the other, for ever: at the end of a window all have been seen."""
        node = Signal(range(self._nodes))
        of_node = Signal(self._stamp_width), Signal(self._stamp_width)
        least = Signal(self._stamp_width, init=-1)
        greatest = self.values.latency_max
        m.d.sync += [
            node.eq(Mux(node == self._nodes - 1, 0, node + 1)),
            of_node[0].eq(Array(self.least)[node]),
            of_node[1].eq(Array(self.greatest)[node]),
            self.values.latency_min.eq(Mux(self.values.samples != 0, least, 0)),
        ]
        with m.If(self.clear):
            m.d.sync += [least.eq(-1), greatest.eq(0)]
        with m.Else():
            with m.If(of_node[0] < least):
                m.d.sync += least.eq(of_node[0])
            with m.If(of_node[1] > greatest):
                m.d.sync += greatest.eq(of_node[1])


def _delayed(m: Module, value: Value, cycles: int) -> Value:
    """The same so many cycles later."""
    for _ in range(cycles):
        later = Signal.like(value)
        m.d.sync += later.eq(value)
        value = later
    return value
