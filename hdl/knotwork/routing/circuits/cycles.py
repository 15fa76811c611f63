"""Network cycles of a least-common-ancestor network: which packets get a circuit, and which not.

In a network cycle every PE that has packets offers one. The packet gets a circuit or loses; the
circuits carry their packets, and then all are released. This module computes the outcome level by
level. The clock cycle of each event follows from its level: headers go up one level per cycle, and
headers with a lower LCA reach every output before those with a higher one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...topology import LeastCommonAncestor
from ...topology.addressed_graph import Numbers
from ...topology.banyan import Banyan
from .one_way import one_way_cycle
from .outcome import Outcome, empty_outcome, ranks_in_group
from .switch_state import ScanStarts, initial_state, next_state, scan_starts


def rotate_uppers(starts: ScanStarts, u: int) -> ScanStarts:
    """The same for `serve`: all uppers in their order, round from the first one."""
    return starts._replace(upper=(np.asarray(starts.upper)[:, None] + np.arange(u)) % u)


def network_cycle(
    topology: LeastCommonAncestor,
    states: np.ndarray,
    sources: np.ndarray,
    destinations: np.ndarray,
    words: np.ndarray | None = None,
) -> Outcome:
    """Outcome of one network cycle.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network, or one of its copies.
    states : ndarray
        State of every switch in this network cycle, int64.
    sources, destinations : ndarray
        PEs of the packets that are offered, by their places in the copy; no source twice.
    words : ndarray or None
        Uppers that each packet wants, by level, (packets, levels - 1); None where the switches
        choose.
    """
    service = [
        rotate_uppers(scan_starts(states[first : first + size], d, u), u)
        for first, size, d, u in zip(
            topology.first_switch,
            topology.level_sizes,
            topology.downers,
            topology.uppers,
            strict=True,
        )
    ]
    return serve(topology, service, sources, destinations, words)


def serve(
    topology: LeastCommonAncestor,
    service: Sequence[ScanStarts],
    sources: np.ndarray,
    destinations: np.ndarray,
    words: np.ndarray | None = None,
) -> Outcome:
    """Outcome of one network cycle, by how the switches of each level serve their headers.

    Several copies of the network may be served at once: copy c of PE p is number c N + p, and the
    switches of each level are numbered copy after copy. Other parameters as for `network_cycle`.
    """
    packets = _Packets(topology, sources, destinations)
    for level in range(topology.levels - 1):
        packets.climb(level, service[level], words)
    granted = [
        np.zeros(len(own.below) * radix, np.int64)
        for own, radix in zip(service, topology.radices, strict=True)
    ]
    for top in range(topology.levels):
        packets.descend(top, service, granted)
    return Outcome(packets.lost_level < 0, packets.words, packets.lost_level, packets.lost_up)


def over_copies(
    topology: LeastCommonAncestor,
    states: np.ndarray,
    sources: np.ndarray,
    destinations: np.ndarray,
    words: np.ndarray | None = None,
) -> Outcome:
    """Outcome of a network cycle over several copies; see `network_cycle`.

    Each packet goes over the copy in which its nodes are nearest. A PE lets in the first header
    that comes, and of several at once that of the first copy.
    """
    copies = topology.nearest_copy(sources, destinations)
    outcome = empty_outcome(len(sources), topology.levels - 1)
    for copy, own in enumerate(states.reshape(topology.copies, -1)):
        here = np.nonzero(copies == copy)[0]
        source, destination = (
            topology.position_in_copy(copy, p[here]) for p in (sources, destinations)
        )
        chosen = None if words is None else words[here]
        found = network_cycle(topology, own, source, destination, chosen)
        for whole, part in zip(outcome, found, strict=True):
            whole[here] = part
    refused = refused_by_nodes(
        outcome.won, topology.lca_level(sources, destinations), copies, destinations
    )
    outcome.won[refused] = False
    outcome.lost_level[refused] = 0
    return outcome


def refused_by_nodes(
    won: np.ndarray, level: np.ndarray, copies: np.ndarray, destinations: np.ndarray
) -> np.ndarray:
    """Packets that have won a circuit, but come to their PE behind another one.

    Parameters
    ----------
    won : ndarray
        Whether each packet has a circuit over its copy, bool.
    level, copies, destinations : ndarray
        LCA level, copy and PE of each, int64.
    """
    held = np.nonzero(won)[0]
    order = held[np.lexsort((copies[held], level[held]))]
    _, first = np.unique(destinations[order], return_index=True)
    return np.setdiff1d(held, order[first], assume_unique=True)


class _Packets:
    """Packets of a network cycle on their way."""

    def __init__(
        self, topology: LeastCommonAncestor, sources: np.ndarray, destinations: np.ndarray
    ) -> None:
        count = len(sources)
        self.topology = topology
        self.destinations = destinations
        self.top = topology.tree_level(sources, destinations)
        # Switch that each has reached, in its level, and the downer or upper it came in by.
        self.switch, self.came = np.divmod(sources, topology.radices[0])
        self.words = np.full((count, topology.levels - 1), -1, np.int64)
        self.lost_level = np.full(count, -1, np.int64)
        self.lost_up = np.zeros(count, bool)

    def climb(self, level: int, service: ScanStarts, words: np.ndarray | None) -> None:
        """Give the headers that go on up from a level their uppers."""
        here = np.nonzero((self.lost_level < 0) & (self.top > level))[0]
        d, u = self.topology.downers[level], self.topology.uppers[level]
        switch = self.switch[here]
        distance = (self.came[here] - service.below[switch]) % d
        if words is None:
            place = ranks_in_group(switch, distance, d)
            upper, gets = service.upper[switch, place % u], place < u
        else:
            upper = words[here, level]
            gets = ranks_in_group(switch * u + upper, distance, d) == 0
        self.lost_level[here[~gets]] = level
        self.lost_up[here[~gets]] = True
        here, switch, upper = here[gets], switch[gets], upper[gets]
        self.words[here, level] = upper
        self.switch[here], self.came[here] = self.topology.up(level, switch, upper)

    def descend(self, top: int, service: Sequence[ScanStarts], granted: list[np.ndarray]) -> None:
        """Take the headers with LCA level `top` down, and count the wires that they are given."""
        topology = self.topology
        here = np.nonzero((self.lost_level < 0) & (self.top == top))[0]
        for level in range(top, -1, -1):
            first, inputs = service[level].above, topology.uppers[level]
            if level == top:
                first, inputs = service[level].below, topology.downers[level]
            switch = self.switch[here]
            distance = (self.came[here] - first[switch]) % inputs
            child = topology.digit(self.destinations[here], level)
            wanted = switch * topology.radices[level] + child
            wire = granted[level][wanted] + ranks_in_group(wanted, distance, inputs)
            gets = wire < topology.wires[level]
            np.add.at(granted[level], wanted[gets], 1)
            self.lost_level[here[~gets]] = level
            here = here[gets]
            downer = child[gets] * topology.wires[level] + wire[gets]
            self.switch[here], self.came[here] = topology.down(level, switch[gets], downer)


def sample_clock(hops: Numbers) -> Numbers:
    """Cycle in which the source of a packet with so many hops has its acknowledge, or never."""
    return 2 * hops + 3


def circuit_clocks(hops: Any, length: Any) -> Any:
    """Clock cycles of a network cycle with one packet, which ends when its circuit is released.

    The packet's hops, twice the level of its least common ancestors where it turns, and its length
    are numbers, arrays or means.
    """
    return 3 * hops + length + 6


def refusal_clocks(hops: Numbers) -> Numbers:
    """Clock cycles that a network cycle lasts at least for a packet that gets no circuit."""
    return sample_clock(hops) + 3


def cycle_clocks(topology: LeastCommonAncestor, max_packet: int) -> int:
    """Clock cycles of the longest network cycle: headers up and down, acknowledges, flits, release.

    With ``cycle=fixed`` all network cycles last as long.
    """
    return circuit_clocks(topology.hop_counts[-1], max_packet)


class Engine:
    """Network cycle after network cycle.

    Parameters
    ----------
    topology : LeastCommonAncestor
        The network.
    seed : int
        Seed of its switches' states.

    Members
    -------
    states : ndarray
        State of every switch in the last network cycle, int64.
    """

    def __init__(self, topology: LeastCommonAncestor, *, seed: int = 1) -> None:
        self.topology = topology
        self.states = initial_state(seed, np.arange(topology.routers))

    def cycle(
        self, sources: np.ndarray, destinations: np.ndarray, words: np.ndarray | None = None
    ) -> Outcome:
        """Step all states, and the `network_cycle` of these packets, over the copies."""
        self.states = next_state(self.states)
        topology = self.topology
        if not topology.turns_round:
            return one_way_cycle(Banyan.of(topology), self.states, sources, destinations)
        if topology.copies == 1:
            return network_cycle(topology, self.states, sources, destinations, words)
        return over_copies(topology, self.states, sources, destinations, words)

    def drain(
        self, sources: np.ndarray, destinations: np.ndarray
    ) -> Iterator[tuple[np.ndarray, Outcome]]:
        """Network cycles until all packets are delivered.

        Every PE offers the first of its packets that are left. Each outcome comes with the numbers
        of the packets that were offered.
        """
        left = np.arange(len(sources))
        while len(left):
            offered = left[np.unique(sources[left], return_index=True)[1]]
            outcome = self.cycle(sources[offered], destinations[offered])
            yield offered, outcome
            left = np.setdiff1d(left, offered[outcome.won], assume_unique=True)
