"""Golden model of `gateware.batch.router` and `batch_controller`, all nodes at once."""

from typing import Any, NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.routing.batch import WRONG, BatchRouting, Step
from knotwork.routing.scheduling.linear_complement import JumpTable

from ..traffic.copies import Copies, make_copies
from ..traffic.endpoints import accepted_all, drive, make_endpoints
from ..traffic.jump_tables import ConfigSource
from ..traffic.keys import Traffic
from ..traffic.packets import Packets
from .packet.state import Log
from .record import PATIENCE, Record


class _Controller:
    """The jump table and the steps."""

    def __init__(self, routing: BatchRouting, words: int) -> None:
        self.routing, self.words = routing, words
        self.n = routing.topology.address_width
        self.configured = self.running = False
        self.sound, self.entries = True, []
        self.table = JumpTable.naive(self.n)
        self.clock = 0  # of the batch

    def load(self, beat: tuple[int, int, bool]) -> None:
        """Take an entry of a table; its last decides whether batches may start."""
        jump, buddy, last = beat
        self.entries.append((jump, buddy))
        self.sound &= buddy <= self.n and len(self.entries) <= self.n
        self.configured = last and self.sound and len(self.entries) == self.n
        if self.configured:
            jumps, buddies = zip(*self.entries[::-1], strict=True)
            self.table = JumpTable(jumps, buddies)
        if last:
            self.sound, self.entries = True, []


class BatchModel:
    """All routers of a network of batches, a clock at a time.

    A packet is the number that `Packets` has it under; -1 is none.
    """

    def __init__(self, network: Network, packets: Packets) -> None:
        nodes = network.topology.nodes
        assert isinstance(network.routing, BatchRouting)
        self.words = network.hardware.words
        self.controller = _Controller(network.routing, self.words)
        self.packets = packets
        self.full = np.zeros(nodes, bool)
        self.giving = np.zeros(nodes, bool)
        self.packet = np.full(nodes, -1)
        self.beat = np.zeros(nodes, np.int64)  # the next one to the node
        self.raised = np.zeros(nodes, np.uint8)
        self.wrong = np.zeros(nodes, bool)
        self.step: Step | None = None

    def flags(self) -> np.ndarray:
        """Flags that each node shows in this clock."""
        nodes = np.arange(len(self.full))
        wrong = self.giving & (self.packets.destination[self.packet] != nodes)
        return self.raised | np.where(self.wrong | wrong, WRONG, 0).astype(np.uint8)

    def status(self, flags: np.ndarray) -> int:
        """Status in this clock."""
        unconfigured = 0 if self.controller.configured else 1 << 4
        return int(np.bitwise_or.reduce(flags)) | unconfigured

    def run_clock(
        self, flags: np.ndarray, *, ends: Any, takes: np.ndarray, given: np.ndarray, loads: Any
    ) -> np.ndarray:
        """Go on by a clock; the nodes whose packet was refused with it.

        Parameters
        ----------
        flags : ndarray
            What `flags` said.
        ends : Endpoints
            Beats that the sources hold out.
        takes, given : ndarray
            Nodes from which and to which a beat crosses.
        loads : tuple or None
            Entry of the jump table that is taken.
        """
        controller = self.controller
        at_last = takes & (ends.beat == self._lengths(ends) - 1)
        whole = at_last & (self._lengths(ends) == self.words)
        self.wrong = flags & WRONG != 0
        self.raised[takes], self.wrong[takes] = 0, False
        filled = bool((self.full | whole).all())
        starts = not controller.running and filled and controller.configured and loads is None
        if controller.running:
            self._move()
        self.packet[whole] = ends.packet[whole]
        self.full |= whole
        self.beat[given] += 1
        done = given & (self.beat == self.words)
        self.giving &= ~done
        self.beat[done] = 0
        if starts:
            controller.running, controller.clock = True, 0
        if loads is not None:
            controller.load(loads)
        return np.nonzero(at_last & ~whole)[0]

    def _lengths(self, ends: Any) -> np.ndarray:
        return ends.length[np.minimum(ends.packet, len(ends.length) - 1)]

    def _move(self) -> None:
        """A clock of a step: flags at its beginning, packets at its end."""
        controller = self.controller
        number, word = divmod(controller.clock, self.words)
        if word == 0:
            destinations = self.packets.destination[self.packet]
            self.step = controller.routing.step(number, destinations, controller.table)
            self.raised |= self.step.flags
        assert self.step is not None
        controller.clock += 1
        if word == self.words - 1:
            self.packet = self.packet[self.step.taken]
            if number == controller.routing.steps - 1:
                controller.running = False
                self.giving, self.full = self.full, np.zeros_like(self.full)


class _Run(NamedTuple):
    """Beats (clock, node, packet, beat, flags) in rows, refusals, changes of status, clocks."""

    beats: np.ndarray
    refused: np.ndarray
    status: np.ndarray
    clocks: int


def run_batch_log(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> tuple[Log, Copies, int]:
    """Run the golden model: what the nodes saw, as `golden.run_packet_log`."""
    seen = _run(network, traffic, packets, clocks=clocks)
    at, node, packet, beat, _ = seen.beats.T
    return Log(at, node, packet, beat, *seen.refused.T), make_copies(packets), seen.clocks


def run_batch_model(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> Record:
    """Run the golden model until every packet is delivered or refused; as `golden.run_model`."""
    seen = _run(network, traffic, packets, clocks=clocks)
    at, node, packet, beat, user = seen.beats.T
    codes = np.array([network.topology.address(i) for i in range(network.topology.nodes)])
    return Record(
        clock=at,
        node=node,
        source=codes[packets.source[packet]],
        last=(beat == network.hardware.words - 1).astype(np.int64),
        user=user,
        data=packets.words(network.hardware.data_width)[packets.first_flit[packet] + beat],
        refused=seen.refused,
        status=seen.status,
        clocks=seen.clocks,
    )


def _run(network: Network, traffic: Traffic, packets: Packets, *, clocks: int) -> _Run:
    model = BatchModel(network, packets)
    ends = make_endpoints(packets, traffic)
    config = ConfigSource(packets.loadings)
    refusals, due = int(packets.refused.sum()), int(packets.due.sum())
    rows, refused, status = [], [], []
    clock = delivered = idle = 0
    while clock < clocks and idle < PATIENCE:
        if delivered == due and len(refused) == refusals and config.done:
            break
        drive(ends, clock)
        flags = model.flags()
        shown = model.status(flags)
        if not status or status[-1][1] != shown:
            status.append((clock, shown))
        given = np.nonzero(model.giving & ends.taking)[0]
        facts = (model.packet[given], model.beat[given], flags[given].astype(np.int64))
        rows.append(np.stack([np.full(len(given), clock), given, *facts], axis=1))
        delivered += len(given)
        ready = ~model.full & ~model.giving
        takes = ends.offered & ready
        loads = None if model.controller.running else config.offered(clock)
        busy = model.controller.running or takes.any() or len(given) or loads
        crosses = np.zeros(len(ready), bool)
        crosses[given] = True
        fails = model.run_clock(flags, ends=ends, takes=takes, given=crosses, loads=loads)
        refused += [(clock + 1, node) for node in fails.tolist()]
        accepted_all(ends, ready)
        if loads:
            config.taken()
        waits = ends.packet < ends.last_packet
        idle = 0 if busy or not (waits.any() or model.full.any()) else idle + 1
        clock += 1
    return _Run(
        beats=np.concatenate(rows),
        refused=np.array(refused, np.int64).reshape(-1, 2),
        status=np.array(status, np.int64).reshape(-1, 2),
        clocks=clock,
    )
