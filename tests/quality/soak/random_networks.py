"""Random networks and traffic, drawn from the ranges in the registries.

The value of every key of a network, its routing, its routers and the traffic comes from the key's
`Kind`. A combination that the network refuses is drawn again, so this file repeats no rule.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import (
    ROUTER_PARAMETERS,
    Choice,
    FromFile,
    Integer,
    Integers,
    Kind,
    Parameters,
    YesNo,
    format_value,
)
from knotwork.parameters.collectives import CollectiveParameters
from knotwork.routing import Routing, all_routings_of, routings_of
from knotwork.routing.choosing import ChoosingRouting
from knotwork.routing.network_keys import router_names, with_router
from knotwork.routing.scheduling.messages import NAMES
from knotwork.topology import TOPOLOGIES, Topology
from knotwork_sim.traffic.keys import STANDALONE, Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import Packets

ATTEMPTS = 20_000
"""Draws after which a family has no legal network: a defect of the draws, not bad luck."""

RELAXED = 500
"""Draws after which other sizes are accepted, too."""

YES_OR_NO = ("yes", "no")

_SHARES = ("broadcast_share", "multicast_share")


class Family(NamedTuple):
    """Networks that a soak treats alike: one topology, routing and router class."""

    # Names, as users write them.
    topology: str
    routing: str
    router: str

    def __str__(self) -> str:
        return "/".join(self)


def needs_file(topology: type[Topology]) -> bool:
    """Whether users give the network as a file, which no range of values can make."""
    kinds = [field.metadata["kind"] for field in topology.keys().values()]
    return any(isinstance(kind, FromFile) for kind in kinds)


def soaked_routings(topology: str) -> dict[str, type[Routing]]:
    """A network's own routings, and those of any network whose packets choose."""
    own, found = routings_of(topology), all_routings_of(topology)
    return own | {name: one for name, one in found.items() if issubclass(one, ChoosingRouting)}


def families() -> list[Family]:
    """Every routing of the registry that can be built, with each of its router classes.

    Graphs of users' files are not among them: `tests/topology/test_graph.py` draws their links.
    """
    return [
        Family(topology, name, router)
        for topology in TOPOLOGIES
        if not needs_file(TOPOLOGIES[topology])
        for name, routing in soaked_routings(topology).items()
        if routing.unbuildable is None
        for router in router_names(routing)
    ]


def drawn(kind: Kind, rng: np.random.Generator, spread: int) -> Any:
    """Draw a value of a kind, a word as its text: integers stay small."""
    match kind:
        case Integer(low, high):
            most = min(high, low + (1 << int(rng.integers(0, spread + 1))))
            return int(rng.integers(low, most + 1))
        case Integers(low, high):
            one = Integer(low, high)
            return tuple(drawn(one, rng, spread) for _ in range(rng.integers(1, 5)))
        case Choice(words):
            return str(rng.choice(words))
        case YesNo():
            return str(rng.choice(YES_OR_NO))
    raise TypeError(f"a key must have a range to draw from, not {kind!r}")


UNDRAWN = ("class_limits", "class_bursts", "class_weights", "arbitration")
UNDRAWN += tuple(CollectiveParameters.keys())
"""Keys that go with several classes of traffic alone, and those of collectives.

No network that is drawn here has classes; trees of collectives share nothing with packets.
"""


def drawn_texts(
    keys: type[Parameters], rng: np.random.Generator, spread: int, named: float
) -> dict[str, object]:
    """Draw a set of parameters as texts; optional keys appear with probability `named`."""
    return {
        key: format_value(drawn(field.metadata["kind"], rng, spread))
        for key, field in keys.keys().items()
        if field.default is dataclasses.MISSING or (key not in UNDRAWN and rng.random() < named)
    }


def most_ports(topology: Topology) -> int:
    """Ports of the largest router, including the one to its node."""
    return max(len(topology.connected_ports(router)) for router in range(topology.routers))


def draw_network(
    family: Family,
    rng: np.random.Generator,
    *,
    most: int,
    spread: int = 5,
    ports: int | None = None,
) -> tuple[str, Network]:
    """Draw a network of a family that passes its deadlock check; its word, and the network.

    It has `most` nodes at most, more if the family has no network that small, and routers of
    `ports` at most, their nodes' among them. The logarithms of the sizes are uniform, as far as the
    family has such sizes. Hardware parameters are at most 2^spread above their least: deep buffers
    and many channels take long to compile.
    """
    topology_class = TOPOLOGIES[family.topology]
    routing = soaked_routings(family.topology)[family.routing]
    least = most ** rng.random() / 2
    for attempt in range(ATTEMPTS):
        texts = drawn_texts(topology_class, rng, 3, 0.7)
        try:
            topology = topology_class.from_texts(texts)
            if attempt % RELAXED == RELAXED - 1:  # the family may have no such sizes
                least, most = 2, most + most // 8
            if not (least <= topology.nodes <= most and topology.routers <= 2 * most):
                continue
            if ports is not None and most_ports(topology) > ports:
                continue
            kind = with_router(routing, family.router, topology)
            texts |= {"routing": family.routing, "router": family.router}
            texts |= drawn_texts(kind.options_class, rng, spread, 0.5)
            texts |= drawn_texts(ROUTER_PARAMETERS[kind.router_class], rng, spread, 0.5)
            if family.router == router_names(routing)[0]:
                del texts["router"]
            network = Network.from_texts(family.topology, texts)
            if network.deadlock_report.deadlock_free:  # even if allow_deadlock=yes
                word = ",".join(f"{key}={text}" for key, text in texts.items())
                return f"{family.topology}:{word}", network
        except ConfigurationError:
            continue
    raise LookupError(f"{family}: no network of at most {most} nodes was drawn")


def draw_traffic(
    network: Network, rng: np.random.Generator, *, flits: int
) -> tuple[Traffic, Packets]:
    """Draw traffic that a network takes, with about `flits` flits to deliver at most."""
    for keys in _traffic_keys(network, rng, flits):
        try:
            traffic = Traffic(**keys)
            packets = make_packets(network, traffic)
        except ConfigurationError:
            continue
        if packets.due.sum() <= 2 * flits:
            return traffic, packets
    raise LookupError(f"{network.name}: no traffic was drawn")


def _traffic_keys(
    network: Network, rng: np.random.Generator, flits: int
) -> Iterator[dict[str, Any]]:
    nodes = network.topology.nodes
    for _ in range(ATTEMPTS):
        keys: dict[str, Any] = {"seed": int(rng.integers(0, 2**31))}
        keys["traffic"] = str(rng.choice([*STANDALONE, "permutation"]))
        if keys["traffic"] == "permutation":
            keys["permutation"] = str(rng.choice(NAMES))
        if rng.random() < 0.7:
            first = 1 + int(rng.integers(0, 1 << rng.integers(0, 7)))
            keys["length"] = (first, first + int(rng.integers(0, 9)) * int(rng.random() < 0.6))
        if rng.random() < 0.8:
            keys["rate"] = round(float(rng.uniform(0.05, 1.0)), 3)
        for key in ("bubble", "stall"):
            if rng.random() < 0.5:
                keys[key] = round(float(rng.uniform(0.0, 0.6)), 3)
        for key in _SHARES:
            if rng.random() < 0.5:
                keys[key] = round(float(rng.uniform(0.01, 0.3)), 3)
        copies = 1 + sum(keys.get(key, 0.0) for key in _SHARES) * nodes
        each = sum(keys.get("length", (1, 1))) / 2 * copies
        batches = max(1, int(flits / (nodes * each)))
        keys["packets"] = nodes * (batches if rng.random() < 0.8 else 1)
        yield keys
