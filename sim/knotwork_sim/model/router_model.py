"""What the model of a router class offers, and what a run of it gives."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from knotwork.network import Network

from ..traffic.keys import Traffic
from ..traffic.packets import Copies, Packets
from .log import Log
from .tally import Tally


@dataclass(frozen=True)
class Run:
    """Run of the golden model, without payloads.

    Members
    -------
    log : Log
        What the nodes saw.
    copies : Copies
        Copies that the log counts.
    clocks : int
        Cycles that were run.
    crossings : int or None
        Flits that crossed a router, ejections included, where the model counts them.
    network_cycles : int or None
        Network cycles that were run, where there are any.
    flags : ndarray or None
        Flags that came with each beat of the log, int64, where the network has flags.
    injected : ndarray or None
        Cycle in which the network took the first beat of each packet, int64, -1 if never.
    tally : Tally or None
        What was counted inside the network, if that was asked for and the model counts it.
    status : ndarray or None
        (clock, status) at each change of the status, the first cycle included, int64 of shape
        (changes, 2), where the network has a status.
    """

    log: Log
    copies: Copies
    clocks: int
    crossings: int | None = None
    network_cycles: int | None = None
    flags: np.ndarray | None = None
    status: np.ndarray | None = None
    injected: np.ndarray | None = None
    tally: Tally | None = None


class Extent(NamedTuple):
    """How far a run goes.

    Members
    -------
    clocks : int
        Cycles after which it ends at the latest.
    counts : bool
        Whether what crosses the links is counted, where the model can.
    event_limit : int
        Crossings that are noted one by one at most, where they are counted.
    """

    clocks: int
    counts: bool
    event_limit: int = 0


class CrossingCycles(NamedTuple):
    """Cycles of a head flit before its crossings, if nothing is in its way.

    Members
    -------
    entry : int
        From its injection to its first crossing.
    hop : int
        From a crossing to the next one, over a link of latency 1.
    """

    entry: int
    hop: int


class ModelLoop(NamedTuple):
    """Loop of a model that takes long to compile.

    Members
    -------
    function : Dispatcher
        What Numba compiles, and keeps on disk.
    seconds : float
        Of a core to compile it, measured.
    """

    function: Any
    seconds: float


class RouterModel(Protocol):
    """Golden model of the networks of one router class.

    Members
    -------
    counts_crossings : bool
        Whether it can count what crosses the links.
    """

    counts_crossings: bool

    def crossing_cycles(self, network: Network) -> CrossingCycles | None:
        """Cycles of a head flit that nothing holds up; None if the model notes no crossings."""
        ...

    def loop(self, network: Network) -> ModelLoop | None:
        """Loop that runs a network; None if it is compiled in a second or two."""
        ...

    def run(self, network: Network, traffic: Traffic, packets: Packets, extent: Extent) -> Run:
        """Run a network until every packet is delivered or refused.

        It ends early after as many cycles as `extent` says, or when nothing has moved for
        `record.PATIENCE` cycles.
        """
        ...

    def user(self, network: Network, packets: Packets, run: Run) -> np.ndarray:
        """`tuser` of each beat in the log of a run, int64; 0 where the network has none."""
        ...


def no_user(run: Run) -> np.ndarray:
    """`tuser` of each beat, int64, of a network that has none."""
    return np.zeros(len(run.log.clock), np.int64)
