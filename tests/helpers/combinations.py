"""Networks whose options combine: pairs of options, and a covering array of them.

Which options exclude each other comes from the table `knotwork.parameters.options.OPTIONS`, never
from what a network accepts: a combination that is refused for another reason fails the tests.
"""

import itertools
import random
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from knotwork.network import Network
from knotwork.parameters.options import impossible_pairs
from knotwork.parameters.packet import MOST_CHANNELS

GRAPHS = Path(__file__).with_name("graphs")


class Pick(NamedTuple):
    """Option, or another value of a hardware key, of a network of the array."""

    name: str  # that of the table, with the value where there are several
    words: tuple[str, ...]
    channels: int = 1  # times as many virtual channels

    @property
    def option(self) -> str:
        """Name in the table of options."""
        return self.name.partition(":")[0]

    @property
    def keys(self) -> set[str]:
        """Keys that it sets."""
        return {word.partition("=")[0] for word in self.words}


class Base(NamedTuple):
    """Network to which options are added."""

    word: str
    picks: tuple[Pick, ...]

    @property
    def channels(self) -> int:
        """Virtual channels that its own routing needs."""
        return Network.from_word(self.word).virtual_channels


LANES = Pick("lanes", (), 2)
PICKS = (
    Pick("crossbar cycle", ("pipeline=3",)),
    LANES,
    Pick("parity", ("parity=yes",)),
    Pick("classes", ("classes=2",), 2),
    Pick("several nodes", ("nodes_per_router=2",)),
    Pick("counters", ("counters=yes",)),
    Pick("watchdog", ("watchdog=100",)),
    Pick("loaded tables", ("tables=loaded",)),
    Pick("generated routing:updown", ("routing=updown",)),
    Pick("buffers:2", ("buffer_depth=2",)),
)
"""Those that every network of packet routers has."""

CHOOSING = (
    Pick("adaptive routing", ("routing=adaptive",)),
    Pick("drawn paths", ("routing=valiant",), 2),
)
"""Those that half of the topologies are tried with."""

CREDITS, RANDOM = (
    Pick(f"adaptive routing:{name}", ("routing=adaptive", f"selection={name}"))
    for name in ("credits", "random")
)
SHORTEST = Pick("generated routing:shortest", ("routing=shortest",))
MULTICAST = Pick("multicast", ("multicast=yes",), 3)
BASES = (
    Base("ccc:n=3", (SHORTEST, *CHOOSING, Pick("dead parts", ("dead=0-1",)))),
    Base(
        "moebius:n=3",
        (
            *(SHORTEST, MULTICAST, *CHOOSING, Pick("dead parts", ("dead=0-1",))),
            Pick("escapes", ("routing=spr", "vc_scheme=escape"), 2),
        ),
    ),
    Base(
        "wk:w=3,levels=2",
        (
            *(Pick(f"broadcast:{rule}", (f"broadcast={rule}",)) for rule in ("label", "stack")),
            *(Pick("shortest", ("routing=shortest",)), Pick("dead parts", ("dead=1-2",))),
        ),
    ),
    Base(
        "tcpg:k=1,m=1",
        (Pick("broadcast:ttl", ("broadcast=ttl",)), Pick("dead parts", ("dead=0-1",))),
    ),
    Base("torus:x=3,y=2", (SHORTEST, Pick("dead parts", ("dead=0-1",)))),
    Base("mesh:x=3,y=2", (SHORTEST, *CHOOSING, CREDITS, Pick("dead parts", ("dead=0-1",)))),
    Base("hypercube:n=3", (SHORTEST, MULTICAST, Pick("dead parts", ("dead=0-1",)))),
    Base(
        f"graph:file={GRAPHS / 'long_ring.edges'}",
        (
            *(Pick("shortest", ("routing=shortest",)), *CHOOSING, RANDOM),
            Pick("dead parts", ("dead=0-1",)),
        ),
    ),
)
"""Topologies of the covering array; links of the graph take up to three cycles."""


TRIPLES, MOST, SEED = 0.25, 5, 51
"""Share of the triples that are drawn, most options of a network, seed of the draws."""


@cache
def excluded() -> frozenset[frozenset[str]]:
    """Pairs of options, by name, that exclude each other."""
    return frozenset(frozenset((one.name, other.name)) for one, other, _ in impossible_pairs())


def goes(one: Pick, other: Pick) -> bool:
    """Whether two options go together: they set other keys, and the table excludes neither."""
    return not one.keys & other.keys and frozenset((one.option, other.option)) not in excluded()


def needed(base: Base, picks: Iterable[Pick]) -> int:
    """Virtual channels that the options of a network need together."""
    picks = list(picks)
    routed = any(pick.option == "generated routing" for pick in picks)
    count = 1 if routed or any(pick.option == "dead parts" for pick in picks) else base.channels
    count += any(pick.option == "adaptive routing" for pick in picks)
    for pick in picks:
        count *= pick.channels
    return 2 * count if any("shortest" in pick.name for pick in picks) else count


def word_of(base: Base, picks: Iterable[Pick]) -> str:
    """Network in one word; with lanes, twice the virtual channels that the others need."""
    picks = list(picks)
    words = [word for pick in picks for word in pick.words]
    word = ",".join([base.word, *words]) if ":" in base.word else base.word
    if LANES in picks:
        word += f",virtual_channels={2 * Network.from_word(word).virtual_channels}"
    return word


def fits(base: Base, chosen: Iterable[Pick], pick: Pick) -> bool:
    """Whether an option can be added to those chosen."""
    chosen = list(chosen)
    return all(goes(pick, other) for other in chosen) and (
        needed(base, [*chosen, pick]) <= MOST_CHANNELS
    )


def possible(base: Base, group: Iterable[Pick]) -> bool:
    """Whether options go together in a network."""
    chosen: list[Pick] = []
    for pick in group:
        if not fits(base, chosen, pick):
            return False
        chosen.append(pick)
    return True


def covering(base: Base) -> Iterator[tuple[Pick, ...]]:
    """Sets of options of a network that have every possible pair, and the drawn triples.

    Each begins with a group that is missing, and takes the option that has most of the missing
    groups with those before.
    """
    draw = random.Random(SEED)
    picks = [*PICKS, *base.picks]
    wanted = {frozenset(pair) for pair in itertools.combinations(picks, 2) if possible(base, pair)}
    groups = [each for each in itertools.combinations(picks, 3) if possible(base, each)]
    wanted |= {frozenset(each) for each in draw.sample(groups, round(TRIPLES * len(groups)))}
    order = {pick: place for place, pick in enumerate(picks)}
    while wanted:
        first = max(wanted, key=lambda group: (len(group), sorted(order[pick] for pick in group)))
        chosen = sorted(first, key=order.__getitem__)
        while len(chosen) < MOST:
            rest = [pick for pick in picks if pick not in chosen and fits(base, chosen, pick)]
            draw.shuffle(rest)
            gains = [
                (sum(group <= {*chosen, pick} for group in wanted), -place)
                for place, pick in enumerate(rest)
            ]
            if not rest or max(gains)[0] == 0:
                break
            chosen.append(rest[gains.index(max(gains))])
        chosen.sort(key=order.__getitem__)
        wanted -= {group for group in wanted if group <= set(chosen)}
        yield tuple(chosen)
