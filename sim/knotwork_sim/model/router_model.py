"""What the model of a router class offers; what a run of it notes and counts."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from knotwork.network import Network
from knotwork.progress import Task, progress
from knotwork.routing.compiled.native_loop import NativeLoop

from ..compiled import part
from ..traffic.keys import Traffic
from ..traffic.packets import Copies, Packets


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


class Log(NamedTuple):
    """Beats and refusals, each in order of cycle and node; compiled loops fill its arrays.

    Members
    -------
    clock, node, packet, beat : ndarray
        Beats that left the network: cycle, int64; node, index in `Copies` and number of the beat in
        its packet, int32.
    refused_clock, refused_node : ndarray
        Packets refused at injection: cycle in which `refused` is high, and node, int64.
    """

    clock: np.ndarray
    node: np.ndarray
    packet: np.ndarray
    beat: np.ndarray
    refused_clock: np.ndarray
    refused_node: np.ndarray

    @classmethod
    def for_packets(cls, packets: Packets) -> Self:
        """Log with space for every beat and every refusal that is due."""
        beats, refusals = int(packets.due.sum()), int(packets.refused.sum())
        return cls(
            clock=np.zeros(beats, np.int64),
            node=np.zeros(beats, np.int32),
            packet=np.zeros(beats, np.int32),
            beat=np.zeros(beats, np.int32),
            refused_clock=np.zeros(refusals, np.int64),
            refused_node=np.zeros(refusals, np.int64),
        )

    def up_to(self, beats: int, refusals: int) -> "Log":
        """Same log with only the first entries, which a run has filled."""
        return Log(
            *(column[:beats] for column in self[:4]), *(column[:refusals] for column in self[4:])
        )


class LogWriter:
    """Log that a model in plain Python fills, cycle by cycle."""

    def __init__(self, packets: Packets) -> None:
        self._log = Log.for_packets(packets)
        self._beats = self._refusals = 0
        self._task: Task | None = None

    @property
    def is_full(self) -> bool:
        """Whether every beat and every refusal that is due has been noted."""
        full = len(self._log.clock), len(self._log.refused_clock)
        return (self._beats, self._refusals) == full

    @property
    def log(self) -> Log:
        """What has been noted so far."""
        return self._log.up_to(self._beats, self._refusals)

    @contextmanager
    def with_progress(self) -> Iterator[None]:
        """Context in which the beats that are noted are shown as progress."""
        total = len(self._log.clock)
        with progress("running the golden model", total=total, unit="flits") as self._task:
            yield

    def note_beats(
        self, clock: int, node: np.ndarray, packet: np.ndarray, beat: np.ndarray
    ) -> None:
        """Note the beats that nodes took in a cycle."""
        place = slice(self._beats, self._beats + len(node))
        self._log.clock[place], self._log.node[place] = clock, node
        self._log.packet[place], self._log.beat[place] = packet, beat
        self._beats += len(node)
        if self._task is not None:
            self._task.done = self._beats

    def note_refusals(self, clock: int, node: np.ndarray) -> None:
        """Note the nodes at which `refused` is high in a cycle."""
        place = slice(self._refusals, self._refusals + len(node))
        self._log.refused_clock[place], self._log.refused_node[place] = clock, node
        self._refusals += len(node)


_Totals = TypeVar("_Totals")

_LOOK_SECONDS = 0.2
"""Seconds between two looks at the log."""


def run_with_progress(run: Callable[..., _Totals], *arguments: Any, log: Log) -> _Totals:
    """Outcome of a compiled loop that fills a log.

    The loop runs in a thread of its own and does not hold Python's lock, so that Ctrl-C ends the
    command at once. It is as fast as without.

    Parameters
    ----------
    run : callable
        Loop, which gets the other arguments.
    log : Log
        Log that the loop fills, one of these arguments.
    """
    outcome: list[_Totals] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(run(*arguments))
        except BaseException as error:  # raised in the thread that waits
            failure.append(error)

    thread = Thread(target=work, daemon=True)
    with progress("running the golden model", total=len(log.clock), unit="flits") as task:
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            if not task.done:  # until now it may have been compiled
                task.began = time.monotonic()
            task.done = filled(log.clock)
    if failure:
        raise failure[0]
    return outcome[0]


def filled(clock: np.ndarray) -> int:
    """Filled entries at the beginning of a column of cycles; no beat leaves in cycle 0."""
    low, high = 0, len(clock)
    while low < high:
        middle = (low + high) // 2
        if clock[middle] != 0:
            low = middle + 1
        else:
            high = middle
    return low


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
    function : NativeLoop
        What Numba compiles, and is kept on disk.
    seconds : float
        Of a core to compile it, measured.
    """

    function: NativeLoop
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
