"""What the interface of a PE takes from its switch and gives to the PE."""

from typing import Any

from amaranth.hdl import Array, Cat, Mux

from ...gateware.circuit.layouts import Kind
from ...gateware.layouts import eject_layout
from .interface import InterfaceBench

_COVERED = 3
"""Longest packet up to which a full queue is shown: it takes two network cycles to fill."""


class _Queue:
    """Beats that wait for the PE, by what came and went.

    Members
    -------
    level, head : Signal
        How many there are, and the place of the first.
    arrives, leaves : Value
        One comes, one goes.
    beat : View
        The one that comes.
    """

    def __init__(self, bench: InterfaceBench) -> None:
        link, layout = bench.down, eject_layout(bench.network)
        self.depth = 2 * bench.longest
        self.level = bench.register(range(self.depth + 1), "level")
        self.head = bench.register(range(self.depth), "head")
        self.source = bench.register(len(bench.address), "source")
        self.arrives = link.is_flit
        self.leaves = bench.port("m_axis_tvalid") & bench.port("m_axis_tready")
        fields = [link.data[: bench.network.hardware.data_width]]
        fields += [link.kind == Kind.LAST.value, self.source]
        self.beat = bench.named(Cat(fields), "beat")
        self.given = Cat(bench.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid"))
        bench.m.d.sync += self.level.eq(self.level + self.arrives - self.leaves)
        with bench.m.If(self.leaves):
            bench.m.d.sync += self.head.eq(self.after(bench, self.head, 1))
        with bench.m.If(link.is_header):
            bench.m.d.sync += self.source.eq(link.header.source)
        bits = layout.size
        self.words = [bench.inside(f"core.incoming[{n}]", bits) for n in range(self.depth)]

    def after(self, bench: InterfaceBench, place: Any, more: Any) -> Any:
        """Place so many beats on."""
        far = place + more
        return bench.named(Mux(far >= self.depth, far - self.depth, far), "place")


def ejection(bench: InterfaceBench) -> None:
    """Claim that what comes in goes to the PE, once, in order."""
    queue = _Queue(bench)
    depth, level = queue.depth, queue.level
    places = len(queue.head)
    tail = bench.inside("core.into__addr", places)
    bench.claim(bench.inside("core.level", len(level)) == level)
    bench.claim(bench.inside("core.shown__addr", places) == queue.head)
    bench.claim((level <= depth) & (queue.head < depth))
    bench.claim(tail == queue.after(bench, queue.head, level))
    bench.claim(bench.inside("core.source", len(queue.source)) == queue.source)
    bench.claim(bench.port("m_axis_tvalid") == (level != 0))
    # Any one beat.
    inside, ahead = bench.register(1, "inside"), bench.register(range(depth), "ahead")
    expected = bench.register(len(queue.beat), "expected")
    with bench.m.If(~inside & queue.arrives & bench.any_value()):
        bench.m.d.sync += [
            inside.eq(1),
            ahead.eq(level - queue.leaves),
            expected.eq(queue.beat),
        ]
    with bench.m.Elif(inside & queue.leaves):
        bench.m.d.sync += [inside.eq(ahead != 0), ahead.eq(ahead - 1)]
    found = Array(queue.words)[queue.after(bench, queue.head, ahead)]
    bench.claim(~inside | ((ahead < level) & (found == expected)))
    goes = inside & (ahead == 0) & queue.leaves
    bench.claim(~goes | (queue.given == expected))
    bench.cover(goes)
    bench.claim_held(
        bench.port("m_axis_tvalid"), bench.port("m_axis_tready"), queue.given, "m_axis"
    )
    bench.cover(bench.port("m_axis_tvalid") & ~bench.port("m_axis_tready"))
    _room(bench, queue)


def _room(bench: InterfaceBench, queue: _Queue) -> None:
    """Who is acknowledged finds room for all that he may send; others are not acknowledged."""
    link, clock, longest = bench.down, bench.cycle.clock, bench.longest
    room = bench.register(1, "room")
    bench.m.d.sync += room.eq(queue.level <= longest)
    for fact in (*link.known_header(), link.known_back()):
        bench.claim(fact)
    for rule in link.received().values():
        bench.claim(rule)
    bench.claim(~(link.came & link.acknowledged()) | (link.back == room))
    bench.cover(link.back & link.acknowledged())
    if longest <= _COVERED:
        bench.cover(~link.back & link.came & link.acknowledged())
    begins = bench.named(2 * link.lca + bench.cycle.first_flit + 1, "begins")
    before = bench.named(clock <= begins, "before")
    bench.claim(~(link.back & before) | (queue.level <= longest))
    more = link.was_kind == Kind.FLIT.value
    bench.claim(~more | (link.back & ~before & (queue.level <= longest + clock - begins)))
    bench.claim(~more | (clock < begins + longest))
    bench.claim(~link.is_flit | (queue.level < queue.depth))
