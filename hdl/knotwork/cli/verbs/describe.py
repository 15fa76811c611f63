"""Verb describe: facts of one network."""

from dataclasses import Field
from functools import partial
from typing import TYPE_CHECKING

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, read_designs, several_networks, start_networks, work_limit

if TYPE_CHECKING:
    from ...costs import Estimate
    from ...network import Network
    from ...parameters.patterns import Pattern
    from ..answers.routings import RoutingComparison


def _traffic_keys() -> dict[str, Field]:
    from ...parameters.patterns import Pattern

    return Pattern.keys()


@verb(
    examples=[
        "describe hypercube n=10",
        "describe moebius n=4 --routing",
        "describe mesh x=4 y=4 traffic=transpose --routing",
        "describe torus x=8 y=8 --cost",
        "describe hypercube n=4 torus x=4 y=4 --json",
    ],
    writes="A table for each network, and with --routing another of its routings, or with --json "
    "one object; for several networks an object with the list networks. No file.",
    keys={"Traffic, with --routing": _traffic_keys},
)
@several_networks
@click.option(
    "--routing",
    "with_walks",
    is_flag=True,
    help="Also measure the paths of each routing between all pairs, and compare all routings "
    "under the traffic, and each under its worst permutation.",
)
@click.option("--cost", "with_cost", is_flag=True, help="Also estimate area and frequency on ECP5.")
@work_limit
@as_json
def describe(words: tuple[str, ...], with_walks: bool, with_cost: bool, as_json: bool) -> None:
    """Describe networks: size, links, degree and distances."""
    from ...network_words import split_networks
    from ..answers.describe import (
        describe_network,
        describe_walks,
        walk_cells,
        walks_as_json,
    )

    parted = split_networks(words, verb_keys=_traffic_keys())
    pattern = _pattern(parted.keys, with_walks=with_walks)
    designs = read_designs([word for network in parted.networks for word in network])
    from ...estimates.networks import describe_work

    work = partial(describe_work, with_walks=with_walks, with_cost=with_cost)
    start_networks("describe", [design.network for design in designs], work)
    answers = []
    for design in designs:
        network = design.network
        description = describe_network(network)
        walks = describe_walks(network) if with_walks else None
        routings = _routings(network, pattern) if with_walks else None
        cost = _cost(network) if with_cost else None
        if as_json:
            fields = {} if walks is None else walks_as_json(walks)
            fields |= {} if routings is None else routings.as_json()
            fields |= {} if cost is None else {"cost": cost.as_json()}
            answers.append(description.as_json() | fields | design.facts())
        else:
            cells = {} if walks is None else walk_cells(network, walks)
            cells |= {} if cost is None else cost.cells()
            output.facts(network.name, description.cells() | cells)
            if routings is not None:
                routings.print_table()
            design.print_facts()
    if as_json:
        output.print_answers(answers)


def _pattern(words: list[str], *, with_walks: bool) -> "Pattern":
    """Traffic that the words name.

    Raises
    ------
    ConfigurationError
        Traffic without routings that it is for, or what is no traffic.
    """
    from ...parameters import parse_words
    from ...parameters.patterns import Pattern

    texts = parse_words(words, owner=Pattern.name)
    if texts and not with_walks:
        raise ConfigurationError(
            f"describe: the key {next(iter(texts))} must be used with --routing, not without"
        )
    return Pattern.from_texts({**texts})


def _routings(network: "Network", pattern: "Pattern") -> "RoutingComparison":
    """Comparison of all routings."""
    from ..answers.routings import compare_routings

    return compare_routings(network, pattern)


def _cost(network: "Network") -> "Estimate":
    """Estimated cost."""
    from ...costs import estimated_cost

    return estimated_cost(network)
