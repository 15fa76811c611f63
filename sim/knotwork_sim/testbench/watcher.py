"""Watcher of a network's ports: what crosses them in each cycle."""

from collections.abc import Callable

from cocotb.triggers import RisingEdge

from ..model.record import TakenBeat
from ..traffic.packets import NEVER
from .observation import Observation, OfferedPacket, OfferedTable
from .ports import Ports, Stream, signal_value


class Watcher:
    """All ports of a network, read at every rising edge of its clock.

    A reset begins a new observation; the first edge after it is that of cycle 0.

    Parameters
    ----------
    ports : Ports
        The ports.
    on_reset : callable
        Called when a reset begins.
    on_packet : callable
        Called with each `OfferedPacket` of which the network has taken the last beat.
    on_beat : callable
        Called with each `TakenBeat`.
    on_refusal, on_status : callable
        Called with node and cycle of each refusal, and with value and cycle of the status in each.

    Members
    -------
    seen : Observation
        Since the last reset.
    moved : int
        Last cycle in which a beat crossed a port.
    """

    def __init__(
        self,
        ports: Ports,
        *,
        on_reset: Callable[[], None],
        on_packet: Callable[[OfferedPacket], None],
        on_beat: Callable[[TakenBeat], None],
        on_refusal: Callable[[int, int], None],
        on_status: Callable[[int, int], None] = lambda value, cycle: None,
    ) -> None:
        self._ports = ports
        self._on_reset, self._on_packet = on_reset, on_packet
        self._on_beat, self._on_refusal, self._on_status = on_beat, on_refusal, on_status
        self._start()

    def _start(self) -> None:
        nodes = len(self._ports.inject)
        self.seen = Observation.of(nodes)
        self.moved = 0
        self._open: list[OfferedPacket | None] = [None] * nodes  # packet on its way in
        self._offered = [NEVER] * nodes  # since when the present beat is offered
        self._held: list[tuple[int, ...] | None] = [None] * nodes  # beat that waits to be taken
        self._loading: OfferedTable | None = None
        self._taken = 0  # entries of the present table

    async def run(self) -> None:
        """Watch for ever."""
        edge, in_reset = RisingEdge(self._ports.clock), False
        while True:
            await edge
            if str(self._ports.reset.value) != "0":  # before the first one it may be unknown
                if not in_reset:
                    self._on_reset()
                    self._start()
                in_reset = True
                continue
            in_reset = False
            self._watch_cycle(self.seen.cycles)

    def _watch_cycle(self, cycle: int) -> None:
        """Note one cycle."""
        ready = 0
        for node in range(len(self._ports.inject)):
            self._watch_inject(cycle, node)
            ready |= self._watch_eject(cycle, node) << node
            if signal_value(self._ports.refused[node], cycle):
                self.seen.refused.append((cycle, node))
                self._on_refusal(node, cycle)
        self.seen.ready.append(ready)
        if self._ports.config is not None:
            self._watch_config(cycle, self._ports.config)

    def _watch_inject(self, cycle: int, node: int) -> None:
        """Note the beat that a node offers, and whether the network takes it."""
        stream = self._ports.inject[node]
        if not signal_value(stream.tvalid, cycle):
            return
        packet = self._open[node]
        if packet is None:
            packet = OfferedPacket(
                node, signal_value(stream.tdest, cycle), signal_value(stream.tuser, cycle)
            )
            self._open[node] = packet
            self.seen.sent[node].append(packet)
        if self._offered[node] == NEVER:
            self._offered[node] = cycle
            packet.data.append(signal_value(stream.tdata, cycle))
            packet.offered.append(cycle)
            packet.is_complete = bool(signal_value(stream.tlast, cycle))
        if not signal_value(stream.tready, cycle):
            return
        self.moved = cycle
        self._offered[node] = NEVER
        packet.injected = min(packet.injected, cycle)
        if signal_value(stream.tlast, cycle):
            self._open[node] = None
            self._on_packet(packet)

    def _watch_eject(self, cycle: int, node: int) -> int:
        """Note the beat that a node takes; whether it was ready to."""
        stream = self._ports.eject[node]
        ready, held = signal_value(stream.tready, cycle), self._held[node]
        if not signal_value(stream.tvalid, cycle):
            if held is not None:
                raise AssertionError(
                    f"cycle {cycle}: {stream.prefix}_tvalid must stay high until tready, and fell"
                )
            return ready
        beat = TakenBeat(
            clock=cycle,
            node=node,
            source=signal_value(stream.tid, cycle),
            last=signal_value(stream.tlast, cycle),
            user=signal_value(stream.tuser, cycle),
            data=signal_value(stream.tdata, cycle),
        )
        if held is not None and held != beat[1:]:
            raise AssertionError(
                f"cycle {cycle}: {stream.prefix} must not change before tready, and did"
            )
        self._held[node] = None if ready else beat[1:]
        if ready:
            self.moved = cycle
            self.seen.beats.append(beat)
            self._on_beat(beat)
        return ready

    def _watch_config(self, cycle: int, stream: Stream) -> None:
        """Note the entry that the network is offered, and its status."""
        status = signal_value(self._ports.status, cycle)
        self._on_status(status, cycle)
        if not self.seen.status or self.seen.status[-1][1] != status:
            self.seen.status.append((cycle, status))
        if not signal_value(stream.tvalid, cycle):
            return
        if self._loading is None:
            self._loading = OfferedTable(cycle)
            self.seen.loaded.append(self._loading)
        loading, taken = self._loading, self._taken
        if len(loading.entries) == taken:
            loading.entries.append(signal_value(stream.tdata, cycle))
            loading.offered.append(cycle)
        if signal_value(stream.tready, cycle):
            self.moved, self._taken = cycle, taken + 1
            if signal_value(stream.tlast, cycle):
                loading.is_complete, self._loading, self._taken = True, None, 0
