"""What `schedule` tells: the permutation that was asked for, its rounds and paths."""

from pathlib import Path

import click
import numpy as np

from ...errors import ConfigurationError
from ...network import Network
from ...routing import routings_of
from ...routing.scheduling.linear_complement import LinearComplement
from ...routing.scheduling.permutations import (
    NAMES,
    address_bits,
    named_permutation,
    read_complement,
    read_matrix,
    read_permutation,
)
from ...routing.scheduling.schedule import Schedule, SchedulingRouting, Transfer
from ...topology import TOPOLOGIES, Topology
from ...wording import counted, not_one_of
from .. import output

ROW_LIMIT = 64
"""Nodes up to which a table has a row for each packet."""


def scheduling_routing(network: Network) -> SchedulingRouting:
    """Routing of a network that carries out permutations: its own, or the first that does.

    Raises
    ------
    ConfigurationError
        It has none.
    """
    if isinstance(network.routing, SchedulingRouting):
        return network.routing
    scheduling = _scheduling_routing_of(network.topology.name)
    if scheduling is None:
        able = [name for name in TOPOLOGIES if _scheduling_routing_of(name)]
        raise ConfigurationError(
            f"schedule: a network must be one of {', '.join(able)}, not {network.topology.name}"
        )
    return scheduling(network.topology)


def _scheduling_routing_of(network: str) -> type[SchedulingRouting] | None:
    for routing in routings_of(network).values():
        if issubclass(routing, SchedulingRouting):
            return routing
    return None


def linear_permutation(
    routing: SchedulingRouting, matrix: Path | None, complement: str | None
) -> np.ndarray:
    """Destination of each node under the permutation of a matrix and a complement.

    Raises
    ------
    ConfigurationError
        No matrix, one that does not fit, or a complement that does not.
    """
    n = address_bits(routing.topology.nodes, "schedule: lc")
    if matrix is None:
        raise ConfigurationError("schedule: --permutation lc must have a --matrix FILE")
    bits = "0" * n if complement is None else complement
    return LinearComplement(
        read_matrix(matrix, n), read_complement(bits, n, what="schedule: --complement")
    ).destinations


def random_permutation(routing: SchedulingRouting, seed: int) -> np.ndarray:
    """Destination of each node under a random permutation that the routing is made for."""
    return routing.random_permutation(np.random.default_rng(seed))


def fixed_permutation(routing: SchedulingRouting, name: str) -> np.ndarray:
    """Destination of each node under a named permutation, or one in a file.

    Raises
    ------
    ConfigurationError
        Neither a name nor a file; a permutation that does not fit.
    """
    nodes = routing.topology.nodes
    if name in NAMES:
        return named_permutation(nodes, name, np.random.default_rng(), owner="schedule")
    path = Path(name)
    if not path.exists():
        rule = f"one of {', '.join(NAMES)}, lc, or a JSON file"
        known = [*NAMES, "lc"]
        raise ConfigurationError(not_one_of("schedule: --permutation", known, name, rule=rule))
    return read_permutation(path, nodes)


def print_json(name: str, made: Schedule) -> None:
    """Print a schedule by the names that `schedule` promises."""
    head = {
        "permutation": name,
        "steps": made.steps,
        "conflict_free": made.conflict_free,
        **made.facts,
    }
    rounds = ((transfer._asdict() for transfer in transfers) for transfers in made.rounds)
    output.print_json_lists("rounds", rounds, head)


def print_schedule(routing: SchedulingRouting, name: str, made: Schedule) -> None:
    """Print one row per packet, if there are few, and then the facts."""
    topology = routing.topology
    title = f"{topology.instance_name}: {name} by {routing.name}"
    facts: dict[str, object] = {"steps": made.steps, "conflict_free": made.conflict_free}
    facts |= {fact: _lines(value) for fact, value in made.facts.items()}
    if topology.nodes > ROW_LIMIT:
        output.facts(title, facts)
        click.echo(f"Paths are listed up to {counted(ROW_LIMIT, 'node')}; --json has them all.")
        return
    rounds = [[_cells(transfer, topology) for transfer in transfers] for transfers in made.rounds]
    columns = ("source", "destination", "path", "hops")
    if len(rounds) == 1:
        output.table(title, columns, rounds[0])
    else:
        rows = [(number, *row) for number, rows in enumerate(rounds, start=1) for row in rows]
        output.table(title, ("round", *columns), rows)
    output.facts("Schedule", facts)


def _cells(transfer: Transfer, topology: Topology) -> tuple[object, ...]:
    path = " ".join(map(topology.router_label, transfer.path))
    return transfer.source, transfer.destination, path, len(transfer.path) - 1


def _lines(value: object) -> object:
    """Value as a table shows it: lines of text, such as a matrix has, below each other."""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    return value
