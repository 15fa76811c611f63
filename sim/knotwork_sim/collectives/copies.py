"""One node's vector to many, by packets that the data network copies."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.collectives import Collective
from knotwork.routing.multicast import chain_of

from ..model.run import run_log
from ..traffic.keys import Traffic
from ..traffic.packets import EVERYONE, packet_table
from .unicasts import Goal


def require_relay(network: Network, goal: Goal) -> None:
    """Refuse a network without relay multicasts, or a collective that is no multicast.

    Raises
    ------
    ConfigurationError
        See above; more receivers than a packet can name.
    """
    _require_kind(goal, "relay", (Collective.BROADCAST, Collective.MULTICAST))
    if not network.has_multicast:
        raise ConfigurationError(
            f"{network.name}: --against relay must be used with multicast=yes, not without"
        )
    to = _others(goal)
    if len(to) > network.routing.chain_limit:
        raise ConfigurationError(
            f"{network.name}: --against relay must be used with at most "
            f"{network.routing.chain_limit} receivers, as buffer_depth and max_packet allow, not "
            f"{len(to)}"
        )


def relay_cycles(network: Network, goal: Goal, traffic: Traffic) -> dict[str, int]:
    """Cycles of multicasts that the nodes that receive them send on."""
    chain = [
        network.topology.address(node)
        for node in chain_of(network.routing, goal.root, _others(goal))
    ]
    return {
        "relay": _cycles(network, goal, traffic, network.longest_copied_packet - len(chain), chain)
    }


def require_broadcast(network: Network, goal: Goal) -> None:
    """Refuse a network whose routers copy no broadcasts, or a collective that is no broadcast.

    Raises
    ------
    ConfigurationError
        See above.
    """
    _require_kind(goal, "broadcast", (Collective.BROADCAST,))
    if not network.has_broadcast:
        raise ConfigurationError(
            f"{network.name}: --against broadcast must be used with a network whose routers copy "
            "broadcasts, as wk or tcpg"
        )


def broadcast_cycles(network: Network, goal: Goal, traffic: Traffic) -> dict[str, int]:
    """Cycles of broadcasts that the routers copy; they reach all nodes, whatever the group."""
    return {"routers": _cycles(network, goal, traffic, network.longest_copied_packet, None)}


def _others(goal: Goal) -> list[int]:
    return [node for node in goal.receivers if node != goal.root]


def _require_kind(goal: Goal, means: str, kinds: tuple[Collective, ...]) -> None:
    if goal.kind not in kinds:
        names = " or ".join(kind.name.lower() for kind in kinds)
        raise ConfigurationError(
            f"collective: --against {means} must be used with {names}, not with "
            f"{goal.kind.name.lower()}"
        )


def _cycles(
    network: Network, goal: Goal, traffic: Traffic, most: int, chain: list[int] | None
) -> int:
    """Cycle in which the last beat is received of packets that carry so much data at most."""
    count = -(-goal.length // most)
    packets = packet_table(
        network,
        source=np.full(count, goal.root),
        destination=np.full(count, EVERYONE if chain is None else goal.root),
        length=np.array(
            [goal.length // count + (one < goal.length % count) for one in range(count)]
        ),
        time=np.zeros(count, np.int64),
        seed=traffic.seed,
        chains=None if chain is None else dict.fromkeys(range(count), chain),
    )
    return int(run_log(network, traffic, packets).log.clock.max())
