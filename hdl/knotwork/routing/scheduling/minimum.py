"""Fewest rounds that carry out messages on a least-common-ancestor network, by search."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

from ...topology import LeastCommonAncestor
from .rounds import lower_bound, schedule

CHOICE_LIMIT = 3000
"""Choices that a search makes before it gives up."""

_Link = tuple[int, ...]
_Choice = tuple[int, tuple[int, ...]]  # slot of a message, and its uppers


def minimum_rounds(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> int | None:
    """Fewest rounds in which no two messages meet; None where the search was given up.

    From the lower bound that the loads set, every number of rounds is tried until one is enough, or
    until the schedule that was found without a search is known to be the best.

    Parameters as for `rounds.schedule`.
    """
    most = len(schedule(topology, sources, destinations))
    pairs = list(zip(sources.tolist(), destinations.tolist(), strict=True))
    for rounds in range(lower_bound(topology, sources, destinations), most):
        enough = _Search(topology, pairs, rounds).succeeds()
        if enough is not False:
            return rounds if enough else None
    return most


class _Search:
    """Search for slots and words of messages, the message with the fewest choices first."""

    def __init__(
        self, topology: LeastCommonAncestor, pairs: list[tuple[int, int]], rounds: int
    ) -> None:
        self.topology, self.rounds = topology, rounds
        self._left = dict(enumerate(pairs))
        self._taken: Counter[_Link] = Counter()
        self._choices = 0

    def succeeds(self) -> bool | None:
        """Whether all messages have a place; None after too many choices."""
        if not self._left:
            return True
        known = {number: self._places(*pair) for number, pair in self._left.items()}
        number = min(known, key=lambda one: (len(known[one]), one))
        pair = self._left.pop(number)
        for slot, word in known[number]:
            self._choices += 1
            if self._choices > CHOICE_LIMIT:
                return None
            links = list(self._links(*pair, slot, word))
            self._taken.update(links)
            found = self.succeeds()
            if found is not False:
                return found
            self._taken.subtract(links)
        self._left[number] = pair
        return False

    def _places(self, source: int, destination: int) -> list[_Choice]:
        """Slots and words that are free for a message; of the empty slots only the first."""
        topology = self.topology
        below = topology.uppers[: topology.lca_level(source, destination)]
        words = [()] if topology.is_tree else list(product(*map(range, below)))
        used = {link[0] for link, times in self._taken.items() if times}
        slots = range(min(self.rounds, len(used) + 1))
        return [
            (slot, word)
            for slot in slots
            for word in words
            if all(
                self._taken[link] < self._capacity(link)
                for link in self._links(source, destination, slot, word)
            )
        ]

    def _links(
        self, source: int, destination: int, slot: int, word: tuple[int, ...]
    ) -> Iterator[_Link]:
        """Slot, side, level and prefix of the links of a message, and the uppers that lead there.

        In a tree the wires of a switch are alike.
        """
        for level in range(-1, self.topology.lca_level(source, destination)):
            for side, end in enumerate((source, destination)):
                yield (slot, side, level, self.topology.prefix(end, level), *word[: level + 1])

    def _capacity(self, link: _Link) -> int:
        """Messages that the wires of a link carry in a slot."""
        level = link[2]
        return self.topology.capacities[level] if self.topology.is_tree and level >= 0 else 1
