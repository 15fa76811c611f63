"""Answer of `broadcast`: the tree that a broadcast's copies make, and what they cost."""

from dataclasses import dataclass

import numpy as np

from ...broadcasts import named_broadcast
from ...network import Network
from ...routing.walks.broadcasts import broadcast_tree
from .. import output

ROW_LIMIT = 64
"""Nodes up to which the table has a row for each and names those that the rule misses; steps up to
which it counts the nodes of each step."""


@dataclass(frozen=True)
class BroadcastTree:
    """Tree of a broadcast; the members have the names that `broadcast` promises.

    Members
    -------
    rule : str
        Rule that it follows.
    header_bits : int
        Bits that each packet carries for the rule.
    steps : int
        Step of the last arrival.
    efficiency : float or None
        1 / steps, as papers define the efficiency of a communication; None for a single node.
    arrival : list of int or None
        Step in which each node has its first copy; 0 at the source, None for a node it misses.
    parent : list of int or None
        Node that sent each node its first copy.
    duplicates : int
        Copies that reached a node after its first.
    missed : list of int
        Nodes that no copy reached.
    carried : list of str or None
        What each node's first copy carried, in the paper's words; None where it says nothing.
    """

    rule: str
    header_bits: int
    steps: int
    efficiency: float | None
    arrival: list[int | None]
    parent: list[int | None]
    duplicates: int
    missed: list[int]
    carried: list[str | None]


def find_broadcast(network: Network, rule: str | None, source: int) -> BroadcastTree:
    """Tree of a broadcast from `source` by a rule, the network's own if unnamed.

    Raises
    ------
    ConfigurationError
        The network has no such rule, or the rule has no tree from there.
    """
    chosen = named_broadcast(network, rule, source)
    tree = broadcast_tree(network.topology, chosen.rule, network.routing.parameters, source)
    arrival, parent = tree.arrival.tolist(), tree.parent.tolist()
    return BroadcastTree(
        rule=chosen.name,
        header_bits=chosen.header_bits,
        steps=max(arrival),
        efficiency=1 / max(arrival) if max(arrival) else None,
        arrival=[step if step >= 0 else None for step in arrival],
        parent=[node if node >= 0 else None for node in parent],
        duplicates=tree.duplicates,
        missed=[node for node in network.topology.receivers(source) if arrival[node] < 0],
        carried=[
            chosen.text(label) if chosen.text is not None and step > 0 else None
            for label, step in zip(tree.label.tolist(), arrival, strict=True)
        ],
    )


def print_broadcast(network: Network, source: int, tree: BroadcastTree) -> None:
    """Print what a broadcast costs; where there are few nodes, one row for each."""
    label = network.topology.label
    is_small = len(tree.arrival) <= ROW_LIMIT
    names = f": {' '.join(map(label, tree.missed))}" if tree.missed and is_small else ""
    new = np.bincount([step for step in tree.arrival if step is not None]).tolist()
    facts = {
        "steps": tree.steps,
        "efficiency, 1 / steps": tree.efficiency,
        "new nodes per step": new if len(new) <= ROW_LIMIT else f"at most {max(new)}",
        "header bits": tree.header_bits,
        "duplicates": tree.duplicates,
        "nodes missed": f"{len(tree.missed)}{names}",
    }
    output.facts(f"{network.name}: {label(source)} to all, --rule {tree.rule}", facts)
    if is_small:
        rows = [
            (node, label(node), step, None if parent is None else label(parent), carried)
            for node, (step, parent, carried) in enumerate(
                zip(tree.arrival, tree.parent, tree.carried, strict=True)
            )
        ]
        heads = ("node", "label", "step", "from", "with")
        if not any(tree.carried):
            heads, rows = heads[:-1], [row[:-1] for row in rows]
        output.table("Where the copies come from", heads, rows)
