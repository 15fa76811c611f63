"""A network's distinct routers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .routing import Routing, Turn
from .routing.buildable import error_turns, every_turn
from .topology import Topology
from .topology.base import RECEIVES, SENDS


@dataclass(frozen=True)
class RouterKind:
    """Routers that are one module: the same ports, link directions, turns and buffer depths.

    Members
    -------
    name : str
        Module name, ``fattree_r2_2_u2_2_router_level1``.
    role : str
        The same without the network's name, ``router_level1``.
    ports : tuple of int
        Connected ports, rising.
    node_ports : tuple of int
        Those that lead to nodes.
    receiving, sending : tuple of int
        Those with a link by which it receives, and by which it sends.
    router : int
        One of them, which represents all.
    unicast_turns, broadcast_turns : tuple of Turn
        Turns of packets to one node, and of the copies of broadcasts, sorted.
    error_turns : tuple of Turn
        Turns to a node for packets that are found broken, where the routing takes none.
    loaded_turns : tuple of Turn
        Turns that only a table loaded in service can take.
    traffic_class : int or None
        Class whose turns alone these are, where there are several; None for those of all.
    """

    name: str
    role: str
    ports: tuple[int, ...]
    node_ports: tuple[int, ...]
    receiving: tuple[int, ...]
    sending: tuple[int, ...]
    router: int
    unicast_turns: tuple[Turn, ...]
    broadcast_turns: tuple[Turn, ...]
    error_turns: tuple[Turn, ...] = ()
    loaded_turns: tuple[Turn, ...] = ()
    traffic_class: int | None = None

    @property
    def links(self) -> tuple[int, ...]:
        """Ports with a link, rising."""
        return tuple(sorted({*self.receiving, *self.sending}))

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Turns that packets can take there, sorted."""
        single = {*self.unicast_turns, *self.error_turns, *self.loaded_turns}
        return tuple(sorted(single.union(self.broadcast_turns)))

    def input_vcs(self, port: int) -> list[int]:
        """Virtual channels by which a packet can come in at `port`, rising."""
        return sorted({turn.input_vc for turn in self.turns if turn.input_port == port})

    def output_vcs(self, port: int) -> list[int]:
        """Virtual channels by which a packet can leave at `port`, rising."""
        return sorted({turn.output_vc for turn in self.turns if turn.output_port == port})

    def branches(self, port: int, vc: int) -> tuple[Turn, ...]:
        """Turns of a broadcast's copies from this input and virtual channel, ejection included.

        None where a broadcast is ejected to one node and goes no further.
        """
        turns = [t for t in self.broadcast_turns if (t.input_port, t.input_vc) == (port, vc)]
        is_ejected = len(turns) == 1 and turns[0].output_port in self.node_ports
        return () if is_ejected else tuple(turns)

    def error_turn(self, port: int, vc: int) -> Turn | None:
        """Turn of packets from this input and virtual channel that are found broken.

        The first that it has to a node, past a multicast unit; None where the router has no node.
        """
        found = [t for t in self.turns if (t.input_port, t.input_vc, t.output_vc) == (port, vc, 0)]
        return next((t for t in found if t.output_port in self.node_ports), None)


def by_class(routing: Routing, kind: RouterKind) -> list[RouterKind]:
    """Turns of each class of traffic by itself; the kind itself where there is one class."""
    count = routing.topology.traffic_classes
    if count == 1:
        return [kind]
    share, port_class = routing.virtual_channels // count, routing.topology.port_class

    def of_class(turns: tuple[Turn, ...], number: int) -> tuple[Turn, ...]:
        return tuple(turn for turn in turns if turn.input_vc // share == number)

    return [
        replace(
            kind,
            unicast_turns=of_class(kind.unicast_turns, number),
            broadcast_turns=of_class(kind.broadcast_turns, number),
            error_turns=of_class(kind.error_turns, number),
            loaded_turns=of_class(kind.loaded_turns, number),
            node_ports=tuple(p for p in kind.node_ports if port_class(p) == number),
            traffic_class=number,
        )
        for number in range(count)
    ]


class RouterKinds(NamedTuple):
    """Distinct routers of a network, and which router is which.

    Members
    -------
    kinds : tuple of RouterKind
    number : ndarray
        Index into `kinds` of each router, int.
    """

    kinds: tuple[RouterKind, ...]
    number: np.ndarray


def router_kinds(
    routing: Routing, *, top: str, has_parity: bool, depths: np.ndarray | None = None
) -> RouterKinds:
    """Distinct routers under a routing: module groups with the same links and turns are one kind.

    Parameters
    ----------
    routing : Routing
        Defines groups and turns.
    top : str
        Name of the network, which every module's name begins with.
    has_parity : bool
        Whether packets that are found broken are ejected at any router.
    depths : ndarray, optional
        Depth of the buffer behind each port, where they differ: then those of a kind have the same.
    """
    topology, groups = routing.topology, routing.module_groups
    buffers = np.zeros((topology.routers, 0), np.int64)
    if depths is not None:
        buffers = _buffers(topology, depths)
        apart = np.column_stack([groups, buffers])
        groups = np.unique(apart, axis=0, return_inverse=True)[1].ravel()
    first = np.unique(groups, return_index=True)[1].tolist()
    places: dict[tuple, int] = {}
    members: list[int] = []
    numbers = []
    for router in first:
        ports = topology.connected_ports(router)
        turns, copies = routing.turns(router), routing.broadcast_turns(router)
        uses = tuple(topology.port_uses[router].tolist())
        found = (ports, uses, tuple(turns), tuple(copies), buffers[router].tobytes())
        if found not in places or routing.distinct_groups:
            places[found] = len(members)
            members.append(router)
        numbers.append(places[found])
    kinds = []
    for router in members:
        at = (
            routing.group_name(router)
            if depths is None
            else f"at_{topology.router_identifier(router)}"
        )
        kinds.append(_kind(routing, router, members, top=top, at=at, has_parity=has_parity))
    return RouterKinds(tuple(kinds), np.array(numbers)[groups])


def _buffers(topology: Topology, depths: np.ndarray) -> np.ndarray:
    """Depths of the buffers at a router's ports and behind them, int, a row per router."""
    behind = np.where(topology.neighbours >= 0, depths, 0)
    routers, ports = topology.senders
    return np.hstack([behind, np.where(routers >= 0, behind[routers, ports], 0)])


def _kind(
    routing: Routing,
    router: int,
    others: Sequence[int],
    *,
    top: str,
    at: str,
    has_parity: bool,
) -> RouterKind:
    """Kind that `router` stands for, with a name that distinguishes it from the other kinds.

    Where its ports do not, the name says where it stands, `at`.
    """
    topology = routing.topology
    ports = topology.connected_ports(router)
    role = "router"
    if len(others) > 1:
        alike = [other for other in others if topology.connected_ports(other) == ports]
        at_nodes = {_node_ports(topology, other) for other in others}
        named = ports if len(at_nodes) > 1 else [p for p in ports if not topology.is_local(p)]
        names = [topology.ports[port] for port in named]
        by_ports = len(alike) == 1 and not routing.distinct_groups
        role = "_".join([role, *(names if by_ports else [at])])
    turns, copies = routing.turns(router), routing.broadcast_turns(router)
    nodes = _node_ports(topology, router)
    broken = error_turns(routing, nodes, {*turns, *copies}) if has_parity else ()
    uses = topology.port_uses[router]
    links = [port for port in ports if not topology.is_local(port)]
    return RouterKind(
        f"{top}_{role}",
        role,
        ports,
        node_ports=nodes,
        receiving=tuple(port for port in links if uses[port] & RECEIVES),
        sending=tuple(port for port in links if uses[port] & SENDS),
        router=router,
        unicast_turns=tuple(turns),
        broadcast_turns=tuple(copies),
        error_turns=broken,
    )


def add_loaded_turns(routing: Routing, found: RouterKinds) -> RouterKinds:
    """Kinds of routers with the turns that only a table loaded in service can take."""
    kinds = []
    for kind in found.kinds:
        every = every_turn(routing, kind.node_ports, into=kind.receiving, out=kind.sending)
        kinds.append(replace(kind, loaded_turns=tuple(sorted(every.difference(kind.turns)))))
    return RouterKinds(tuple(kinds), found.number)


def _node_ports(topology: Topology, router: int) -> tuple[int, ...]:
    """Ports of a router that lead to nodes."""
    return tuple(filter(topology.is_local, topology.connected_ports(router)))
