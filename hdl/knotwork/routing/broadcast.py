# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Broadcasts that branch in the routers, and the form of their rule.

A rule is one plain function of integers, written in the subset of Python that Numba compiles. It
says what copy of a packet a router sends by one of its links:

    rule(parameters, router, port, channel_class, label, source, output) -> (label, class)

`port` is the input port, `LOCAL` at the source (in class 0, with label 0). The answer is the label
and the class that the copy has on the link `output`, or ``(-1, 0)`` for no copy. Every router but
the source's ejects a copy to its node besides. `parameters` are the routing's.

From one input, copies leave by a link in one class only, whatever the label.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from ..errors import ConfigurationError
from ..parameters import Choice, Integer, parameter
from ..topology import LOCAL, Topology
from .base import RoutingOptions
from .compiled_rules import broadcast_rule_address, call_broadcast_rule, kept_on_disk

BroadcastRule = Callable[[Any, int, int, int, int, int, int], tuple[int, int]]


@dataclass(frozen=True)
class Broadcast:
    """A rule of broadcasts, and what its copies carry.

    Members
    -------
    name : str
        Word by which users choose it.
    rule : BroadcastRule
        Function described at the head of this module.
    label_width : int
        Bits of a label in a flit, where it takes the place of the destination; 0..address_width.
    header_bits : int
        Bits that a packet carries for it, whatever field or wire they share.
    sources : tuple of int or None
        Nodes that it can start from; None for all.
    carried : callable or None
        Bits of a flit that stand for a label; None where it is the label itself that stands there.
    """

    name: str
    rule: BroadcastRule
    label_width: int
    header_bits: int
    sources: tuple[int, ...] | None = None
    carried: Callable[[int], int] | None = None

    def field(self, label: int) -> int:
        """Bits of a flit that stand for a label."""
        return label if self.carried is None else self.carried(label)


@dataclass(frozen=True, kw_only=True)
class BroadcastOptions(RoutingOptions):
    """Keys of a routing beside which packets can be broadcast; a subclass has words of its own.

    Parameters
    ----------
    broadcast : str
        Rule by which the routers branch; ``"no"`` for routers that do not.
    max_packet : int or None
        Flits of the longest broadcast, 1..1024; `buffer_depth` if unnamed, and no more. Packets to
        one node may have any length.
    """

    broadcast: str = parameter(
        Choice(("no",)), help="rule by which the routers branch", default="no"
    )
    max_packet: int | None = parameter(
        Integer(1, 1024),
        help="flits of the longest broadcast (default: buffer_depth)",
        default=None,
    )

    def resolved(self, topology: Topology, hardware: Any) -> Self:
        """Fill in `max_packet`; refuse what no buffer could hold."""
        if self.broadcast == "no":
            if self.max_packet is not None:
                raise ConfigurationError(
                    f"{topology.name}: max_packet must go with a broadcast, for other packets have "
                    f"any length, not {self.max_packet} with broadcast=no"
                )
            return self
        longest = self.max_packet or hardware.buffer_depth
        if longest > hardware.buffer_depth:
            raise ConfigurationError(
                f"{topology.name}: buffer_depth must be at least max_packet with "
                f"broadcast={self.broadcast}, {longest}, not {hardware.buffer_depth}"
            )
        return replace(self, max_packet=longest)


class Tree(NamedTuple):
    """Where the copies of one broadcast go, if every copy takes one step a link.

    Members
    -------
    arrival : ndarray
        Step in which each node has it first, int32: 0 at the source, -1 for never.
    parent : ndarray
        Node from which that copy came, int32; -1 for none.
    label : ndarray
        Label that it came with, int64; 0 at the source.
    duplicates : int
        Copies to a node that had one, the source included.
    """

    arrival: np.ndarray
    parent: np.ndarray
    label: np.ndarray
    duplicates: int


def broadcast_tree(
    topology: Topology, rule: BroadcastRule, parameters: np.ndarray, source: int
) -> Tree:
    """Follow the copies of a broadcast from `source`."""
    arrival = np.full(topology.nodes, -1, np.int32)
    copies = np.empty((topology.nodes, _COLUMNS), np.int64)
    count, duplicates = _follow(
        broadcast_rule_address(rule),
        np.ascontiguousarray(parameters, np.int64),
        np.ascontiguousarray(topology.neighbours),
        np.ascontiguousarray(topology.peer_ports),
        source,
        arrival,
        copies,
    )
    parent, label = np.full(topology.nodes, -1, np.int32), np.zeros(topology.nodes, np.int64)
    reached = copies[1:count]
    parent[reached[:, _ROUTER]] = copies[reached[:, _PARENT], _ROUTER]
    label[reached[:, _ROUTER]] = reached[:, _LABEL]
    return Tree(arrival, parent, label, duplicates)


# Columns of a table of copies, in the order of their steps, the source's packet first: router, row
# of the copy that it came from, that one's way out, port and class of its coming, label.
_ROUTER, _PARENT, _OUTPUT, _PORT, _CLASS, _LABEL = range(6)
_COLUMNS = 6


@kept_on_disk(Path(__file__))
def _follow(rule, parameters, neighbours, peer_ports, source, arrival, copies):
    """Fill `copies`, and `arrival` that was -1; returns rows, and copies to who had one."""
    copies[0] = 0
    copies[0, _ROUTER] = source
    arrival[source], row, count, duplicates = 0, 0, 1, 0
    while row < count:
        router = copies[row, _ROUTER]
        for output in range(1, neighbours.shape[1]):
            reached = neighbours[router, output]
            if reached < 0:
                continue
            label, out_class = call_broadcast_rule(
                rule,
                parameters.ctypes.data,
                router,
                copies[row, _PORT],
                copies[row, _CLASS],
                copies[row, _LABEL],
                source,
                output,
            )
            if label < 0:
                continue
            if arrival[reached] >= 0:
                duplicates += 1  # and it goes no further, or some would never end
                continue
            arrival[reached] = arrival[router] + 1
            copies[count, _ROUTER], copies[count, _PARENT] = reached, row
            copies[count, _OUTPUT], copies[count, _CLASS] = output, out_class
            copies[count, _PORT], copies[count, _LABEL] = peer_ports[router, output], label
            count += 1
        row += 1
    return count, duplicates


def walk_broadcasts(
    routing: Any, marks: np.ndarray, turns: np.ndarray, sources: np.ndarray
) -> None:
    """Follow the broadcasts of all `sources` of a routing.

    Parameters
    ----------
    routing : Routing
        With a broadcast.
    marks : ndarray
        Dependencies as in `tables.Walks`; those of the copies are added.
    turns : ndarray
        bool of shape (groups, ports, classes, ports, classes); turns of the copies are added.
    sources : ndarray
        Nodes, int.

    Raises
    ------
    ValueError
        A router gets a second copy.
    """
    topology = routing.topology
    twice = _mark(
        broadcast_rule_address(routing.broadcast.rule),
        np.ascontiguousarray(routing.parameters, np.int64),
        np.ascontiguousarray(topology.neighbours),
        np.ascontiguousarray(topology.peer_ports),
        routing.router_groups,
        sources,
        marks,
        turns,
    )
    if twice >= 0:
        raise ValueError(
            f"broadcast={routing.broadcast.name}: a router must get one copy, not two of that of "
            f"node {twice}"
        )


@kept_on_disk(Path(__file__))
def _mark(rule, parameters, neighbours, peer_ports, groups, sources, marks, turns):
    """Mark what copies do; returns a source of which a router got two, -1 for none."""
    routers, ports = neighbours.shape
    classes = marks.shape[2]
    arrival = np.empty(routers, np.int32)
    copies = np.empty((routers, _COLUMNS), np.int64)
    for source in sources:
        arrival[:] = -1
        count, duplicates = _follow(
            rule, parameters, neighbours, peer_ports, source, arrival, copies
        )
        if duplicates > 0:
            return source
        for row in range(1, count):
            router, port, vc_class = (
                copies[row, _ROUTER],
                copies[row, _PORT],
                copies[row, _CLASS],
            )
            turns[groups[router], port, vc_class, LOCAL, 0] = True
            before, output = copies[row, _PARENT], copies[row, _OUTPUT]
            sender, held_class = copies[before, _ROUTER], copies[before, _CLASS]
            turns[groups[sender], copies[before, _PORT], held_class, output, vc_class] = True
            if before > 0:
                link = copies[copies[before, _PARENT], _ROUTER] * ports
                link += copies[before, _OUTPUT]
                marks[link * classes + held_class, output, vc_class] = True
    return -1
