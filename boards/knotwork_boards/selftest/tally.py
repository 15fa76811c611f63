"""Counters of the self-test, summed over all nodes."""

from amaranth.hdl import Module, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

EVENTS = ("sent", "received", "duplicated", "corrupted", "misrouted", "refused", "skipped")
"""Events that sources, checkers and the network signal, one bit per node."""

COUNTERS = ("sent", "received", "lost", "duplicated", "corrupted", "misrouted", "refused")
"""Counters in the line of a window, in their order there."""


class Tally(wiring.Component):
    """Sums of the events of all nodes in a window, and the verdict on them.

    A packet is lost if it was sent and neither arrived nor was refused; of a packet that arrived
    twice, the second arrival does not count. A multicast or broadcast counts as many packets as it
    has destinations.

    Latency
    -------
    Two cycles from an event to its sum, three to `lost`, four to `passed`.

    Parameters
    ----------
    nodes : int
        Nodes that signal events.
    packets : int
        Packets that all nodes together send in a window.
    most : int
        Packets that they send at most in a window of `any_number`.

    Members
    -------
    sent, received, duplicated, corrupted, misrouted, refused, skipped : In(nodes)
        Events of this cycle.
    clear : In(1)
        Sets the sums to 0.
    any_number : In(1)
        The number of packets that nodes will send is unknown.
    counts : Out(StructLayout)
        One sum per name in `COUNTERS`.
    active : Out(1)
        A packet was sent, refused or received.
    width : int
        Width of a sum, which can hold twice the packets of a window.
    passed : Out(1)
        All packets of the window were sent and received, and no other event came. With
        `any_number`, all that were sent were received.
    """

    refused: Value
    clear: Value
    any_number: Value
    counts: data.View
    active: Value
    passed: Value

    def __init__(self, *, nodes: int, packets: int, most: int = 0) -> None:
        self._nodes = nodes
        self._packets = packets
        width = self.width = max(packets, most).bit_length() + 1
        super().__init__(
            {
                **{event: In(nodes) for event in EVENTS},
                "clear": In(1),
                "any_number": In(1),
                "counts": Out(data.StructLayout(dict.fromkeys(COUNTERS, width))),
                "active": Out(1),
                "passed": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the nodes of each event, then add; packets in flight are a difference of sums."""
        del platform
        m = Module()
        numbers = {}
        for event in EVENTS:
            numbers[event] = Signal(range(self._nodes + 1), name=f"{event}_now")
            m.d.sync += numbers[event].eq(ones(getattr(self, event)))
        m.d.comb += self.active.eq(
            (numbers["sent"] != 0) | (numbers["received"] != 0) | (numbers["refused"] != 0)
        )

        wrong = Signal()
        under_way = Signal(self.width + 1)  # negative where more arrived than was sent
        faults = ("duplicated", "corrupted", "misrouted", "refused", "skipped")
        change = Signal(signed(len(numbers["sent"]) + 2))
        m.d.sync += change.eq(
            numbers["sent"] + numbers["duplicated"] - numbers["received"] - numbers["refused"]
        )
        with m.If(self.clear):
            m.d.sync += [under_way.eq(0), wrong.eq(0)]
            m.d.sync += [self.counts[name].eq(0) for name in COUNTERS if name != "lost"]
        with m.Else():
            m.d.sync += under_way.eq(under_way + change)
            with m.If(_any(*(numbers[event] for event in faults))):
                m.d.sync += wrong.eq(1)
            for name in COUNTERS:
                if name != "lost":
                    m.d.sync += self.counts[name].eq(self.counts[name] + numbers[name])
        with m.If(~under_way[-1]):
            m.d.comb += self.counts.lost.eq(under_way)
        all_sent = self.any_number | (self.counts.sent == self._packets)
        m.d.sync += self.passed.eq(~wrong & (under_way == 0) & all_sent)
        return m


def _any(*values: Value) -> Value:
    result = values[0].any()
    for value in values[1:]:
        result |= value.any()
    return result


def ones(bits: Value) -> Value:
    """Count the ones, by a balanced tree."""
    if len(bits) == 1:
        return bits
    half = len(bits) // 2
    return ones(bits[:half]) + ones(bits[half:])
