"""Verb describe: facts of one network."""

from functools import partial
from typing import TYPE_CHECKING

import click

from .. import output
from ..command import verb
from ..options import as_json, read_systems, several_networks, start_networks, work_limit

if TYPE_CHECKING:
    from ...costs import Estimate
    from ...network import Network
    from ...system import System


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
@click.option("--routing", "with_walks", is_flag=True, help="Walk all pairs by each routing.")
@click.option("--cost", "with_cost", is_flag=True, help="Estimate area and frequency on ECP5.")
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

    systems = read_systems(words)
    from ...estimates.networks import describe_work

    work = partial(describe_work, with_walks=with_walks, with_cost=with_cost)
    start_networks("describe", [system.network for system in systems], work)
    answers = []
    for system in systems:
        network = system.network
        description = describe_network(network)
        walks = describe_walks(network) if with_walks else None
        cost = _cost(network) if with_cost else None
        if as_json:
            told = {} if walks is None else walks_as_json(walks)
            told |= {} if cost is None else {"cost": cost.as_json()}
            answers.append(description.as_json() | told | _told(system))
        else:
            told = {} if walks is None else walk_cells(network, walks)
            told |= {} if cost is None else cost.cells()
            output.facts(network.name, description.cells() | told)
            _print_system(system)
    if as_json:
        output.print_answers(answers)


def _cost(network: "Network") -> "Estimate":
    """Estimated cost."""
    from ...costs import estimated_cost

    return estimated_cost(network)


def _told(system: "System") -> dict[str, object]:
    """Facts of a system, where it is more than its network."""
    from ...system.facts import system_facts

    facts = system_facts(system)
    return {"system": facts} if facts else {}


def _print_system(system: "System") -> None:
    """Print a system's planes, its nodes and its address map; nothing for a network alone."""
    from ...system.facts import system_facts

    facts = system_facts(system)
    if not facts:
        return
    planes = {
        f"plane {plane.name}": f"{plane.network.hardware.data_width} bits per flit"
        for plane in system.planes
    }
    output.facts(f"{system.name}: system", {**system.settings.as_dict(), **planes})
    nodes = facts["at"]
    output.table("Nodes", tuple(nodes[0]), [tuple(each.values()) for each in nodes])
    if system.map:
        regions = [(name, str(region), region.node) for name, region in system.map.items()]
        output.table("Address map", ("region", "addresses", "node"), regions)
        flits = facts["flits_per_beat"]
        beats = {f"flits per beat, {name}": count for name, count in flits.items()}
        output.facts("Bus", system.bus.as_dict() | beats)
