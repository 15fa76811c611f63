"""Record of a run, the same from the Verilog and from the golden model."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from knotwork.network import Network

from .router_model import Tally

PATIENCE = 20_000
"""Cycles without any movement after which a run with flits in flight is given up as stuck."""


def patience_with(network: Network) -> int:
    """Cycles without a movement at a node after which a network counts as stuck.

    Deflected packets may circle until their turn comes; their routing bounds the hops that takes.
    """
    return max(PATIENCE, min(network.routing.most_hops * network.cycles_per_hop, 2**62))


class TakenBeat(NamedTuple):
    """Beat that a node took.

    Members
    -------
    clock, node : int
        Cycle, and node.
    source : int
        Address that came with it.
    last : int
        Whether it is the last of its packet, 0 or 1.
    user : int
        Flags or a number; 0 where the network has none.
    data : int
        Payload.
    """

    clock: int
    node: int
    source: int
    last: int
    user: int
    data: int


@dataclass(frozen=True)
class Record:
    """What the nodes of a network saw in a run, whichever engine ran it.

    Members
    -------
    clock, node, source, last : ndarray
        Beats that nodes took, in order of cycle and node, int64; `source` is the address that came
        with the beat.
    user : ndarray
        `tuser` of each beat, flags or a number, int64; 0 where the network has none.
    data : ndarray
        Payloads, uint64 of shape (beats, words), low word first.
    refused : ndarray
        (clock, node) of each packet refused at injection, int64 of shape (packets, 2).
    clocks : int
        Cycles that the run took.
    network_cycles : int or None
        Network cycles that were run, where the engine can tell.
    injected : ndarray or None
        Cycle in which the network took the first beat of each packet, int64, -1 if never.
    tally : Tally or None
        What the golden model counted inside the network, if that was asked for.
    packet : ndarray or None
        Packet or copy of each beat, by its index in `Copies`; None where only the beats are seen.
    status : ndarray
        (clock, status) at each change of the status, the first cycle included, int64 of shape
        (changes, 2); empty where the network has no status.
    mismatch : str or None
        What the scoreboard of an RTL run found wrong first, in words; None if nothing was.
    """

    clock: np.ndarray
    node: np.ndarray
    source: np.ndarray
    last: np.ndarray
    user: np.ndarray
    data: np.ndarray
    refused: np.ndarray
    clocks: int
    network_cycles: int | None = None
    injected: np.ndarray | None = None
    tally: Tally | None = None
    packet: np.ndarray | None = None
    status: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    mismatch: str | None = None

    @classmethod
    def from_beats(
        cls,
        beats: Sequence[TakenBeat],
        refused: Sequence[tuple[int, int]],
        *,
        status: Sequence[tuple[int, int]] = (),
        injected: np.ndarray | None = None,
        mismatch: str | None = None,
        words: int,
        clocks: int,
    ) -> "Record":
        """Record of beats and of refusals (clock, node), in order of cycle and node.

        `words` is the number of 64-bit words in a payload.
        """
        table = np.array([beat[:5] for beat in beats], np.int64).reshape(-1, 5)
        mask = (1 << 64) - 1
        data = [[beat.data >> 64 * place & mask for place in range(words)] for beat in beats]
        clock, node, source, last, user = table.T
        return cls(
            clock=clock,
            node=node,
            source=source,
            last=last,
            user=user,
            data=np.array(data, np.uint64).reshape(-1, words),
            refused=np.array(refused, np.int64).reshape(-1, 2),
            clocks=clocks,
            injected=injected,
            status=np.array(status, np.int64).reshape(-1, 2),
            mismatch=mismatch,
        )

    def rows(self) -> np.ndarray:
        """Everything about each beat, one row per beat, uint64."""
        facts = [self.clock, self.node, self.source, self.last, self.user]
        return np.column_stack([np.stack(facts, axis=1).astype(np.uint64), self.data])
