"""Random bursts of AXI4 managers over a network, against a memory kept beside. In the simulator."""

import json
import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiBus, AxiMaster, AxiRam

FACTS = json.loads(os.environ["BUS_FACTS"])


def pauses(dice, share):
    while True:
        yield dice.random() < share


class Bench:
    """Masters, memories, and what the memories must hold."""

    def __init__(self, dut):
        self.dut = dut
        self.periods = FACTS.get("periods", {"clk": 10_000})
        for name, period in self.periods.items():
            cocotb.start_soon(Clock(getattr(dut, name), period, "ps").start())
        self.masters = [
            AxiMaster(
                AxiBus.from_prefix(dut, f"s_axi_{node}"),
                *self.clocked(node),
                max_burst_len=FACTS["burst"],
            )
            for node in FACTS["initiators"]
        ]
        self.memories = {
            node: AxiRam(AxiBus.from_prefix(dut, f"m_axi_{node}"), *self.clocked(node), size=size)
            for node, size in FACTS["targets"]
        }
        for one in (*self.masters, *self.memories.values()):
            for side in (one.write_if, one.read_if):
                side.log.setLevel(logging.ERROR)

    def clocked(self, node):
        """Clock and reset of a node: its own, or the network's."""
        end = f"_{node}" if f"clk_{node}" in self.periods else ""
        return getattr(self.dut, f"clk{end}"), getattr(self.dut, f"rst{end}")

    def stall(self, dice, share):
        """Pause all channels at random."""
        for one in (*self.masters, *self.memories.values()):
            write, read = one.write_if, one.read_if
            for channel in (
                *(write.aw_channel, write.w_channel, write.b_channel),
                *(read.ar_channel, read.r_channel),
            ):
                channel.set_pause_generator(pauses(random.Random(dice.random()), share))

    async def reset(self):
        resets = [getattr(self.dut, name.replace("clk", "rst")) for name in self.periods]
        slowest = max(self.periods, key=lambda name: self.periods[name])
        for level, cycles in ((1, 5), (0, 2)):
            for reset in resets:
                reset.value = level
            await ClockCycles(getattr(self.dut, slowest), cycles)


async def traffic(bench, place, dice, reference):
    """Bursts of one of a master's threads, each to bytes of its own in every region."""
    width, ids = FACTS["data_width"] // 8, 1 << FACTS["id_width"]
    master = bench.masters[place // FACTS["threads"]]
    parts = len(bench.masters) * FACTS["threads"]
    for _ in range(FACTS["bursts"]):
        region = dice.choice(FACTS["regions"])
        part = region["size"] // parts
        size = dice.randrange(width.bit_length())
        length = dice.randint(1, min((FACTS["burst"] - 1) << size, part // 2))
        start = region["base"] + place * part + dice.randrange(part - length)
        name = dice.randrange(ids)
        if dice.random() < 0.5:
            data = dice.randbytes(length)
            reference[start : start + length] = data
            done = await master.write(start, data, size=size, awid=name)
        else:
            done = await master.read(start, length, size=size, arid=name)
            want = bytes(reference[start : start + length])
            assert bytes(done.data) == want, (hex(start), length, size)
        assert done.resp == 0, (hex(start), length, done.resp)


@cocotb.test()
async def random_bursts(dut):
    """Memories hold, and reads bring, what was written."""
    dice = random.Random(FACTS["seed"])
    bench = Bench(dut)
    await bench.reset()
    bench.stall(dice, FACTS["stall"])
    reference = bytearray(max(one["base"] + one["size"] for one in FACTS["regions"]))
    tasks = [
        cocotb.start_soon(traffic(bench, place, random.Random(dice.random()), reference))
        for place in range(len(bench.masters) * FACTS["threads"])
    ]
    for task in tasks:
        await with_timeout(task, 100, "ms")
    for region in FACTS["regions"]:
        base, size = region["base"], region["size"]
        memory = bench.memories[region["node"]]
        assert bytes(memory.read(base, size)) == bytes(reference[base : base + size])
