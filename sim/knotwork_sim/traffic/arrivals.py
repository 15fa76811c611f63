"""When nodes create packets: at any time, or in bursts."""

from abc import ABC, abstractmethod

import numpy as np
from knotwork.errors import ConfigurationError

from .keys import Traffic

_ROUNDING = 1e-9


class Arrivals(ABC):
    """Creation of packets, at most one per node and cycle.

    Parameters
    ----------
    probability : float or ndarray
        Of a packet, per node and cycle, on average; for all nodes or for each.
    nodes : int
        Nodes of the network.
    """

    def __init__(self, probability: float | np.ndarray, nodes: int) -> None:
        self.probability, self.nodes = probability, nodes

    @abstractmethod
    def first(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Cycles and nodes of the first `count` packets, in order of cycle and node; int64."""

    @abstractmethod
    def within(self, rng: np.random.Generator, cycles: int) -> tuple[np.ndarray, np.ndarray]:
        """Nodes and cycles of all packets of so many cycles, in order of node and cycle; int64."""


class Steady(Arrivals):
    """Packets at any time: every node draws in every cycle."""

    def first(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Cycles and nodes of the first `count` packets."""
        cycles, sources, first, drawn = [], [], 0, 0
        expected = self.nodes * float(np.mean(self.probability))
        block = max(1, min(int(1.1 * count / expected) + 1, 4_000_000 // self.nodes + 1))
        while drawn < count:
            cycle, node = np.nonzero(rng.random((block, self.nodes)) < self.probability)
            cycles.append(cycle + first)
            sources.append(node)
            first, drawn = first + block, drawn + len(node)
        return np.concatenate(cycles)[:count], np.concatenate(sources)[:count]

    def within(self, rng: np.random.Generator, cycles: int) -> tuple[np.ndarray, np.ndarray]:
        """Nodes and cycles of all packets of so many cycles."""
        most = float(np.max(self.probability))
        source, cycle = np.divmod(successes(rng, most, self.nodes * cycles), cycles)
        if not isinstance(self.probability, np.ndarray):
            return source, cycle
        kept = rng.random(len(source)) * most < self.probability[source]
        return source[kept], cycle[kept]


class Bursts(Arrivals):
    """Packets in bursts: each node is on or off, a Markov chain of two states.

    Parameters
    ----------
    length : float
        Mean cycles of a burst.
    within_burst : float
        Probability of a packet per cycle of a burst.

    References
    ----------
    W. J. Dally and B. Towles, "Principles and Practices of Interconnection Networks", 2004,
    section 24.2.2 (Markov modulated process).
    """

    def __init__(
        self,
        probability: float | np.ndarray,
        nodes: int,
        *,
        length: float,
        within_burst: float,
    ) -> None:
        super().__init__(probability, nodes)
        self.length, self.within_burst = length, within_burst

    def first(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Cycles and nodes of the first `count` packets."""
        expected = self.nodes * float(np.mean(self.probability))
        cycles = int(1.2 * count / expected) + 1
        while True:  # more cycles until there are enough packets
            source, cycle = self.within(rng, cycles)
            if len(source) >= count:
                break
            cycles *= 2
        order = np.lexsort((source, cycle))[:count]
        return cycle[order], source[order]

    def within(self, rng: np.random.Generator, cycles: int) -> tuple[np.ndarray, np.ndarray]:
        """Nodes and cycles of all packets of so many cycles.

        Nodes of one probability follow each other in one chain. It has no memory, and is in its
        steady state from the start, so each node's cycles are a chain in its steady state.
        """
        each = np.broadcast_to(np.asarray(self.probability, float), (self.nodes,))
        sources, times = [], []
        for probability in np.unique(each[each > 0]).tolist():
            nodes = np.flatnonzero(each == probability)
            place, cycle = np.divmod(self._chain(rng, probability, len(nodes) * cycles), cycles)
            sources.append(nodes[place])
            times.append(cycle)
        source, time = np.concatenate(sources), np.concatenate(times)
        order = np.lexsort((time, source))
        return source[order], time[order]

    def _chain(self, rng: np.random.Generator, probability: float, cycles: int) -> np.ndarray:
        """Cycles in which a chain creates packets, rising, int64."""
        share = probability / self.within_burst  # of the cycles in bursts
        begin = min(1.0, share / (1 - share) / self.length)  # per cycle between bursts
        starts, lengths, reached = [], [], 0
        if rng.random() < share:  # a burst that began before the first cycle
            starts.append(np.zeros(1, np.int64))
            lengths.append(rng.geometric(1 / self.length, 1))
            reached = int(lengths[0][0])
        block = int(cycles / (self.length + 1 / begin) * 1.05) + 16
        while reached < cycles:
            pauses = rng.geometric(begin, block)
            bursts = rng.geometric(1 / self.length, block)
            ends = reached + np.cumsum(pauses + bursts)
            starts.append(ends - bursts)
            lengths.append(bursts)
            reached = int(ends[-1])
        start, length = np.concatenate(starts), np.concatenate(lengths)
        last = np.cumsum(length)
        number = successes(rng, self.within_burst, int(last[-1]))  # of cycles in bursts
        burst = np.searchsorted(last, number, side="right")
        found = start[burst] + number - (last - length)[burst]
        return found[: np.searchsorted(found, cycles)]


def make_arrivals(
    traffic: Traffic, nodes: int, rate: float, weights: np.ndarray | None
) -> Arrivals:
    """Arrivals of traffic at `rate` flits per node and cycle on average.

    Parameters
    ----------
    weights : ndarray or None
        Rate of each node relative to the mean; None where all are the same.

    Raises
    ------
    ConfigurationError
        A rate that the busiest node cannot offer.
    """
    most = rate_limit(traffic, weights)
    if rate > most * (1 + _ROUNDING):
        raise ConfigurationError(
            f"traffic: rate must be at most {most:.4g}{_reason(traffic, weights)}, not {rate:g}"
        )
    per_cycle = 2 / sum(traffic.length or (1, 1))  # packets per node, at one flit per cycle
    probability = rate * per_cycle if weights is None else rate * per_cycle * weights
    if traffic.burst is None:
        return Steady(probability, nodes)
    within_burst = traffic.burst_rate * per_cycle
    return Bursts(probability, nodes, length=traffic.burst, within_burst=within_burst)


def rate_limit(traffic: Traffic, weights: np.ndarray | None) -> float:
    """Flits per node and cycle that traffic can offer at most, on average over the nodes.

    A node offers at most a flit per cycle, and pauses at least a cycle after each burst.
    """
    most = 1.0
    if traffic.burst is not None:
        most = traffic.burst_rate * traffic.burst / (traffic.burst + 1)
    return most if weights is None else most / float(weights.max())


def _reason(traffic: Traffic, weights: np.ndarray | None) -> str:
    """What keeps the rate below 1."""
    reasons = []
    if traffic.burst is not None:
        rate = "" if traffic.burst_rate == 1 else f" and burst_rate={traffic.burst_rate:g}"
        reasons.append(f" with burst={traffic.burst:g}{rate}")
    if weights is not None:
        reasons.append(f" where the busiest node offers {weights.max():.4g} times the mean")
    return "".join(reasons)


def successes(rng: np.random.Generator, probability: float, trials: int) -> np.ndarray:
    """Numbers of the Bernoulli trials that succeed, in rising order; their gaps are geometric."""
    expected = probability * trials
    block = int(expected + 6 * np.sqrt(expected)) + 16
    found, reached = [], -1
    while reached < trials:
        steps = reached + np.cumsum(rng.geometric(probability, block))
        found.append(steps)
        reached = int(steps[-1])
    numbers = np.concatenate(found)
    return numbers[: np.searchsorted(numbers, trials)]
