"""Verb compare: several networks side by side."""

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json

GROUPS = "2,4,8,16,32"
"""Sizes of groups that are compared if none are named."""
MOST_IN_A_GROUP = 256
"""Nodes of the largest group."""


@verb()
@click.argument("nets", metavar="NET NET...", nargs=-1, type=click.UNPROCESSED)
@click.option("--groups", default=GROUPS, metavar="N,N,...", help=f"Sizes of groups [{GROUPS}].")
@as_json
def compare(nets: tuple[str, ...], groups: str, as_json: bool) -> None:
    """Compare networks: the facts of `describe`, and costs.

    Write each network in one word: moebius:n=6,twist=1. For each size in --groups the answer has
    the least distance, over all groups of so many nodes, between the two farthest of the group.
    """
    if not nets:
        raise ConfigurationError(
            "compare: networks must be named, each in one word like moebius:n=6,twist=1"
        )
    sizes = group_sizes(groups)
    from ...network import Network
    from ..answers.compare import compare_network

    networks = [Network.from_word(net) for net in nets]
    compared = [compare_network(network, sizes) for network in networks]
    if as_json:
        output.print_json({"networks": [found.as_json() for found in compared]})
        return
    cells = [found.cells() for found in compared]
    known = dict.fromkeys(fact for facts in cells for fact in facts)
    rows = [(fact, *(facts.get(fact, "") for facts in cells)) for fact in known]
    output.table("Comparison", ("fact", *(network.name for network in networks)), rows)


def group_sizes(words: str) -> list[int]:
    """Sizes of groups, in rising order."""
    # Python makes no number of a text of thousands of digits.
    sizes = [int(word) if word.isdecimal() and len(word) < 20 else 0 for word in words.split(",")]
    if not all(2 <= size <= MOST_IN_A_GROUP for size in sizes):
        raise ConfigurationError(
            f"compare: groups must be numbers in 2..{MOST_IN_A_GROUP} with commas between them, "
            f"not {words!r}"
        )
    return sorted(set(sizes))
