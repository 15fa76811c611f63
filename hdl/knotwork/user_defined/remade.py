"""Networks made again: with other keys, or in another process."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Self

from ..routing import Routing
from ..shipped import is_shipped
from ..topology import Topology

_OF_NODES = (
    "class_limits",
    "class_bursts",
    "arbitration",
    "class_weights",
    "virtual_channels",
    "multicast",
    "max_packet",
)
"""Keys that depend on the nodes of a network, and on their classes of traffic."""


class Remade:
    """Part of a network that knows what it was made of.

    Members
    -------
    topology : Topology
        Graph and addresses.
    routing : Routing
        With its options resolved.
    router : str or None
        Value of the key ``router``.
    """

    topology: Topology
    routing: Routing
    router: str | None
    _base_class: type[Routing]
    """Routing before a router class adapted it."""
    _keys: Mapping[str, object]
    """Keys of routing and hardware as the user gave them."""
    _name: str | None
    """Name that the user chose."""

    def changed(self, **keys: object) -> Self:
        """Same network with other values of keys of its routing and router class."""
        return _made(type(self), self.topology, self._words | keys)

    def on(
        self, topology: Topology, routing: type[Routing], *, virtual_channels: int | None
    ) -> Self:
        """Network of another topology and routing, with the same keys but for those of nodes."""
        keys = {key: value for key, value in self._keys.items() if key not in _OF_NODES}
        if virtual_channels is not None:
            keys["virtual_channels"] = virtual_channels
        return _made(type(self), topology, {**keys, "routing": routing})

    @property
    def _words(self) -> dict[str, Any]:
        named = {"routing": self._base_class, "router": self.router, "name": self._name}
        return {**self._keys, **named}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        """Classes of a network and what it was asked for: so it is sent to other processes."""
        return _made, (type(self), dataclasses.replace(self.topology), self._words)

    @property
    def user_defined_classes(self) -> tuple[type, ...]:
        """Classes of the user's own among those of topology and routing, and their bases."""
        made_of = (*type(self.topology).__mro__, *self._base_class.__mro__)
        kinds = (Topology, Routing)
        return tuple(kind for kind in made_of if issubclass(kind, kinds) and not is_shipped(kind))


def _made(kind: Any, topology: Topology, words: dict[str, Any]) -> Any:
    return kind(topology, **words)
