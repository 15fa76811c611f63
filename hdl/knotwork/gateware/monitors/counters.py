"""Many counters in little space."""

from functools import reduce
from operator import or_

from amaranth.hdl import Assert, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..component import Component

_GROUP = 16
"""Events that are chosen from in one step: a chain over all of them would be too deep for Yosys."""


class EventCounters(Component):
    """Counts of many events, each of which may happen in every cycle.

    Every event has a few flip-flops that count it. They are visited in turn, one per cycle, added
    to a word of a RAM, and begin again from 0: so the wide adder and the wide counters are one
    each, however many events there are.

    Latency
    -------
    At most `events` cycles from an event until `count` tells it.

    Parameters
    ----------
    events : int
        Events, at least 2.
    width : int
        Bits of a count, which goes round modulo ``2**width``.

    Members
    -------
    event : In(events)
        Which events happen in this cycle.
    clear : In(1)
        Count only what happens in later cycles.
    clearing : Out(1)
        Counts are not valid yet, after a reset or a `clear`.
    index : In(range(events))
        Event whose count is asked for.
    count : Out(width)
        Its count, in the same cycle.
    """

    event: Signal
    clear: Signal
    clearing: Signal
    index: Signal
    count: Signal

    def __init__(self, *, events: int, width: int = 32) -> None:
        if events < 2:
            raise ValueError(f"events must be at least 2, not {events!r}")
        self._events = events
        self._width = width
        super().__init__(
            {
                "event": In(events),
                "clear": In(1),
                "clearing": Out(1),
                "index": In(range(events)),
                "count": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.totals = totals = Memory(shape=self._width, depth=self._events, init=[])
        write, read = totals.write_port(), totals.read_port(domain="comb")
        asked = totals.read_port(domain="comb")
        visited = Signal(range(self._events), name="visited")
        last = Signal(name="is_last")
        fresh = Signal(init=1, name="fresh")
        few = self._few(m, visited)
        total = Signal(self._width, name="total")
        m.d.comb += [
            last.eq(visited == self._events - 1),
            read.addr.eq(visited),
            asked.addr.eq(self.index),
            total.eq(Mux(fresh, 0, read.data) + few),
            write.addr.eq(visited),
            write.data.eq(total),
            write.en.eq(~self.clear),
            self.count.eq(asked.data),
            self.clearing.eq(fresh),
        ]
        m.d.sync += visited.eq(Mux(last | self.clear, 0, visited + 1))
        with m.If(self.clear):
            m.d.sync += fresh.eq(1)
        with m.Elif(last):
            m.d.sync += fresh.eq(0)
        return m

    def _few(self, m: Module, visited: Signal) -> Value:
        """What the visited event has counted since its last visit, when it begins again."""
        # Between two visits are as many cycles as there are events, at most one event in each.
        width = self._events.bit_length()
        counts, here = [], []
        for number in range(self._events):
            count, is_here = Signal(width, name=f"few_{number}"), Signal(name=f"here_{number}")
            kept = Signal(width, name=f"kept_{number}")
            m.d.comb += [
                is_here.eq(visited == number),
                kept.eq(Mux(is_here | self.clear, 0, count)),
            ]
            here.append(is_here)
            m.d.sync += count.eq(Mux(self.clear, 0, kept + self.event[number]))
            counts.append(count)
        few = Signal(width, name="few")
        groups = []
        for first in range(0, self._events, _GROUP):
            group = Signal(width, name=f"group_{first // _GROUP}")
            chosen = zip(here[first : first + _GROUP], counts[first : first + _GROUP], strict=True)
            m.d.comb += group.eq(reduce(or_, (n & h.replicate(width) for h, n in chosen)))
            groups.append(group)
        m.d.comb += few.eq(reduce(or_, groups))
        m.d.sync += Assert(few <= self._events, "counters: no count must go round between visits")
        return few
