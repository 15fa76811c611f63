# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Routings where routers serve several nodes: by the rule that leads to one node per router."""

import copyreg
from abc import ABCMeta
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from ...topology import Topology
from ...topology.altered import AddedLocalPorts, SeveralNodes
from ..base import Routing
from ..broadcast import Broadcast
from ..compiled.compilable import compilable
from ..options import RoutingOptions
from ..rules import BroadcastRule, Rule, Turn


@cache
def served_rule(rule: Rule, count: int) -> Rule:
    """Rule that asks another one for the router of a node, and there leads to the node's port."""
    more = count - 1

    @compilable
    def ask(parameters, router, port, channel_class, destination):
        came = port - more if port > more else 0
        output, out_class = rule(parameters, router, came, channel_class, destination // count)
        return destination % count if output == 0 else output + more, out_class

    return ask


@cache
def served_copies(rule: BroadcastRule, count: int) -> BroadcastRule:
    """Rule of broadcasts that asks another one, for which the source is the only node there."""
    more = count - 1

    @compilable
    def ask(parameters, router, port, channel_class, label, source, output):
        came = port - more if port > more else 0
        return rule(parameters, router, came, channel_class, label, source // count, output - more)

    return ask


class _Made(ABCMeta):
    """Class of the classes that `served` makes: another process makes them again."""


def _remade(kind: Any) -> tuple[Callable[..., Any], tuple[object, ...]]:
    return kind.maker, (kind.base_class,)


copyreg.pickle(_Made, _remade)  # pyright: ignore[reportArgumentType]: pickle takes metaclasses too


class OverBase(Routing, metaclass=_Made):
    """Routing of a network whose routers have more local ports, by that of the network without.

    Members
    -------
    base : Routing
        Routing of the network without.
    """

    topology: AddedLocalPorts
    base_class: ClassVar[type[Routing]]
    """Class of `base`."""
    maker: ClassVar[Callable[..., Any]]
    """Function that made this class from that one."""
    is_adaptable: ClassVar[bool] = False
    is_port_known: ClassVar[bool] = False
    """Whether a packet's virtual channel tells which of the ports that stand for one it takes."""

    def __init__(
        self,
        topology: AddedLocalPorts,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        self.base = self._make_base(topology, virtual_channels, options)
        super().__init__(topology, virtual_channels=virtual_channels, options=options)
        self.is_trusted = self.base.is_trusted

    def _make_base(
        self,
        topology: AddedLocalPorts,
        virtual_channels: int | None,
        options: RoutingOptions | None,
    ) -> Routing:
        return self.base_class(topology.whole, virtual_channels=virtual_channels, options=options)

    def _over_copies(self, rule: BroadcastRule) -> BroadcastRule:
        """Rule of broadcasts here, by one of the base's."""
        raise NotImplementedError

    def _ports(self, port: int) -> range:
        """Ports that stand for one of the base."""
        raise NotImplementedError

    def base_port(self, port: int) -> int:
        """Port of the base that a port stands for."""
        raise NotImplementedError

    def _standing_for(self, node: int) -> range:
        """Nodes that stand for one of the base."""
        raise NotImplementedError

    def needed_virtual_channels(self) -> int:
        """As many as the base needs."""
        return self.base.needed_virtual_channels()

    @property
    def escape_class(self) -> int | None:
        """The base's."""
        return self.base.escape_class

    @property
    def injection_classes(self) -> tuple[int, ...]:
        """The base's."""
        return self.base.injection_classes

    @property
    def chain_limit(self) -> int:
        """The base's."""
        return self.base.chain_limit

    @property
    def relays(self) -> tuple[tuple[int, int], ...]:
        """The base's."""
        return self.base.relays

    @property
    def broadcasts(self) -> dict[str, Broadcast]:
        """The base's: each router ejects a copy to all its nodes but the source."""
        return {name: self._over_broadcast(one) for name, one in self.base.broadcasts.items()}

    def _over_broadcast(self, broadcast: Broadcast) -> Broadcast:
        sources = broadcast.sources
        if sources is not None:
            sources = tuple(node for one in sources for node in self._standing_for(one))
        return replace(broadcast, rule=self._over_copies(broadcast.rule), sources=sources)

    @property
    def most_hops(self) -> int:
        """The base's."""
        return self.base.most_hops

    @property
    def parameters(self) -> np.ndarray:
        """The base's."""
        return self.base.parameters

    @property
    def router_groups(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The base's."""
        return self.base.router_groups

    @property
    def module_groups(self) -> np.ndarray:
        """The base's."""
        return self.base.module_groups

    @property
    def distinct_groups(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The base's."""
        return self.base.distinct_groups

    def place(self, router: int) -> str:
        """The base's name of the place."""
        return self.base.place(router)

    def class_turns(self, router: int) -> set[Turn]:
        """The base's, from and to each of the ports that stand for one."""
        return self._over_turns(self.base.class_turns(router))

    def broadcast_class_turns(self, router: int) -> set[Turn]:
        """The base's, and from each node to the router's others."""
        copies = self._over_turns(self.base.broadcast_class_turns(router))
        return copies | self._between_nodes(router, (0,)) if copies else copies

    def _over_turns(self, turns: set[Turn]) -> set[Turn]:
        return {
            Turn(come, turn.input_vc, go, turn.output_vc)
            for turn in turns
            for come in self._ports(turn.input_port)
            for go in self._ports(turn.output_port)
        }

    def _between_nodes(self, router: int, classes: tuple[int, ...]) -> set[Turn]:
        """Turns from each of a router's nodes to each other one, in its class."""
        nodes = self.topology.local_nodes[router]
        pairs = permutations(np.flatnonzero(nodes >= 0).tolist(), 2)
        return {Turn(a, c, b, c) for a, b in pairs for c in classes}

    def rank(self) -> np.ndarray | None:
        """The base's."""
        rank = self.base.rank()
        if rank is None or rank.shape[1] == 1:
            return rank
        return rank[:, [self.base_port(port) for port in range(len(self.topology.ports))]]


class Served(OverBase):
    """Routing of a network with several nodes per router, by that of the network with one."""

    topology: SeveralNodes  # pyright: ignore[reportIncompatibleVariableOverride]

    def _make_base(
        self,
        topology: AddedLocalPorts,
        virtual_channels: int | None,
        options: RoutingOptions | None,
    ) -> Routing:
        # A multicast may go to all nodes of every router, and needs the rounds for so many.
        reach = {"reach": topology.nodes} if self.base_class.multicasts else {}
        return self.base_class(
            topology.whole, virtual_channels=virtual_channels, options=options, **reach
        )

    @property
    def rule(self) -> Rule:
        """The base's, and at a node's router the node's port; see `served_rule`."""
        return served_rule(self.base.rule, self.topology.count)

    def _over_copies(self, rule: BroadcastRule) -> BroadcastRule:
        return served_copies(rule, self.topology.count)

    def base_port(self, port: int) -> int:
        """Local port of the base, for any node's; else the same link's."""
        return max(0, port - self.topology.added_ports)

    def _ports(self, port: int) -> range:
        first = port + self.topology.added_ports
        return range(self.topology.count) if port == 0 else range(first, first + 1)

    def _standing_for(self, node: int) -> range:
        return range(node * self.topology.count, (node + 1) * self.topology.count)

    def class_turns(self, router: int) -> set[Turn]:
        """The base's; and those of a multicast that a node sends on to the router's others."""
        turns = super().class_turns(router)
        return turns | self._between_nodes(router, self.injection_classes) if self.relays else turns


def made_over(kind: type[OverBase], base: type[Routing], maker: Callable[..., Any]) -> Any:
    """Class of routings of a kind, made from one of networks with fewer local ports."""
    named = {
        "name": base.name,
        "options_class": base.options_class,
        "base_class": base,
        "maker": staticmethod(maker),
        "walk_limit": base.walk_limit,
        "multicasts": base.multicasts,
        "__doc__": base.__doc__,
        "__module__": kind.__module__,
    }
    return _Made(f"{kind.__name__}{base.__name__}", (kind,), named)


@cache
def served(base: type[Routing]) -> type[Served]:
    """Routing of networks with several nodes per router, made from one of a node each."""
    return made_over(Served, base, served)


def can_serve(base: type[Routing]) -> bool:
    """Whether `served` can make one from it: packets that follow a rule."""
    return base.router_class == Routing.router_class and base.unbuildable is None


def ruled(routing: type[Routing], topology: Topology) -> Topology:
    """Network that the keys of a routing are about: the one whose routing is no `OverBase`."""
    while issubclass(routing, OverBase) and isinstance(topology, AddedLocalPorts):
        routing, topology = routing.base_class, topology.whole
    return topology
