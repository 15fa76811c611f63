"""Watcher of a network's ports: what crosses them in each cycle."""

from collections.abc import Callable
from typing import Any

from cocotb.triggers import RisingEdge

from ..model.record import TakenBeat
from ..traffic.packets import NEVER
from .observation import Observation, OfferedPacket, OfferedTable
from .ports import Ports, Stream


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
            if _number(self._ports.refused[node], cycle):
                self.seen.refused.append((cycle, node))
                self._on_refusal(node, cycle)
        self.seen.ready.append(ready)
        if self._ports.config is not None:
            self._watch_config(cycle, self._ports.config)

    def _watch_inject(self, cycle: int, node: int) -> None:
        """Note the beat that a node offers, and whether the network takes it."""
        stream = self._ports.inject[node]
        if not _number(stream.tvalid, cycle):
            return
        packet = self._open[node]
        if packet is None:
            packet = OfferedPacket(node, _number(stream.tdest, cycle), _number(stream.tuser, cycle))
            self._open[node] = packet
            self.seen.sent[node].append(packet)
        if self._offered[node] == NEVER:
            self._offered[node] = cycle
            packet.data.append(_number(stream.tdata, cycle))
            packet.offered.append(cycle)
            packet.is_complete = bool(_number(stream.tlast, cycle))
        if not _number(stream.tready, cycle):
            return
        self.moved = cycle
        self._offered[node] = NEVER
        packet.injected = min(packet.injected, cycle)
        if _number(stream.tlast, cycle):
            self._open[node] = None
            self._on_packet(packet)

    def _watch_eject(self, cycle: int, node: int) -> int:
        """Note the beat that a node takes; whether it was ready to."""
        stream = self._ports.eject[node]
        ready, held = _number(stream.tready, cycle), self._held[node]
        if not _number(stream.tvalid, cycle):
            if held is not None:
                raise AssertionError(
                    f"cycle {cycle}: {stream.prefix}_tvalid must stay high until tready, and fell"
                )
            return ready
        beat = TakenBeat(
            clock=cycle,
            node=node,
            source=_number(stream.tid, cycle),
            last=_number(stream.tlast, cycle),
            user=_number(stream.tuser, cycle),
            data=_number(stream.tdata, cycle),
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
        status = _number(self._ports.status, cycle)
        self._on_status(status, cycle)
        if not self.seen.status or self.seen.status[-1][1] != status:
            self.seen.status.append((cycle, status))
        if not _number(stream.tvalid, cycle):
            return
        if self._loading is None:
            self._loading = OfferedTable(cycle)
            self.seen.loaded.append(self._loading)
        loading, taken = self._loading, self._taken
        if len(loading.entries) == taken:
            loading.entries.append(_number(stream.tdata, cycle))
            loading.offered.append(cycle)
        if _number(stream.tready, cycle):
            self.moved, self._taken = cycle, taken + 1
            if _number(stream.tlast, cycle):
                loading.is_complete, self._loading, self._taken = True, None, 0


def _number(handle: Any, cycle: int) -> int:
    """Value of a signal; 0 where there is none.

    Raises
    ------
    AssertionError
        A value that is not known.
    """
    if handle is None:
        return 0
    value = handle.value
    try:
        return int(value)
    except ValueError:
        raise AssertionError(
            f"cycle {cycle}: {handle._path} must be known, and is {value}"
        ) from None
