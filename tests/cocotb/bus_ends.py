"""Managers and memories of all buses, alike in use: outside referees where there are any.

cocotbext-axi and cocotbext-apb provide both ends of their buses. cocotbext-wishbone sends one
request at a time, and its memory is of the classic kind (`outside_wishbone`); both ends of
pipelined Wishbone are therefore made here.
"""

import itertools
import random
from collections import deque

import cocotb
from cocotb.triggers import Event, RisingEdge
from cocotbext.apb import ApbBus, ApbHost, ApbRam
from cocotbext.apb.constants import APBPrivilegedErr, APBSlvErr
from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteSlave,
    AxiMaster,
    AxiResp,
    AxiSlave,
)
from cocotbext.axi.stream import StreamSource

StreamSource._init_x = False  # Verilator knows no x

SIZE = 4096
"""Bytes of a memory."""
LIMIT = SIZE - 256
"""Address from which an access fails."""
WISHBONE = ("cyc", "stb", "we", "adr", "sel", "dat_w", "dat_r", "ack", "err", "stall")


class AtNode:
    """Device at the clock and reset of the node that a bus's prefix names, where it has its own.

    `clocks` are what the names of clocks end with.
    """

    def __init__(self, dut, prefix, clocks):
        end = "_" + prefix.rpartition("_")[2]
        self._dut, self._end = dut, end if end in clocks else ""

    def __getattr__(self, name):
        return getattr(self._dut, name + self._end if name in ("clk", "rst") else name)

    def __dir__(self):
        return dir(self._dut)

    def __iter__(self):
        return iter(self._dut)


def pause(end, dice, share):
    """Let all channels of an end of cocotbext-axi pause in this share of the cycles."""
    sides = (end.write_if, ("aw", "w", "b")), (end.read_if, ("ar", "r"))
    for side, names in sides:
        for name in names:
            pauses = (dice.random() < share for _ in itertools.count())
            getattr(side, f"{name}_channel").set_pause_generator(pauses)


class Bytes:
    """Contents of a memory of cocotbext-axi, which answers with SLVERR from `LIMIT` on."""

    def __init__(self):
        self.memory = bytearray(SIZE)

    async def write(self, address, data):
        if address >= LIMIT:
            raise ValueError(address)
        self.memory[address : address + len(data)] = data

    async def read(self, address, count):
        if address >= LIMIT:
            raise ValueError(address)
        return bytes(self.memory[address : address + count])


class ApbMemory(ApbRam):
    def check_permission(self, address, prot):
        if address >= LIMIT:
            raise APBPrivilegedErr


class WishboneMemory:
    """Pipelined memory of up to `DEPTH` requests, answered in order after any time."""

    DEPTH = 6

    def __init__(self, dut, prefix, dice, *, stalls):
        self.signals = {name: getattr(dut, f"{prefix}_{name}") for name in WISHBONE}
        self.clock, self.dice, self.stalls = dut.clk, dice, stalls
        self.bytes = len(self.signals["sel"])
        self.memory = bytearray(SIZE)

    def carry_out(self):
        """Outcome of the request on the bus, carried out."""
        at = int(self.signals["adr"].value) * self.bytes
        if at >= LIMIT:
            return 0, 1, 0
        if not int(self.signals["we"].value):
            return 1, 0, int.from_bytes(self.memory[at : at + self.bytes], "little")
        data = int(self.signals["dat_w"].value).to_bytes(self.bytes, "little")
        for lane in range(self.bytes):
            if int(self.signals["sel"].value) >> lane & 1:
                self.memory[at + lane] = data[lane]
        return 1, 0, 0

    async def run(self):
        waiting = deque()
        self.drive(0, 0, 0, stall=0)
        stall = 0
        while True:
            await RisingEdge(self.clock)
            cyc, stb = (int(self.signals[name].value) for name in ("cyc", "stb"))
            if cyc and stb and not stall:
                waiting.append(self.carry_out())
            full = len(waiting) >= self.DEPTH
            stall = int(full or self.dice.random() < self.stalls)
            answers = waiting and self.dice.random() >= self.stalls
            self.drive(*(waiting.popleft() if answers else (0, 0, 0)), stall=stall)

    def drive(self, ack, err, data, *, stall):
        for name, value in (("ack", ack), ("err", err), ("dat_r", data), ("stall", stall)):
            self.signals[name].value = value


class AxiManager:
    """Manager of cocotbext-axi; outcomes as a failure and data."""

    def __init__(self, master):
        self.master = master
        self.bytes = master.write_if.byte_lanes

    async def write(self, address, data, **more):
        answer = await self.master.write(address, data, **more)
        return answer.resp is not AxiResp.OKAY

    async def read(self, address, count, **more):
        answer = await self.master.read(address, count, **more)
        return answer.resp is not AxiResp.OKAY, bytes(answer.data)


def words(address, data, size):
    """Whole words, their bytes' strobes and data, of a write of bytes."""
    for word in range(address // size, -(-(address + len(data)) // size)):
        strobe, value = 0, 0
        for lane in range(size):
            place = word * size + lane - address
            if 0 <= place < len(data):
                strobe |= 1 << lane
                value |= data[place] << 8 * lane
        yield word, strobe, value


class WordManager:
    """What reads and writes bytes by a bus's transfers of words."""

    async def write(self, address, data):
        asked = [(1, *one) for one in words(address, data, self.bytes)]
        answers = await self.transfers(asked)
        return any(failed for failed, _ in answers)

    async def read(self, address, count):
        asked = [(0, *one) for one in words(address, bytes(count), self.bytes)]
        answers = await self.transfers(asked)
        data = b"".join(value.to_bytes(self.bytes, "little") for _, value in answers)
        low = address % self.bytes
        return any(failed for failed, _ in answers), data[low : low + count]


class ApbManager(WordManager):
    """Requester of cocotbext-apb."""

    def __init__(self, dut, prefix):
        self.host = ApbHost(ApbBus.from_prefix(dut, prefix), dut.clk)
        self.bytes = self.host.wbytes

    async def transfers(self, asked):
        answers = []
        for write, word, strobe, value in asked:
            fails, address = word * self.bytes >= LIMIT, word * self.bytes
            try:
                if write:
                    data = value.to_bytes(self.bytes, "little")
                    await self.host.write(address, data, strobe, error_expected=fails)
                    answers.append((fails, 0))
                else:
                    data = await self.host.read(address, error_expected=fails)
                    answers.append((fails, int.from_bytes(data, "little")))
            except APBSlvErr:
                answers.append((not fails, 0))
        return answers


class WishboneManager(WordManager):
    """Pipelined manager that offers requests and waits between them at random."""

    def __init__(self, dut, prefix, dice, *, stalls):
        self.signals = {name: getattr(dut, f"{prefix}_{name}") for name in WISHBONE}
        self.clock, self.dice, self.stalls = dut.clk, dice, stalls
        self.bytes = len(self.signals["sel"])
        self.queue, self.asked = deque(), Event()
        for name in ("cyc", "stb"):
            self.signals[name].value = 0

    async def transfers(self, asked):
        """Outcomes of requests, in one cycle of the bus."""
        waiting, answers = deque(asked), []
        self.signals["cyc"].value = 1
        offered = False
        while len(answers) < len(asked):
            if waiting and not offered and self.dice.random() >= self.stalls:
                for name, value in zip(("we", "adr", "sel", "dat_w"), waiting[0], strict=True):
                    self.signals[name].value = value
                offered = True
            self.signals["stb"].value = int(offered)
            await RisingEdge(self.clock)
            if offered and not int(self.signals["stall"].value):
                waiting.popleft()
                offered = False
            ack, err, data = (self.signals[name].value for name in ("ack", "err", "dat_r"))
            if int(ack) or int(err):
                answers.append((bool(int(err)), int(data) if data.is_resolvable else 0))
        self.signals["cyc"].value = self.signals["stb"].value = 0
        await RisingEdge(self.clock)
        return answers


def axi_bus(dut, prefix, kind):
    return (AxiBus if kind == "axi4" else AxiLiteBus).from_prefix(dut, prefix)


def manager(dut, kind, prefix, seed, *, stalls):
    """Manager of a bus, which pauses in this share of the cycles."""
    dice = random.Random(f"{kind} manager {seed}")
    if kind == "wishbone":
        return WishboneManager(dut, prefix, dice, stalls=stalls)
    if kind == "apb":
        return ApbManager(dut, prefix)
    made = {"axi4": AxiMaster, "axi_lite": AxiLiteMaster}[kind]
    master = made(axi_bus(dut, prefix, kind), dut.clk, dut.rst)
    pause(master, dice, stalls)
    return AxiManager(master)


def memory(dut, kind, prefix, seed, *, stalls):
    """Contents of a memory at a bus, which pauses in this share of the cycles."""
    dice = random.Random(f"{kind} memory {seed}")
    if kind == "wishbone":
        made = WishboneMemory(dut, prefix, dice, stalls=stalls)
        cocotb.start_soon(made.run())
        return made.memory
    if kind == "apb":
        contents = bytearray(SIZE)
        made = ApbMemory(ApbBus.from_prefix(dut, prefix), dut.clk, size=SIZE, mem=contents)
        if stalls:
            made.enable_backpressure()
        return contents
    contents = Bytes()
    made = {"axi4": AxiSlave, "axi_lite": AxiLiteSlave}[kind]
    made = made(axi_bus(dut, prefix, kind), dut.clk, dut.rst, contents)
    pause(made, dice, stalls)
    return contents.memory
