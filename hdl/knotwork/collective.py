"""Verbs of communication among many nodes: multicast."""

from collections.abc import Sequence
from typing import Any

import click

from . import answers
from .answers import as_json, counted
from .errors import ConfigurationError
from .network import Network
from .routing import multicast as rules


@click.command()
@click.argument("words", metavar="NET... SRC DST...", nargs=-1, type=click.UNPROCESSED)
@as_json
def multicast(words: tuple[str, ...], as_json: bool) -> None:
    """Tell the rounds of a multicast from one node to several.

    SRC and DST are indices, or labels written @0010.
    """
    net, nodes = split_words(words)
    network = Network.from_words(net)
    source, *members = (network.node(node) for node in nodes)
    answer = multicast_answer(network, source, members)
    if as_json:
        answers.print_json(answer)
    else:
        print_multicast(network, source, answer)


def split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Words of the network (its name and what has a ``=``), and the nodes after them.

    Raises
    ------
    ConfigurationError
        No network, or fewer than two nodes; a key after a node.
    """
    keys = 1
    while keys < len(words) and "=" in words[keys]:
        keys += 1
    net, nodes = words[:keys], words[keys:]
    if len(nodes) < 2 or any("=" in node for node in nodes):
        raise ConfigurationError(
            f"multicast: the words must be NET... SRC DST..., a network and two nodes or more, "
            f"not {' '.join(words)!r}"
        )
    return net, nodes


def multicast_answer(network: Network, source: int, members: Sequence[int]) -> dict[str, Any]:
    """Rounds of a multicast by the names that `multicast` promises.

    `chain` is the order in which a sender's hardware takes the destinations.
    """
    routing = network.routing
    rounds = rules.multicast_rounds(routing, source, members)
    return {
        "chain": rules.chain_of(routing, source, members),
        "rounds": [
            [
                {
                    "from": send.source,
                    "to": send.destination,
                    "path": routing.path(send.source, send.destination),
                }
                for send in sends
            ]
            for sends in rounds
        ],
        "contention_free": rules.contention(routing, rounds) is None,
    }


def print_multicast(network: Network, source: int, answer: dict[str, Any]) -> None:
    """Print a row for each packet of a multicast."""
    label = network.topology.label
    rows = []
    for number, sends in enumerate(answer["rounds"], start=1):
        for send in sends:
            way = [label(router) for router in send["path"]]
            rows.append((number, send["from"], send["to"], " ".join(way), len(way) - 1))
    nodes, rounds = counted(len(answer["chain"]), "node"), counted(len(answer["rounds"]), "round")
    title = f"{network.name}: {source} to {nodes}, {rounds}"
    answers.table(title, ("round", "from", "to", "path", "hops"), rows)
    sharing = "No two packets" if answer["contention_free"] else "Two packets"
    click.echo(f"{sharing} of a round share a link.")
