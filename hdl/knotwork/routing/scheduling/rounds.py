"""Schedules of least-common-ancestor networks: rounds in which no packet loses, found off line.

First comes `split`, which divides messages into classes so that every load is divided evenly. A
message has a key on each of some levels at its source, and on each at its destination: the node of
a tree that it passes there, from below. The load of a node is the number of messages with its key.
Keys are nested: equal keys on one level are equal on those above. One call divides many sets at
once if their nodes have different keys.

`Slots` are the slots of a schedule under construction, and the links that each has left. A message
that goes up by the word k_0 k_1 ... takes, on each level i below its LCA, wire k_0 k_1 ... k_i of
those above its source's prefix, and the same of those above its destination's; in a tree, any one
of them.

`schedule` finds the rounds, and `check_rounds` replays them on the links. `words_of` and
`level_schedule` say why one round is enough where no switch has fewer uppers than children.

References
----------
"Least Common Ancestor Networks"; C. E. Leiserson, "Fat-trees: universal networks for
hardware-efficient supercomputing", IEEE Trans. Computers C-34(10), 1985, for the pairs from below
in `split`, and for the block of rounds of each level of a tree.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...topology import LeastCommonAncestor

Keys = Sequence[np.ndarray]
"""Key of each message, level by level from below, int64."""


def halves(sources: Keys, destinations: Keys) -> np.ndarray:
    """Class 0 or 1 of each message: every load is halved, up to the odd one.

    Messages with a node in common are paired as low as can be, at the sources and, again, at the
    destinations. Pairs make paths and even cycles, on which the classes alternate.
    """
    return _alternating(_pair_partners(sources), _pair_partners(destinations))


def split(sources: Keys, destinations: Keys, count: int) -> np.ndarray:
    """Class 0..count - 1 of each message: every load is divided evenly, to within one.

    With loads up to `count`, that is a proper edge colouring of a bipartite multigraph: by Euler
    splits where `count` is a power of two.
    """
    classes = np.zeros(len(sources[0]), np.int64)
    while count % 2 == 0:
        classes = classes * 2 + halves(*_within(classes, sources, destinations))
        count //= 2
    if count > 1:
        classes = classes * count + _evened(*_within(classes, sources, destinations), count)
    return classes


def _within(classes: np.ndarray, *sides: Keys) -> tuple[Keys, ...]:
    """Keys that also differ between classes."""
    return tuple([key * (classes.max(initial=0) + 1) + classes for key in keys] for keys in sides)


def _pair_partners(keys: Keys) -> np.ndarray:
    """Partner of each message; the message itself if it has none."""
    partner = np.arange(len(keys[0]))
    single = partner.copy()
    for key in keys:
        single = single[np.argsort(key[single], kind="stable")]
        rank = np.arange(len(single))
        first = np.concatenate([[True], np.diff(key[single]) != 0])[: len(single)]
        odd = (rank - np.maximum.accumulate(np.where(first, rank, 0))) % 2 == 1
        second = np.nonzero(odd)[0]
        partner[single[second]], partner[single[second - 1]] = single[second - 1], single[second]
        single = single[partner[single] == single]
    return partner


def _alternating(partner: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Two classes, such that every message is in another class than both of its partners.

    A walker leaves message e by its one partner (state e) or by its other (state n + e), and turns
    back where there is none. The class is the parity of its steps to the least message that it
    meets; steps are doubled until none meets a lesser one, which is then true all round.
    """
    count = len(partner)
    own = np.arange(count)
    jump = np.concatenate([partner + count, other])
    parity = np.concatenate([partner != own, other != own])
    least = np.concatenate([own, own])
    steps = np.zeros(2 * count, bool)
    while True:
        found = least[jump]
        lower = found < least
        if not lower.any():
            return steps[:count].astype(np.int64)
        steps = np.where(lower, parity ^ steps[jump], steps)
        least = np.where(lower, found, least)
        parity = parity ^ parity[jump]
        jump = jump[jump]


def _evened(sources: Keys, destinations: Keys, count: int) -> np.ndarray:
    """Class 0..count - 1 of each message, for odd `count`.

    Messages are dealt out in the order of their sources. Then two classes that differ by more than
    one anywhere are merged and halved, until there are none: that lowers the sum of the loads'
    squares.
    """
    order = np.lexsort([*sources])
    classes = np.empty(len(order), np.int64)
    classes[order] = np.arange(len(order)) % count
    nodes = [np.unique(key, return_inverse=True)[1].ravel() for key in (*sources, *destinations)]
    sizes = [int(number.max(initial=-1)) + 1 for number in nodes]
    even = False
    while not even:
        even = True
        for first, second in _tournament(count):
            partner = np.full(count, -1)
            partner[first], partner[second] = second, first
            loads = np.concatenate(
                [
                    np.bincount(number * count + classes, minlength=size * count)
                    for number, size in zip(nodes, sizes, strict=True)
                ]
            ).reshape(-1, count)
            differ = (np.abs(loads[:, first] - loads[:, second]) > 1).any(axis=0)
            if not differ.any():
                continue
            even = False
            low = np.full(count, -1)
            low[first[differ]] = low[second[differ]] = first[differ]
            moved = np.nonzero(low[classes] >= 0)[0]
            pair = low[classes[moved]]
            keys = [[key[moved] * count + pair for key in side] for side in (sources, destinations)]
            classes[moved] = np.where(halves(*keys) == 0, pair, partner[pair])
    return classes


def _tournament(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rounds of disjoint pairs among an odd number of classes, in which each meets each once."""
    apart = np.arange(1, count // 2 + 1)
    return [((middle - apart) % count, (middle + apart) % count) for middle in range(count)]


_MORE = 8  # slots by which the tables grow


class Slots:
    """Links taken in each of any number of slots.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network.
    """

    def __init__(self, topology: LeastCommonAncestor) -> None:
        self.topology = topology
        # By level from -1, above sources and above destinations: which wires are taken, or, in a
        # tree, how many; (slots, prefixes, wires).
        self._capacities = [1, *topology.capacities[:-1]]
        spans = [1, *topology.spans[:-1]]
        self._taken: list[list[np.ndarray]] = [
            [
                np.zeros((0, topology.nodes // span, 1 if topology.is_tree else wires), np.int16)
                for span, wires in zip(spans, self._capacities, strict=True)
            ]
            for _ in range(2)
        ]

    def take(
        self, sources: np.ndarray, destinations: np.ndarray, slots: np.ndarray, words: np.ndarray
    ) -> None:
        """Mark the links of messages that have their slots and words."""
        self._grow(int(slots.max(initial=-1)) + 1)
        level_of = self.topology.lca_level(sources, destinations)
        wire = np.zeros(len(sources), np.int64)
        for level in range(-1, self.topology.levels - 1):
            going = level_of > level
            if level >= 0 and not self.topology.is_tree:
                wire[going] = (wire * self.topology.uppers[level] + words[:, level])[going]
            for side, ends in zip(self._taken, (sources, destinations), strict=True):
                place = slots, self.topology.prefix(ends, level), wire
                np.add.at(side[level + 1], tuple(axis[going] for axis in place), 1)

    def fit(self, source: int, destination: int) -> tuple[int, tuple[int, ...]]:
        """First slot that has links left for a message, and its lowest word there; both taken."""
        topology, tree = self.topology, self.topology.is_tree
        top = topology.lca_level(source, destination)
        free: np.ndarray = np.ones((len(self._taken[0][0]), 1), bool)
        for level in range(-1, top):
            if level >= 0 and not tree:
                free = np.repeat(free, topology.uppers[level], axis=1)
            most = self._capacities[level + 1] if tree else 1
            for side, end in zip(self._taken, (source, destination), strict=True):
                free = free & (side[level + 1][:, topology.prefix(end, level)] < most)
        able = free.any(axis=1)
        if not able.any():
            self._grow(free.shape[0] + 1)
            return self.fit(source, destination)
        slot = int(able.argmax())
        number = 0 if tree else int(free[slot].argmax())
        word: list[int] = []
        for level in range(top - 1, -1, -1):
            number, k = divmod(number, topology.uppers[level])
            word.insert(0, k)
        padded = np.array([[*word, *[-1] * (topology.levels - 1 - top)]], np.int64)
        self.take(np.array([source]), np.array([destination]), np.array([slot]), padded)
        return slot, tuple(word)

    def _grow(self, count: int) -> None:
        """Grow the tables to `count` slots."""
        missing = count - len(self._taken[0][0])
        if missing > 0:
            self._taken = [
                [
                    np.concatenate([table, np.zeros((missing + _MORE, *table.shape[1:]), np.int16)])
                    for table in side
                ]
                for side in self._taken
            ]


class Round(NamedTuple):
    """Messages that one network cycle delivers.

    Members
    -------
    sources, destinations : ndarray
        PEs, int64.
    words : ndarray
        Upper that each takes on each level, int64 of shape (messages, levels - 1); -1 from its LCA
        level on.
    """

    sources: np.ndarray
    destinations: np.ndarray
    words: np.ndarray


def load_factor(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> Fraction:
    """Largest load of the wires above a prefix, as a share of their number; 0 for no messages.

    The PEs count too, each of which sends and gets one message at once, that to itself included. Of
    several copies, a message loads the one in which its PEs are nearest.
    """
    loads = [np.bincount(ends).max(initial=0) for ends in (sources, destinations)]
    found = Fraction(int(max(loads)))
    level_of = topology.lca_level(sources, destinations)
    copies = topology.nearest_copy(sources, destinations)
    for copy in range(topology.copies):
        for level in range(topology.levels - 1):
            crossing = (copies == copy) & (level_of > level)
            for ends in (sources, destinations):
                places = topology.position_in_copy(copy, ends[crossing])
                load = np.bincount(topology.prefix(places, level)).max(initial=0)
                found = max(found, Fraction(int(load), topology.capacities[level]))
    return found


def lower_bound(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> int:
    """Fewest rounds that the loads allow."""
    return ceil(load_factor(topology, sources, destinations))


def schedule(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> list[Round]:
    """Rounds that deliver any messages.

    As many as `lower_bound` where no switch below the top has fewer uppers than children, and where
    all messages have one LCA level. Otherwise the best of three: the heaviest level exactly and the
    others wherever they fit; all wherever they fit; a block of rounds per level.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network.
    sources, destinations : ndarray
        PEs of the messages, int64.
    """
    sources, destinations = np.asarray(sources, np.int64), np.asarray(destinations, np.int64)
    if _routes_permutations(topology):
        slots = _spread(topology, sources, destinations, -1)
        words = words_of(topology, sources, destinations, slots)
        return _rounds(sources, destinations, slots, words)
    bound = lower_bound(topology, sources, destinations)
    found: list[Round] | None = None
    for method in (_heaviest_first, _first_fit, _level_by_level):
        if found is None or len(found) > bound:
            slots, words = method(topology, sources, destinations)
            rounds = _rounds(sources, destinations, slots, words)
            found = rounds if found is None or len(rounds) < len(found) else found
    assert found is not None
    return found


def words_of(
    topology: LeastCommonAncestor,
    sources: np.ndarray,
    destinations: np.ndarray,
    slots: np.ndarray,
) -> np.ndarray:
    """Up-words by which the messages of each slot do not meet, at once for all slots.

    A slot has a permutation, or a part of one, and no switch below the top has fewer uppers than
    children (in a tree, than wires below). Level by level, the messages that have taken the same
    uppers so far are the edges of a bipartite multigraph of prefixes, and a proper colouring gives
    their next uppers: it leaves a switch above at most one message from each child, so that there
    are uppers enough again.
    """
    level_of = topology.lca_level(sources, destinations)
    if topology.is_tree:
        return _tree_words(topology, sources, level_of, slots)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    group = slots.astype(np.int64)
    for level in range(topology.levels - 1):
        going = np.nonzero(level_of > level)[0]
        nodes = topology.nodes // topology.spans[level]
        rising, falling = (
            [group[going] * nodes + topology.prefix(ends[going], level)]
            for ends in (sources, destinations)
        )
        words[going, level] = split(rising, falling, topology.uppers[level])
        group[going] = group[going] * topology.uppers[level] + words[going, level]
    return words


def level_schedule(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray, level: int
) -> tuple[np.ndarray, np.ndarray]:
    """Slots, as few as the loads allow, and words of messages that all have LCA level `level`.

    The loads of a slot are split by the first upper, those of each part by the second, and so on;
    every split leaves at most one message per wire.
    """
    slots = _spread(topology, sources, destinations, level - 1)
    if topology.is_tree:
        levels = np.full(len(sources), level)
        return slots, _tree_words(topology, sources, levels, slots)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    group = slots.copy()
    for lower in range(level):
        rising, falling = (
            _nested(topology, ends, level - 1, group) for ends in (sources, destinations)
        )
        words[:, lower] = split(rising, falling, topology.uppers[lower])
        group = group * topology.uppers[lower] + words[:, lower]
    return slots, words


def _routes_permutations(topology: LeastCommonAncestor) -> bool:
    """Whether any permutation fits into one round."""
    below = range(topology.levels - 1)
    if topology.is_tree:
        return all(topology.spans[level] <= topology.uppers[level] for level in below)
    return all(topology.radices[level] <= topology.uppers[level] for level in below)


def _spread(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray, top: int
) -> np.ndarray:
    """Slots between which the loads of levels -1..top are spread evenly, as few as they allow."""
    group = np.zeros(len(sources), np.int64)
    rising, falling = (_nested(topology, ends, top, group) for ends in (sources, destinations))
    count = 1
    for side in (rising, falling):
        for level, key in enumerate(side, start=-1):
            capacity = topology.capacities[level] if level >= 0 else 1
            count = max(count, -(-int(np.bincount(key).max(initial=0)) // capacity))
    return split(rising, falling, count)


def _nested(
    topology: LeastCommonAncestor, ends: np.ndarray, top: int, group: np.ndarray
) -> list[np.ndarray]:
    """Keys of PEs on levels -1..top, apart for each group."""
    return [group * topology.nodes + topology.prefix(ends, level) for level in range(-1, top + 1)]


def _tree_words(
    topology: LeastCommonAncestor, sources: np.ndarray, level_of: np.ndarray, slots: np.ndarray
) -> np.ndarray:
    """Uppers of a tree: the messages of a switch take them in their order."""
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    for level in range(topology.levels - 1):
        going = np.nonzero(level_of > level)[0]
        switch = slots[going] * topology.nodes + topology.prefix(sources[going], level)
        going = going[np.argsort(switch, kind="stable")]
        switch = np.sort(switch)
        words[going, level] = np.arange(len(going)) - np.searchsorted(switch, switch)
    return words


def _heaviest_first(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: the level that needs most slots exactly, the others wherever they fit."""
    level_of = topology.lca_level(sources, destinations)

    def weight(level: int) -> tuple[int, int]:
        own = level_of == level
        return lower_bound(topology, sources[own], destinations[own]), level

    heaviest = max(range(topology.levels), key=weight)
    return _fitted(topology, sources, destinations, heaviest)


def _first_fit(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: every message wherever it fits first."""
    return _fitted(topology, sources, destinations, -1)


def _fitted(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray, exact: int
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: level `exact` by itself, then the others, of higher levels first."""
    level_of = topology.lca_level(sources, destinations)
    slots = np.zeros(len(sources), np.int64)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    filled = Slots(topology)
    own = np.nonzero(level_of == exact)[0]
    if len(own):
        pairs = sources[own], destinations[own]
        slots[own], words[own] = level_schedule(topology, *pairs, exact)
        filled.take(*pairs, slots[own], words[own])
    for message in np.argsort(-level_of, kind="stable").tolist():
        if level_of[message] != exact:
            pair = int(sources[message]), int(destinations[message])
            slots[message], word = filled.fit(*pair)
            words[message, : len(word)] = word
    if topology.is_tree:
        words = _tree_words(topology, sources, level_of, slots)
    return slots, words


def _level_by_level(
    topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Slots and words: a block of slots for each LCA level."""
    level_of = topology.lca_level(sources, destinations)
    slots = np.zeros(len(sources), np.int64)
    words = np.full((len(sources), topology.levels - 1), -1, np.int64)
    used = 0
    for level in range(topology.levels):
        own = np.nonzero(level_of == level)[0]
        if len(own):
            found, words[own] = level_schedule(topology, sources[own], destinations[own], level)
            slots[own] = used + found
            used += int(found.max()) + 1
    return slots, words


def _rounds(
    sources: np.ndarray, destinations: np.ndarray, slots: np.ndarray, words: np.ndarray
) -> list[Round]:
    """Messages by their slots, in the order of their sources."""
    rounds = []
    for slot in range(int(slots.max(initial=-1)) + 1):
        own = np.nonzero(slots == slot)[0]
        own = own[np.argsort(sources[own], kind="stable")]
        rounds.append(Round(sources[own], destinations[own], words[own]))
    return rounds


def read_rounds(topology: LeastCommonAncestor, data: Any) -> list[Round]:
    """Rounds from plain data, as `schedule --json` prints them; other keys are ignored.

    Raises
    ------
    ConfigurationError
        The data are not a list of rounds, do not fit the network, or fail `check_rounds`.
    """
    if isinstance(data, dict):
        data = data.get("rounds")
    if not isinstance(data, list) or not all(isinstance(messages, list) for messages in data):
        raise ConfigurationError("schedule: the rounds must be a list of lists of messages")
    if not any(data):
        raise ConfigurationError("schedule: the rounds must have a message, not none at all")
    rounds = [_read_round(topology, number, data[number]) for number in range(len(data))]
    check_rounds(topology, rounds)
    return rounds


def _read_round(topology: LeastCommonAncestor, number: int, data: list[Any]) -> Round:
    sources, destinations, words = [], [], []
    for message in data:
        known: dict[str, Any] = message if isinstance(message, dict) else {}
        s, t, word = (known.get(key, ()) for key in ("source", "destination", "word"))
        if not (isinstance(word, list) and all(map(_is_integer, (s, t, *word)))):
            raise ConfigurationError(
                f"schedule: round {number}: a message must have a source, a destination and a "
                f"word, a list of uppers, not {message!r}"
            )
        for pe in (s, t):
            if not 0 <= pe < topology.nodes:
                raise ConfigurationError(
                    f"schedule: round {number}: a PE must be in 0..{topology.nodes - 1}, not {pe}"
                )
        level = topology.lca_level(s, t)
        if len(word) != level:
            raise ConfigurationError(
                f"schedule: round {number}: the word of {s}>{t} must have {level} uppers, one "
                f"for each level below its LCA, not {len(word)}"
            )
        sources.append(s)
        destinations.append(t)
        words.append([*word, *[-1] * (topology.levels - 1 - level)])
    shape = (len(data), topology.levels - 1)
    return Round(
        np.array(sources, np.int64),
        np.array(destinations, np.int64),
        np.array(words, np.int64).reshape(shape),
    )


def _is_integer(value: Any) -> bool:
    """Whether plain data is an integer that a machine word holds."""
    return type(value) is int and -(2**63) <= value < 2**63


def check_rounds(topology: LeastCommonAncestor, rounds: Sequence[Round]) -> None:
    """Replay rounds on the links: each link must carry at most one packet of a round.

    Raises
    ------
    ConfigurationError
        Two packets on one link, or an upper that a switch does not have: with the level and the
        switch.
    """
    for number, messages in enumerate(rounds):
        names = [f"{s}>{t}" for s, t in zip(messages.sources, messages.destinations, strict=True)]
        for use in _uses(topology, messages):
            where = f"schedule: round {number}: level {use.level}, switch"
            if use.uppers is not None:
                for packet in use.packets[(use.port < 0) | (use.port >= use.uppers)][:1]:
                    upper = messages.words[packet, use.level]
                    raise ConfigurationError(
                        f"{where} {use.switch[use.packets == packet][0]}: the upper of "
                        f"{names[packet]} must be in 0..{use.uppers - 1}, not {upper}"
                    )
            owner: dict[tuple[int, int], int] = {}
            for w, port, packet in zip(use.switch, use.port, use.packets, strict=True):
                first = owner.setdefault((int(w), int(port)), int(packet))
                if first != packet:
                    rule = use.rule.format(port=port, pe=w * topology.radices[0] + port)
                    raise ConfigurationError(
                        f"{where} {w}: {rule}, not {names[first]} and {names[packet]}"
                    )


class _Use(NamedTuple):
    """Links of a level in one direction: the switch below each, its port, and the packet on it.

    `uppers` is the number of ports, where a word may name one that does not exist.
    """

    level: int
    switch: np.ndarray
    port: np.ndarray
    packets: np.ndarray
    rule: str
    uppers: int | None = None


def _uses(topology: LeastCommonAncestor, messages: Round) -> Iterator[_Use]:
    """Every use of a link, level by level."""
    sources, destinations, words = messages
    level_of = topology.lca_level(sources, destinations)
    every = np.arange(len(sources))
    for ends, does in ((sources, "send"), (destinations, "get")):
        place = np.divmod(ends, topology.radices[0])
        yield _Use(0, *place, every, f"PE {{pe}} must {does} one packet")
    rising, falling = sources // topology.radices[0], destinations // topology.radices[0]
    for level in range(topology.levels - 1):
        going = np.nonzero(level_of > level)[0]
        upper, uppers = words[going, level], topology.uppers[level]
        rule = "upper {port} must carry one packet"
        yield _Use(level, rising[going], upper, going, f"{rule} up", uppers)
        falls = upper
        if topology.is_tree:  # any wire will do: the switch above hands them out
            order = np.argsort(falling[going], kind="stable")
            switch = falling[going][order]
            falls = np.empty(len(going), np.int64)
            falls[order] = (np.arange(len(going)) - np.searchsorted(switch, switch)) % uppers
        yield _Use(level, falling[going], falls, going, f"{rule} down")
        rising[going] = topology.up(level, rising[going], upper)[0]
        falling[going] = topology.up(level, falling[going], upper)[0]
