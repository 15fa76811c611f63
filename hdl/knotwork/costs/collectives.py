"""Pieces of a group's tree of collectives, with their numbers."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from ..collective_groups import NodeGroup
from ..routing.collectives import CollectiveTree, MessageFormat, TreeRouter, buffers_between
from .pieces import Sizes, added, decision_nodes

FLAGS = 3
"""Bits of a flit beside its data: it ends a message, ends a part, is marked."""

COMPARISONS = ("min", "max")
"""Operations that compare."""


def collective_pieces(group: NodeGroup) -> Mapping[str, Sizes]:
    """Sizes of the pieces of a group's tree by figure: ``lut4``, ``dpr`` and ``ff``."""
    tree, form = group.tree, group.form
    pieces = added(
        [
            *(_merge(router, form) for router in tree.routers if len(router.branches) > 1),
            *(_spread(router, form) for router in tree.routers),
            _links(tree, form),
            _ports(group),
            _watchdog(group),
        ]
    )
    return {"lut4": pieces, "dpr": {}, "ff": pieces}


def _merge(router: TreeRouter, form: MessageFormat) -> Sizes:
    """Pieces that combine the messages of a router's branches, two at a time."""
    merges = len(router.branches) - 1
    # The gates of a user's operations are not known, and not counted.
    names = [one.name for one in form.operations if one.user_defined is None]
    compares = sum(name in COMPARISONS for name in names)
    sums, pairs = names.count("sum"), merges * form.width
    return {
        "merges": merges,
        "headers": merges * form.header_bits,
        "operands": pairs,
        "sums": sums * pairs,
        "comparisons": compares * pairs,
        "logic": (len(names) - sums - compares) * pairs,
        "choices of operations": (len(form.operations) - 1) * form.width,
        # One branch's beats pass beside an operation with which zeros of the other change them.
        "beats beside": (not form.passes_by_zeros) * pairs,
    }


def _spread(router: TreeRouter, form: MessageFormat) -> Sizes:
    """Pieces that copy messages to the branches that they are for."""
    return {
        "spreads": 1,
        "flits of spreads": form.width + FLAGS,
        "copies": len(router.branches),
        "nodes below": sum(len(branch.members) for branch in router.branches),
        "roots below": sum(_membership(branch.members, form) for branch in router.branches[:-1]),
        "masks of several beats": (form.mask_beats > 1) * len(router.branches) * form.mask_beats,
    }


def _membership(members: tuple[int, ...], form: MessageFormat) -> int:
    """Nodes of the decision diagram that says whether a node is one of some."""
    return _diagram(members, form.nodes, form.root_bits)


# The trees of a network with another key, which is tried where one does not fit, have the same.
@lru_cache(maxsize=4096)
def _diagram(members: tuple[int, ...], nodes: int, root_bits: int) -> int:
    outcomes = np.full(1 << root_bits, -1)
    outcomes[:nodes] = 0
    outcomes[list(members)] = 1
    return decision_nodes(outcomes)


def _links(tree: CollectiveTree, form: MessageFormat) -> Sizes:
    """Pieces along the links, and where the way up becomes the way down."""
    buffers, skids = 1, 0
    for router in tree.routers:
        skids += buffers_between(router.merging)
        for branch in router.branches:
            if branch.child is not None:
                buffers += branch.up - (len(router.branches) > 1) + branch.down - 1
                skids += tree.has_skid_up(branch) + tree.has_skid_down(branch)
    bits = form.width + FLAGS
    return {
        "link buffers": buffers,
        "flits of link buffers": buffers * bits,
        "skid buffers": skids,
        "flits of skid buffers": skids * bits,
    }


def _ports(group: NodeGroup) -> Sizes:
    """Pieces of the members' senders and receivers."""
    form, count = group.form, len(group.tree.members)
    return {
        "members": count,
        "headers of members": count * form.header_bits,
        "beats of members": count * form.width,
        "roots of members": count * _membership(group.tree.members, form),
    }


def _watchdog(group: NodeGroup) -> Sizes:
    """Pieces of the watchdog."""
    watched = len(group.tree.members) if group.watchdog else 0
    return {"watched members": watched, "bits of watchdogs": group.watchdog.bit_length()}
