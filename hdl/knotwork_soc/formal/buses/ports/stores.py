"""Proofs of the stores of beats: queues in distributed and in block RAM, and whole bursts."""

from collections.abc import Callable

from amaranth.hdl import Array, Cat, Mux, Value
from amaranth.lib import data
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ....gateware.buses.packets.store import BurstStore, Store
from .queues import ObservedQueue

DEPTH, BITS = 4, 2
"""Entries, and their bits, in a proof."""
_PLACE = (DEPTH - 1).bit_length()
_BEAT = data.StructLayout({"data": 1, "last": 1})


class _BlockStore(Store):
    """Store of few entries, built as large ones are."""

    def __init__(self) -> None:
        super().__init__(BITS, depth=DEPTH)
        self._is_block = True


def _store() -> Store:
    return Store(BITS, depth=DEPTH)


def _burst_store() -> BurstStore:
    return BurstStore(_BEAT, depth=DEPTH)


class StoreHarness(ComponentHarness):
    """Harness of a store, and the queue that it must be.

    Members
    -------
    count : Value
        Entries that it must have.
    row : list of Value
        Those entries, the oldest first.
    """

    def __init__(self, make: Callable[[], Store]) -> None:
        super().__init__(make())
        self.i, self.o = self.stream("i"), self.stream("o")
        self.count = self.register(_PLACE + 1, "count")
        self.row = [self.register(BITS, f"entry_{place}") for place in range(DEPTH)]
        comes, leaves = self.i.moves, self.o.moves
        self.m.d.sync += self.count.eq(self.count + comes - leaves)
        after = [*self.row[1:], self.row[-1]]
        for place, entry in enumerate(self.row):
            is_last = self.count - leaves == place
            kept = Mux(leaves, after[place], entry)
            new = Value.cast(self.i.payload)
            self.m.d.sync += entry.eq(Mux(comes & is_last, new, kept))


def _queue(harness: StoreHarness) -> None:
    """Claim what a queue does, by its ports."""
    count, o = harness.count, harness.o
    harness.claim(count <= DEPTH)
    harness.claim(harness.port("level") == count)
    harness.claim(~o.valid | ((count != 0) & (Value.cast(o.payload) == harness.row[0])))
    harness.claim(harness.i.ready | (count >= DEPTH - 1))
    waits = harness.before((count != 0) & ~o.valid, "waits")
    harness.claim(~waits | o.valid)
    harness.claim_stream("o")
    harness.cover(count == DEPTH)
    harness.cover(harness.i.moves & o.moves)


def _distributed(harness: StoreHarness) -> None:
    queue = ObservedQueue(harness, "queue", depth=DEPTH, bits=BITS)
    queue.claim_sound()
    consume = harness.inside("queue.consume", _PLACE)
    for place, entry in enumerate(harness.row):
        word = Array(queue.words)[(consume + place)[:_PLACE]]
        harness.claim((harness.count <= place) | (word == entry))
    _queue(harness)


def _block(harness: StoreHarness) -> None:
    produce, consume = (harness.inside(name, _PLACE) for name in ("produce", "consume"))
    valid, shown = harness.inside("valid"), harness.inside("memory_read_data", BITS)
    words = [harness.inside(f"memory[{place}]", BITS) for place in range(DEPTH)]
    harness.claim(harness.count == (produce - consume)[:_PLACE] + valid)
    harness.claim(~valid | (shown == harness.row[0]))
    for place, entry in enumerate(harness.row):
        word = Array(words)[(consume + place - valid)[:_PLACE]]
        in_memory = (harness.count > place) & ~(valid & (place == 0))
        harness.claim(~in_memory | (word == entry))
    _queue(harness)


class BurstHarness(ComponentHarness):
    """Harness of a store of bursts, of which `leaves` tells every last beat."""

    def __init__(self) -> None:
        super().__init__(_burst_store())
        o = self.stream("o")
        self.environment(self.port("leaves") == (o.moves & o.payload.last))
        self.queue = ObservedQueue(self, "store.queue", depth=DEPTH, bits=_BEAT.size)


def _whole(harness: BurstHarness) -> None:
    """Claim that `whole` tells whether the last beat of a burst is there."""
    queue = harness.queue
    queue.claim_sound()
    lasts = [
        held & data.View(_BEAT, word).last
        for word, held in zip(queue.words, queue.held, strict=True)
    ]
    harness.claim(harness.inside("bursts", DEPTH.bit_length()) == sum(lasts[1:], lasts[0]))
    harness.claim(harness.port("whole") == Cat(*lasts).any())
    harness.cover(harness.port("whole") & ~harness.stream("o").payload.last)


def store_proofs(*, is_block: bool) -> ComponentProofs:
    """Proofs of `Store` with four entries, built as small or as large ones are."""
    make = _BlockStore if is_block else _store
    queue = Property(
        name="queue",
        text="entries leave as they came, in order, once each, and soon; the level is theirs",
        claim=_block if is_block else _distributed,
    )
    return ComponentProofs(make, lambda: StoreHarness(make), [queue])


def burst_store_proofs() -> ComponentProofs:
    """Proofs of `BurstStore` with four entries."""
    whole = Property(
        name="whole", text="a burst is handed out when its last beat is there", claim=_whole
    )
    return ComponentProofs(_burst_store, BurstHarness, [whole])
