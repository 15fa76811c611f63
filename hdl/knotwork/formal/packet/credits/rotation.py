"""Claims about the front of an input: which channel is shown next, and how soon each is."""

from amaranth.hdl import Cat, Const, Mux, Value

from ...property import Property
from .harness import CreditHarness
from .observed.channel import CreditChannel
from .observed.front import Front
from .queues import QUEUES


def _rotation(harness: CreditHarness) -> None:
    for front in harness.fronts.values():
        _next_shown(harness, front)
        for place in range(len(front.vcs)):
            _shown_again(harness, front, place)


def _next_shown(harness: CreditHarness, front: Front) -> None:
    """Claim which channel is shown in the next cycle."""
    count, channels = (len(front.vcs), [harness.queued[front.port, vc] for vc in front.vcs])
    eligible, granted = harness.eligible(front), harness.granted(front)
    shown, arrives = _shown(front), Cat(channel.seen for channel in channels)
    behind = [_behind(channels, place) for place in range(count)]
    other = harness.named(_chosen(shown, behind), f"other_{front.name}")
    follows = Cat(
        front.shown(one.vc) & ((one.readable > 1) | (front.last & one.again)) for one in channels
    ).any()
    stays = Mux(granted, follows & ~(front.last & other.any()), eligible | ~other.any())
    # Whatever is shown while nothing is there does not matter.
    after = Mux(stays & front.occupied, shown, Mux(other.any(), other, arrives))
    then = harness.register(count, f"then_{front.name}")
    harness.m.d.sync += then.eq(after)
    harness.claim(~front.occupied | (shown == then))
    harness.claim(front.occupied == then.any())
    harness.cover(front.occupied & granted & follows)
    if sum(any(map(harness.can_happen, one.turns)) for one in channels) > 1:
        harness.cover(front.occupied & ~eligible & other.any())


def _shown(front: Front) -> Value:
    """Channel at the front, a bit each."""
    return Cat(front.shown(vc) for vc in front.vcs)


def _behind(channels: list[CreditChannel], place: int) -> Value:
    """First channel behind another, cyclically, that holds a flit; 0 if none does."""
    count = len(channels)
    found: Value = Const(0, count)
    for step in reversed(range(1, count)):
        number = (place + step) % count
        found = Mux(channels[number].readable != 0, 1 << number, found)
    return found[:count]


def _chosen(one_hot: Value, values: list[Value]) -> Value:
    """Value at the bit that is set."""
    found: Value = Const(0, len(values[0]))
    for bit, value in zip(one_hot, values, strict=True):
        found = found | (bit.replicate(len(value)) & value)
    return found


def _shown_again(harness: CreditHarness, front: Front, place: int) -> None:
    """Claim how many others are shown before a channel that holds a flit."""
    count, vc = len(front.vcs), front.vcs[place]
    channel = harness.queued[front.port, vc]
    passed = harness.register(range(count + 1), f"passed_{channel.name}")
    before = harness.register(count, f"before_{channel.name}")
    shown = _shown(front)
    waits = (channel.readable != 0) & ~shown[place]
    others = harness.named(
        Mux(waits, Mux(passed == 0, 1, passed + (shown != before)), 0), f"others_{channel.name}"
    )
    harness.m.d.sync += [before.eq(shown), passed.eq(others)]
    bits = count.bit_length()
    away = _chosen(shown, [Const((place - one) % count, bits) for one in range(count)])
    harness.claim(~waits | (others + away <= count))
    reached = [
        any(map(harness.can_happen, harness.queued[front.port, one].turns)) for one in front.vcs
    ]
    if reached[place]:
        harness.cover(shown[place] & (passed == sum(reached) - 1))


ROTATION = Property(
    name="rotation",
    text="a flit that cannot move, and a tail that leaves, give the front to the next channel that "
    "holds a flit: each is shown after one turn of the others at most",
    claim=_rotation,
    lemmas=(QUEUES,),
)
