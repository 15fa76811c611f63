"""Proofs of the stores of beats, and queues as proofs watch them."""

from collections.abc import Callable

from amaranth.hdl import Array, Cat, Const, Mux, Value
from amaranth.lib import data
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ...gateware.buses.stores import BurstStore, Store
from ..library import queue, queue_words


class ObservedQueue:
    """Queue of a small store, of a power of two entries.

    Parameters
    ----------
    harness : ComponentHarness
        Harness of what it is in.
    store : Store
        The store.
    has_words : bool
        Whether claims refer to its words.

    Members
    -------
    depth : int
        Entries that it has room for.
    level : Value
        Entries in it.
    consume : Value
        Place of the word that leaves next.
    words : list of Value
        All its words.
    held : list of Value
        Which of them are in it.
    """

    def __init__(self, harness: ComponentHarness, store: Store, *, has_words: bool = True) -> None:
        self._harness, self.depth = harness, store.depth
        self.level, self.consume, self._produce = queue(harness, store.queue)
        self.words = queue_words(harness, store.queue) if has_words else []
        bits = len(self.consume)
        self.held = [
            harness.named((Const(place, bits) - self.consume)[:bits] < self.level, "held")
            for place in range(len(self.words))
        ]

    @property
    def head(self) -> Value:
        """Word that leaves next."""
        return Array(self.words)[self.consume]

    @property
    def tail(self) -> Value:
        """Word that came last."""
        return Array(self.words)[(self._produce - 1)[: len(self._produce)]]

    def claim_sound(self) -> None:
        """Claim that the pointers are as far apart as there are entries."""
        self._harness.claim(self.level <= self.depth)
        produced = (self.consume + self.level)[: len(self.consume)]
        self._harness.claim(produced == self._produce)

    def holds(self, value: int) -> Value:
        """Number of entries that are this value."""
        found: Value = Const(0, 1)
        for word, held in zip(self.words, self.held, strict=True):
            found = found + (held & (word == value))
        return found


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
    held = ObservedQueue(harness, harness.component("", Store))
    held.claim_sound()
    for place, entry in enumerate(harness.row):
        word = Array(held.words)[(held.consume + place)[:_PLACE]]
        harness.claim((harness.count <= place) | (word == entry))
    _queue(harness)


def _block(harness: StoreHarness) -> None:
    store = harness.component("", Store)
    produce, consume, valid, observed = map(
        harness.probe, (store.produce, store.consume, store.valid, store.read_word)
    )
    words = harness.probe_words(store.read_word, range(DEPTH))
    harness.claim(harness.count == (produce - consume)[:_PLACE] + valid)
    harness.claim(~valid | (observed == harness.row[0]))
    for place, entry in enumerate(harness.row):
        word = Array(words)[(consume + place - valid)[:_PLACE]]
        in_memory = (harness.count > place) & ~(valid & (place == 0))
        harness.claim(~in_memory | (word == entry))
    _queue(harness)


class BurstHarness(ComponentHarness):
    """Harness of a store of bursts, of which `leaves` marks every last beat."""

    def __init__(self) -> None:
        super().__init__(_burst_store())
        o = self.stream("o")
        self.environment(self.port("leaves") == (o.moves & o.payload.last))
        self.queue = ObservedQueue(self, self.component("", BurstStore).store)


def _complete(harness: BurstHarness) -> None:
    """Claim that `whole` says whether the last beat of a burst is there."""
    stored = harness.queue
    stored.claim_sound()
    lasts = [
        held & data.View(_BEAT, word).last
        for word, held in zip(stored.words, stored.held, strict=True)
    ]
    bursts = harness.probe(harness.component("", BurstStore).bursts)
    harness.claim(bursts == sum(lasts[1:], lasts[0]))
    harness.claim(harness.port("complete") == Cat(*lasts).any())
    harness.cover(harness.port("complete") & ~harness.stream("o").payload.last)


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
    complete = Property(
        name="complete", text="a burst is handed out when its last beat is there", claim=_complete
    )
    return ComponentProofs(_burst_store, BurstHarness, [complete])
