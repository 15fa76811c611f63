"""`collective`: how long a group's barrier, reduction, broadcast or the like takes."""

from typing import TYPE_CHECKING

import click
from knotwork.cli import output
from knotwork.cli.command import verb
from knotwork.cli.options import (
    IntegerType,
    NumberType,
    OneOf,
    as_json,
    network_argument,
    start_work,
    work_limit,
)
from knotwork.errors import ConfigurationError

if TYPE_CHECKING:
    from knotwork.network import Network

    from ..collectives.measure import Measured

ENGINES = ("model", "rtl", "both")
"""What runs the tree, as in `collectives.measure`."""


@verb(
    examples=[
        "collective mesh x=4 y=4 all_reduce --length 64",
        "collective mesh x=3 y=3 reduce --root 5 --against unicast",
        "collective hypercube n=3 multicast=yes multicast --to 1,2",
        "collective wk w=3 levels=2 broadcast --against broadcast",
        "collective torus x=4 y=4 barrier --json",
    ],
    writes="A table of its cycles and its rate, and with --against a row for each algorithm. No "
    "file.",
)
@network_argument("NET... COLLECTIVE")
@click.option(
    "--length",
    type=IntegerType(1, 1 << 20),
    default=64,
    metavar="BEATS",
    help="Beats of a vector, or of each part of a gather or a scatter [64].",
)
@click.option(
    "--against",
    metavar="MEANS,...",
    help="Compare with packets of the data network: unicast, several algorithms; relay, its "
    "multicasts; broadcast, those of its routers.",
)
@click.option(
    "--packet",
    type=IntegerType(1, 4096),
    default=16,
    metavar="BEATS",
    help="Most beats of a packet of the unicasts [16].",
)
@click.option("--group", type=IntegerType(0), default=0, help="Group, by its place in groups [0].")
@click.option(
    "--root", metavar="NODE", help="Member that sends to others or receives [the first one]."
)
@click.option(
    "--to", metavar="NODE,...", help="Members that receive a multicast [all but the root]."
)
@click.option("--operation", metavar="NAME", help="Operation of a reduction [the first one].")
@click.option(
    "--pauses",
    type=NumberType(0, 0.99),
    default=0.0,
    metavar="P",
    help="Probability that a node pauses in a cycle, as a sender and as a receiver [0].",
)
@click.option("--seed", type=IntegerType(0, 2**32 - 1), default=1, help="Seed of all numbers [1].")
@click.option(
    "--engine",
    type=OneOf(ENGINES),
    default="model",
    help="Run the golden model of the tree, the Verilog, or both and compare them [model].",
)
@work_limit
@as_json
def collective(
    *,
    words: tuple[str, ...],
    against: str | None,
    root: str | None,
    to: str | None,
    engine: str,
    as_json: bool,
    length: int,
    packet: int,
    group: int,
    operation: str | None,
    pauses: float,
    seed: int,
) -> None:
    """Measure a collective of a group of nodes.

    COLLECTIVE is barrier, broadcast, reduce, all_reduce, multicast, gather or scatter. Nodes are
    indices, or labels written @0010. A network without collectives=yes is measured as if it had
    one group of all nodes. Of packets, what nodes compute takes no time.
    """
    if len(words) < 2 or "=" in words[-1]:
        raise ConfigurationError(
            "collective: the arguments must be NET... COLLECTIVE, a network and a collective, not "
            f"{' '.join(words)!r}"
        )
    from knotwork.designs import read_network
    from knotwork.wording import entry_named

    from ..collectives.measure import COLLECTIVES, Request, measure
    from ..estimates import collective_work

    *net, name = words
    kind = entry_named(COLLECTIVES, "collective: COLLECTIVE", name)
    network = read_network(net)
    start_work(f"collective {network.name}", collective_work(network, kind, length))
    request = Request(
        kind=kind,
        length=length,
        packet=packet,
        group=group,
        root=None if root is None else network.node(root),
        receivers=None if to is None else _nodes(network, to),
        operation=operation,
        pauses=pauses,
        seed=seed,
    )
    means = () if against is None else tuple(against.split(","))
    found = measure(network, request, against=means, engine=engine)
    if as_json:
        output.print_json(found.as_json())
    else:
        _print(found)


def _nodes(network: "Network", text: str) -> tuple[int, ...]:
    """Nodes separated by commas.

    Raises
    ------
    ConfigurationError
        A node that there is not, or one that is named twice.
    """
    nodes = tuple(network.node(word) for word in text.split(","))
    if len(set(nodes)) < len(nodes):
        raise ConfigurationError(f"collective: --to must name each node once, not {text}")
    return nodes


_UNITS = {
    "width": "bits",
    "length": "beats",
    "cycles": "cycles",
    "depth": "hops",
    "beats_per_cycle": "beats/cycle",
    "bytes_per_cycle": "bytes/cycle",
    "streaming_beats_per_cycle": "beats/cycle",
}


def _print(found: "Measured") -> None:
    """Print what was measured, and a row for each of the other means."""
    facts = found.as_json()
    cells = {
        key.replace("_", " "): f"{output.text(value)} {_UNITS.get(key, '')}".rstrip()
        for key, value in facts.items()
        if key not in ("network", "against", "has_collectives") and value is not None
    }
    output.facts(f"{found.network}: {found.collective}", cells)
    if found.against:
        rows = [
            (other.means, other.algorithm, other.cycles, f"{other.speedup:.2f}")
            for other in found.against
        ]
        output.table("by packets", ("means", "algorithm", "cycles", "times as long"), rows)
    if not found.has_collectives:
        click.echo("The network has no collectives=yes: this is the group that it would have.")
