"""A topology, a routing and hardware parameters, checked and resolved: every verb's start."""

import re
import tomllib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from .errors import ConfigurationError, DeadlockError
from .parameters import ROUTER_PARAMETERS, parse_words, unknown_key
from .router_kind import RouterKind
from .routing import DeadlockReport, Routing, check_deadlock, routings_of
from .routing.deflection import router_names, with_router
from .routing.parity import error_turns, require_unchanged_packets
from .routing.walks.headers import HeaderKnowledge, KnownHeader
from .topology import TOPOLOGIES, Topology

__all__ = ["Network", "RouterKind", "read_toml"]


class Network:
    """Network that can be described, checked, simulated or built.

    Parameters
    ----------
    topology : Topology
        Graph and addresses.
    routing : str or type of Routing, optional
        Name of one of the network's routings, the default one if unnamed; or a class of your own.
    router : str, optional
        Class of routers: ``"deflection"``, or the routing's own if unnamed.
    **keys
        The routing's own keys, and hardware keys of its router class (`hardware`).

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
        **keys: Any,
    ) -> None:
        self.topology = topology
        base_class = self._routing_class(topology, routing)
        routing_class = with_router(base_class, router, topology)
        self.router = None if routing_class is base_class else router
        options_class = routing_class.options_class
        options = {key: keys.pop(key) for key in options_class.keys() if key in keys}  # noqa: SIM118
        self.hardware: Any = ROUTER_PARAMETERS[routing_class.router].from_texts(keys)
        self.routing = routing_class(
            topology,
            virtual_channels=getattr(self.hardware, "virtual_channels", None),
            options=options_class.from_texts(options).resolved(topology, self.hardware),
        )
        if self._has_parity:
            require_unchanged_packets(self.routing)

    @staticmethod
    def _routing_class(topology: Topology, routing: str | type[Routing] | None) -> type[Routing]:
        if isinstance(routing, type):
            return routing
        known = routings_of(topology.name)
        if not known:
            raise ConfigurationError(
                f"{topology.name}: routing must be a class of your own, not {routing!r}, for a "
                f"network outside the registry"
            )
        if routing is None:
            return next(iter(known.values()))
        if routing not in list(known):  # a TOML file may hold what no dictionary takes
            raise ConfigurationError(
                f"{topology.name}: routing must be one of {', '.join(known)}, not {routing!r}"
            )
        return known[routing]

    @classmethod
    def from_texts(cls, name: str, texts: dict[str, Any]) -> Self:
        """Network from its name and ``{key: text}`` of topology, routing and hardware keys."""
        if name not in TOPOLOGIES:
            raise ConfigurationError(
                f"a network must be one of {', '.join(TOPOLOGIES)}, not {name!r}"
            )
        topology_class = TOPOLOGIES[name]
        texts = dict(texts)
        routing, router = texts.pop("routing", None), texts.pop("router", None)
        topology_keys = topology_class.keys()
        of_topology = {key: texts.pop(key) for key in topology_keys if key in texts}
        routing_class = None
        if routing is None or routing in list(routings_of(name)):
            routing_class = routings_of(name).get(routing or next(iter(routings_of(name))))
        if routing_class is not None:
            if router in router_names(routing_class)[1:]:
                more = ROUTER_PARAMETERS[router].keys()
            else:
                options = routing_class.options_class.keys()
                more = {**options, **ROUTER_PARAMETERS[routing_class.router].keys()}
            for key in texts:
                if key not in more:
                    named = ["routing"] if router is None else ["routing", "router"]
                    known = [*topology_keys, *named, *more]
                    raise ConfigurationError(unknown_key(name, key, known))
        topology = topology_class.from_texts(of_topology)
        return cls(topology, routing=routing, router=router, **texts)

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """Network from command-line words: a name and ``key=value`` words, or a TOML file.

        The file's key ``network`` is the name; words after it override its values.
        """
        if not words:
            raise ConfigurationError(
                f"a network must be named: one of {', '.join(TOPOLOGIES)}, or a .toml file"
            )
        name, *rest = words
        texts: dict[str, Any] = {}
        if name.endswith(".toml"):
            texts = read_toml(Path(name))
            name = texts.pop("network")
        return cls.from_texts(name, texts | parse_words(rest, owner=name))

    @classmethod
    def from_word(cls, word: str) -> Self:
        """Network from one word, ``moebius:n=6,twist=1`` or ``fattree:r=4,4,u=2,2``."""
        name, _, keys = word.partition(":")
        # A comma with no key behind it is one of a list.
        return cls.from_words([name, *filter(None, re.split(r",(?=[^,=]*=|$)", keys))])

    @property
    def name(self) -> str:
        """Name for files: the topology's, and routing and router if not the default."""
        default = next(iter(routings_of(self.topology.name)), None)
        suffix = "" if self.routing.name == default else f"_{self.routing.name}"
        suffix += "" if self.router is None else f"_{self.router}"
        return self.topology.instance_name + suffix

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters, resolved: topology, routing and its own, hardware."""
        options = self.routing.options.as_dict()
        hardware = self.hardware.as_dict()
        if "virtual_channels" in hardware:
            hardware["virtual_channels"] = self.routing.virtual_channels
        used = {key: value for key, value in options.items() if value is not None}
        routers = {} if self.router is None else {"router": self.router}
        named = {"routing": self.routing.name, **routers}
        return {**self.topology.as_dict(), **named, **used, **hardware}

    @property
    def router_number(self) -> np.ndarray:
        """Index into `router_kinds` of each router."""
        return self._kinds[1]

    @property
    def router_kinds(self) -> tuple[RouterKind, ...]:
        """Distinct routers of the network."""
        return self._kinds[0]

    @cached_property
    def _kinds(self) -> tuple[tuple[RouterKind, ...], np.ndarray]:
        groups = self.routing.module_groups
        first = np.unique(groups, return_index=True)[1].tolist()
        # Groups with the same ports and turns are one module.
        places: dict[tuple, int] = {}
        members: list[int] = []
        numbers = []
        for router in first:
            ports = self.topology.connected_ports(router)
            turns, copies = self.routing.turns(router), self.routing.broadcast_turns(router)
            found = (ports, tuple(turns), tuple(copies))
            if found not in places or self.routing.distinct_groups:
                places[found] = len(members)
                members.append(router)
            numbers.append(places[found])
        kinds = tuple(self._kind(router, members) for router in members)
        return kinds, np.array(numbers)[groups]

    def _kind(self, router: int, others: Sequence[int]) -> RouterKind:
        """Kind that `router` stands for, with a name that parts it from the other kinds."""
        topology = self.topology
        ports = topology.connected_ports(router)
        name = f"{topology.name}_router"
        if len(others) > 1:
            alike = [other for other in others if topology.connected_ports(other) == ports]
            names = [topology.ports[port] for port in ports[1:]]
            by_ports = len(alike) == 1 and not self.routing.distinct_groups
            name = "_".join([name, *(names if by_ports else [self.routing.place(router)])])
        turns, copies = self.routing.turns(router), self.routing.broadcast_turns(router)
        broken = error_turns(turns) if self._has_parity else ()
        return RouterKind(name, ports, router, tuple(turns), tuple(copies), broken)

    @property
    def _has_parity(self) -> bool:
        return getattr(self.hardware, "parity", "no") == "yes"

    @cached_property
    def _header_knowledge(self) -> HeaderKnowledge:
        return HeaderKnowledge(self.routing)

    def known_header(self, kind: RouterKind, port: int, *, leaving: bool = False) -> KnownHeader:
        """Bits of the addresses in a flit that every router of a kind knows from its own.

        None with parity, which guards all of them.

        Parameters
        ----------
        kind : RouterKind
            One of `router_kinds`.
        port : int
            Port by which the flit comes in, or leaves.
        leaving : bool
            Which of them.
        """
        if self._has_parity:
            return KnownHeader()
        routers = np.nonzero(self.router_number == self.router_number[kind.router])[0]
        return self._header_knowledge.at(routers, port, leaving=leaving)

    @cached_property
    def deadlock_report(self) -> DeadlockReport:
        """Outcome of the deadlock check."""
        return check_deadlock(self.routing)

    def require_deadlock_free(self) -> None:
        """Refuse a network that failed its deadlock check, unless ``allow_deadlock=yes``.

        Raises
        ------
        ConfigurationError
            The routing can be built in no network; ``allow_deadlock=yes`` does not help.
        DeadlockError
            With the reason and the cycle.
        """
        if self.routing.unbuildable is not None:
            raise ConfigurationError(
                f"{self.topology.name}: routing={self.routing.name} must not be built: "
                f"{self.routing.unbuildable}"
            )
        if getattr(self.hardware, "allow_deadlock", "no") == "yes":
            return
        report = self.deadlock_report
        if not report.deadlock_free:
            raise DeadlockError(
                f"{self.name}: routing={self.routing.name} must be free of deadlock with "
                f"virtual_channels={report.virtual_channels} (or allow_deadlock=yes): "
                f"{report.reason}" + self._cycle_text(report)
            )

    def _cycle_text(self, report: DeadlockReport) -> str:
        if report.cycle is None:
            return ""
        label = self.topology.label
        links = [
            f"{label(a)}->{label(b)} vc{vc}" if a != b else f"store {vc} of {label(a)}"
            for a, b, vc in report.cycle
        ]
        return ": " + ", ".join(links)

    def node(self, text: str) -> int:
        """Node that a command-line word names: an index, or ``@label``.

        Raises
        ------
        ConfigurationError
            No node has that index or label.
        """
        nodes = self.topology.nodes
        if text.startswith("@"):
            for node in range(nodes):
                if self.topology.label(node) == text[1:]:
                    return node
            last = self.topology.label(nodes - 1)
            raise ConfigurationError(
                f"{self.name}: a label must be one of @{self.topology.label(0)}..@{last}, "
                f"not {text!r}"
            )
        if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) < nodes):
            raise ConfigurationError(
                f"{self.name}: a node must be an index in 0..{nodes - 1} or @label, not {text!r}"
            )
        return int(text)


def read_toml(path: Path) -> dict[str, Any]:
    """Parameters in a TOML file, which must name its ``network``.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, is not TOML, or lacks the name.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # ValueError: a number too long, too
        raise ConfigurationError(f"{path}: must be a readable TOML file: {error}") from None
    if not isinstance(values.get("network"), str):
        raise ConfigurationError(
            f"{path}: the key network must name one of {', '.join(TOPOLOGIES)}"
        )
    return values
