"""Verb of permutations: schedule."""

from pathlib import Path
from typing import Any

import click
import numpy as np

from ..errors import ConfigurationError
from ..network import Network
from ..routing import routings_of
from ..routing.scheduling.linear_complement import LinearComplement
from ..routing.scheduling.permutations import (
    NAMES,
    address_bits,
    named_permutation,
    read_complement,
    read_matrix,
    read_permutation,
)
from ..routing.scheduling.schedule import Schedule, SchedulingRouting, Transfer
from ..topology import TOPOLOGIES, Topology
from . import output as answers
from .networks import network_words
from .output import as_json, counted

LINEAR = "lc"
"""Name of the permutation that `--matrix` and `--complement` give."""

ROW_LIMIT = 64
"""Nodes up to which a table has a row for each packet."""


@click.command()
@network_words
@click.option(
    "--permutation",
    "name",
    required=True,
    metavar="NAME",
    help="identity, complement, random, reversal, transpose, shuffle, lc, or a file: a JSON list "
    "of the nodes' destinations.",
)
@click.option(
    "--matrix",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="For lc: n lines of n characters 0 or 1, the highest bit first.",
)
@click.option(
    "--complement",
    metavar="BITS",
    help="For lc: n characters 0 or 1, the highest bit first [all 0].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=1,
    show_default=True,
    help="Decides random.",
)
@as_json
def schedule(  # noqa: PLR0917 - click names them
    words: tuple[str, ...],
    name: str,
    matrix: Path | None,
    complement: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Tell how a network carries out a permutation.

    It is taken by the network's routing that has schedules, whichever is named. lc is the
    linear-complement permutation d = T s + c over GF(2) of a matrix and a complement. With lc1 and
    lc2, random is a random linear-complement one, and of the others only a few can be routed.
    """
    network = Network.from_words(words)
    routing = scheduling_routing(network)
    if name != LINEAR and (matrix or complement) is not None:
        raise ConfigurationError(
            f"schedule: --matrix and --complement must come with --permutation {LINEAR}, "
            f"not {name!r}"
        )
    if name == LINEAR:
        destinations = linear_permutation(routing.topology.nodes, matrix, complement)
    elif name == "random":
        destinations = routing.random_permutation(np.random.default_rng(seed))
    else:
        destinations = fixed_permutation(routing.topology.nodes, name)
    made = routing.schedule(destinations)
    if as_json:
        print_json(name, made)
    else:
        print_schedule(routing, name, made)


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


def linear_permutation(nodes: int, matrix: Path | None, complement: str | None) -> np.ndarray:
    """Destination of each node under the permutation of a matrix and a complement.

    Raises
    ------
    ConfigurationError
        No matrix, one that does not fit, or a complement that does not.
    """
    n = address_bits(nodes, f"schedule: {LINEAR}")
    if matrix is None:
        raise ConfigurationError(f"schedule: --permutation {LINEAR} must have a --matrix FILE")
    bits = "0" * n if complement is None else complement
    return LinearComplement(
        read_matrix(matrix, n), read_complement(bits, n, what="schedule: --complement")
    ).destinations


def fixed_permutation(nodes: int, name: str) -> np.ndarray:
    """Destination of each node under a named permutation, or one in a file.

    Raises
    ------
    ConfigurationError
        Neither a name nor a file; a permutation that does not fit.
    """
    if name in NAMES:
        return named_permutation(nodes, name, np.random.default_rng(), owner="schedule")
    path = Path(name)
    if not path.exists():
        raise ConfigurationError(
            f"schedule: --permutation must be one of {', '.join(NAMES)}, {LINEAR}, or a JSON file, "
            f"not {name!r}"
        )
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
    answers.print_json_lists("rounds", rounds, head)


def print_schedule(routing: SchedulingRouting, name: str, made: Schedule) -> None:
    """Print a row for each packet, if they are few, and then the facts."""
    topology = routing.topology
    title = f"{topology.instance_name}: {name} by {routing.name}"
    facts = {"steps": made.steps, "conflict_free": made.conflict_free}
    facts |= {fact: _lines(value) for fact, value in made.facts.items()}
    if topology.nodes > ROW_LIMIT:
        answers.facts(title, facts)
        click.echo(f"Ways are listed up to {counted(ROW_LIMIT, 'node')}; --json has them.")
        return
    rounds = [[_cells(transfer, topology) for transfer in transfers] for transfers in made.rounds]
    columns = ("source", "destination", "path", "hops")
    if len(rounds) == 1:
        answers.table(title, columns, rounds[0])
    else:
        rows = [(number, *row) for number, rows in enumerate(rounds, start=1) for row in rows]
        answers.table(title, ("round", *columns), rows)
    answers.facts("Schedule", facts)


def _cells(transfer: Transfer, topology: Topology) -> tuple[Any, ...]:
    way = " ".join(map(topology.router_label, transfer.path))
    return transfer.source, transfer.destination, way, len(transfer.path) - 1


def _lines(value: Any) -> Any:
    """Value as a table shows it: lines of text, such as a matrix has, below each other."""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return "\n".join(value)
    return value
