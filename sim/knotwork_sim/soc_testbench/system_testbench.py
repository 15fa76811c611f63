"""A system in a cocotb simulation: buses and streams at its nodes, judged by what was sent."""

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp
from cocotbext.axi.sparse_memory import SparseMemory

from .ends import PATIENCE, SystemEnds
from .judging import Packet, require_bytes, require_flows


class SystemTestbench(SystemEnds):
    """Managers, memories, sources and sinks at the nodes of a system, and what must become of all.

    Members
    -------
    reference : SparseMemory
        What the memories must hold, by address.
    regions : list of dict
        Address map: ``name``, ``base``, ``size``, ``node``.

    Parameters
    ----------
    scope : handle
        The system's top module.
    manifest : str or Path
        ``manifest.json`` of the system.
    version : str, optional
        Version of Knotwork for which the testbench was written.

    Raises
    ------
    ConfigurationError
        A manifest that is not a system's, or of another version.
    """

    def __init__(self, scope: Any, manifest: str | Path, *, version: str | None = None) -> None:
        super().__init__(scope, manifest, version=version)
        self.reference = SparseMemory(self.space)
        self.regions: list[dict[str, Any]] = self.told.get("map", [])
        self._sent: dict[tuple[int, int], list[Packet]] = defaultdict(list)

    @property
    def nowhere(self) -> int | None:
        """First address that is in no region; None where they are everywhere."""
        address = 0
        for region in sorted(self.regions, key=lambda region: region["base"]):
            if region["base"] > address:
                break
            address = region["base"] + region["size"]
        return address if address < self.space else None

    async def write(self, node: int, address: int, data: bytes) -> None:
        """Write bytes from a node; `reference` has them from then on.

        What several managers do with the same bytes at once has no order: do not ask for it.

        Raises
        ------
        AssertionError
            The bus answers with an error, or not at all.
        """
        what = f"write of {address:#x}"
        answer = await self.answer(node, self.managers[node].write(address, data), what)
        assert answer.resp == AxiResp.OKAY, f"node {node}: {what}: {answer.resp!r}"
        self.reference.write(address, data)

    async def read(self, node: int, address: int, length: int) -> bytes:
        """Read bytes from a node, which must be those of `reference`.

        Raises
        ------
        AssertionError
            The bus answers with an error or not at all, or other bytes come.
        """
        what = f"read of {address:#x}"
        answer = await self.answer(node, self.managers[node].read(address, length), what)
        assert answer.resp == AxiResp.OKAY, f"node {node}: {what}: {answer.resp!r}"
        expected, found = self.reference.read(address, length), bytes(answer.data)
        assert found == expected, (
            f"node {node}: {address:#x} must hold {expected.hex()}, not {found.hex()}"
        )
        return found

    async def use(self, node: int, share: tuple[int, int], count: int) -> None:
        """Random writes and reads of a manager, to a part of every region that only it uses.

        Parameters
        ----------
        share : tuple of int
            Which part, and of how many.
        count : int
            Writes and reads.
        """
        dice, (place, parts) = random.Random(random.getrandbits(64)), share
        for _ in range(count):
            region = dice.choice(self.regions)
            part = region["size"] // parts
            length = dice.randint(1, min(64, part))
            start = region["base"] + place * part + dice.randrange(part - length + 1)
            if dice.random() < 0.5:
                await self.write(node, start, dice.randbytes(length))
            else:
                await self.read(node, start, length)

    async def send(self, source: int, destination: int, data: bytes, user: int = 0) -> None:
        """Queue a packet of bytes at its source, and expect it at its destination."""
        self._sent[source, destination].append(Packet(bytes(data), user))
        address = self.told["nodes"][destination]["address"]
        await self.streams[source].send(data, address, user)

    async def finish(self, patience: int = PATIENCE) -> None:
        """Judge the end of a test: packets and memories are as they must be, and nothing failed.

        Parameters
        ----------
        patience : int
            Cycles of the network without a packet after which nothing more is waited for.

        Raises
        ------
        AssertionError
            What is missing, or other than it must be.
        """
        clock = getattr(self.scope, self.told["clock"]["port"])
        expected = sum(map(len, self._sent.values()))
        came, still = 0, 0
        while came < expected and still < patience:
            await ClockCycles(clock, 16)
            before, came = came, sum(len(node.arrived) for node in self.streams.values())
            still = 0 if came > before else still + 16
        await ClockCycles(clock, 64)
        require_flows(self._arrived(), self._sent)
        for region in self.regions:
            held = self.contents[region["node"]]
            require_bytes(held, self.reference, region["base"], region["size"])
        assert not self.wrong, f"the system told of {sorted(set(self.wrong))}"

    def _arrived(self) -> dict[tuple[int, int], list[Packet]]:
        """Packets that came, by source and destination."""
        numbers = {node["address"]: node["index"] for node in self.told["nodes"]}
        found: dict[tuple[int, int], list[Packet]] = defaultdict(list)
        for index, node in self.streams.items():
            for sender, packet in node.arrived:
                found[numbers[sender], index].append(packet)
        return found
