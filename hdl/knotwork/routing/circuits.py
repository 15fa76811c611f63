"""Network cycles of circuit switches: their states, which packets get a circuit, and how long.

In a network cycle every PE that has packets offers one. The packet gets a circuit or loses; the
circuits carry their packets, and then all are released. This module computes the outcome level by
level. The clock cycle of each event follows from its level: headers go up one level per cycle, and
headers with a lower LCA reach every output before those with a higher one.

In one-way use, packets go up to a terminal or down to a PE, and never turn. The two directions
share no link, so they do not meet. Within each, all headers are on one level at a time, and the
destination names the output; of several at once that with the lowest scan distance gets it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..topology import LeastCommonAncestor
from ..topology.banyan import Banyan
from ..topology.base import Numbers

_MASK = 0xFFFFFFFF


def initial_state(seed: Numbers, gid: Numbers) -> Numbers:
    """State of a switch before its first network cycle, 32 bits; never 0.

    Parameters
    ----------
    seed : int or ndarray
        The network's seed.
    gid : int or ndarray
        Number of the switch among all.
    """
    x = seed + (gid + 1) * 0x9E3779B9 & _MASK
    x = (x ^ x >> 16) * 0x85EBCA6B & _MASK
    x = (x ^ x >> 13) * 0xC2B2AE35 & _MASK
    x = x ^ x >> 16
    return x + (x == 0)


def next_state(x: Numbers) -> Numbers:
    """State in the network cycle after the one with state `x`: xorshift32.

    References
    ----------
    G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14), 2003.
    """
    x = x ^ x << 13 & _MASK
    x = x ^ x >> 17
    return x ^ x << 5 & _MASK


class ScanStarts(NamedTuple):
    """Where a switch starts to serve its headers in a network cycle; integers or arrays of them.

    Members
    -------
    below, above : int or ndarray
        Input from below, and from above, that is served first.
    upper : int or ndarray
        Upper that is given first; for `serve` those of every switch in their order.
    """

    below: Numbers
    above: Numbers
    upper: Numbers


def scan_starts(x: Numbers, d: int, u: int) -> ScanStarts:
    """Inputs from below and from above that a switch serves first, and the upper it gives first.

    Parameters
    ----------
    x : int or ndarray
        State of the switch in this network cycle.
    d, u : int
        Its downers and uppers.
    """
    return ScanStarts((x & 255) * d >> 8, (x >> 8 & 255) * u >> 8, (x >> 16 & 255) * u >> 8)


class Outcome(NamedTuple):
    """What became of the packets of a network cycle.

    Members
    -------
    won : ndarray
        Whether each has its circuit, bool.
    words : ndarray
        Uppers that each was given, by level, int64 of shape (packets, levels - 1), and in one-way
        use (packets, levels); -1 where none.
    lost_level : ndarray
        Level on which each lost; -1 for a winner.
    lost_up : ndarray
        Whether it lost there while it went up, bool; else at the turn or while it went down.
    """

    won: np.ndarray
    words: np.ndarray
    lost_level: np.ndarray
    lost_up: np.ndarray


def empty_outcome(packets: int, levels: int) -> Outcome:
    """Outcome to be filled in, with words of so many levels."""
    return Outcome(
        np.zeros(packets, bool),
        np.full((packets, levels), -1, np.int64),
        np.full(packets, -1, np.int64),
        np.zeros(packets, bool),
    )


def ranks_in_group(group: np.ndarray, distance: np.ndarray, distances: int) -> np.ndarray:
    """Place of each among those of its group, by distance, from 0."""
    order = np.argsort(group * distances + distance)
    sorted_group = group[order]
    rank = np.arange(len(group))
    first = np.concatenate([[True], sorted_group[1:] != sorted_group[:-1]])[: len(group)]
    found = np.empty(len(group), np.int64)
    found[order] = rank - np.maximum.accumulate(np.where(first, rank, 0))
    return found


def one_way_cycle(
    topology: Banyan, states: np.ndarray, sources: np.ndarray, destinations: np.ndarray
) -> Outcome:
    """Outcome of one network cycle.

    Parameters
    ----------
    topology : Banyan
        The network.
    states : ndarray
        State of every switch in this network cycle, int64.
    sources, destinations : ndarray
        Nodes of the packets that are offered, a PE and a terminal in either order; no source twice.
    """
    packets = _OneWayPackets(topology, states, sources, destinations)
    packets.climb()
    packets.descend()
    return packets.outcome


class _OneWayPackets:
    """Packets of a network cycle on their way."""

    def __init__(
        self,
        topology: Banyan,
        states: np.ndarray,
        sources: np.ndarray,
        destinations: np.ndarray,
    ) -> None:
        self.topology, self.sources, self.destinations = topology, sources, destinations
        self.service = [
            scan_starts(states[first : first + size], topology.d, topology.u)
            for first, size in zip(topology.first_switch, topology.level_sizes, strict=True)
        ]
        self.upward = sources < topology.pes
        self.outcome = empty_outcome(len(sources), topology.levels)
        self.outcome.won[:] = True

    def climb(self) -> None:
        """Take the headers of PEs up to their terminals."""
        topology, u = self.topology, self.topology.u
        here = np.nonzero(self.upward)[0]
        switch, came = np.divmod(self.sources[here], topology.d)
        for level in range(topology.levels):
            k = topology.upper_to(self.destinations[here] - topology.pes, level)
            distance = (came - self.service[level].below[switch]) % topology.d
            gets = ranks_in_group(switch * u + k, distance, topology.d) == 0
            self._lose(here[~gets], level)
            self.outcome.lost_up[here[~gets]] = True
            here, switch, k = here[gets], switch[gets], k[gets]
            self.outcome.words[here, level] = k
            if level < topology.levels - 1:
                switch, came = topology.up(level, switch, k)

    def descend(self) -> None:
        """Take the headers of terminals down to their PEs."""
        topology, u = self.topology, self.topology.u
        here = np.nonzero(~self.upward)[0]
        switch, came = np.divmod(self.sources[here] - topology.pes, u)
        for level in reversed(range(topology.levels)):
            c = topology.digit(self.destinations[here], level)
            distance = (came - self.service[level].above[switch]) % u
            gets = ranks_in_group(switch * topology.d + c, distance, u) == 0
            self._lose(here[~gets], level)
            here, c = here[gets], c[gets]
            switch, came = topology.down(level, switch[gets], c)

    def _lose(self, packets: np.ndarray, level: int) -> None:
        self.outcome.won[packets] = False
        self.outcome.lost_level[packets] = level


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
        for column, part in zip(outcome, found, strict=True):
            column[here] = part
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
