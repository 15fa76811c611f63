"""Managers, memories, sources and sinks at the nodes of a system, in cocotb."""

import itertools
import logging
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import cocotb
from cocotb.triggers import Lock, RisingEdge
from cocotbext.axi import (
    ApbBus,
    ApbMaster,
    ApbRam,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteRam,
    AxiMaster,
    AxiRam,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
)
from cocotbext.axi.sparse_memory import SparseMemory

from ..testbench.ends import Source, set_pauses

SIGNALS = ("cyc", "stb", "we", "adr", "sel", "dat_w", "dat_r", "ack", "err", "stall")
"""Signals of the bus, by the names that end those of the ports."""

DEPTH = 6
"""Requests that a memory takes before it answers the first."""


class Answer(NamedTuple):
    """Outcome of a read or a write, with the names of cocotbext-axi.

    Members
    -------
    resp : AxiResp
        ``OKAY``, or ``SLVERR`` where a transfer of it ended with ``err``.
    data : bytes
        What was read; empty of a write.
    """

    resp: AxiResp
    data: bytes = b""


class Transfer(NamedTuple):
    """Request of a word."""

    is_write: int
    word: int
    lanes: int
    data: int


def transfers(address: int, data: bytes, size: int, *, is_write: bool) -> Iterator[Transfer]:
    """Requests of whole words, each with its lanes, that reach these bytes.

    Parameters
    ----------
    address : int
        Of the first byte.
    data : bytes
        The bytes; of a read, as many as are asked for.
    size : int
        Bytes of a word.
    is_write : bool
        Whether they are written.
    """
    for word in range(address // size, -(-(address + len(data)) // size)):
        lanes, value = 0, 0
        for lane in range(size):
            place = word * size + lane - address
            if 0 <= place < len(data):
                lanes |= 1 << lane
                value |= data[place] << 8 * lane
        yield Transfer(int(is_write), word, lanes, value)


class _Pausing:
    """End of a bus that pauses in a share of the cycles."""

    def __init__(self, scope: Any, prefix: str, clock: Any) -> None:
        self.signals = {name: getattr(scope, f"{prefix}_{name}") for name in SIGNALS}
        self.clock = clock
        self.bytes = len(self.signals["sel"])
        self._share, self._dice = 0.0, random.Random(prefix)

    def pause(self, share: float) -> None:
        """Pause in this share of the cycles, from now on."""
        self._share = share

    @property
    def is_paused(self) -> bool:
        return self._dice.random() < self._share


class WishboneManager(_Pausing):
    """Manager that offers a word per cycle, and takes the answers as they come."""

    def __init__(self, scope: Any, prefix: str, clock: Any) -> None:
        super().__init__(scope, prefix, clock)
        self._bus = Lock()
        for name in ("cyc", "stb", "we", "adr", "sel", "dat_w"):
            self.signals[name].value = 0

    async def write(self, address: int, data: bytes) -> Answer:
        """Write bytes."""
        answers = await self.carry_out([*transfers(address, data, self.bytes, is_write=True)])
        return Answer(_response(answers))

    async def read(self, address: int, length: int) -> Answer:
        """Read bytes."""
        requests = transfers(address, bytes(length), self.bytes, is_write=False)
        answers = await self.carry_out([*requests])
        data = b"".join(value.to_bytes(self.bytes, "little") for _, value in answers)
        low = address % self.bytes
        return Answer(_response(answers), data[low : low + length])

    async def carry_out(self, requests: Sequence[Transfer]) -> list[tuple[bool, int]]:
        """Whether each request failed, and the word that it read, in one cycle of the bus."""
        async with self._bus:
            waiting, answers = deque(requests), list[tuple[bool, int]]()
            self.signals["cyc"].value = 1
            is_offered = False
            while len(answers) < len(requests):
                if waiting and not is_offered and not self.is_paused:
                    for name, value in zip(("we", "adr", "sel", "dat_w"), waiting[0], strict=True):
                        self.signals[name].value = value
                    is_offered = True
                self.signals["stb"].value = int(is_offered)
                await RisingEdge(self.clock)
                if is_offered and not int(self.signals["stall"].value):
                    waiting.popleft()
                    is_offered = False
                failed, data = (self.signals[name].value for name in ("err", "dat_r"))
                if int(self.signals["ack"].value) or int(failed):
                    answers.append((bool(int(failed)), int(data) if data.is_resolvable else 0))
            self.signals["cyc"].value = self.signals["stb"].value = 0
            await RisingEdge(self.clock)
            return answers


def _response(answers: Sequence[tuple[bool, int]]) -> AxiResp:
    return AxiResp.SLVERR if any(failed for failed, _ in answers) else AxiResp.OKAY


class WishboneMemory(_Pausing):
    """Memory that takes up to `DEPTH` requests, and answers in their order.

    Parameters
    ----------
    scope, prefix, clock
        Handle whose ports begin with this prefix; their clock.
    memory : bytes-like
        What it holds, by address: anything that takes slices.
    limit : int, optional
        Address from which on it answers with ``err``.
    """

    def __init__(
        self, scope: Any, prefix: str, clock: Any, memory: Any, *, limit: int | None = None
    ) -> None:
        super().__init__(scope, prefix, clock)
        self.memory, self.limit = memory, limit

    def _carry_out(self) -> tuple[int, int, int]:
        """``ack``, ``err`` and data of the request on the bus, carried out."""
        start = int(self.signals["adr"].value) * self.bytes
        if self.limit is not None and start >= self.limit:
            return 0, 1, 0
        if not int(self.signals["we"].value):
            return 1, 0, int.from_bytes(self.memory[start : start + self.bytes], "little")
        data = int(self.signals["dat_w"].value).to_bytes(self.bytes, "little")
        lanes = int(self.signals["sel"].value)
        for lane in range(self.bytes):
            if lanes >> lane & 1:
                self.memory[start + lane : start + lane + 1] = data[lane : lane + 1]
        return 1, 0, 0

    async def run(self) -> None:
        """Serve for ever."""
        waiting = deque[tuple[int, int, int]]()
        stall = 0
        self._drive((0, 0, 0), stall)
        while True:
            await RisingEdge(self.clock)
            cyc, stb = (self.signals[name].value for name in ("cyc", "stb"))
            is_requested = cyc.is_resolvable and stb.is_resolvable and int(cyc) and int(stb)
            if is_requested and not stall:
                waiting.append(self._carry_out())
            stall = int(len(waiting) >= DEPTH or self.is_paused)
            answers = waiting and not self.is_paused
            self._drive(waiting.popleft() if answers else (0, 0, 0), stall)

    def _drive(self, answer: tuple[int, int, int], stall: int) -> None:
        values = zip(("ack", "err", "dat_r", "stall"), (*answer, stall), strict=True)
        for name, value in values:
            self.signals[name].value = value


class Packet(NamedTuple):
    """Packet of bytes, and what ``tuser`` says of it."""

    data: bytes
    user: int


Flows = Mapping[tuple[int, int], Sequence[Packet]]
"""Packets by their source and destination, in order."""


def require_flows(found: Flows, expected: Flows) -> None:
    """Require each packet at its node, once, whole, and in order.

    Raises
    ------
    AssertionError
        The first packet that is other than it must be.
    """
    for flow in sorted({*found, *expected}):
        pairs = itertools.zip_longest(found.get(flow, ()), expected.get(flow, ()))
        for number, (came, sent) in enumerate(pairs):
            assert came == sent, (
                f"node {flow[0]} to node {flow[1]}: packet {number} must be {sent}, not {came}"
            )


def require_bytes(found: SparseMemory, expected: SparseMemory, base: int, size: int) -> None:
    """Require the same bytes of two memories, from an address on.

    Raises
    ------
    AssertionError
        The first address that holds another byte.
    """
    pairs = zip(found.read(base, size), expected.read(base, size), strict=True)
    for address, (byte, must) in enumerate(pairs, base):
        assert byte == must, f"{address:#x} must hold {must:#04x}, not {byte:#04x}"


class StreamNode:
    """Source and sink at a node's streams; packets are bytes, whatever the width.

    Members
    -------
    index : int
        The node.
    source, sink
        Those of cocotbext-axi.
    arrived : list
        Packets that came, each with its sender's address.

    Parameters
    ----------
    scope : handle
        The system's top module.
    node : mapping
        What its manifest says of the node.
    clock, reset : handle
        Those of the node.
    is_reset_high : bool
        Level of the reset.
    """

    def __init__(
        self, scope: Any, node: Mapping[str, Any], clock: Any, reset: Any, *, is_reset_high: bool
    ) -> None:
        self.index = node["index"]
        self.arrived: list[tuple[int, Packet]] = []
        buses = []
        for way in ("inject", "eject"):
            logging.getLogger(f"cocotb.{scope._name}.{node[way]}").setLevel(logging.WARNING)
            buses.append(AxiStreamBus.from_prefix(scope, node[way]))
        self.source = Source(buses[0], clock, reset, is_reset_high)
        self.sink = AxiStreamSink(buses[1], clock, reset, is_reset_high)
        self._has_user = f"{node['inject']}_tuser" in node["ports"]
        cocotb.start_soon(self._receive())

    async def send(self, data: bytes, address: int, user: int) -> None:
        """Queue a packet of bytes to the node of this address."""
        sides = {"tuser": user} if self._has_user else {}
        await self.source.send(AxiStreamFrame(data, tdest=address, **sides))

    async def _receive(self) -> None:
        while True:
            frame: Any = await self.sink.recv()
            senders, users = _values(frame.tid), _values(frame.tuser)
            assert len(senders) == 1, f"node {self.index}: a packet of senders {sorted(senders)}"
            packet = Packet(bytes(frame.tdata), max(users, default=0))
            self.arrived.append((senders.pop(), packet))


def _values(side: object) -> set[int]:
    """Values of a signal beside the data, of a packet's beats."""
    if side is None:
        return set()
    return {int(side)} if isinstance(side, int) else {int(value) for value in side}  # pyright: ignore


class Place(NamedTuple):
    """Ports of a bus, the clock and reset that they are at, and the beats of its longest burst."""

    scope: Any
    prefix: str
    clock: Any
    reset: Any
    is_reset_high: bool
    burst: int


class BusEnds(NamedTuple):
    """What stands at a kind of bus.

    Members
    -------
    manager : callable
        Manager at a place: it has ``write(address, data)`` and ``read(address, length)``, whose
        answers have ``resp`` and ``data``.
    memory : callable
        Memory at a place, over these contents.
    pause : callable
        Lets either pause in a share of the cycles, from now on.
    answers : tuple of tuples of str
        Signals that are all high in a cycle in which a manager takes an answer, or a part of one:
        of each channel by which answers come.
    """

    manager: Callable[[Place], Any]
    memory: Callable[[Place, SparseMemory], Any]
    pause: Callable[[Any, float], None]
    answers: tuple[tuple[str, ...], ...]


def _of_cocotbext(
    bus: Any,
    master: Any,
    ram: Any,
    pause: Callable[[Any, float], None],
    answers: tuple[tuple[str, ...], ...],
    *,
    keys_of: Callable[[Place], dict[str, int]] = lambda _: {},
) -> BusEnds:
    """Ends of cocotbext-axi; `keys_of` gives what else a manager is to know."""

    def wires(place: Place) -> tuple[Any, Any, Any, bool]:
        # Each end would tell a page about itself, and a line per burst.
        logging.getLogger(f"cocotb.{place.scope._name}.{place.prefix}").setLevel(logging.WARNING)
        ports = bus.from_prefix(place.scope, place.prefix)
        return ports, place.clock, place.reset, place.is_reset_high

    return BusEnds(
        lambda place: master(*wires(place), **keys_of(place)),
        lambda place, contents: ram(*wires(place), mem=contents),
        pause,
        answers,
    )


_OF_AXI = (("bvalid", "bready"), ("rvalid", "rready"))
"""Handshakes of the channels by which AXI4 and AXI4-Lite answer."""


def _pause_channels(end: Any, share: float) -> None:
    """Pause all five channels, each by dice of its own."""
    for side, names in ((end.write_if, ("aw", "w", "b")), (end.read_if, ("ar", "r"))):
        for name in names:
            set_pauses(getattr(side, f"{name}_channel"), share, f"{side.log.name} {name}")


def _pause_apb(end: Any, share: float) -> None:
    set_pauses(end, share, end.log.name)


def _wishbone_memory(place: Place, contents: SparseMemory) -> WishboneMemory:
    made = WishboneMemory(place.scope, place.prefix, place.clock, contents)
    cocotb.start_soon(made.run())
    return made


BUS_ENDS = {
    "axi4": _of_cocotbext(
        AxiBus,
        AxiMaster,
        AxiRam,
        _pause_channels,
        _OF_AXI,
        keys_of=lambda place: {"max_burst_len": place.burst},
    ),
    "axi_lite": _of_cocotbext(AxiLiteBus, AxiLiteMaster, AxiLiteRam, _pause_channels, _OF_AXI),
    "apb": _of_cocotbext(ApbBus, ApbMaster, ApbRam, _pause_apb, (("penable", "pready"),)),
    "wishbone": BusEnds(
        lambda place: WishboneManager(place.scope, place.prefix, place.clock),
        _wishbone_memory,
        lambda end, share: end.pause(share),
        (("ack",), ("err",)),
    ),
}
"""Ends of the buses by a node's key `bus`."""
