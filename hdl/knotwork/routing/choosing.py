"""Routings whose packets choose, over another one by which they do not."""

from typing import ClassVar

from ..errors import ConfigurationError
from ..topology import Topology
from .base import BasedRouting
from .options import RoutingOptions
from .registry import one_path_routing


class ChoosingRouting(BasedRouting):
    """Routing whose packets choose between paths; a subclass says between which.

    Members
    -------
    base : Routing
        Routing by which packets of two nodes take one path: the network's default one, or `updown`.
    """

    is_adaptable: ClassVar[bool] = False
    router_limit: ClassVar[int]
    """Routers of the largest network that can have it."""

    def __init__(
        self,
        topology: Topology,
        *,
        virtual_channels: int | None = None,
        options: RoutingOptions | None = None,
    ) -> None:
        if topology.routers > self.router_limit:
            raise ConfigurationError(
                f"{topology.name}: routing={self.name} must have a network of at most "
                f"{self.router_limit} routers, not {topology.routers}"
            )
        self.base = one_path_routing(topology)
        super().__init__(topology, virtual_channels=virtual_channels, options=options)
        if self.classes < self.needed_virtual_channels():
            raise ConfigurationError(
                f"{topology.name}: virtual_channels must be at least "
                f"{self.needed_virtual_channels()} with routing={self.name}, not {virtual_channels}"
            )
        self.is_trusted = self.is_trusted and self.base.is_trusted
