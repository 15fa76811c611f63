"""What is to be delivered on a network: the permutation or messages that the options name."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...network import Network
from ...routing import routings_of
from ...routing.scheduling.linear_complement import LinearComplement
from ...routing.scheduling.messages import (
    NAMES,
    RANDOM_ROUTING,
    Messages,
    address_bits,
    is_listed,
    named_permutation,
    random_routing,
    read_complement,
    read_matrix,
    read_messages,
    read_permutation,
)
from ...routing.scheduling.schedule import Schedule, SchedulingRouting
from ...topology import TOPOLOGIES
from ...wording import not_one_of
from ..message_options import LINEAR, MessageRequest


class Delivery(NamedTuple):
    """What is to be delivered.

    Members
    -------
    kind : str
        ``"permutation"`` or ``"messages"``.
    name : str
        How it was named.
    messages : Messages
        Sources and destinations; of a permutation, all nodes in their order.
    """

    kind: str
    name: str
    messages: Messages

    def scheduled(self, routing: SchedulingRouting) -> Schedule:
        """Schedule by a routing."""
        if self.kind == "permutation":
            return routing.schedule(self.messages.destinations)
        return routing.schedule_messages(*self.messages)


def scheduling_routing(network: Network, verb: str) -> SchedulingRouting:
    """Routing of a network that has schedules: its own, or the first that does.

    Raises
    ------
    ConfigurationError
        It has none; the line begins with `verb`.
    """
    if isinstance(network.routing, SchedulingRouting):
        return network.routing
    scheduling = scheduling_routing_of(network.topology.name)
    if scheduling is None:
        able = [name for name in TOPOLOGIES if scheduling_routing_of(name)]
        raise ConfigurationError(
            f"{verb}: a network must be one of {', '.join(able)}, not {network.topology.name}"
        )
    return scheduling(network.topology)


def scheduling_routing_of(network: str) -> type[SchedulingRouting] | None:
    """First routing of a network by name that has schedules; None where none has."""
    for routing in routings_of(network).values():
        if issubclass(routing, SchedulingRouting):
            return routing
    return None


def delivery(request: MessageRequest, routing: SchedulingRouting, verb: str) -> Delivery:
    """What the options request on the network of a routing.

    Raises
    ------
    ConfigurationError
        A name or a file that does not fit; the line begins with `verb` or the file's name.
    """
    nodes = routing.topology.nodes
    if request.messages is not None:
        return Delivery("messages", request.messages, messages_of(request, nodes, verb))
    name = request.permutation or ""
    makers: dict[str, Callable[[], np.ndarray]] = {
        LINEAR: lambda: _linear(routing, request, verb),
        "random": lambda: routing.random_permutation(np.random.default_rng(request.seed)),
    }
    destinations = makers.get(name, lambda: _fixed(name, nodes, verb))()
    return Delivery("permutation", name, Messages(np.arange(nodes), destinations))


def messages_of(request: MessageRequest, nodes: int, verb: str) -> Messages:
    """Messages that are drawn, or in a file."""
    name = request.messages or ""
    if name == RANDOM_ROUTING:
        return random_routing(nodes, np.random.default_rng(request.seed))
    return read_messages(_file(name, verb, "--messages", [RANDOM_ROUTING]), nodes)


def _linear(routing: SchedulingRouting, request: MessageRequest, verb: str) -> np.ndarray:
    """Destination of each node under the permutation of a matrix and a complement."""
    n = address_bits(routing.topology.nodes, f"{verb}: {LINEAR}")
    if request.matrix is None:
        raise ConfigurationError(f"{verb}: --permutation {LINEAR} must have a --matrix FILE")
    bits = "0" * n if request.complement is None else request.complement
    return LinearComplement(
        read_matrix(request.matrix, n), read_complement(bits, n, what=f"{verb}: --complement")
    ).destinations


def _fixed(name: str, nodes: int, verb: str) -> np.ndarray:
    """Destination of each node under a permutation: named, listed or in a file."""
    if name in NAMES or is_listed(name):
        return named_permutation(nodes, name, np.random.default_rng(), owner=verb)
    return read_permutation(_file(name, verb, "--permutation", [*NAMES, LINEAR]), nodes)


def _file(name: str, verb: str, option: str, known: list[str]) -> Path:
    """File that an option names in place of one of the names that it knows."""
    path = Path(name)
    try:
        if path.exists() and not path.is_dir():
            return path
    except (OSError, ValueError):
        pass  # no name that a file can have
    names = ", ".join(known)
    if LINEAR in known:
        rule = f"one of {names}, destinations a,b,..., or a JSON file"
    else:
        rule = f"{names} or a file .json or .csv"
    raise ConfigurationError(not_one_of(f"{verb}: {option}", known, name, rule=rule))
