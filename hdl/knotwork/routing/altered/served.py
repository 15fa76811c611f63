"""Routings where routers serve several nodes: by the rule that leads to one node per router."""

import copyreg
from abc import ABCMeta
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ClassVar

import numpy as np

from ...topology import LOCAL, Topology
from ...topology.altered import SeveralNodes
from ..base import Routing
from ..compiled.compilable import compilable
from ..options import RoutingOptions
from ..rules import Rule, Turn


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


class _Made(ABCMeta):
    """Class of the classes that `served` makes: another process makes them again."""


def _remade(kind: Any) -> tuple[Callable[..., Any], tuple[object, ...]]:
    return kind.maker, (kind.base_class,)


copyreg.pickle(_Made, _remade)  # pyright: ignore[reportArgumentType]: pickle takes metaclasses too


class Served(Routing, metaclass=_Made):
    """Routing of a network with several nodes per router, by that of the network with one.

    Members
    -------
    base : Routing
        Routing of the network with one node per router.
    """

    topology: SeveralNodes
    base_class: ClassVar[type[Routing]]
    """Class of `base`."""
    maker: ClassVar[Callable[..., Any]]
    """Function that made this class from that one."""
    is_adaptable: ClassVar[bool] = False
    is_port_known: ClassVar[bool] = False
    """Whether a packet's virtual channel tells to which of a router's nodes it goes."""

    def __init__(
        self,
        topology: SeveralNodes,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        whole = topology.whole
        self.base = self.base_class(whole, virtual_channels=virtual_channels, options=options)
        super().__init__(topology, virtual_channels=virtual_channels, options=options)
        self.is_trusted = self.base.is_trusted

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
    def most_hops(self) -> int:
        """The base's."""
        return self.base.most_hops

    @property
    def rule(self) -> Rule:
        """The base's, and at a node's router the node's port; see `served_rule`."""
        return served_rule(self.base.rule, self.topology.count)

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

    def base_port(self, port: int) -> int:
        """Port of the base that a port stands for."""
        return max(LOCAL, port - self.topology.count + 1)

    def class_turns(self, router: int) -> set[Turn]:
        """The base's, from and to each of a router's nodes."""
        turns = self.base.class_turns(router)
        return {
            Turn(come, turn.input_vc, go, turn.output_vc)
            for turn in turns
            for come in self._ports(turn.input_port)
            for go in self._ports(turn.output_port)
        }

    def _ports(self, port: int) -> Iterator[int]:
        """Ports that stand for one of the base."""
        count = self.topology.count
        return iter(range(count) if port == LOCAL else (port + count - 1,))

    def rank(self) -> np.ndarray | None:
        """The base's."""
        rank = self.base.rank()
        if rank is None or rank.shape[1] == 1:
            return rank
        times = np.ones(rank.shape[1], int)
        times[LOCAL] = self.topology.count
        return np.repeat(rank, times, axis=1)


def made_over(kind: type[Served], base: type[Routing], maker: Callable[..., Any]) -> Any:
    """Class of routings of a kind, made from one of networks with a node per router."""
    named = {
        "name": base.name,
        "options_class": base.options_class,
        "base_class": base,
        "maker": staticmethod(maker),
        "walk_limit": base.walk_limit,
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
    """Network that the keys of a routing are about: the whole one, where `served` made it."""
    if issubclass(routing, Served) and isinstance(topology, SeveralNodes):
        return topology.whole
    return topology
