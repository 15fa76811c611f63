"""A network: a topology, a routing and hardware parameters, checked and resolved.

Every verb starts from a `Network`. It answers what its routing and its hardware parameters imply:
latencies and buffers of links, cycles through a router, names, distinct routers, loads of channels.
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from .collective_groups import NodeGroup, collective_groups
from .errors import ConfigurationError
from .files import sha256
from .network_words import network_word, network_words, read_node
from .notebook_display import NotebookDisplay
from .operations import UserOperation
from .parameters import (
    IDENTIFIER,
    ROUTER_PARAMETERS,
    Limit,
    RouterParameters,
    format_value,
    unknown_key,
)
from .parameters.collectives import CollectiveParameters
from .parameters.kinds import LONGEST, PORT_NAME
from .parameters.options import (
    possible_defaults,
    require_plain,
    require_possible,
    require_single_channel,
)
from .parameters.packet import MOST_CHANNELS
from .router_kind import RouterKind, RouterKinds, add_loaded_turns, router_kinds
from .routing import DeadlockReport, Routing, all_routings_of, check_deadlock, routings_of
from .routing.altered import unaltered_topology
from .routing.buildable import (
    require_buildable,
    require_carried,
    require_deadlock_free,
    require_declared,
)
from .routing.channel_loads import channel_loads
from .routing.network_keys import key_hint, network_keys, option_keys, with_router
from .routing.walks.headers import HeaderBits, HeaderKnowledge
from .shipped import is_shipped
from .topology import TOPOLOGIES, Topology
from .topology.altered import altered
from .user_defined.checks import require_fit, require_routing, require_sound_topology
from .wording import entry_named

__all__ = ["Network", "RouterKind"]

_KEYS_OF_NODES = (
    "class_limits",
    "class_bursts",
    "arbitration",
    "class_weights",
    "virtual_channels",
    "multicast",
    "max_packet",
    *CollectiveParameters.keys(),
)
"""Keys that depend on the nodes of a network, and on their classes of traffic."""


class Network(NotebookDisplay):
    """Network that can be described, checked, simulated or built.

    Parameters
    ----------
    topology : Topology
        Graph and addresses.
    routing : str or type of Routing, optional
        Name of one of the network's routings, the default one if unnamed; or a class of your own.
    router : str, optional
        Router class: ``"deflection"``, or the default class of the routing if unnamed.
    name : str, optional
        Name of its top module, which all its modules' names begin with; `default_name` if unnamed.
    **keys
        Keys of the routing, and of its router class (`parameters.ROUTER_PARAMETERS`).

    Members
    -------
    topology : Topology
        Graph, with the links' latencies.
    routing : Routing
        With its options resolved.
    hardware : RouterParameters
        Resolved.
    router : str or None
        Value of the key ``router``; None for the routing's default class.

    Raises
    ------
    ConfigurationError
        An unknown routing or key, a value out of range, a combination that cannot work.
    """

    topology: Topology
    routing: Routing
    hardware: RouterParameters
    router: str | None
    _base_class: type[Routing]
    """Routing before a router class adapted it."""
    _keys: Mapping[str, object]
    """Keys of routing and hardware as the user gave them."""
    _name: str | None
    """Name that the user chose."""

    def __init__(
        self,
        topology: Topology,
        *,
        routing: str | type[Routing] | None = None,
        router: str | None = None,
        name: str | None = None,
        **keys: object,
    ) -> None:
        require_sound_topology(topology)
        self.topology = topology
        base_class = _routing_class(topology, routing)
        routing_class = with_router(base_class, router, topology)
        self._base_class = base_class
        self.router = None if routing_class is base_class else router
        hardware_class = ROUTER_PARAMETERS[routing_class.router_class]
        self._keys = hardware_class.with_contents(routing_class.options_class.with_contents(keys))
        options = option_keys(topology, base_class.name, self._keys)
        require_possible(options, owner=topology.name)
        require_plain(options, owner=topology.name)
        self.routing, self.hardware = resolve_parameters(topology, routing_class, self._keys)
        require_single_channel(
            options,
            channels=self.virtual_channels,
            routing=self.routing.name,
            owner=topology.name,
        )
        self._name = None if name is None else check_name(topology.name, name)
        if routings_of(type(topology)).get(base_class.name) is not base_class:
            self.routing.is_trusted = False  # a rule for other networks, perhaps
        require_fit(self.routing, topology)
        require_carried(self.routing, self.hardware)
        # Each refuses what does not fit the classes of traffic, or the nodes.
        _ = self.injection_limits, self.class_weights, self.collective_groups
        if self.hardware.has_named_ports:
            port_names(topology)

    @classmethod
    def from_texts(cls, name: str, texts: dict[str, object], *, beside: Iterable[str] = ()) -> Self:
        """Network from its name and ``{key: text}`` of topology, routing and hardware keys.

        The line that refuses an unknown key also names those `beside` them, which a verb takes.
        """
        topology_class = entry_named(TOPOLOGIES, "a network", name)
        texts = dict(texts)
        named = {key: texts.pop(key, None) for key in ("routing", "router", "name")}
        of_topology = {key: texts.pop(key) for key in topology_class.keys() if key in texts}  # noqa: SIM118
        require_possible(option_keys(name, named["routing"], texts | of_topology), owner=name)
        _require_known_keys(name, texts, named["routing"], named["router"], beside)
        topology = altered(topology_class.from_texts(of_topology), texts)
        return cls(topology, **named, **texts)  # pyright: ignore[reportArgumentType]: refused there

    @classmethod
    def from_words(cls, words: Sequence[str], *, beside: Iterable[str] = ()) -> Self:
        """Network from command-line words: a name and ``key=value`` words, or a TOML file.

        The file's key ``network`` is the name; words after it override its values. The name or the
        file may have values behind a colon: ``moebius:n=6,twist=1``. `beside` is as for
        `from_texts`.
        """
        return cls.from_texts(*network_words(words), beside=beside)

    @classmethod
    def from_word(cls, word: str) -> Self:
        """Network from one word, ``moebius:n=6,twist=1`` or ``fattree:r=4,4,u=2,2``."""
        return cls.from_words(network_word(word))

    # The same network with other keys, or in another process.

    def changed(self, **keys: object) -> Self:
        """Same network with other values of keys of its routing and router class."""
        return _make_network(type(self), self.topology, self._words | keys)

    def with_topology(
        self, topology: Topology, routing: type[Routing], *, virtual_channels: int | None
    ) -> Self:
        """Network of another topology and routing, with the same keys but for those of nodes."""
        keys = {key: value for key, value in self._keys.items() if key not in _KEYS_OF_NODES}
        if virtual_channels is not None:
            keys["virtual_channels"] = virtual_channels
        return _make_network(type(self), topology, {**keys, "routing": routing})

    def with_routing(self, routing: str) -> Self:
        """Network of the same topology and another routing.

        Its routers have the keys that the user gave, but for the number of virtual channels; the
        keys of the routing have their defaults.
        """
        kind = _routing_class(self.topology, routing)
        known = ROUTER_PARAMETERS[kind.router_class].keys()
        kept = {key: value for key, value in self._keys.items() if key in known}
        kept.pop("virtual_channels", None)
        return _make_network(type(self), self.topology, {**kept, "routing": kind})

    @property
    def _words(self) -> dict[str, Any]:
        named = {"routing": self._base_class, "router": self.router, "name": self._name}
        return {**self._keys, **named}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        """Class, topology and keys, from which another process rebuilds the network."""
        return _make_network, (type(self), dataclasses.replace(self.topology), self._words)

    @property
    def user_defined_classes(self) -> tuple[type, ...]:
        """Classes of the user's own of topology, routing and operations, and their bases."""
        operations = [one for one in self.hardware.operations or () if isinstance(one, type)]
        classes = (type(self.topology), self._base_class, *operations)
        made_of = [kind for one in classes for kind in one.__mro__]
        kinds = (Topology, Routing, UserOperation)
        return tuple(kind for kind in made_of if issubclass(kind, kinds) and not is_shipped(kind))

    @cached_property
    def router_kinds(self) -> tuple[RouterKind, ...]:
        """Distinct routers of the network, each of which is one module."""
        return self._kinds.kinds

    def __repr__(self) -> str:
        routings, router = all_routings_of(type(self.topology)), self.router
        routing = self.routing.name if self.routing.name in routings else None
        overrides: dict[str, object] = {}
        if routing != next(iter(routings), None):
            overrides["routing"] = routing
        overrides |= {key: self.parameters.get(key, value) for key, value in self._keys.items()}
        overrides |= {"router": router, "name": self._name}
        words = [f"{key}={value!r}" for key, value in overrides.items() if value is not None]
        if routing is None:  # a class of the user's own
            words.insert(0, f"routing={type(self.routing).__name__}")
        return f"Network({', '.join([repr(self.topology), *words])})"

    @property
    def router_number(self) -> np.ndarray:
        """Index into `router_kinds` of each router."""
        return self._kinds.number

    @cached_property
    def _kinds(self) -> RouterKinds:
        kinds = router_kinds(
            self.routing, top=self.name, has_parity=self.has_parity, depths=self.buffers_behind
        )
        return add_loaded_turns(self.routing, kinds) if self.loads_tables else kinds

    @cached_property
    def _header_knowledge(self) -> HeaderKnowledge:
        return HeaderKnowledge(self.routing)

    def known_header(self, kind: RouterKind, port: int, *, leaving: bool = False) -> HeaderBits:
        """Address bits of a flit that every router of a kind knows from its own address.

        The flit comes in by `port`, or leaves by it. No bit is known with parity, which guards all
        of them, nor where a table may be loaded that sends it by any port.
        """
        if self.has_parity or self.loads_tables:
            return HeaderBits()
        routers = np.nonzero(self.router_number == self.router_number[kind.router])[0]
        return self._header_knowledge.at(routers, port, leaving=leaving)

    @cached_property
    def deadlock_report(self) -> DeadlockReport:
        """Outcome of the deadlock check."""
        require_declared(self.routing)
        return check_deadlock(self.routing)

    def channel_loads(self, traffic: object = None) -> np.ndarray:
        """Expected load of every channel, float64 of shape (routers, ports), by its sender.

        Packets take the paths of the routing, never an escape path.

        Parameters
        ----------
        traffic : array, iterable of `DestinationShares`, or None
            Flits per cycle from the node of the row to that of the column; or these by source, as
            `knotwork_sim.sweep.channel_load.destination_shares` has them for a pattern. None: a
            flit per cycle from every node, to all others that it may send to alike.

        Raises
        ------
        ConfigurationError
            A network in which packets of a pair of nodes take several paths, or a circuit; rates
            that do not fit its nodes, or are below 0.
        """
        return channel_loads(self.routing, traffic)

    def require_deadlock_free(self) -> None:
        """Refuse a network that failed its deadlock check, unless ``allow_deadlock=yes``.

        Raises
        ------
        ConfigurationError, DeadlockError
            See `routing.buildable`.
        """
        require_buildable(self.routing)
        if not self.allows_deadlock:
            require_deadlock_free(self.routing, self.deadlock_report, owner=self.name)

    def node(self, text: str) -> int:
        """Node that a command-line word names: an index, or ``@label``; see `read_node`."""
        return read_node(text, self.topology, owner=self.name)

    # Names: of the top module, of modules below it, of ports.

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

    # Links: how long they take, and what the buffers behind them hold.

    def latency(self, router: int, port: int) -> int:
        """Cycles that a flit is on the link that leaves a router by a port."""
        latency = self.topology.link_latency
        return 1 if latency is None else int(latency[router, port])

    @cached_property
    def long_links(self) -> list[tuple[int, int]]:
        """Channels that take more than a cycle: routers, and the ports that they leave by."""
        latency = self.topology.link_latency
        return [] if latency is None else [(a, b) for a, b in np.argwhere(latency > 1).tolist()]

    @cached_property
    def buffers_behind(self) -> np.ndarray | None:
        """Flits that the buffer behind each link holds per virtual channel, as `link_latency`.

        They suffice for a single channel to fill the link. None where all hold as many as those
        of nodes.
        """
        latency = self.topology.link_latency
        return None if latency is None else self.buffer_depth_over(latency)

    def buffer_depth_over(self, latency: Any) -> Any:
        """Flits per virtual channel of the buffer behind a link of this latency, or of each."""
        return np.maximum(self.hardware.input_buffer, self.hardware.credit_round(latency))

    @property
    def deepest_buffer(self) -> int:
        """Flits per virtual channel that a buffer of the network holds at most."""
        depths = self.buffers_behind
        return self.hardware.input_buffer if depths is None else int(depths.max())

    def depth_behind(self, router: int, port: int) -> int:
        """Flits per virtual channel that the buffer behind a port holds."""
        depths = self.buffers_behind
        return self.hardware.input_buffer if depths is None else int(depths[router, port])

    def depth_at(self, router: int, port: int) -> int:
        """Flits per virtual channel that a router's buffer at an input port holds."""
        if self.buffers_behind is None:
            return self.hardware.input_buffer
        sender, output = (int(table[router, port]) for table in self.topology.senders)
        return self.hardware.input_buffer if sender < 0 else self.depth_behind(sender, output)

    # Timing of a flit through a router.

    @property
    def cycles_per_hop(self) -> int:
        """Cycles that a head flit takes from link to link when nothing blocks it."""
        return self.routing.hop_cycles or self.hardware.cycles_per_hop

    @property
    def has_credits(self) -> bool:
        """Whether links between packet routers carry credits, and a hop takes several cycles."""
        return self.hardware.has_credits

    @property
    def cycles_to_link(self) -> int:
        """Cycles from a flit's grant until it is on its link, where links carry credits: 1 or 2."""
        return self.cycles_per_hop - 1

    @property
    def has_crossbar_stage(self) -> bool:
        """Whether flits to links, and those only, cross the crossbar in a cycle of its own."""
        return self.has_credits and self.cycles_to_link > 1

    @property
    def cycles_between_buffers(self) -> int:
        """Cycles, at most, in which a flit that left a router's buffer is in no other yet."""
        latency = self.topology.link_latency
        return self.cycles_to_link + (1 if latency is None else int(latency.max())) - 1

    @property
    def cycles_to_node(self) -> int:
        """Cycles from a flit's last link, or from its node, to the node that it goes to."""
        return self.cycles_per_hop - self.has_crossbar_stage

    @property
    def channel_share(self) -> float:
        """Flits per cycle that one virtual channel of a link carries at most.

        A buffer of less than a round of credits sends so many flits per round; several virtual
        channels fill the link together. Behind links of several cycles it holds a round.
        """
        if not self.has_credits or self.topology.link_latency is not None:
            return 1.0
        return min(1.0, self.hardware.input_buffer / self.hardware.credit_round(1))

    @property
    def link_capacity(self) -> float:
        """Flits per cycle that all virtual channels of a link carry together at most."""
        return min(1.0, self.virtual_channels * self.channel_share)

    def cycles_behind_head(self, flits: int) -> int:
        """Cycles by which the last flit of a packet follows its head over an empty link."""
        behind, depth = flits - 1, self.hardware.input_buffer
        if self.channel_share == 1:
            return behind
        return behind // depth * int(self.hardware.credit_round(1)) + behind % depth

    # Answers that follow from the routing and the hardware parameters.

    @property
    def router_class(self) -> str:
        """Router class: the key of every layer's registry, and the name of its packages."""
        return self.routing.router_class

    @property
    def virtual_channels(self) -> int:
        """Virtual channels per link."""
        return self.routing.virtual_channels

    @property
    def traffic_classes(self) -> int:
        """Classes of traffic, each with as many of the virtual channels."""
        return self.topology.traffic_classes

    @cached_property
    def injection_limits(self) -> tuple[Limit | None, ...]:
        """Limits of what a node sends of each class of traffic; None for none."""
        return self.hardware.injection_limits(self.traffic_classes, owner=self.topology.name)

    @cached_property
    def class_weights(self) -> tuple[int, ...]:
        """Weights of each class of traffic at a link; empty for strict priority."""
        return self.hardware.class_weights_of(self.traffic_classes, owner=self.topology.name)

    @cached_property
    def collective_groups(self) -> tuple[NodeGroup, ...]:
        """Groups of nodes that have collectives, each on a tree of its own; see ``groups``."""
        return collective_groups(self.topology, self.hardware)

    @property
    def longest_packet(self) -> int | None:
        """Flits of the longest packet to one node; None for any number."""
        return self.hardware.longest_packet

    @property
    def shortest_packet(self) -> int:
        """Flits of the shortest packet to one node."""
        return self.hardware.shortest_packet

    @property
    def longest_copied_packet(self) -> int:
        """Flits of the longest broadcast or multicast; 0 where there are none."""
        return self.routing.options.longest_copied_packet

    @property
    def has_parity(self) -> bool:
        """Whether flits have parity bits, and broken packets are marked."""
        return self.hardware.has_parity

    @property
    def loads_tables(self) -> bool:
        """Whether routing tables can be loaded in service, and links declared dead."""
        return self.hardware.loads_tables

    @property
    def has_source(self) -> bool:
        """Whether a node gets the source's address with a packet."""
        return self.hardware.has_source

    @property
    def has_multicast(self) -> bool:
        """Whether every node has a multicast unit."""
        return self.routing.options.has_multicast

    @property
    def has_broadcast(self) -> bool:
        """Whether packets can branch in the routers."""
        return self.routing.broadcast is not None

    @property
    def sequence_width(self) -> int:
        """Bits of a packet's number in its flow; 0 where packets have none."""
        return self.hardware.sequence_bits

    @property
    def flag_width(self) -> int:
        """Bits of the flags that report the outcome of a packet to its node."""
        return self.routing.flag_width + self.has_parity + self.loads_tables

    @property
    def lost_flag(self) -> int:
        """Mark in `tuser` on the last beat of a packet that a dead link cut; 0 where none can."""
        return self.loads_tables << (self.routing.flag_width + self.has_parity)

    @property
    def allows_deadlock(self) -> bool:
        """Whether it may be built though it failed its deadlock check."""
        return self.hardware.allows_deadlock


def _make_network(kind: Any, topology: Topology, words: dict[str, Any]) -> Any:
    return kind(topology, **words)


def _routing_class(topology: Topology, routing: str | type[Routing] | None) -> type[Routing]:
    """Class of a routing that the user names or hands over; the network's default for None."""
    if isinstance(routing, type):
        return require_routing(routing, topology.name)
    known = all_routings_of(type(topology))
    if not known:
        raise ConfigurationError(
            f"{topology.name}: routing must be a class of your own, not {routing!r}, where routers "
            f"have no nodes"
        )
    if routing is None:
        return require_routing(next(iter(known.values())), topology.name)
    return entry_named(known, f"{topology.name}: routing", routing)


def _require_known_keys(
    name: str, texts: dict[str, object], routing: object, router: object, beside: Iterable[str]
) -> None:
    """Refuse a key that neither the topology, the routing nor its router class has."""
    if routing is not None and routing not in list(all_routings_of(name)):
        return  # the routing itself will be refused
    known = network_keys(name, routing, router)
    for key in texts:
        if key not in known:
            where = key_hint(name, key, routing)
            raise ConfigurationError(unknown_key(name, key, [*known, *beside], hint=where))


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
    digest = sha256(name.encode())[:8]
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
