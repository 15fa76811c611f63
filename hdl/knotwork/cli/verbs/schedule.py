"""Verb schedule: how a permutation is carried out."""

from pathlib import Path

import click

from ...errors import ConfigurationError
from ..command import verb
from ..options import as_json, file_option, network_words, start_networks, work_limit

LINEAR = "lc"
"""Name of the permutation that `--matrix` and `--complement` give."""


@verb(
    examples=[
        "schedule ccc n=6 --permutation reversal",
        "schedule lcan d=4 u=2 levels=3 --permutation random",
        "schedule hypercube:n=4,routing=lc1 --permutation transpose --json",
    ],
    writes="A table with a row per packet of a small network, and the facts of the schedule; "
    "with --json all rounds, as simulate --schedule reads them. No file.",
)
@network_words
@click.option(
    "--permutation",
    "name",
    required=True,
    metavar="NAME",
    help="identity, complement, random, reversal, transpose, shuffle, bit_rotation, lc, or a file: "
    "a JSON list of the nodes' destinations.",
)
@file_option(
    "--matrix",
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
    help="Seed of --permutation random.",
)
@work_limit
@as_json
def schedule(
    *,
    words: tuple[str, ...],
    name: str,
    matrix: Path | None,
    complement: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Schedule a permutation on a network.

    The network's routing that has schedules carries it out, whichever routing the words name. lc
    is the linear-complement permutation d = T s + c over GF(2) of a matrix T and a complement c.
    With lc1 and lc2, random draws a linear-complement permutation; few others can be routed.
    """
    from ...estimates.networks import schedule_work
    from ...network import Network
    from ..answers import schedule as answer

    network = Network.from_words(words)
    start_networks("schedule", [network], schedule_work)
    routing = answer.scheduling_routing(network)
    if name != LINEAR and (matrix or complement) is not None:
        raise ConfigurationError(
            f"schedule: --matrix and --complement must come with --permutation {LINEAR}, "
            f"not {name!r}"
        )
    if name == LINEAR:
        destinations = answer.linear_permutation(routing, matrix, complement)
    elif name == "random":
        destinations = answer.random_permutation(routing, seed)
    else:
        destinations = answer.fixed_permutation(routing, name)
    made = routing.schedule(destinations)
    if as_json:
        answer.print_json(name, made)
    else:
        answer.print_schedule(routing, name, made)
