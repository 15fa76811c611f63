# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of packet networks into which tables are loaded: `gateware.packet.loaded`."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.routing.compiled.calls import rule_address
from knotwork.routing.compiled.tables import CLASSES, UNREACHED, look_up, pack_table

from ...compiled import exclude, include, loop
from ...traffic.endpoints import Endpoints, has_beat, make_endpoints
from ...traffic.keys import Traffic
from ...traffic.packets import Creations, Packets, make_copies, packets_by_time
from ..router_model import Log, Run, Tally
from .allocation import Registers, make_registers
from .buffers import Branches, make_branches
from .credits import run_cycle
from .interfaces import Stores, make_stores, wake
from .loops import Totals
from .state import Fixed, Scratch, State, make_fixed, make_scratch, make_state

_SWAP = 3
"""Cycles from one in which the network is known to be empty to that with the tables in force."""


class OfferedWord(NamedTuple):
    """Word that a network is offered, for an entry of a router's table.

    Members
    -------
    cycle : int
        Cycle from which it is offered.
    place : tuple of int
        Router, input port and class, and node to which packets go.
    output, out_class : int
        Where they leave.
    last : bool
        Whether the load ends with it.
    """

    cycle: int
    place: tuple[int, int, int, int]
    output: int
    out_class: int
    last: bool


@loop
def run_held(
    fixed: Fixed,
    state: State,
    stores: Stores,
    branches: Branches,
    registers: Registers,
    ends: Endpoints,
    held: np.ndarray,
    scratch: Scratch,
    log: Log,
    tally: Tally,
    due: Creations,
    begun: Totals,
    until: int,
) -> Totals:
    """Step until cycle `until`; nodes that are held begin no packet."""
    done = begun
    while done.clocks < until:
        wake(scratch, due, done.clocks)
        for node in range(len(held)):
            if held[node] and ends.beat[node] == 0:
                exclude(scratch.sources, node)
                ends.offered[node] = False
        done = run_cycle(fixed, state, stores, branches, registers, ends, scratch, log, tally, done)
        for node in range(len(held)):
            if held[node] and has_beat(ends, node, done.clocks):
                include(scratch.sources, node)
    return done


class Banks:
    """Both banks of all routers' tables.

    Parameters
    ----------
    network : Network
        Network with ``tables=loaded``.
    """

    def __init__(self, network: Network) -> None:
        shape = (*network.topology.neighbours.shape, network.routing.classes)
        size = (*shape, network.topology.nodes)
        self._banks = [np.full(size, UNREACHED, np.int64) for _ in range(2)]
        self._idle = 1

    def write(self, word: OfferedWord) -> None:
        """Store a word in the bank that is not in force."""
        self._banks[self._idle][word.place] = CLASSES * word.output + word.out_class

    def swap(self, fixed: Fixed) -> Fixed:
        """Swap the banks: what stays the same from now on."""
        numbers = pack_table(self._banks[self._idle])
        self._idle ^= 1
        return fixed._replace(
            rule=rule_address(look_up), parameters=numbers.ctypes.data, numbers=numbers
        )


class LoadedRun:
    """Run of a network into which tables are loaded.

    Parameters
    ----------
    network : Network
        Network with ``tables=loaded``.
    packets : Packets
        Packets, with the cycles in which they are offered.
    clocks : int
        Cycles to run.
    """

    def __init__(self, network: Network, packets: Packets, clocks: int) -> None:
        self._copies, self._log = make_copies(network, packets), Log.for_packets(packets)
        self._fixed = make_fixed(network, packets, self._copies, stores=0, remembers=False)
        self._state, self._ends = make_state(network), make_endpoints(packets, Traffic())
        self._scratch = make_scratch(network)
        due = packets_by_time(packets)
        more = make_registers(network, self._state)
        self._rest = (make_stores(network), make_branches(network), more)
        self._between = network.cycles_between_buffers
        self._outcome = (self._log, Tally.empty(), due)
        self._held = np.zeros(network.topology.nodes, np.bool_)
        self._totals, self._clocks = Totals(0, 0, 0), clocks
        self._banks, self._swaps = Banks(network), 0
        self._status = [(0, 0)]

    @property
    def clock(self) -> int:
        """Cycles that have been run."""
        return self._totals.clocks

    def step(self, until: int) -> None:
        """Run until a cycle, or to the end."""
        self._totals = run_held(
            self._fixed,
            self._state,
            *self._rest,
            self._ends,
            self._held,
            self._scratch,
            *self._outcome,
            self._totals,
            min(until, self._clocks),
        )

    def load(self, words: Sequence[OfferedWord]) -> None:
        """Load words that the network is offered one after the other."""
        for offered in words:
            self._banks.write(offered)
            if offered.last:
                self.step(max(offered.cycle, self.clock) + 1)
                self._swap()

    def _swap(self) -> None:
        """Hold the nodes until the network is empty, and swap."""
        self._record_status(waits=True)
        beats, packets = self._ends.beat, self._ends.packet
        waits = self._ends.offered & (beats == 0)  # a beat that was offered stays offered
        first = packets.copy()
        self._held[:] = ~waits
        rested = 0  # a flit may be between two buffers for `_between` cycles
        while self.clock < self._clocks:
            moves = beats.any() or waits.any() or not self._is_empty
            rested = 0 if moves else rested + 1
            if rested > self._between:
                break
            self.step(self.clock + 1)
            waits &= (beats == 0) & (packets == first)
            self._held[:] = ~waits
        idle = self.clock
        self.step(idle + _SWAP - 1)
        self._swaps ^= 1
        self._record_status(waits=True)
        self.step(idle + _SWAP)
        self._held[:] = False
        self._fixed = self._banks.swap(self._fixed)
        self._record_status(waits=False)

    @property
    def _is_empty(self) -> bool:
        """Whether no input channel holds a flit."""
        return bool((self._state.inputs["packet"] < 0).all())

    def _record_status(self, *, waits: bool) -> None:
        if self.clock < self._clocks:
            self._status.append((self.clock, 2 * self._swaps + waits))

    def end(self) -> Run:
        """Run to the end: what the nodes saw, and the status."""
        self.step(self._clocks)
        return Run(
            log=self._log.up_to(self._totals.logged, self._totals.refused),
            copies=self._copies,
            clocks=self.clock,
            injected=self._ends.injected,
            status=np.array(self._status, np.int64),
        )


def run_loaded(
    network: Network, packets: Packets, words: Sequence[OfferedWord], *, clocks: int
) -> Run:
    """Run the golden model of a network that is offered words; none declares a dead link."""
    run = LoadedRun(network, packets, clocks)
    run.load(words)
    return run.end()
