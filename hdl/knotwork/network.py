"""A topology, a routing and hardware parameters, checked and resolved: every verb's start."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Self

import numpy as np

from .errors import ConfigurationError
from .network_name import NamedNetwork, check_name, port_names, resolve_parameters
from .network_words import network_word, network_words, read_node
from .parameters import unknown_key
from .parameters.options import require_plain, require_possible, require_single_channel
from .router_kind import RouterKind, RouterKinds, add_loaded_turns, router_kinds
from .routing import DeadlockReport, Routing, all_routings_of, check_deadlock, routings_of
from .routing.buildable import (
    require_buildable,
    require_carried,
    require_deadlock_free,
    require_declared,
)
from .routing.channel_loads import channel_loads
from .routing.network_keys import key_hint, network_keys, option_keys
from .routing.router_classes import with_router
from .routing.walks.headers import HeaderBits, HeaderKnowledge
from .topology import TOPOLOGIES, Topology
from .topology.altered import altered
from .user_defined.remade import Remade
from .user_defined.routings import require_fit, require_routing
from .user_defined.topologies import require_sound_topology
from .wording import entry_named

__all__ = ["Network", "RouterKind"]


class Network(Remade, NamedNetwork):  # pyright: ignore[reportIncompatibleVariableOverride]: both parts read one `_keys`
    """Network that can be described, checked, simulated or built.

    Parameters
    ----------
    topology : Topology
        Graph and addresses.
    routing : str or type of Routing, optional
        Name of one of the network's routings, the default one if unnamed; or a class of your own.
    router : str, optional
        Router class: ``"deflection"``, or the routing's own if unnamed.
    name : str, optional
        Name of its top module, which all its modules' names begin with; `default_name` if unnamed.
    **keys
        Keys of the routing, and of its router class (`parameters.ROUTER_PARAMETERS`).

    Members
    -------
    topology, routing, hardware
        See `network_capabilities.Capabilities`.
    router : str or None
        Value of the key ``router``; None for the routing's own class.

    Raises
    ------
    ConfigurationError
        An unknown routing or key, a value out of range, a combination that cannot work.
    """

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
        self._keys = routing_class.options_class.with_contents(keys)
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
        _ = self.injection_limits, self.class_weights  # both refuse what does not fit the classes
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

    @cached_property
    def router_kinds(self) -> tuple[RouterKind, ...]:
        """Distinct routers of the network."""
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
        of them, nor where a table may be loaded that sends it any way.
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
    """Refuse a key that is the topology's, the routing's and its router class's none."""
    if routing is not None and routing not in list(all_routings_of(name)):
        return  # the routing itself will be refused
    known = network_keys(name, routing, router)
    for key in texts:
        if key not in known:
            where = key_hint(name, key, routing)
            raise ConfigurationError(unknown_key(name, key, [*known, *beside], hint=where))
