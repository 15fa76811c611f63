"""What a harness sees of a queue: its words, and which of them are in it."""

from amaranth.hdl import Array, Const, Value
from knotwork.formal.component import ComponentHarness


class ObservedQueue:
    """Queue in registers, of a power of two entries (`amaranth.lib.fifo.SyncFIFO`).

    Parameters
    ----------
    harness : ComponentHarness
        Harness of what it is in.
    path : str
        Path of the `SyncFIFO` in the module.
    depth, bits : int
        Entries, and bits of each.
    has_words : bool
        Whether claims refer to its words.

    Members
    -------
    level : Value
        Entries in it.
    words : list of Value
        All its words.
    held : list of Value
        Which of them are in it.
    """

    def __init__(
        self, harness: ComponentHarness, path: str, *, depth: int, bits: int, has_words: bool = True
    ) -> None:
        place = (depth - 1).bit_length()
        self._harness, self._depth = harness, depth
        self.level = harness.inside(f"{path}.level", depth.bit_length())
        self._pointers = [harness.inside(f"{path}.{one}", place) for one in ("consume", "produce")]
        words = range(depth) if has_words else ()
        self.words = [harness.inside(f"{path}.storage[{n}]", bits) for n in words]
        consume = self._pointers[0]
        self.held = [
            harness.named((Const(n, place) - consume)[:place] < self.level, "held") for n in words
        ]

    @property
    def head(self) -> Value:
        """Word that leaves next."""
        return Array(self.words)[self._pointers[0]]

    @property
    def tail(self) -> Value:
        """Word that came last."""
        produce = self._pointers[1]
        return Array(self.words)[(produce - 1)[: len(produce)]]

    def claim_sound(self) -> None:
        """Claim that the pointers are as far apart as there are entries."""
        consume, produce = self._pointers
        self._harness.claim(self.level <= self._depth)
        self._harness.claim((consume + self.level)[: len(consume)] == produce)

    def holds(self, value: int) -> Value:
        """Number of entries that are this value."""
        found: Value = Const(0, 1)
        for word, held in zip(self.words, self.held, strict=True):
            found = found + (held & (word == value))
        return found
