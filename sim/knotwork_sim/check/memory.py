"""Memory that a run of the golden model takes, estimated before any is allocated."""

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import usable_memory
from knotwork.network import Network

from ..traffic.keys import Traffic

# Bytes, measured on runs of a million packets and of a thousand routers, and rounded up.
_PROCESS = 720 * 2**20  # Python with NumPy and Numba, and the model while it is compiled
_PACKET = 260  # in `Packets`, `Copies`, and while they are drawn and judged
_FLIT = 72  # in `Log`, and while it is judged
_CHANNEL, _SLOT, _PORT = 80, 8, 120  # in `State` and `Scratch`


def point_bytes(network: Network, traffic: Traffic, rate: float, cycles: int) -> int:
    """Bytes that a process needs at most to run the model for so many cycles under a load.

    `rate` is the offered load in flits per node per cycle.
    """
    first, last = traffic.length or (1, 1)
    flits = network.topology.nodes * cycles * rate
    return _run_bytes(network, flits * 2 / (first + last), flits)


def simulation_bytes(network: Network, traffic: Traffic) -> int:
    """Bytes that a simulation on the golden model needs at most, without copies of multicasts."""
    nodes = network.topology.nodes
    packets = traffic.packet_count(nodes)
    copies = 1 + traffic.broadcast_share * (nodes - 2)
    flits = packets * copies * sum(traffic.length or (1, 1)) / 2
    if traffic.replay is not None:
        listed = traffic.replay
        several = {place: len(members) for place, members in listed.members.items()}
        copies = np.where(listed.broadcast, nodes - 1, 1)
        copies[list(several)] = list(several.values())
        flits = float((listed.length * copies).sum())
    if traffic.reply is not None:
        packets, flits = 2 * packets, flits + packets * sum(traffic.reply) / 2
    return _run_bytes(network, packets, flits)


def _run_bytes(network: Network, packets: float, flits: float) -> int:
    topology, ports = network.topology, len(network.topology.ports)
    vcs = network.routing.virtual_channels
    depth = network.deepest_buffer
    state = topology.routers * ports * (_PORT + vcs * (_CHANNEL + depth * _SLOT))
    queues = topology.nodes * 32 * (network.longest_packet or 0)
    return int(_PROCESS + packets * _PACKET + flits * _FLIT + state + queues)


def require_memory(network: Network, traffic: Traffic, rate: float, cycles: int) -> int:
    """Processes that fit into this machine's memory at once, each measuring a point at `rate`.

    Raises
    ------
    ConfigurationError
        Not even one fits.
    """
    needed, free = point_bytes(network, traffic, rate, cycles), usable_memory()
    if needed > free:
        raise ConfigurationError(
            f"{network.name}: a point must fit into the {free / 2**30:.1f} GiB of free "
            f"memory, not take {needed / 2**30:.1f} GiB at rate {rate:g}; a shorter --measure "
            f"takes less"
        )
    return free // needed


def require_memory_to_simulate(network: Network, traffic: Traffic) -> None:
    """Refuse a simulation on the golden model that does not fit into this machine's memory.

    Raises
    ------
    ConfigurationError
        It does not.
    """
    needed, free = simulation_bytes(network, traffic), usable_memory()
    if needed > free:
        raise ConfigurationError(
            f"{network.name}: a simulation must fit into the {free / 2**30:.1f} GiB of free "
            f"memory, not take {needed / 2**30:.1f} GiB"
        )
