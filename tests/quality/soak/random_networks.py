"""Networks and traffic drawn from the registry's own ranges: what a soak runs.

Every key of a network, its routing, its routers and the traffic comes from its `Kind`. What the
network refuses is drawn anew, so no rule stands here a second time.
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
    Integer,
    Integers,
    Kind,
    Parameters,
    spelled,
)
from knotwork.routing import routings_of
from knotwork.routing.deflection import router_names, with_router
from knotwork.routing.scheduling.permutations import NAMES
from knotwork.topology import TOPOLOGIES, Topology
from knotwork_sim.traffic.keys import PATTERNS, Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import Packets

ATTEMPTS = 20_000
"""Draws after which a family has nothing legal: a fault of the draws, not of luck."""

RELAXED = 500
"""Draws after which other sizes will do, too."""

_SHARES = ("broadcast_share", "multicast_share")


class Family(NamedTuple):
    """Networks that are soaked alike: one topology, routing and class of routers.

    Members
    -------
    topology, routing, router : str
        As users name them.
    """

    topology: str
    routing: str
    router: str

    def __str__(self) -> str:
        return "/".join(self)


def families() -> list[Family]:
    """Every routing of the registry that can be built, with each class of routers it goes with."""
    return [
        Family(topology, name, router)
        for topology in TOPOLOGIES
        for name, routing in routings_of(topology).items()
        if routing.unbuildable is None
        for router in router_names(routing)
    ]


def drawn(kind: Kind, rng: np.random.Generator, spread: int) -> Any:
    """Value of a kind: an integer at most ``2^spread`` above the least, any word of a choice.

    Raises
    ------
    TypeError
        A kind that has no range to draw from.
    """
    match kind:
        case Integer(low, high):
            most = min(high, low + (1 << int(rng.integers(0, spread + 1))))
            return int(rng.integers(low, most + 1))
        case Integers(low, high):
            one = Integer(low, high)
            return tuple(drawn(one, rng, spread) for _ in range(rng.integers(1, 5)))
        case Choice(words):
            return str(rng.choice(words))
    raise TypeError(f"a key must have a range to draw from, not {kind!r}")


def drawn_texts(
    keys: type[Parameters], rng: np.random.Generator, spread: int, named: float
) -> dict[str, str]:
    """Texts of a set of parameters; what has a default is named with probability `named`."""
    return {
        key: spelled(drawn(field.metadata["kind"], rng, spread))
        for key, field in keys.keys().items()
        if field.default is dataclasses.MISSING or rng.random() < named
    }


def most_ports(topology: Topology) -> int:
    """Ports of the router that has most, its node's included."""
    return max(len(topology.connected_ports(router)) for router in range(topology.routers))


def draw_network(
    family: Family,
    rng: np.random.Generator,
    *,
    most: int,
    spread: int = 5,
    ports: int | None = None,
) -> tuple[str, Network]:
    """Network of a family that its deadlock check passes, and its one word.

    Parameters
    ----------
    most : int
        Nodes; where that is too few for the family, it grows until there is a network. Sizes are
        drawn evenly by their logarithms, as far as there are any.
    spread : int
        Hardware parameters are at most 2^spread above their least: deep buffers and many channels
        compile for long.
    ports : int, optional
        Of a router at most, its node's included; any number if unnamed.

    Raises
    ------
    LookupError
        None was found.
    """
    topology_class = TOPOLOGIES[family.topology]
    routing = routings_of(family.topology)[family.routing]
    least = most ** rng.random() / 2
    for attempt in range(ATTEMPTS):
        texts = drawn_texts(topology_class, rng, 3, 0.7)
        try:
            topology = topology_class.from_texts(texts)
            if attempt % RELAXED == RELAXED - 1:  # a family may have no such sizes
                least, most = 2, most + most // 8
            if not (least <= topology.nodes <= most and topology.routers <= 2 * most):
                continue
            if ports is not None and most_ports(topology) > ports:
                continue
            kind = with_router(routing, family.router, topology)
            texts |= {"routing": family.routing, "router": family.router}
            texts |= drawn_texts(kind.options_class, rng, spread, 0.5)
            texts |= drawn_texts(ROUTER_PARAMETERS[kind.router], rng, spread, 0.5)
            if family.router == router_names(routing)[0]:
                del texts["router"]
            network = Network.from_texts(family.topology, texts)
            if network.deadlock_report.deadlock_free:  # whatever allow_deadlock says
                word = ",".join(f"{key}={text}" for key, text in texts.items())
                return f"{family.topology}:{word}", network
        except ConfigurationError:
            continue
    raise LookupError(f"{family}: no network of at most {most} nodes was drawn")


def draw_traffic(
    network: Network, rng: np.random.Generator, *, flits: int
) -> tuple[Traffic, Packets]:
    """Traffic that a network takes, of about so many flits to deliver at most.

    Raises
    ------
    LookupError
        None was found.
    """
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
        keys["traffic"] = str(rng.choice(PATTERNS))
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
