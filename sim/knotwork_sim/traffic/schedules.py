"""Packets of a schedule: round by round, each round in one network cycle."""

from collections.abc import Sequence

import numpy as np
from knotwork.network import Network
from knotwork.parameters import CircuitParameters
from knotwork.routing.circuits import cycle_clocks
from knotwork.routing.lcan import Scheduled
from knotwork.routing.scheduling.messages import named_permutation
from knotwork.routing.scheduling.rounds import Round, schedule

from .keys import Traffic
from .packet_table import packet_table
from .packets import Packets
from .requirements import Requirement, require_all


def make_scheduled(
    network: Network, traffic: Traffic, rounds: Sequence[Round] | None = None
) -> Packets:
    """Packets of a schedule; each round is offered one network cycle after the last one.

    Parameters
    ----------
    rounds : sequence of Round or None
        The schedule; None for one of the traffic's permutation.

    Raises
    ------
    ConfigurationError
        Traffic that is neither a permutation nor a schedule, or has packets of several lengths.
    """
    nodes = network.topology.nodes
    shortest, longest = traffic.length or (1, 1)
    fixed = rounds is not None or traffic.is_permutation
    require_all(
        traffic,
        network.routing,
        [
            Requirement("traffic", "permutation, or --schedule", fixed, traffic.traffic),
            Requirement(
                "packets", f"{nodes} or unnamed", traffic.packets in (None, nodes), traffic.packets
            ),
            Requirement("rate", "1 or unnamed", traffic.rate in (None, 1.0), traffic.rate),
            Requirement("bubble", "0", traffic.bubble == 0, f"{traffic.bubble:g}"),
            Requirement("length", "one number", shortest == longest, f"{shortest}-{longest}"),
        ],
    )
    topology = Scheduled.of(network.routing).topology
    cycles = cycle_clocks(topology, CircuitParameters.of(network.hardware).max_packet)
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
        time=number[order] * cycles,
        seed=traffic.seed,
        up_words=words[order],
    )
