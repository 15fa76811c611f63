"""Golden model of `gateware.batch`: the routers of all nodes at once, and their controller."""

import numpy as np
from knotwork.network import Network
from knotwork.parameters import BatchParameters
from knotwork.routing.batch import WRONG, BatchRouting, Step
from knotwork.routing.scheduling.linear_complement import JumpTable

from ..traffic.copies import make_copies
from ..traffic.endpoints import Endpoints, accepted_all, drive, make_endpoints
from ..traffic.jump_tables import ConfigSource
from ..traffic.keys import Traffic
from ..traffic.packets import Packets
from .log import LogWriter
from .record import PATIENCE
from .router_model import Run


class _Controller:
    """Jump table, and the steps of a batch."""

    def __init__(self, routing: BatchRouting, words: int) -> None:
        self.routing, self.words = routing, words
        self.n = routing.topology.address_width
        self.configured = self.running = False
        self.sound, self.entries = True, []
        self.table = JumpTable.naive(self.n)
        self.clock = 0  # since the start of the batch

    def load(self, beat: tuple[int, int, bool]) -> None:
        """Take an entry of a table; the last one decides whether batches may start."""
        jump, buddy, last = beat
        self.entries.append((jump, buddy))
        self.sound &= buddy <= self.n and len(self.entries) <= self.n
        self.configured = last and self.sound and len(self.entries) == self.n
        if self.configured:
            jumps, buddies = zip(*self.entries[::-1], strict=True)
            self.table = JumpTable(jumps, buddies)
        if last:
            self.sound, self.entries = True, []


class BatchNetwork:
    """All routers of a batch network, one cycle at a time.

    A packet is its index in `Packets`; -1 is none.
    """

    def __init__(self, network: Network, packets: Packets) -> None:
        nodes = network.topology.nodes
        self.words = BatchParameters.of(network.hardware).words
        self.controller = _Controller(BatchRouting.of(network.routing), self.words)
        self.packets = packets
        self.full = np.zeros(nodes, bool)
        self.giving = np.zeros(nodes, bool)
        self.packet = np.full(nodes, -1)
        self.beat = np.zeros(nodes, np.int64)  # next one to the node
        self.raised = np.zeros(nodes, np.uint8)
        self.wrong = np.zeros(nodes, bool)
        self.movement: Step | None = None

    def flags(self) -> np.ndarray:
        """Flags that each node shows in this cycle."""
        nodes = np.arange(len(self.full))
        wrong = self.giving & (self.packets.destination[self.packet] != nodes)
        return self.raised | np.where(self.wrong | wrong, WRONG, 0).astype(np.uint8)

    def status(self, flags: np.ndarray) -> int:
        """Status in this cycle."""
        unconfigured = 0 if self.controller.configured else 1 << 4
        return int(np.bitwise_or.reduce(flags)) | unconfigured

    def step(
        self,
        flags: np.ndarray,
        *,
        ends: Endpoints,
        takes: np.ndarray,
        gives: np.ndarray,
        loads: tuple[int, int, bool] | None,
    ) -> np.ndarray:
        """Go on by one cycle; nodes whose packet was refused in it.

        Parameters
        ----------
        flags : ndarray
            What `flags` said.
        ends : Endpoints
            Beats that the sources hold out.
        takes, gives : ndarray
            Nodes from which and to which a beat crosses, bool.
        loads : tuple or None
            Entry of the jump table that is taken (`ConfigSource.offered`).
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
        self.beat[gives] += 1
        done = gives & (self.beat == self.words)
        self.giving &= ~done
        self.beat[done] = 0
        if starts:
            controller.running, controller.clock = True, 0
        if loads is not None:
            controller.load(loads)
        return np.nonzero(at_last & ~whole)[0]

    def _lengths(self, ends: Endpoints) -> np.ndarray:
        return ends.length[np.minimum(ends.packet, len(ends.length) - 1)]

    def _move(self) -> None:
        """Go on by one cycle of a step: flags rise in its first, packets move in its last."""
        controller = self.controller
        number, word = divmod(controller.clock, self.words)
        if word == 0:
            destinations = self.packets.destination[self.packet]
            self.movement = controller.routing.step(number, destinations, controller.table)
            self.raised |= self.movement.flags
        assert self.movement is not None
        controller.clock += 1
        if word == self.words - 1:
            self.packet = self.packet[self.movement.taken]
            if number == controller.routing.steps - 1:
                controller.running = False
                self.giving, self.full = self.full, np.zeros_like(self.full)


class BatchModel:
    """Golden model of batch networks."""

    def run(self, network: Network, traffic: Traffic, packets: Packets, *, clocks: int) -> Run:
        """Run a network; see `RouterModel`."""
        batches, ends = BatchNetwork(network, packets), make_endpoints(packets, traffic)
        config, writer = ConfigSource(packets.loadings), LogWriter(packets)
        seen_flags, status = [np.zeros(0, np.int64)], []
        clock = idle = 0
        while clock < clocks and idle < PATIENCE and not (writer.is_full and config.done):
            drive(ends, clock)
            flags = batches.flags()
            shown = batches.status(flags)
            if not status or status[-1][1] != shown:
                status.append((clock, shown))
            gives = batches.giving & ends.taking
            given = np.nonzero(gives)[0]
            writer.note_beats(clock, given, batches.packet[given], batches.beat[given])
            seen_flags.append(flags[given].astype(np.int64))
            ready = ~batches.full & ~batches.giving
            takes = ends.offered & ready
            loads = None if batches.controller.running else config.offered(clock)
            busy = batches.controller.running or takes.any() or len(given) or loads
            refused = batches.step(flags, ends=ends, takes=takes, gives=gives, loads=loads)
            writer.note_refusals(clock + 1, refused)
            accepted_all(ends, ready)
            if loads:
                config.taken()
            waits = ends.packet < ends.last_packet
            idle = 0 if busy or not (waits.any() or batches.full.any()) else idle + 1
            clock += 1
        return Run(
            log=writer.log,
            copies=make_copies(packets),
            clocks=clock,
            flags=np.concatenate(seen_flags),
            status=np.array(status, np.int64).reshape(-1, 2),
        )

    def user(self, network: Network, packets: Packets, run: Run) -> np.ndarray:
        """Flags that came with each beat."""
        del network, packets
        assert run.flags is not None
        return run.flags
