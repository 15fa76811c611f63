"""What a run counts inside the network, where that is asked for."""

from typing import NamedTuple, Self

import numpy as np
from knotwork.network import Network

from ..compiled import part


class Tally(NamedTuple):
    """Counts that the compiled loops fill; without entries they count nothing.

    Members
    -------
    crossings : ndarray
        Flits that left each router by each output channel, int64: of (router * ports + port) * vcs
        + vc. Port 0 leads to the node.
    hops : ndarray
        Links that the head of each packet or copy crossed, int32.
    noted : ndarray
        Number of crossings in the run, int64 of shape (1,), those beyond the limit included.
    events : ndarray
        The first crossings, int64 of shape (limit, 4): the cycle in which a router sent a flit, the
        channel, as in `crossings`, the packet or copy, and the number of the flit in it.
    """

    crossings: np.ndarray
    hops: np.ndarray
    noted: np.ndarray
    events: np.ndarray

    @classmethod
    def empty(cls) -> Self:
        """Tally that counts nothing."""
        return cls(
            crossings=np.zeros(0, np.int64),
            hops=np.zeros(0, np.int32),
            noted=np.zeros(1, np.int64),
            events=np.zeros((0, 4), np.int64),
        )

    @classmethod
    def of(cls, network: Network, copies: int, *, event_limit: int = 0) -> Self:
        """Tally of all channels of a network, of so many packets and copies.

        It notes `event_limit` crossings one by one at most.
        """
        channels = network.topology.neighbours.size * network.routing.virtual_channels
        return cls(
            crossings=np.zeros(channels, np.int64),
            hops=np.zeros(copies, np.int32),
            noted=np.zeros(1, np.int64),
            events=np.zeros((event_limit, 4), np.int64),
        )

    def note_all(
        self, clock: int, channel: np.ndarray, packet: np.ndarray, beat: np.ndarray | int
    ) -> None:
        """Note crossings of a cycle, for a model in plain Python."""
        first = int(self.noted[0])
        self.noted[0] += len(channel)
        here = self.events[first : int(self.noted[0])]
        columns = np.broadcast_arrays(clock, channel, packet, beat)
        here[:] = np.stack(columns, axis=1)[: len(here)]


@part
def note(tally, clock, channel, packet, beat):
    """Note a crossing, up to the limit."""
    number = tally.noted[0]
    tally.noted[0] = number + 1
    if number < len(tally.events):
        tally.events[number, 0] = clock
        tally.events[number, 1] = channel
        tally.events[number, 2] = packet
        tally.events[number, 3] = beat
