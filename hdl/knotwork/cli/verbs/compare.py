"""Verb compare: several networks side by side."""

from typing import Any

import click

from ...errors import ConfigurationError
from ...wording import parse_integer
from .. import output
from ..command import verb
from ..message_options import MessageRequest, message_options
from ..options import as_json, read_networks, several_networks, start_networks, work_limit

GROUPS = "2,4,8,16,32"
"""Sizes of groups that are compared if none are named."""
MOST_IN_A_GROUP = 256
"""Nodes of the largest group."""


@verb(
    examples=[
        "compare hypercube n=6 moebius n=6 twist=1",
        "compare hypercube:n=6 torus:x=8,y=8 --groups 2,4",
        "compare ccc n=5 wk w=4 levels=2 --json",
        "compare lcan d=3 u=2 levels=3 --fat-tree --permutation random",
    ],
    writes="A table with a column per network, or with --json an object with the list networks. "
    "No file.",
)
@several_networks
@click.option(
    "--groups", default=GROUPS, metavar="N,N,...", help=f"Sizes of the groups of nodes [{GROUPS}]."
)
@click.option(
    "--fat-tree",
    "fat_trees",
    is_flag=True,
    help="Add the equivalent fat-tree of each least-common-ancestor network.",
)
@message_options
@work_limit
@as_json
def compare(
    *, words: tuple[str, ...], groups: str, fat_trees: bool, as_json: bool, **options: Any
) -> None:
    """Compare networks: the facts of `describe`, and costs.

    With --permutation or --messages, also compare the rounds that each network needs to deliver
    them and, for circuits, the fewest possible rounds, if a search finds them.

    For each size in --groups, the answer has the smallest diameter of a group of that many nodes:
    the distance between its two farthest nodes.
    """
    sizes = group_sizes(groups)
    request = MessageRequest(**options)
    request.require("compare", one=False)
    from ..answers.compare import compare_network, fat_tree_of

    networks = read_networks(words)
    if fat_trees:
        networks = [shown for net in networks for shown in (net, fat_tree_of(net))]
    from ...estimates.networks import compare_work

    start_networks("compare", networks, compare_work)
    compared = [
        compare_network(network, sizes, request if request.is_any else None) for network in networks
    ]
    if as_json:
        output.print_json({"networks": [found.as_json() for found in compared]})
        return
    cells = [found.cells() for found in compared]
    known = dict.fromkeys(fact for facts in cells for fact in facts)
    rows = [(fact, *(facts.get(fact, "") for facts in cells)) for fact in known]
    output.side_by_side("Comparison", ("fact", *(network.name for network in networks)), rows)
    for network, found in zip(networks, compared, strict=True):
        for row, why in found.description.printed_reasons().items():
            output.paragraph(f"{network.name}, {row}: {why}.")


def group_sizes(words: str) -> list[int]:
    """Sizes of groups, in rising order."""
    try:
        sizes = [parse_integer(word.strip()) for word in words.split(",")]
    except ValueError:
        sizes = [0]
    if not all(2 <= size <= MOST_IN_A_GROUP for size in sizes):
        raise ConfigurationError(
            f"compare: groups must be numbers in 2..{MOST_IN_A_GROUP} with commas between them, "
            f"not {words!r}"
        )
    return sorted(set(sizes))
