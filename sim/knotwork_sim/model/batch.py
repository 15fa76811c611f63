"""Golden model of batch routers: one packet of every node at a time, step by step."""

import numpy as np
from knotwork.network import Network
from knotwork.parameters import BatchParameters
from knotwork.routing.batch import WRONG, BatchRouting, Step
from knotwork.routing.scheduling.linear_complement import JumpTable

from ..traffic.endpoints import Endpoints, accepted_all, drive, make_endpoints
from ..traffic.jump_tables import ConfigBeat, ConfigSource
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, make_copies
from .record import PATIENCE
from .router_model import CrossingCycles, Extent, LogWriter, Run, Tally


class Controller:
    """Jump table, and the steps of a batch."""

    def __init__(self, routing: BatchRouting, words: int) -> None:
        self.routing, self.words = routing, words
        self.n = routing.topology.address_width
        self.configured = self.running = False
        self.sound, self.entries = True, []
        self.table = JumpTable.naive(self.n)
        self.clock = 0  # since the start of the batch

    def load(self, beat: ConfigBeat) -> None:
        """Take an entry of a table; the last one decides whether batches may start."""
        self.entries.append((beat.jump, beat.buddy))
        self.sound &= beat.buddy <= self.n and len(self.entries) <= self.n
        self.configured = beat.last and self.sound and len(self.entries) == self.n
        if self.configured:
            jumps, buddies = zip(*self.entries[::-1], strict=True)
            self.table = JumpTable(jumps, buddies)
        if beat.last:
            self.sound, self.entries = True, []


class BatchNetwork:
    """All routers of a batch network, one cycle at a time.

    A packet is its index in `Packets`; -1 is none. What moves is counted in `tally`, if there is
    one.
    """

    def __init__(self, network: Network, packets: Packets, tally: Tally | None = None) -> None:
        nodes = network.topology.nodes
        self.words = BatchParameters.of(network.hardware).words
        self.controller = Controller(BatchRouting.of(network.routing), self.words)
        self.packets, self.tally = packets, tally
        self.neighbours = network.topology.neighbours
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
        clock: int,
        flags: np.ndarray,
        *,
        ends: Endpoints,
        takes: np.ndarray,
        gives: np.ndarray,
        loads: ConfigBeat | None,
    ) -> np.ndarray:
        """Go on by one cycle; nodes whose packet was refused in it.

        Parameters
        ----------
        clock : int
            Number of the cycle.
        flags : ndarray
            What `flags` said.
        ends : Endpoints
            Beats that the sources hold out.
        takes, gives : ndarray
            Nodes from which and to which a beat crosses, bool.
        loads : ConfigBeat or None
            Entry of the jump table that is taken.
        """
        controller = self.controller
        at_last = takes & (ends.beat == self._lengths(ends) - 1)
        complete = at_last & (self._lengths(ends) == self.words)
        self.wrong = flags & WRONG != 0
        self.raised[takes], self.wrong[takes] = 0, False
        filled = bool((self.full | complete).all())
        starts = not controller.running and filled and controller.configured and loads is None
        if controller.running:
            self._move(clock)
        self.packet[complete] = ends.packet[complete]
        self.full |= complete
        if self.tally is not None:
            self._channels(self.tally)[gives, 0] += 1
            delivered = np.nonzero(gives)[0]
            local = delivered * self.neighbours.shape[1]
            self.tally.note_all(clock, local, self.packet[delivered], self.beat[delivered])
        self.beat[gives] += 1
        done = gives & (self.beat == self.words)
        self.giving &= ~done
        self.beat[done] = 0
        if starts:
            controller.running, controller.clock = True, 0
        if loads is not None:
            controller.load(loads)
        return np.nonzero(at_last & ~complete)[0]

    def _lengths(self, ends: Endpoints) -> np.ndarray:
        return ends.length[np.minimum(ends.packet, len(ends.length) - 1)]

    def _move(self, clock: int) -> None:
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
            if self.tally is not None:
                self._count(self.tally, self.movement, clock)
            self.packet = self.packet[self.movement.taken]
            if number == controller.routing.steps - 1:
                controller.running = False
                self.giving, self.full = self.full, np.zeros_like(self.full)

    def _channels(self, tally: Tally) -> np.ndarray:
        """Counts of crossings, of shape (routers, ports)."""
        return tally.crossings.reshape(self.neighbours.shape)

    def _count(self, tally: Tally, movement: Step, clock: int) -> None:
        """Count the words that cross links in a step, and the links that their packets cross.

        Its last cycle is `clock`.
        """
        nodes, packet = np.arange(len(self.full)), self.packet[movement.taken]
        for begin, end in ((movement.taken, movement.between), (movement.between, nodes)):
            moved = begin != end
            begins, ends = begin[moved], end[moved]
            ports = (self.neighbours[begins] == ends[:, None]).argmax(axis=1)
            np.add.at(self._channels(tally), (begins, ports), self.words)
            tally.hops[packet[moved]] += 1
            channels = begins * self.neighbours.shape[1] + ports
            for word in range(self.words):
                first = clock - self.words + 1
                tally.note_all(first + word, channels, packet[moved], word)


class BatchModel:
    """Golden model of batch networks."""

    counts_crossings = True

    def crossing_cycles(self, network: Network) -> CrossingCycles:
        """As many as a packet has words: until the last word is there, and for each step."""
        words = BatchParameters.of(network.hardware).words
        return CrossingCycles(words, words)

    def loop(self, network: Network) -> None:
        """None: what Numba compiles is small."""
        del network

    def run(self, network: Network, traffic: Traffic, packets: Packets, extent: Extent) -> Run:
        """Run a network; see `RouterModel`."""
        tally = (
            Tally.of(network, len(packets), event_limit=extent.event_limit)
            if extent.counts
            else None
        )
        batches, ends = BatchNetwork(network, packets, tally), make_endpoints(packets, traffic)
        config, writer = ConfigSource(packets.loadings), LogWriter(packets)
        seen_flags, status = [np.zeros(0, np.int64)], []
        decide, accept = drive.bind(ends), accepted_all.bind(ends)
        clock = idle = 0
        with writer.with_progress():
            while (
                clock < extent.clocks and idle < PATIENCE and not (writer.is_full and config.done)
            ):
                decide(clock)
                flags = batches.flags()
                status_now = batches.status(flags)
                if not status or status[-1][1] != status_now:
                    status.append((clock, status_now))
                gives = batches.giving & ends.taking
                delivered = np.nonzero(gives)[0]
                writer.note_beats(
                    clock, delivered, batches.packet[delivered], batches.beat[delivered]
                )
                seen_flags.append(flags[delivered].astype(np.int64))
                ready = ~batches.full & ~batches.giving
                takes = ends.offered & ready
                loads = None if batches.controller.running else config.offered(clock)
                busy = batches.controller.running or takes.any() or len(delivered) or loads
                refused = batches.step(
                    clock, flags, ends=ends, takes=takes, gives=gives, loads=loads
                )
                writer.note_refusals(clock + 1, refused)
                accept(ready, clock)
                if loads:
                    config.taken()
                waits = ends.packet < ends.last_packet
                idle = 0 if busy or not (waits.any() or batches.full.any()) else idle + 1
                clock += 1
        return Run(
            log=writer.log,
            copies=make_copies(network, packets),
            clocks=clock,
            injected=ends.injected,
            tally=tally,
            flags=np.concatenate(seen_flags),
            status=np.array(status, np.int64).reshape(-1, 2),
        )

    def user(self, network: Network, packets: Packets, run: Run) -> np.ndarray:
        """Flags that came with each beat."""
        del network, packets
        assert run.flags is not None
        return run.flags
