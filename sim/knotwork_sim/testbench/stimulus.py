"""What a testbench does to a network: resets, pauses, packets of every kind, tables."""

import random
from collections.abc import Callable, Collection, Sequence
from typing import Any

from cocotb.triggers import ClockCycles, FallingEdge
from cocotbext.axi import AxiStreamSink
from knotwork.emit.loading import load_words
from knotwork.emit.ports import inject_widths
from knotwork.errors import ConfigurationError
from knotwork.network import Network

from ..scoreboard.network_facts import SentPacket
from .ends import Ends, frame, plain_frame, set_pauses
from .headers import to_address, to_all, to_node, to_nodes
from .observation import OfferedPacket
from .ports import Ports
from .scheduled import no_batches, random_permutation, table_entries


class Stimulus:
    """Sources and sinks at the nodes that a testbench drives.

    Members
    -------
    network : Network
        The network.
    nodes : range
        Its nodes.
    sources : dict of int to Source
        Source of cocotbext-axi at each driven node.
    sinks : dict of int to AxiStreamSink
        Sink of cocotbext-axi at each driven node.
    config : Source or None
        Source of tables, where the network takes any.
    """

    def __init__(
        self, network: Network, scope: Any, ports: Ports, *, driven: Collection[int]
    ) -> None:
        self.network, self.ports = network, ports
        self.nodes = range(network.topology.nodes)
        self._widths = inject_widths(network)
        self.ends = ends = Ends(scope, ports.clock, ports.reset)
        self.sources = {node: ends.source(ports.inject[node]) for node in driven}
        self.sinks: dict[int, AxiStreamSink] = {
            node: ends.sink(ports.eject[node]) for node in driven
        }
        self.config = ends.source(ports.config) if ports.config else None

    def expect_packet(self, packet: OfferedPacket) -> SentPacket:
        """Expect what must become of a packet."""
        raise NotImplementedError

    async def wait_until(self, is_done: Callable[[], bool]) -> None:
        """Wait, cycle by cycle, as long as anything moves."""
        raise NotImplementedError

    @property
    def is_idle(self) -> bool:
        """Whether the sources have given all that they had."""
        ends = [*self.sources.values(), *([self.config] if self.config else [])]
        return all(end.idle() for end in ends)

    def clear(self) -> None:
        """Forget what the sources have not sent."""
        for end in [*self.sources.values(), *([self.config] if self.config else [])]:
            end.clear()

    async def reset(self, cycles: int = 2) -> None:
        """Hold the network's reset for so many cycles; all packets are forgotten."""
        self.ports.reset.value = 1
        await ClockCycles(self.ports.clock, cycles)
        self.ports.reset.value = 0
        await FallingEdge(self.ports.clock)  # what is sent in the last edge would be forgotten

    def pause(self, *, sources: float = 0.0, sinks: float = 0.0) -> None:
        """Let sources and sinks pause in these shares of the cycles, at random, from now on."""
        for kind, ends, share in (("source", self.sources, sources), ("sink", self.sinks, sinks)):
            for node, end in ends.items():
                set_pauses(end, share, f"{kind} {node} {random.random()}")

    def receivers(self, node: int) -> range:
        """Nodes to which a node may send: all, but where it may send to another side only."""
        return self.network.topology.receivers(node)

    def send(
        self,
        source: int,
        destination: int,
        data: Sequence[int],
        *,
        word: Sequence[int] | None = None,
    ) -> SentPacket:
        """Send a packet of these beats, and expect it at its node.

        Parameters
        ----------
        word : sequence of int, optional
            Upper to take on each level, where packets name their own path; the lowest if unnamed.

        Raises
        ------
        ConfigurationError
            What is no node, no beat or no upper.
        """
        return self._give(to_node(self.network, source, destination, data, word))

    def multicast(
        self, source: int, destinations: Sequence[int], data: Sequence[int]
    ) -> SentPacket:
        """Send a packet to several nodes."""
        return self._give(to_nodes(self.network, source, destinations, data))

    def broadcast(self, source: int, data: Sequence[int]) -> SentPacket:
        """Send a packet to all other nodes."""
        return self._give(to_all(self.network, source, data))

    def send_beats(
        self, source: int, beats: Sequence[int], *, tdest: int, tuser: int = 0
    ) -> SentPacket:
        """Send beats with these signals as they are; expect what the network must make of them.

        That may be a refusal: of an address that no node has, of too many beats, of a wrong chain.
        """
        return self._give(to_address(self.network, source, tdest, beats, tuser))

    async def load(self, destinations: Sequence[int]) -> None:
        """Load the table for a permutation into a network of batches, and wait until it is in.

        Raises
        ------
        ConfigurationError
            A network that takes no table, or what is no permutation of its nodes.
        Mismatch
            The network takes no more of it, and nothing else moves.
        """
        await self.load_entries(table_entries(self.network, destinations))

    async def load_entries(self, entries: Sequence[int]) -> None:
        """Load a table as it is, right or wrong, an entry per beat, and wait until it is in.

        Raises as `load`.
        """
        if self.config is None:
            raise no_batches(self.network)
        await self.config.send(plain_frame(list(entries)))
        await self.wait_until(self.config.idle)
        await ClockCycles(self.ports.clock, 2)  # until the status has it

    async def reroute(self, wanted: Network) -> None:
        """Load the tables of another network, see `load_words`; wait until they are in force.

        Raises as `load`.
        """
        await self.load_entries(load_words(self.network, wanted))
        await self.wait_until(lambda: not self.status & 1)

    @property
    def status(self) -> int:
        """Status of a network that takes tables; of batches, bit 4 is high while it has none."""
        if self.ports.status is None:
            raise no_batches(self.network)
        return int(self.ports.status.value)

    def permutation(self) -> list[int]:
        """Random permutation that the network can carry out: the destination of each node."""
        return random_permutation(self.network)

    def _give(self, packet: OfferedPacket) -> SentPacket:
        source = self.sources.get(packet.source)
        if source is None:
            raise ConfigurationError(
                f"{self.network.name}: a packet must be sent by a node that the testbench drives, "
                f"not by node {packet.source}"
            )
        made = frame(packet.data, tdest=packet.tdest, tuser=packet.tuser, widths=self._widths)
        source.send_nowait(made)
        return self.expect_packet(packet)
