"""Claims about the flits that a PE's interface takes from its switch and gives to the PE."""

from amaranth.hdl import Array, Cat, Mux, Signal, Value, ValueLike

from ...gateware.circuit.layouts import Kind
from ...gateware.layouts import eject_layout
from .interface_harness import InterfaceHarness

_COVERED = 3
"""Longest packet up to which a full queue is shown: to fill one takes two network cycles."""


class _Queue:
    """Beats that wait for the PE, by what came and went.

    Members
    -------
    depth : int
        Beats that it holds.
    level, head : Signal
        How many there are, and the place of the first.
    source : Signal
        Source of the last header.
    arrives, leaves : Value
        A beat comes; a beat goes to the PE.
    beat : Signal
        The beat that comes.
    offered : Value
        The beat that the PE is offered.
    words : list of Signal
        Words of the memory.
    """

    def __init__(self, harness: InterfaceHarness) -> None:
        link, layout = harness.down, eject_layout(harness.network)
        self.depth = 2 * harness.longest
        self.level = harness.register(range(self.depth + 1), "level")
        self.head = harness.register(range(self.depth), "head")
        self.source = harness.register(len(harness.address), "source")
        self.arrives = link.is_flit
        self.leaves = harness.port("m_axis_tvalid") & harness.port("m_axis_tready")
        fields = [link.data[: harness.network.hardware.data_width]]
        fields += [link.kind == Kind.LAST.value, self.source]
        self.beat = harness.named(Cat(fields), "beat")
        self.offered = Cat(harness.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid"))
        harness.m.d.sync += self.level.eq(self.level + self.arrives - self.leaves)
        with harness.m.If(self.leaves):
            harness.m.d.sync += self.head.eq(self.after(harness, self.head, 1))
        with harness.m.If(link.is_header):
            harness.m.d.sync += self.source.eq(link.header.source)
        bits = layout.size
        self.words = [harness.inside(f"incoming[{n}]", bits) for n in range(self.depth)]

    def after(self, harness: InterfaceHarness, place: Value, more: ValueLike) -> Signal:
        """Place that is so many beats further."""
        far = place + more
        return harness.named(Mux(far >= self.depth, far - self.depth, far), "place")


def ejection(harness: InterfaceHarness) -> None:
    """Claim that every flit that comes goes to the PE, once, in order."""
    queue = _Queue(harness)
    depth, level = queue.depth, queue.level
    places = len(queue.head)
    tail = harness.inside("tail", places)
    harness.claim(harness.inside("level", len(level)) == level)
    harness.claim(harness.inside("head", places) == queue.head)
    harness.claim((level <= depth) & (queue.head < depth))
    harness.claim(tail == queue.after(harness, queue.head, level))
    harness.claim(harness.inside("source", len(queue.source)) == queue.source)
    harness.claim(harness.port("m_axis_tvalid") == (level != 0))
    # Any one beat.
    inside, ahead = harness.register(1, "inside"), harness.register(range(depth), "ahead")
    expected = harness.register(len(queue.beat), "expected")
    with harness.m.If(~inside & queue.arrives & harness.any_value()):
        harness.m.d.sync += [
            inside.eq(1),
            ahead.eq(level - queue.leaves),
            expected.eq(queue.beat),
        ]
    with harness.m.Elif(inside & queue.leaves):
        harness.m.d.sync += [inside.eq(ahead != 0), ahead.eq(ahead - 1)]
    found = Array(queue.words)[queue.after(harness, queue.head, ahead)]
    harness.claim(~inside | ((ahead < level) & (found == expected)))
    goes = inside & (ahead == 0) & queue.leaves
    harness.claim(~goes | (queue.offered == expected))
    harness.cover(goes)
    harness.claim_held(
        harness.port("m_axis_tvalid"), harness.port("m_axis_tready"), queue.offered, "m_axis"
    )
    harness.cover(harness.port("m_axis_tvalid") & ~harness.port("m_axis_tready"))
    _claim_acknowledge_space(harness, queue)


def _claim_acknowledge_space(harness: InterfaceHarness, queue: _Queue) -> None:
    """Claim that a header is acknowledged if and only if there is room for the longest packet."""
    link, time, longest = harness.down, harness.cycle.time, harness.longest
    room = harness.register(1, "room")
    harness.m.d.sync += room.eq(queue.level <= longest)
    for fact in (*link.header_facts(), link.acknowledge_facts()):
        harness.claim(fact)
    for rule in link.received().values():
        harness.claim(rule)
    harness.claim(~(link.came & link.acknowledged()) | (link.back == room))
    harness.cover(link.back & link.acknowledged())
    if longest <= _COVERED:
        harness.cover(~link.back & link.came & link.acknowledged())
    begins = harness.named(link.hops + link.first_flit + 1, "begins")
    before = harness.named(time <= begins, "before")
    harness.claim(~(link.back & before) | (queue.level <= longest))
    more = link.was_kind == Kind.FLIT.value
    harness.claim(~more | (link.back & ~before & (queue.level <= longest + time - begins)))
    harness.claim(~more | (time < begins + longest))
    harness.claim(~link.is_flit | (queue.level < queue.depth))
