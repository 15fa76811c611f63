"""Verb describe: facts of one network."""

from functools import partial

import click

from .. import output
from ..command import verb
from ..options import as_json, read_networks, several_networks, start_networks, work_limit


@verb(
    examples=[
        "describe hypercube n=10",
        "describe moebius n=6 --routing",
        "describe hypercube n=4 torus x=4 y=4 --json",
    ],
    writes="A table for each network, or with --json one object; for several networks an object "
    "with the list networks. No file.",
)
@several_networks
@click.option("--routing", "with_walks", is_flag=True, help="Walk all pairs by each routing.")
@work_limit
@as_json
def describe(words: tuple[str, ...], with_walks: bool, as_json: bool) -> None:
    """Describe networks: size, links, degree and distances."""
    from ..answers.describe import (
        describe_network,
        describe_walks,
        walk_cells,
        walks_as_json,
    )

    networks = read_networks(words)
    from ...estimates.networks import describe_work

    work = partial(describe_work, with_walks=with_walks)
    start_networks("describe", networks, work)
    answers = []
    for network in networks:
        description = describe_network(network)
        walks = describe_walks(network) if with_walks else None
        if as_json:
            told = {} if walks is None else walks_as_json(walks)
            answers.append(description.as_json() | told)
        else:
            told = {} if walks is None else walk_cells(network, walks)
            output.facts(network.name, description.cells() | told)
    if as_json:
        output.print_answers(answers)
