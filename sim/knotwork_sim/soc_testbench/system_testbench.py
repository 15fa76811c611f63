"""A system in a cocotb simulation: buses and streams at its nodes, judged by what was sent."""

import itertools
import random
from collections import defaultdict
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer, ValueChange
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiResp
from cocotbext.axi.sparse_memory import SparseMemory
from knotwork.errors import ConfigurationError
from knotwork.files import read_json
from knotwork_soc.emit.nodes import EVENTS

from ..testbench.collectives import CollectiveTestbench
from ..testbench.ends import Ends, set_pauses
from ..testbench.manifest import require_version
from .buses import BUS_ENDS, Packet, Place, StreamNode, require_bytes, require_flows

PERIODS = (10.0, 7.3, 13.9, 9.97)
"""Nanoseconds of clocks of which nothing is said, in turn: they have no ratio in common."""

SETTLED = 24
"""Cycles of the slowest clock after which every node has left its reset."""

PATIENCE = 20_000
"""Cycles of the slowest clock in which a network must do something that it is waited for."""

LATE = 0.3
"""Part of a period by which mesochronous clocks come behind the network's."""

_QUIET = ("awvalid", "wvalid", "bready", "arvalid", "rready", "tvalid")
"""Inputs of a plane's monitor and tables, that are 0 while nobody uses them."""


class SystemEnds:
    """A manager, a memory, or a source and a sink, at every node of a system.

    Members
    -------
    managers, memories : dict
        By node: managers where it is an initiator, memories where it is a target, as cocotbext-axi
        has them, ``AxiMaster`` or ``AxiRam``; of Wishbone the same two with the same calls.
    streams : dict of int to StreamNode
        Source and sink where a node has streams.
    contents : dict of int to SparseMemory
        What the memories hold, by node and address.
    collectives : tuple of CollectiveTestbench
        Groups of nodes that have collectives; without their golden model.
    wrong : list of str
        Ports that reported something wrong, once for each report.
    patience : int
        Cycles of the slowest clock without any answer at its node after which an access has failed:
        more than a silent memory takes to be answered for.

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
        self.scope, self.manifest = scope, _read_manifest(Path(manifest), version)
        self.managers: dict[int, Any] = {}
        self.memories: dict[int, Any] = {}
        self.streams: dict[int, StreamNode] = {}
        bus = self.manifest.get("bus", {})
        self.space = 1 << bus.get("address_width", 0)
        self._burst = bus.get("burst", 0)
        self.patience = PATIENCE + bus.get("timeout", 0) * (bus.get("outstanding", 0) + 1)
        self._slowest = 0  # ps of the slowest clock
        self._answers: dict[int, list[list[Any]]] = {}
        self._is_reset_high = self.manifest["reset"]["active"] == "high"
        nodes = [node for node in self.manifest["nodes"] if node["ports"]]
        self.clocks = {self.manifest["clock"]["port"]: self.manifest["reset"]["port"]}
        self.clocks |= {node["clock"]: node["reset"] for node in nodes}
        self._ends: dict[int, str] = {}
        self.contents: dict[int, SparseMemory] = {}
        self.wrong: list[str] = []
        for name in (name for plane in self.manifest["planes"] for name in plane["ports"]):
            if name.endswith(_QUIET):
                getattr(scope, name).value = 0
        for node in nodes:
            self._place(node)
        clock, reset = (self.manifest[what]["port"] for what in ("clock", "reset"))
        ends = Ends(scope, getattr(scope, clock), getattr(scope, reset), self._is_reset_high)
        self.collectives = tuple(
            CollectiveTestbench(scope, ends, entry, name=self.manifest["top"])
            for entry in self.manifest.get("collectives", [])
        )
        for group in self.collectives:
            cocotb.start_soon(group.run())

    def _place(self, node: Mapping[str, Any]) -> None:
        """Put at a node what its bus wants."""
        index, bus = node["index"], node["bus"]
        clock, reset = getattr(self.scope, node["clock"]), getattr(self.scope, node["reset"])
        if "inject" in node:
            self.streams[index] = StreamNode(
                self.scope, node, clock, reset, is_reset_high=self._is_reset_high
            )
            return
        prefix = node["prefix"]
        place = Place(self.scope, prefix, clock, reset, self._is_reset_high, self._burst)
        if node["side"] == "initiator":
            self.managers[index] = BUS_ENDS[bus].manager(place)
            self._answers[index] = [
                [getattr(self.scope, f"{prefix}_{name}") for name in names]
                for names in BUS_ENDS[bus].answers
            ]
        else:
            contents = self.contents[index] = SparseMemory(self.space)
            self.memories[index] = BUS_ENDS[bus].memory(place, contents)
        self._ends[index] = bus

    async def start(self, periods: Mapping[str, float] | None = None) -> None:
        """Start the clocks, and reset all of the system.

        Parameters
        ----------
        periods : mapping of str to float, optional
            Nanoseconds of clocks by their ports; the others have those of `PERIODS` in turn, and
            mesochronous ones that of the network.
        """
        given = dict(zip(self.clocks, itertools.cycle(PERIODS), strict=False))
        given.update(periods or {})
        close = {node["clock"] for node in self.manifest["nodes"] if node.get("mesochronous")}
        given |= dict.fromkeys(close, given[self.manifest["clock"]["port"]])
        slowest = getattr(self.scope, max(self.clocks, key=given.__getitem__))
        self._slowest = round(1000 * max(given[clock] for clock in self.clocks))
        for clock in self.clocks:
            period = round(1000 * given[clock])
            late = round(LATE * period) if clock in close else 0
            cocotb.start_soon(_tick(getattr(self.scope, clock), period, late))
        for asserted, cycles in ((True, 5), (False, SETTLED)):
            for reset in self.clocks.values():
                getattr(self.scope, reset).value = int(asserted == self._is_reset_high)
            await ClockCycles(slowest, cycles)
        for node in self.manifest["nodes"]:
            for port in node["ports"]:
                if port.partition("_")[0] in EVENTS:
                    cocotb.start_soon(self._watch(port))

    async def answer(self, node: int, access: Coroutine[Any, Any, Any], what: str) -> Any:
        """Answer of an access of a node's manager.

        Parameters
        ----------
        node : int
            The node.
        access : coroutine
            A manager's ``write(...)`` or ``read(...)``.
        what : str
            What it does, for an error.

        Raises
        ------
        AssertionError
            Nothing is answered at the node for `patience` cycles of the slowest clock.
        """
        task, seen = cocotb.start_soon(access), get_sim_time("ps")
        edge = RisingEdge(getattr(self.scope, self.manifest["nodes"][node]["clock"]))
        while not task.done():
            await edge
            now = get_sim_time("ps")
            if any(all(str(bit.value) == "1" for bit in bits) for bits in self._answers[node]):
                seen = now
            elif now - seen > self.patience * self._slowest:
                task.cancel()
                raise AssertionError(
                    f"node {node}: {what} must be answered, and nothing came for {self.patience} "
                    f"cycles"
                )
        return task.result()

    async def _watch(self, name: str) -> None:
        """Note each time that a port reports something wrong."""
        signal = getattr(self.scope, name)
        while True:
            await ValueChange(signal)
            if signal.value.is_resolvable and int(signal.value):
                self.wrong.append(name)

    def pause(self, share: float) -> None:
        """Let all that stands at the nodes pause in this share of the cycles, from now on."""
        for index, bus in self._ends.items():
            BUS_ENDS[bus].pause((self.managers | self.memories)[index], share)
        for node in self.streams.values():
            for number, end in enumerate((node.source, node.sink)):
                set_pauses(end, share, f"{node.index} {number}")
        for group in self.collectives:
            group.pause(sources=share, sinks=share)


async def _tick(clock: Any, period: int, late: int) -> None:
    """Drive a clock, in ps, that begins so late."""
    if late:
        clock.value = 0
        await Timer(late, "ps")
    Clock(clock, period, "ps").start()


def _read_manifest(path: Path, version: str | None) -> dict[str, Any]:
    """Manifest of a system in a file."""
    manifest = read_json(path)
    if not isinstance(manifest, dict) or "planes" not in manifest:
        raise ConfigurationError(
            f"{path}: must be the manifest of a system that `knotwork generate` wrote"
        )
    require_version(path, manifest.get("version"), version)
    return manifest


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
        self.regions: list[dict[str, Any]] = self.manifest.get("map", [])
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
        address = self.manifest["nodes"][destination]["address"]
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
        clock = getattr(self.scope, self.manifest["clock"]["port"])
        expected = sum(map(len, self._sent.values()))
        came, still = 0, 0
        while came < expected and still < patience:
            await ClockCycles(clock, 16)
            before, came = came, sum(len(node.arrived) for node in self.streams.values())
            still = 0 if came > before else still + 16
        for group in self.collectives:
            while not group.is_complete and group.cycle - group.moved < patience:
                await RisingEdge(clock)
        await ClockCycles(clock, 64)
        for group in self.collectives:
            group.finish()
        require_flows(self._arrived(), self._sent)
        for region in self.regions:
            held = self.contents[region["node"]]
            require_bytes(held, self.reference, region["base"], region["size"])
        assert not self.wrong, f"the system reported {sorted(set(self.wrong))}"

    def _arrived(self) -> dict[tuple[int, int], list[Packet]]:
        """Packets that came, by source and destination."""
        numbers = {node["address"]: node["index"] for node in self.manifest["nodes"]}
        found: dict[tuple[int, int], list[Packet]] = defaultdict(list)
        for index, node in self.streams.items():
            for sender, packet in node.arrived:
                found[numbers[sender], index].append(packet)
        return found
