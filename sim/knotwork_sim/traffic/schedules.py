"""Traffic of circuits that are scheduled: round by round, each in a network cycle of its own."""

from collections.abc import Sequence

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.circuits import cycle_clocks
from knotwork.routing.lcan import Scheduled
from knotwork.routing.scheduling.permutations import named_permutation
from knotwork.routing.scheduling.rounds import Round, schedule

from .packets import Packets, packet_table
from .traffic import Traffic, shares


def make_scheduled(
    network: Network, traffic: Traffic, rounds: Sequence[Round] | None = None
) -> Packets:
    """Packets of a schedule, those of each round offered a network cycle after the last's.

    Parameters
    ----------
    rounds : sequence of Round or None
        The schedule; None for one of the traffic's permutation.

    Raises
    ------
    ConfigurationError
        Traffic that is neither a permutation nor a schedule, or packets of several lengths.
    """
    nodes = network.topology.nodes
    shortest, longest = traffic.length or (1, 1)
    given = rounds is not None
    for key, rule, right, value in (
        ("traffic", "permutation, or --schedule", given or _is_fixed(traffic), traffic.traffic),
        ("packets", f"{nodes} or unnamed", traffic.packets in (None, nodes), traffic.packets),
        ("rate", "1 or unnamed", traffic.rate in (None, 1.0), traffic.rate),
        ("bubble", "0", traffic.bubble == 0, f"{traffic.bubble:g}"),
        ("length", "one number", shortest == longest, f"{shortest}-{longest}"),
        *shares(traffic),
    ):
        if not right:
            raise ConfigurationError(
                f"traffic: {key} must be {rule} with routing={network.routing.name}, not {value}"
            )
    assert isinstance(network.routing, Scheduled)
    topology = network.routing.topology
    if rounds is None:
        rng = np.random.default_rng([traffic.seed, 1])
        name = str(traffic.permutation)
        destinations = named_permutation(nodes, name, rng, owner=traffic.name)
        rounds = schedule(topology, np.arange(nodes), destinations)
    number = np.repeat(np.arange(len(rounds)), [len(found.sources) for found in rounds])
    sources, destinations, words = (np.concatenate(part) for part in zip(*rounds, strict=True))
    order = np.lexsort((number, sources))
    return packet_table(
        network,
        source=sources[order],
        destination=destinations[order],
        length=np.full(len(order), longest),
        time=number[order] * cycle_clocks(topology, network.hardware.max_packet),
        seed=traffic.seed,
        up_words=words[order],
    )


def _is_fixed(traffic: Traffic) -> bool:
    return traffic.traffic == "permutation"
