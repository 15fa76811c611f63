"""What a network is called: its top module, and so its files and its folder.

The name follows from the parameters, so this is also where these are resolved.
"""

import dataclasses
import re
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any

from .errors import ConfigurationError
from .network_capabilities import Capabilities
from .parameters import IDENTIFIER, ROUTER_PARAMETERS, RouterParameters, format_value
from .parameters.identifier import LONGEST, PORT_NAME
from .parameters.options import possible_defaults
from .parameters.packet import MOST_CHANNELS
from .routing import Routing, routings_of
from .routing.altered import unaltered_topology
from .routing.network_keys import option_keys
from .topology import Topology


def check_name(owner: str, name: object) -> str:
    """Name that a user chose.

    Raises
    ------
    ConfigurationError
        It is not `IDENTIFIER`.
    """
    if not isinstance(name, str) or not IDENTIFIER.accepts(name):
        raise ConfigurationError(f"{owner}: name must be {IDENTIFIER.rule}, not {name!r}")
    return name


def join_name(
    topology: str, chosen: list[str], overrides: Mapping[str, object], *, longest: int = LONGEST
) -> str:
    """Name of a network whose user chose none: ``hypercube_n3_lc1_data_width64``.

    Parameters
    ----------
    topology : str
        Its topology's name, with its parameters.
    chosen : list of str
        Routing and router class, where they are not the default.
    overrides : mapping
        Other parameters that are not their default, by key.
    longest : int
        Characters that it may have.

    Returns
    -------
    str
        What these make, as `fit_name` shortens it.
    """
    values = [f"{key}{format_value(value)}" for key, value in overrides.items()]
    return fit_name("_".join([topology, *chosen, *values]).replace(",", "_"), longest)


def fit_name(name: str, longest: int = LONGEST) -> str:
    """Name of a module.

    Where it is too long, or holds what no identifier may hold, a digest of it takes the place of
    its end: different networks keep different names.
    """
    if IDENTIFIER.accepts(name) and len(name) <= longest:
        return name
    digest = sha256(name.encode()).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9_]|^(?=\d)", "_", name)
    return f"{plain[: longest - 1 - len(digest)]}_{digest}"


def port_names(topology: Topology) -> tuple[str, ...]:
    """Labels of the nodes, as parts of the names of their ports.

    Raises
    ------
    ConfigurationError
        A label that is no `PORT_NAME`, or two that differ in nothing but case, which VHDL and the
        headers for C do not see.
    """
    found: dict[str, int] = {}
    names = []
    for node in range(topology.nodes):
        label = topology.label(node)
        name = label.replace(".", "_")
        if not PORT_NAME.accepts(name):
            raise ConfigurationError(
                f"{topology.name}: with ports=names a node's label must be {PORT_NAME.rule}, not "
                f"{label!r} of node {node}"
            )
        other = found.setdefault(name.upper(), node)
        if other != node:
            raise ConfigurationError(
                f"{topology.name}: with ports=names a node's label must differ from any other by "
                f"more than case and dots, not {label!r} of node {node} beside "
                f"{topology.label(other)!r} of node {other}"
            )
        names.append(name)
    return tuple(names)


def _rank(field: Any, *, of_routing: bool) -> int:
    """Order in which a name decides on keys.

    0: of the hardware, with one default; 1: of the routing; 2: of the hardware, and following from
    the others, as `virtual_channels` does from `max_packet`.
    """
    if of_routing:
        return 1
    return 2 if field.default is None else 0


def resolve_parameters(
    topology: Topology, routing_class: type[Routing], keys: Mapping[str, object]
) -> tuple[Routing, RouterParameters]:
    """Routing and hardware parameters that these keys make."""
    options_class = routing_class.options_class
    hardware_class = ROUTER_PARAMETERS[routing_class.router_class]
    of_routing, of_hardware = options_class.keys(), hardware_class.keys()
    defaults: dict[str, Any] = {
        key: field.default for key, field in {**of_hardware, **of_routing}.items()
    }
    known = {**possible_defaults(option_keys(topology, routing_class.name, keys), defaults), **keys}
    options = options_class.from_texts({k: v for k, v in known.items() if k in of_routing})
    rest = {key: value for key, value in known.items() if key not in of_routing}
    if "buffer_depth" in of_hardware and options.least_buffer > defaults["buffer_depth"]:
        rest = {"buffer_depth": options.least_buffer, **rest}
    requested = hardware_class.from_texts(rest)
    unaltered = unaltered_topology(routing_class, topology)
    channels = (requested.requested_virtual_channels or MOST_CHANNELS) // topology.traffic_classes
    reach = topology.nodes // topology.traffic_classes
    options = options.fit_defaults(
        unaltered, requested, named=keys, channels=max(1, channels), reach=reach
    )
    routing = routing_class(
        topology,
        virtual_channels=requested.requested_virtual_channels,
        options=options.resolve(unaltered, requested),
    )
    return routing, requested.resolve(routing.virtual_channels)


class NamedNetwork(Capabilities):
    """Name and parameters of a network.

    Members
    -------
    router : str or None
        Value of the key ``router``; None for the routing's own class.
    """

    router: str | None
    _keys: Mapping[str, object]
    """Keys of routing and hardware as the user gave them."""
    _name: str | None
    """Name that the user chose."""

    @cached_property
    def name(self) -> str:
        """Name of its top module, its files and its folder."""
        return self._name or self.default_name

    @cached_property
    def default_name(self) -> str:
        """Name where the user chose none; it states every parameter that is not its default."""
        default = next(iter(routings_of(type(self.topology))), None)
        chosen = [] if self.routing.name == default else [self.routing.name]
        chosen += [] if self.router is None else [self.router]
        return join_name(self.topology.instance_name, chosen, self._overrides)

    @property
    def _overrides(self) -> dict[str, object]:
        """Keys of routing and hardware without which it would be another network.

        A value may follow from others: keys with one default come first, then those of the routing,
        so that a network has one name, whichever of its keys were named.
        """
        parts = (self.hardware, self.routing.options)
        fields = {key: field for part in parts for key, field in part.keys().items()}
        needed = {
            key: self._keys[key]
            for key, field in fields.items()
            if field.default is dataclasses.MISSING and key in self._keys
        }
        of_options = self.routing.options.keys()
        values = {key: value for part in parts for key, value in part.as_dict().items()}
        overrides: dict[str, object] = {}
        unnamed = self._with_only(needed)
        for key in sorted(fields, key=lambda key: _rank(fields[key], of_routing=key in of_options)):
            if key in values and (key in needed or values[key] != unnamed.get(key)):
                part = next(part for part in parts if key in part.keys())  # noqa: SIM118
                given = getattr(part, key)
                overrides[key] = (
                    None if given is None else fields[key].metadata["kind"].name_part(given)
                )
                if key not in needed:
                    needed[key] = given
                    unnamed = self._with_only(needed) or unnamed
        return {
            key: overrides[key] for key in [*of_options, *self.hardware.keys()] if key in overrides
        }

    def _with_only(self, keys: Mapping[str, object]) -> dict[str, object]:
        """Values of all keys if only these are named; empty where they need others."""
        try:
            routing, hardware = resolve_parameters(self.topology, type(self.routing), keys)
        except ConfigurationError:
            return {}
        return {**routing.options.as_dict(), **hardware.as_dict()}

    @property
    def parameters(self) -> dict[str, object]:
        """All parameters, resolved, as answers show them: topology, routing, its own, hardware.

        The key ``name`` is the last, where it is not the default.
        """
        named = {"routing": self.routing.name, "router": self.router}
        chosen = {**named, **self.routing.options.as_dict()}
        known = {key: value for key, value in chosen.items() if value is not None}
        name = {} if self.name == self.default_name else {"name": self.name}
        return {**self.topology.as_dict(), **known, **self.hardware.as_dict(), **name}

    @cached_property
    def port_names(self) -> tuple[str, ...]:
        """What names each node in its ports; see the key ``ports``."""
        if self.hardware.has_named_ports:
            return port_names(self.topology)
        return tuple(map(str, range(self.topology.nodes)))

    def module_name(self, role: str) -> str:
        """Name of one of its modules below the top: ``<name>_interface``."""
        return f"{self.name}_{role}"
