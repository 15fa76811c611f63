"""Manager and memory of pipelined Wishbone, for which cocotb's extensions have none."""

import random
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cocotb.triggers import Lock, RisingEdge
from cocotbext.axi import AxiResp

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
        asked = transfers(address, bytes(length), self.bytes, is_write=False)
        answers = await self.carry_out([*asked])
        data = b"".join(value.to_bytes(self.bytes, "little") for _, value in answers)
        low = address % self.bytes
        return Answer(_response(answers), data[low : low + length])

    async def carry_out(self, asked: Sequence[Transfer]) -> list[tuple[bool, int]]:
        """Whether each request failed, and the word that it read, in one cycle of the bus."""
        async with self._bus:
            waiting, answers = deque(asked), list[tuple[bool, int]]()
            self.signals["cyc"].value = 1
            is_offered = False
            while len(answers) < len(asked):
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
            is_asked = cyc.is_resolvable and stb.is_resolvable and int(cyc) and int(stb)
            if is_asked and not stall:
                waiting.append(self._carry_out())
            stall = int(len(waiting) >= DEPTH or self.is_paused)
            answers = waiting and not self.is_paused
            self._drive(waiting.popleft() if answers else (0, 0, 0), stall)

    def _drive(self, answer: tuple[int, int, int], stall: int) -> None:
        values = zip(("ack", "err", "dat_r", "stall"), (*answer, stall), strict=True)
        for name, value in values:
            self.signals[name].value = value
