"""Random traffic from a manager of any bus to a memory at any bus. Runs inside the simulator."""

import json
import os
import random

import cocotb
import outside_wishbone
from bus_ends import LIMIT, SIZE, AtNode, manager, memory
from bus_rules import RULES
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiBurstType

KINDS = json.loads(os.environ["BRIDGE_KINDS"])
PREFIXES = json.loads(os.environ["BRIDGE_PREFIXES"])
CLOCKS = json.loads(os.environ["BRIDGE_CLOCKS"])
"""Periods in ps by what ends the clock's name: of the network, and of each node with its own."""
TRANSFERS = int(os.environ["BRIDGE_TRANSFERS"])
STALLS = float(os.environ["BRIDGE_STALLS"])
REGION = 1024
"""Bytes of the memory that one of several threads of the manager has."""


def ends_of(dut):
    """Manager, and contents of the memory; Wishbone's of other people's on demand."""
    sides = [AtNode(dut, prefix, CLOCKS) for prefix in PREFIXES]
    dice, outside = random.Random("outside"), "BRIDGE_OUTSIDE" in os.environ
    if outside and KINDS[0] == "wishbone":
        made = outside_wishbone.OutsideManager(sides[0], PREFIXES[0], dice, stalls=STALLS)
    else:
        made = manager(sides[0], KINDS[0], PREFIXES[0], 1, stalls=STALLS)
    if outside and KINDS[1] == "wishbone":
        there = outside_wishbone.OutsideMemory(sides[1], PREFIXES[1], dice, stalls=STALLS)
        return made, there.memory
    return made, memory(sides[1], KINDS[1], PREFIXES[1], 1, stalls=STALLS)


async def begin(dut):
    for name in json.loads(os.environ["BRIDGE_INPUTS"]):
        getattr(dut, name).value = 0
    for end, period in CLOCKS.items():
        cocotb.start_soon(Clock(getattr(dut, f"clk{end}"), period, "ps").start())
        getattr(dut, f"rst{end}").value = 1
    slowest = getattr(dut, "clk" + max(CLOCKS, key=CLOCKS.__getitem__))
    await RisingEdge(slowest)
    made, contents = ends_of(dut)
    await ClockCycles(slowest, 3 if len(CLOCKS) == 1 else 5)
    for end in CLOCKS:
        getattr(dut, f"rst{end}").value = 0
    # A node with a clock of its own takes some cycles to leave its reset.
    await ClockCycles(slowest, 1 if len(CLOCKS) == 1 else 14)
    rules = [
        RULES[kind](AtNode(dut, prefix, CLOCKS), prefix)
        for kind, prefix in zip(KINDS, PREFIXES, strict=True)
    ]
    for one in rules:
        cocotb.start_soon(one.watch())
    return made, contents, rules


def burst(dice, base, bytes_):
    """Address and keys of a burst of AXI4 that wraps or stays, and the places of its bytes."""
    beats = dice.choice([2, 4, 8, 16])
    count = beats * bytes_
    at = base + dice.randrange(REGION - 2 * count) // bytes_ * bytes_
    if dice.random() < 0.5:
        low = at // count * count
        places = [low + (at - low + place) % count for place in range(count)]
        return at, {"burst": AxiBurstType.WRAP}, places
    return at, {"burst": AxiBurstType.FIXED}, [at + place % bytes_ for place in range(count)]


async def traffic(made, thread, reference, dice):
    """Reads and writes within a region of the memory; what is read is as the reference says."""
    base = thread * REGION
    for _ in range(TRANSFERS):
        count = dice.choice([1, 2, 3, 4, 5, 8, 31, 64, 100])
        at = base + dice.randrange(REGION - count)
        more, places = {}, range(at, at + count)
        writes, reads = {}, {}
        if KINDS[0] == "axi4":
            writes, reads = {"awid": thread}, {"arid": thread}
            more["size"] = dice.randrange(made.bytes.bit_length())
            if dice.random() < 0.3:
                at, more, places = burst(dice, base, made.bytes)
        if dice.random() < 0.5:
            data = dice.randbytes(len(places))
            assert not await made.write(at, data, **more, **writes)
            for place, byte in zip(places, data, strict=True):
                reference[place] = byte
        else:
            failed, data = await made.read(at, len(places), **more, **reads)
            assert not failed
            assert data == bytes(reference[place] for place in places), (hex(at), len(places), more)


@cocotb.test()
async def memory_is_as_the_reference(dut):
    made, contents, rules = await begin(dut)
    threads = 3 if KINDS[0].startswith("axi") else 1
    dice = random.Random("contents")
    reference = bytearray(dice.randbytes(SIZE))
    contents[:] = reference
    tasks = [
        cocotb.start_soon(traffic(made, thread, reference, random.Random(f"thread {thread}")))
        for thread in range(threads)
    ]
    for task in tasks:
        await with_timeout(task, 10, "ms")
    await ClockCycles(dut.clk, 20)
    assert contents == reference
    assert all(one.count > TRANSFERS for one in rules)


@cocotb.test()
async def errors_come_back(dut):
    made, *_ = await begin(dut)
    for _ in range(8):
        assert await with_timeout(made.write(LIMIT + 8, bytes(4)), 100, "us")
        assert not await with_timeout(made.write(16, b"word"), 100, "us")
        failed, _ = await with_timeout(made.read(LIMIT, 4), 100, "us")
        assert failed
        assert await with_timeout(made.read(16, 4), 100, "us") == (False, b"word")
    # One bad beat spoils the outcome of its burst.
    assert await with_timeout(made.write(LIMIT - 8, bytes(16)), 100, "us")
    assert not await with_timeout(made.write(LIMIT - 16, bytes(16)), 100, "us")
