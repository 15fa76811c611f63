"""Network cycles in one-way use: packets go up to a terminal or down to a PE, and never turn.

The two directions share no link, so they do not meet. Within each, all headers are on one level at
a time, and the destination names the output; of several at once that with the lowest scan distance
gets it.
"""

import numpy as np

from ...topology.banyan import Banyan
from .outcome import Outcome, empty_outcome, ranks_in_group
from .switch_state import scan_starts


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
    packets = _Packets(topology, states, sources, destinations)
    packets.climb()
    packets.descend()
    return packets.outcome


class _Packets:
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
