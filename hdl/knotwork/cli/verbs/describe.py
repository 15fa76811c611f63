"""Verb describe: facts of one network."""

from functools import partial
from typing import TYPE_CHECKING

import click

from .. import output
from ..command import verb
from ..options import as_json, read_designs, several_networks, start_networks, work_limit

if TYPE_CHECKING:
    from ...costs import Estimate
    from ...network import Network


@verb(
    examples=[
        "describe hypercube n=10",
        "describe moebius n=6 --routing",
        "describe torus x=8 y=8 --cost",
        "describe hypercube n=4 torus x=4 y=4 --json",
    ],
    writes="A table for each network, or with --json one object; for several networks an object "
    "with the list networks. No file.",
)
@several_networks
@click.option(
    "--routing",
    "with_walks",
    is_flag=True,
    help="Also measure the paths of each routing between all pairs.",
)
@click.option("--cost", "with_cost", is_flag=True, help="Also estimate area and frequency on ECP5.")
@work_limit
@as_json
def describe(words: tuple[str, ...], with_walks: bool, with_cost: bool, as_json: bool) -> None:
    """Describe networks: size, links, degree and distances."""
    from ..answers.describe import (
        describe_network,
        describe_walks,
        walk_cells,
        walks_as_json,
    )

    designs = read_designs(words)
    from ...estimates.networks import describe_work

    work = partial(describe_work, with_walks=with_walks, with_cost=with_cost)
    start_networks("describe", [design.network for design in designs], work)
    answers = []
    for design in designs:
        network = design.network
        description = describe_network(network)
        walks = describe_walks(network) if with_walks else None
        cost = _cost(network) if with_cost else None
        if as_json:
            fields = {} if walks is None else walks_as_json(walks)
            fields |= {} if cost is None else {"cost": cost.as_json()}
            answers.append(description.as_json() | fields | design.facts())
        else:
            cells = {} if walks is None else walk_cells(network, walks)
            cells |= {} if cost is None else cost.cells()
            output.facts(network.name, description.cells() | cells)
            design.print_facts()
    if as_json:
        output.print_answers(answers)


def _cost(network: "Network") -> "Estimate":
    """Estimated cost."""
    from ...costs import estimated_cost

    return estimated_cost(network)
