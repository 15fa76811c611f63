"""A network in a cocotb simulation: sent to, expected from, and checked while it runs."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from knotwork.network import Network

from ..scoreboard import Scoreboard
from ..scoreboard.network_facts import SentPacket
from .checker import Arrival, TrafficChecker, late_packet, stuck_network, summary, unexpected_packet
from .collectives import CollectiveTestbench
from .manifest import Manifest
from .observation import OfferedPacket
from .ports import bind
from .stimulus import Stimulus
from .watcher import Watcher

MARGIN = 64
"""Cycles run after the last delivery, to see beats that should not come."""

PATIENCE = 5000
"""Cycles without a beat at any port after which a network counts as stuck."""


class NetworkTestbench(Stimulus):
    """Sources, sinks and a checker around a network, wherever it stands in a design.

    From its making on it watches all ports, also those that the design itself drives. The test
    fails in the cycle in which a packet is at a wrong node, comes twice, changed or out of order.
    `drain` and `finish` tell what is missing, and compare every cycle since the last reset with the
    golden model.

    Parameters
    ----------
    scope : handle
        Instance of the network: ``dut``, or a part of it as ``dut.chip.noc``.
    manifest : str or Path
        ``manifest.json`` of the network.
    driven : collection of int, optional
        Nodes that get a source and a sink; all if unnamed. The design drives the others.
    ends_at : handle, optional
        Module at whose ports, of the same names, these are put; the network itself if unnamed.
    version : str, optional
        Version of Knotwork for which the testbench was written.
    network : Network, optional
        A network of your own, which the manifest's words do not make again.
    is_exact : bool
        Whether cycles are compared with the golden model; not once a link has been declared dead.

    Members
    -------
    collectives : tuple of CollectiveTestbench
        Groups of nodes that have collectives, in the order of the key ``groups``.

    Raises
    ------
    ConfigurationError
        A manifest that does not fit the design or this version.
    """

    def __init__(
        self,
        scope: Any,
        manifest: str | Path,
        *,
        driven: Collection[int] | None = None,
        ends_at: Any = None,
        version: str | None = None,
        network: Network | None = None,
        is_exact: bool = True,
    ) -> None:
        read = Manifest.read(manifest, version=version, network=network)
        ports = bind(scope, read)
        nodes = range(read.network.topology.nodes)
        at = scope if ends_at is None else ends_at
        driven = nodes if driven is None else driven
        super().__init__(read.network, at, ports, driven=driven)
        self.is_exact = is_exact
        self.collectives = tuple(
            CollectiveTestbench(
                scope,
                self.ends,
                entry,
                name=self.network.name,
                driven=driven,
                group=group if is_exact else None,
            )
            for entry, group in zip(
                read.content.get("collectives", []), self.network.collective_groups, strict=True
            )
        )
        self.checker = TrafficChecker(self.network, self.sources)
        self.watcher = Watcher(
            ports,
            on_reset=self._forget,
            on_packet=self.checker.note_packet,
            on_beat=self.checker.note_beat,
            on_refusal=self.checker.note_refusal,
            on_status=self.checker.note_status,
        )
        cocotb.start_soon(self.watcher.run())
        for group in self.collectives:
            cocotb.start_soon(group.run())

    def _forget(self) -> None:
        """Forget all packets: a reset has begun."""
        self.checker.forget()
        self.clear()

    def pause(self, *, sources: float = 0.0, sinks: float = 0.0) -> None:
        """Let sources and sinks pause in these shares of the cycles, at random, from now on."""
        super().pause(sources=sources, sinks=sinks)
        for group in self.collectives:
            group.pause(sources=sources, sinks=sinks)

    def expect_packet(self, packet: OfferedPacket) -> SentPacket:
        """Expect what must become of a packet."""
        return self.checker.expect_packet(packet)

    @property
    def scoreboard(self) -> Scoreboard:
        """Scoreboard of the deliveries since the last reset."""
        return self.checker.scoreboard

    @property
    def cycle(self) -> int:
        """Cycles since the last reset."""
        return self.watcher.seen.cycles

    @property
    def pairs(self) -> Counter[tuple[int, int]]:
        """Packets delivered, by source and destination."""
        return self.scoreboard.pairs

    async def expect(
        self,
        node: int,
        data: Sequence[int] | None = None,
        *,
        source: int | None = None,
        within: int = 1000,
    ) -> Arrival:
        """Wait for the next packet at a node.

        Parameters
        ----------
        data : sequence of int, optional
            Beats that it must have.
        source : int, optional
            Node that it must come from.
        within : int
            Cycles in which it must come.

        Raises
        ------
        Mismatch
            None comes, or another one.
        """
        begun, arrived = self.cycle, self.checker.arrived
        while not arrived[node]:
            if self.cycle - begun >= within:
                raise late_packet(self.scoreboard, node, within, self.cycle)
            await RisingEdge(self.ports.clock)
        arrival = arrived[node].popleft()
        mismatch = unexpected_packet(self.scoreboard, arrival, source=source, data=data)
        if mismatch is not None:
            raise mismatch
        return arrival

    async def wait_until(self, is_done: Callable[[], bool], patience: int = PATIENCE) -> None:
        """Wait, cycle by cycle, as long as anything moves.

        Parameters
        ----------
        is_done : callable
            Asked before each cycle; the wait ends when it is true.
        patience : int
            Cycles without a beat at any port after which the network counts as stuck.

        Raises
        ------
        Mismatch
            The network is stuck, or a packet is missing.
        """
        begun = self.cycle
        while not is_done():
            await RisingEdge(self.ports.clock)
            moved = [self.watcher.moved, *(group.moved for group in self.collectives)]
            if self.cycle - max(begun, *moved) > patience:
                self._finish_boards()
                raise stuck_network(self.scoreboard, patience, self.cycle)

    async def drain(self, patience: int = PATIENCE) -> None:
        """Wait until all that was sent has arrived, and compare every cycle with the golden model.

        Parameters
        ----------
        patience : int
            Cycles without a beat at any port after which the network counts as stuck.

        Raises
        ------
        Mismatch
            A packet is missing, or in another cycle than the golden model says.
        """
        await self.wait_until(lambda: self._is_complete, patience)
        self.check_cycles()

    @property
    def _is_complete(self) -> bool:
        """Whether all that was sent has arrived."""
        groups = all(group.is_complete for group in self.collectives)
        return self.is_idle and self.scoreboard.is_complete and groups

    def _finish_boards(self) -> None:
        """Check that nothing is missing."""
        self.scoreboard.finish()
        for group in self.collectives:
            group.finish()

    def check_cycles(self) -> None:
        """Compare every cycle since the last reset with the golden model; raises as `drain`."""
        if self.is_exact:
            self.is_exact = self.checker.check_cycles(self.watcher.seen)

    async def finish(self, patience: int = PATIENCE) -> None:
        """Check the end of a test: nothing is missing, nothing more comes; raises as `drain`."""
        await self.drain(patience)
        await ClockCycles(self.ports.clock, MARGIN)
        self._finish_boards()
        self.check_cycles()
        cocotb.log.info(summary(self.scoreboard, self.cycle, is_exact=self.is_exact))
        for group in self.collectives:
            cocotb.log.info(group.summary())
