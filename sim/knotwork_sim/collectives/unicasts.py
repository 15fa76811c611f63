"""Collectives by packets of the data network: algorithms, and their runs on its golden model.

A packet is sent when those that it depends on have arrived; what a node computes takes no time. The
golden model takes the cycle of each packet beforehand, so runs are repeated until no packet is sent
earlier or later than its dependencies arrive. What happens before a cycle does not depend on what
is sent later: whatever the runs begin with, they end with the same cycles.
"""

import dataclasses
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.collectives import Collective
from knotwork.topology.metrics import distances

from ..model.run import run_log
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, packet_lengths, packet_table

PACKET = 16
"""Beats of a packet unless named."""

RUNS = 100_000
"""Runs until all packets are sent in their cycle; see `_settled`."""


class Goal(NamedTuple):
    """What a collective must do.

    Members
    -------
    kind : Collective
        The collective.
    members : tuple of int
        Nodes of the group.
    root : int
        Node that sends to all others or receives from them, where there is one.
    receivers : tuple of int
        Members that receive what one node sends.
    length : int
        Beats of a vector; of a barrier 1.
    packet : int
        Most beats of a packet.
    """

    kind: Collective
    members: tuple[int, ...]
    root: int
    receivers: tuple[int, ...]
    length: int
    packet: int = PACKET


class _Message(NamedTuple):
    """Vector, or a part of one, from a node to another: its packets, and their dependencies.

    Members
    -------
    source, destination : int
        Nodes.
    packets : ndarray
        Numbers of its packets, int64.
    after : tuple of ndarray
        For every dependency as many packets, each of which must arrive before the packet is sent.
    """

    source: int
    destination: int
    packets: np.ndarray
    after: tuple[np.ndarray, ...]


class Plan:
    """Messages of an algorithm, every one behind those that it depends on.

    Parameters
    ----------
    network : Network
        Network whose packets carry them.
    packet : int
        Most beats of a packet, as far as the network takes such.
    """

    def __init__(self, network: Network, packet: int) -> None:
        self._least, most = packet_lengths(network)
        self._most = min(most, max(self._least, packet))
        self.messages: list[_Message] = []
        self.lengths: list[int] = []

    def split(self, beats: int) -> list[int]:
        """Beats of the packets that carry a vector, as even as can be."""
        count = -(-beats // self._most)
        sizes = [beats // count + (place < beats % count) for place in range(count)]
        return [max(size, self._least) for size in sizes]

    def send(
        self, source: int, destination: int, sizes: Sequence[int], after: Sequence[np.ndarray] = ()
    ) -> np.ndarray:
        """Packets of a message with these sizes."""
        packets = np.arange(len(self.lengths), len(self.lengths) + len(sizes))
        self.lengths += sizes
        self.messages.append(_Message(source, destination, packets, tuple(after)))
        return packets


_Chain = list[int]


def _nearest_first(network: Network, first: int, others: Sequence[int]) -> _Chain:
    """Nodes in an order in which each is the nearest to the one before, of those that are left."""
    topology = network.topology
    hops = distances(topology.neighbours)
    router = {node: topology.router_of(node) for node in (first, *others)}
    chain, left = [first], sorted(others)
    while left:
        row = hops[router[chain[-1]]]
        nearest = min(left, key=lambda node: (row[router[node]], node))
        left.remove(nearest)
        chain.append(nearest)
    return chain


def _direct_down(network: Network, goal: Goal) -> Plan:
    plan = Plan(network, goal.packet)
    for node in goal.receivers:
        if node != goal.root:
            plan.send(goal.root, node, plan.split(goal.length))
    return plan


def _binomial_down(network: Network, goal: Goal) -> Plan:
    plan = Plan(network, goal.packet)
    chain = [goal.root, *(node for node in goal.receivers if node != goal.root)]
    had: dict[int, list[np.ndarray]] = {0: []}
    reach = 1
    while reach < len(chain):
        for place in range(min(reach, len(chain) - reach)):
            sizes = plan.split(goal.length)
            packets = plan.send(chain[place], chain[place + reach], sizes, had[place])
            had[place + reach] = [packets]
        reach *= 2
    return plan


def _chain_down(network: Network, goal: Goal) -> Plan:
    plan = Plan(network, goal.packet)
    others = [node for node in goal.receivers if node != goal.root]
    chain = _nearest_first(network, goal.root, others)
    after: list[np.ndarray] = []
    for source, destination in pairwise(chain):
        after = [plan.send(source, destination, plan.split(goal.length), after)]
    return plan


def _direct_up(network: Network, goal: Goal) -> Plan:
    plan = Plan(network, goal.packet)
    for node in goal.members:
        if node != goal.root:
            plan.send(node, goal.root, plan.split(goal.length))
    return plan


def _binomial_up(network: Network, goal: Goal) -> Plan:
    plan = Plan(network, goal.packet)
    chain = [goal.root, *(node for node in goal.members if node != goal.root)]
    had: list[list[np.ndarray]] = [[] for _ in chain]
    step = 1
    while step < len(chain):
        for place in range(step, len(chain), 2 * step):
            sizes = plan.split(goal.length)
            packets = plan.send(chain[place], chain[place - step], sizes, had[place])
            had[place - step].append(packets)
        step *= 2
    return plan


def _chain_up(network: Network, goal: Goal) -> Plan:
    plan = Plan(network, goal.packet)
    others = [node for node in goal.members if node != goal.root]
    chain = _nearest_first(network, goal.root, others)[::-1]
    after: list[np.ndarray] = []
    for source, destination in pairwise(chain):
        after = [plan.send(source, destination, plan.split(goal.length), after)]
    return plan


def _direct_both(network: Network, goal: Goal) -> Plan:
    """To the root, and from there; a packet of the result to all before the next one."""
    plan = _direct_up(network, goal)
    arrived = [message.packets for message in plan.messages]
    for place, size in enumerate(plan.split(goal.length)):
        after = [packets[place : place + 1] for packets in arrived]
        for node in goal.members:
            if node != goal.root:
                plan.send(goal.root, node, [size], after)
    return plan


def _doubling(network: Network, goal: Goal) -> Plan:
    """Recursive doubling; members beyond a power of two send to one before, and get the result."""
    plan, chain = Plan(network, goal.packet), goal.members
    power = 1 << (len(chain).bit_length() - 1)
    had: list[list[np.ndarray]] = [[] for _ in chain]

    def send(source: int, destination: int) -> np.ndarray:
        sizes = plan.split(goal.length)
        return plan.send(chain[source], chain[destination], sizes, had[source])

    for extra in range(power, len(chain)):
        had[extra - power] = [send(extra, extra - power)]
    step = 1
    while step < power:
        sent = [send(place, place ^ step) for place in range(power)]
        for place in range(power):
            had[place] = [*had[place], sent[place ^ step]]
        step *= 2
    for extra in range(power, len(chain)):
        send(extra - power, extra)
    return plan


def _ring(network: Network, goal: Goal) -> Plan:
    """Around a ring: in as many steps each member has one part of the result, then all parts."""
    plan, count = Plan(network, goal.packet), len(goal.members)
    chain = _nearest_first(network, goal.members[0], goal.members[1:])
    parts = [goal.length // count + (part < goal.length % count) for part in range(count)]
    sizes = [plan.split(part) if part else [] for part in parts]
    had: list[list[np.ndarray]] = [[] for _ in chain]
    for step in range(2 * (count - 1)):
        sent = []
        for place, node in enumerate(chain):
            part = (place - step) % count
            sent.append(plan.send(node, chain[(place + 1) % count], sizes[part], had[place]))
        had = [[sent[place - 1]] for place in range(count)]
    return plan


def _dissemination(network: Network, goal: Goal) -> Plan:
    """In step k each member sends to the one 2^k further, until it has heard of all."""
    plan, chain = Plan(network, goal.packet), goal.members
    had: list[list[np.ndarray]] = [[] for _ in chain]
    step = 1
    while step < len(chain):
        sent = [
            plan.send(node, chain[(place + step) % len(chain)], plan.split(1), had[place])
            for place, node in enumerate(chain)
        ]
        had = [[*had[place], sent[place - step]] for place in range(len(chain))]
        step *= 2
    return plan


_Algorithm = Callable[[Network, Goal], Plan]

_DOWN: dict[str, _Algorithm] = {
    "direct": _direct_down,
    "binomial": _binomial_down,
    "chain": _chain_down,
}
ALGORITHMS: dict[Collective, dict[str, _Algorithm]] = {
    Collective.BARRIER: {"direct": _direct_both, "dissemination": _dissemination},
    Collective.ALL_REDUCE: {"direct": _direct_both, "doubling": _doubling, "ring": _ring},
    Collective.REDUCE: {"direct": _direct_up, "binomial": _binomial_up, "chain": _chain_up},
    Collective.GATHER: {"direct": _direct_up},
    Collective.BROADCAST: _DOWN,
    Collective.MULTICAST: _DOWN,
    Collective.SCATTER: {"direct": _direct_down},
}
"""Algorithms of each collective. Of a gather and a scatter the root takes or sends a beat in every
cycle when nodes send directly: none is faster."""


def require_senders(network: Network, members: Sequence[int]) -> None:
    """Refuse a network whose nodes may not send to each other at any time.

    Raises
    ------
    ConfigurationError
        See above.
    DeadlockError
        A network that failed its deadlock check.
    """
    if network.routing.arrivals != "any_time":
        raise ConfigurationError(
            f"{network.name}: --against unicast must be used with a network whose nodes send at "
            f"any time, not with routing={network.routing.name}"
        )
    network.require_deadlock_free()
    for source in members:
        for destination in members:
            if not network.topology.may_send(source, destination):
                raise ConfigurationError(
                    f"{network.name}: --against unicast must be used with nodes that may send to "
                    f"each other, not with {source} and {destination}"
                )


def unicast_cycles(network: Network, goal: Goal, algorithm: str, traffic: Traffic) -> int:
    """Cycle in which the last beat of an algorithm's packets is received.

    Parameters
    ----------
    traffic : Traffic
        When nodes pause.
    """
    plan = ALGORITHMS[goal.kind][algorithm](network, goal)
    return _settled(network, plan, traffic) if plan.lengths else 0


class _Table:
    """Packets of a plan as the golden model takes them."""

    def __init__(self, network: Network, plan: Plan, traffic: Traffic) -> None:
        count = len(plan.lengths)
        source, destination = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for message in plan.messages:
            source[message.packets] = message.source
            destination[message.packets] = message.destination
        self._network, self._plan, self._traffic = network, plan, traffic
        self._order = np.argsort(source, kind="stable")  # a node sends in the order of the plan
        self._source, self._length = source, np.array(plan.lengths, np.int64)
        pairs = [(before, message.packets) for message in plan.messages for before in message.after]
        self._before, self._after = (
            np.concatenate([pair[side] for pair in pairs] or [np.zeros(0, np.int64)])
            for side in (0, 1)
        )
        order = self._order
        self._packets = packet_table(
            network,
            source=source[order],
            destination=destination[order],
            length=self._length[order],
            time=np.zeros(count, np.int64),
            seed=1,
        )

    def arrivals(self, time: np.ndarray) -> np.ndarray:
        """Cycle in which each packet's last beat is received, if packets are sent so, int64."""
        packets: Packets = dataclasses.replace(self._packets, time=time[self._order])
        log = run_log(self._network, self._traffic, packets).log
        arrived = np.full(len(time), -1, np.int64)
        np.maximum.at(arrived, self._order[log.packet], log.clock)
        if (arrived < 0).any():
            raise AssertionError("the golden model delivers all packets")
        return arrived

    def due(self, arrived: np.ndarray) -> np.ndarray:
        """Cycle in which each packet is sent if its dependencies arrive so, int64."""
        time = np.zeros(len(arrived), np.int64)
        np.maximum.at(time, self._after, arrived[self._before] + 1)
        return self._rising(time)

    def _rising(self, time: np.ndarray) -> np.ndarray:
        """Times that do not fall at any source."""
        order, risen = self._order, np.empty_like(time)
        base = self._source[order] * (int(time.max()) + 1)
        risen[order] = np.maximum.accumulate(time[order] + base) - base
        return risen

    def expected(self, latency: np.ndarray) -> np.ndarray:
        """Cycles in which packets are sent if each arrives so many cycles after it is sent."""
        arrived, time = np.zeros_like(latency), np.zeros_like(latency)
        free: dict[int, int] = {}
        for source, _, packets, after in self._plan.messages:
            if not len(packets):
                continue
            due = np.full(len(packets), free.get(source, 0))
            for before in after:
                np.maximum(due, arrived[before] + 1, out=due)
            lengths = self._length[packets]
            sent = np.cumsum(lengths) - lengths
            time[packets] = np.maximum.accumulate(due - sent) + sent
            arrived[packets] = time[packets] + latency[packets]
            free[source] = int(time[packets[-1]]) + int(lengths[-1])
        return time


def _settled(network: Network, plan: Plan, traffic: Traffic) -> int:
    """Cycles of a plan whose packets are all sent as soon as their dependencies have arrived."""
    table = _Table(network, plan, traffic)
    time = table.expected(np.array(plan.lengths, np.int64) + 2)
    for run in range(RUNS):
        arrived = table.arrivals(time)
        due = table.due(arrived)
        if (due == time).all():
            break
        time = table.expected(arrived - time) if run < 2 else due
    else:
        raise AssertionError(f"packets are sent in their cycle after at most {RUNS} runs")
    return int(arrived.max())
