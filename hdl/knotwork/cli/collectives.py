"""Verbs of communication among many nodes: multicast, broadcast."""

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from ..errors import ConfigurationError
from ..network import Network
from ..routing import Routing, routings_of
from ..routing import multicast as rules
from ..routing.broadcast import Broadcast, BroadcastOptions, broadcast_tree
from ..topology import TOPOLOGIES
from . import output as answers
from .output import as_json, counted

ROW_LIMIT = 64
"""Nodes up to which a broadcast's table has a row for each, and names those that it misses; steps
up to which it counts the nodes of each."""


@click.command()
@click.argument("words", metavar="NET... SRC DST...", nargs=-1, type=click.UNPROCESSED)
@as_json
def multicast(words: tuple[str, ...], as_json: bool) -> None:
    """Tell the rounds of a multicast from one node to several.

    SRC and DST are indices, or labels written @0010.
    """
    net, nodes = split_words(words)
    if len(nodes) < 2 or any("=" in node for node in nodes):
        raise ConfigurationError(
            f"multicast: the words must be NET... SRC DST..., a network and two nodes or more, "
            f"not {' '.join(words)!r}"
        )
    network = Network.from_words(net)
    source, *members = (network.node(node) for node in nodes)
    answer = multicast_answer(network, source, members)
    if as_json:
        answers.print_json(answer)
    else:
        print_multicast(network, source, answer)


def split_words(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Words of the network (its name and what has a ``=`` behind it), and those after them."""
    keys = 1
    while keys < len(words) and "=" in words[keys]:
        keys += 1
    return words[:keys], words[keys:]


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


@click.command()
@click.argument("words", metavar="NET... SRC", nargs=-1, type=click.UNPROCESSED)
@click.option("--rule", metavar="NAME", help="Rule to follow [the network's own].")
@as_json
def broadcast(words: tuple[str, ...], rule: str | None, as_json: bool) -> None:
    """Tell how a broadcast from a node goes through the network, a link a step.

    SRC is an index, or a label written @0010. --rule takes those, too, that only stand to compare
    with: one that misses nodes is no failure.
    """
    net, nodes = split_words(words)
    if len(nodes) != 1 or "=" in nodes[0]:
        raise ConfigurationError(
            f"broadcast: the words must be NET... SRC, a network and one node, "
            f"not {' '.join(words)!r}"
        )
    network = Network.from_words(net)
    source = network.node(nodes[0])
    answer = broadcast_answer(network, chosen_broadcast(network, rule, source), source)
    if as_json:
        answers.print_json(answer)
    else:
        print_broadcast(network, source, answer)


def chosen_broadcast(network: Network, name: str | None, source: int) -> Broadcast:
    """Rule of that name, the network's own if unnamed.

    Raises
    ------
    ConfigurationError
        A network or routing without broadcasts, no such rule, a source that it has no tree for.
    """
    known, own = network.routing.broadcasts, network.routing.broadcast
    if not known:
        raise ConfigurationError(_no_broadcasts(network))
    if name is None and own is None:
        raise ConfigurationError(
            f"{network.name}: a rule must be named with broadcast=no: --rule "
            f"{'|'.join(known)}, not none"
        )
    chosen = own if name is None else known.get(name)
    if chosen is None:
        raise ConfigurationError(
            f"{network.name}: a rule must be one of {', '.join(known)}, not {name!r}"
        )
    if chosen.sources is not None and source not in chosen.sources:
        raise ConfigurationError(
            f"{network.name}: the source must be one of {', '.join(map(str, chosen.sources))} for "
            f"--rule {chosen.name}, not {source}"
        )
    return chosen


def own_broadcast(network: Network) -> Broadcast:
    """Rule by which the network's routers branch.

    Raises
    ------
    ConfigurationError
        They do not.
    """
    own, known = network.routing.broadcast, network.routing.broadcasts
    if own is None and known:
        raise ConfigurationError(
            f"{network.name}: broadcast must be a rule for routers to branch by, not no"
        )
    if own is None:
        raise ConfigurationError(_no_broadcasts(network))
    return own


def _no_broadcasts(network: Network) -> str:
    """Line that refuses a network without broadcasts: its routings that have them, or networks."""
    able = {
        name: [routing for routing, made in routings_of(name).items() if _has_broadcasts(made)]
        for name in TOPOLOGIES
    }
    topology = network.topology
    if routings := able.get(topology.name):
        known = ", ".join(routings)
        return (
            f"{topology.name}: routing must be one of {known} for a broadcast, not "
            f"{network.routing.name}"
        )
    known = ", ".join(name for name, routings in able.items() if routings)
    return f"broadcast: a network must be one of {known}, not {topology.name}"


def _has_broadcasts(routing: type[Routing]) -> bool:
    return issubclass(routing.options_class, BroadcastOptions)


def broadcast_answer(network: Network, rule: Broadcast, source: int) -> dict[str, Any]:
    """Tree of a broadcast by the names that `broadcast` promises."""
    routing = network.routing
    tree = broadcast_tree(network.topology, rule.rule, routing.parameters, source)
    arrival, parent = tree.arrival.tolist(), tree.parent.tolist()
    return {
        "rule": rule.name,
        "header_bits": rule.header_bits,
        "steps": max(arrival),
        "arrival": [step if step >= 0 else None for step in arrival],
        "parent": [node if node >= 0 else None for node in parent],
        "duplicates": tree.duplicates,
        "missed": [node for node, step in enumerate(arrival) if step < 0],
    }


def print_broadcast(network: Network, source: int, answer: dict[str, Any]) -> None:
    """Print what a broadcast costs; for few nodes, a row for each."""
    label = network.topology.label
    arrival, missed = answer["arrival"], answer["missed"]
    small = len(arrival) <= ROW_LIMIT
    title = f"{network.name}: {label(source)} to all, --rule {answer['rule']}"
    reached = [step for step in arrival if step is not None]
    names = f": {' '.join(map(label, missed))}" if missed and small else ""
    new = np.bincount(reached).tolist()
    facts = {
        "steps": answer["steps"],
        "new nodes a step": new if len(new) <= ROW_LIMIT else f"at most {max(new)}",
        "header bits": answer["header_bits"],
        "duplicates": answer["duplicates"],
        "nodes missed": f"{len(missed)}{names}",
    }
    answers.facts(title, facts)
    if small:
        rows = [
            (node, label(node), step, None if parent is None else label(parent))
            for node, (step, parent) in enumerate(zip(arrival, answer["parent"], strict=True))
        ]
        answers.table("Where the copies come from", ("node", "label", "step", "from"), rows)
