"""Claims about the bits that a RAM keeps wrong: the majority of an entry's copies counts."""

from amaranth.hdl import Array, Const, Signal, Value

from ...property import Property
from .harness import CreditHarness
from .observed.turn_queue import TurnQueue


def _votes(harness: CreditHarness) -> None:
    for front in harness.fronts.values():
        path = f"input_{front.name}.buffer"
        queues = [harness.queued[front.port, vc].queue for vc in front.vcs]
        bits = len(queues[0].words[0])
        behind = harness.inside(f"{path}.behind", bits)
        for vc, queue in zip(front.vcs, queues, strict=True):
            is_read = _is_read(harness, queue, queue.words, "behind", behind)
            harness.claim(~front.shown(vc) | is_read)
        if not front.has_twin:
            continue
        # Of an only channel, the other entry is that of its head.
        asked: Value = Const(1)
        if len(front.vcs) > 1:
            asked = harness.inside(f"{path}.asked", len(front.vcs))
        other = harness.inside(f"{path}.other", bits)
        for place, queue in enumerate(queues):
            is_read = _is_read(harness, queue, queue.twins, "head", other)
            harness.claim((asked != 1 << place) | is_read)


def _is_read(
    harness: CreditHarness, queue: TurnQueue, words: list[Signal], pointer: str, found: Value
) -> Value:
    """Whether the majority of the copies at one of a queue's pointers is found."""
    at = harness.inside(f"{queue.path}.{pointer}", len(queue.head))
    return (at >= queue.depth) | (found == Array(words)[at])


VOTES = Property(
    name="votes",
    text="what is read of an entry is the majority of its three copies, bit by bit, whatever the "
    "RAMs hold",
    claim=_votes,
)
