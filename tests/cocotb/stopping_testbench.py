"""Managers and memories, the clock of one of which stops in mid-traffic. Runs in the simulator.

A byte has all values that it may have: one, or after a write that was answered with an error
the one before and the one written, until a write to it is answered without.
"""

import json
import os
import random
from collections import defaultdict
from itertools import pairwise

import cocotb
from bus_ends import LIMIT, AtNode, AxiManager, manager, memory, pause
from bus_rules import RULES
from cocotb.triggers import ClockCycles, RisingEdge, Timer, with_timeout
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiBus, AxiRam

FACTS = json.loads(os.environ["STOPPING_FACTS"])
OTHER = 0x1000
"""Where the other memory begins; the one whose clock stops begins at 0."""
TIMEOUT = FACTS["timeout"]
PERIOD = FACTS["periods"]["clk"]
CLOCKS = [name.removeprefix("clk") for name in FACTS["periods"]]
THREADS = 2
"""Threads of a manager of AXI4 at each memory."""


class Bench:
    """Clocks that can stand still; managers at nodes 0 and 3, memories at nodes 1 and 2."""

    def __init__(self, dut):
        self.dut, self.stopped, self.ended = dut, set(), False
        self.dice = random.Random(FACTS["seed"])
        self.outcomes, self.begun = [], defaultdict(list)
        self.may_be = [{0} for _ in range(2 * OTHER)]
        self.silent = 0
        for name in FACTS["inputs"]:
            getattr(dut, name).value = 0
        for name, period in FACTS["periods"].items():
            cocotb.start_soon(self.clock(name, period))

    async def clock(self, name, period):
        signal = getattr(self.dut, name)
        while True:
            for level in (1, 0):
                signal.value = level
                await Timer(period // 2, "ps")
                while name in self.stopped:
                    await Timer(period // 2, "ps")

    async def begin(self):
        dut, kinds = self.dut, FACTS["kinds"]
        resets = [getattr(dut, name.replace("clk", "rst")) for name in FACTS["periods"]]
        slowest = getattr(dut, max(FACTS["periods"], key=FACTS["periods"].get))
        for reset in resets:
            reset.value = 1
        await RisingEdge(slowest)
        ends = {node: AtNode(dut, prefix, CLOCKS) for node, prefix in FACTS["prefixes"].items()}
        self.managers = {
            node: manager(
                ends[node], kinds[node], FACTS["prefixes"][node], node, stalls=FACTS["stall"]
            )
            for node in ("0", "3")
        }
        memory_1 = memory(ends["1"], kinds["1"], FACTS["prefixes"]["1"], 1, stalls=FACTS["stall"])
        memory_1[:] = bytes(len(memory_1))
        bus = AxiBus.from_prefix(dut, FACTS["prefixes"]["2"])
        other = AxiRam(bus, dut.clk_2, dut.rst_2, size=2 * OTHER)
        pause(other, self.dice, FACTS["stall"])
        self.memories = {0: memory_1, OTHER: other}
        await ClockCycles(slowest, 5)
        for reset in resets:
            reset.value = 0
        await ClockCycles(slowest, 14)
        for node, prefix in FACTS["prefixes"].items():
            cocotb.start_soon(RULES[kinds[node]](ends[node], prefix).watch())
        cocotb.start_soon(self.watch_silence())

    async def watch_silence(self):
        while True:
            await RisingEdge(self.dut.clk)
            self.silent |= int(self.dut.silent_1.value)
            assert not int(self.dut.silent_2.value), "a memory that runs must not be silent"

    def cycle(self):
        return get_sim_time("ps") // PERIOD

    def start(self):
        """Threads of random transfers, each with bytes of its own in one memory."""
        self.tasks = {node: [] for node in self.managers}
        place = 0
        for node, made in self.managers.items():
            several = isinstance(made, AxiManager)
            for thread in range(2 * THREADS if several else 1):
                places = [(OTHER, 0)[thread % 2]] if several else [0, OTHER]
                names = [{"awid": thread}, {"arid": thread}] if several else [{}, {}]
                self.tasks[node].append(cocotb.start_soon(self.run(node, places, place, names)))
                place += 1

    async def run(self, node, places, number, names):
        dice = random.Random(f"{FACTS['seed']} {number}")
        share = LIMIT // 10
        while not self.ended:
            base, size = dice.choice(places), dice.choice([1, 4, 8, 30, 60])
            start = base + number * share + dice.randrange(share - size)
            await self.transfer(node, start, size, dice, names)

    async def transfer(self, node, start, size, dice, names, *, write=None):
        """One read or write of bytes; its outcome is kept, its data are checked.

        Its answer comes within `TIMEOUT` of the last of its kind that its memory was asked for,
        or twice that, where one of the other kind was in its way in the network.
        """
        begun, made = self.cycle(), self.managers[node]
        write = dice.random() < 0.5 if write is None else write
        was_silent = start < OTHER and int(self.dut.silent_1.value) == 3
        self.begun[start // OTHER * OTHER, write].append(begun)
        if write:
            data = dice.randbytes(size)
            failed = await made.write(start, data, **names[0])
            for place, byte in enumerate(data, start):
                self.may_be[place] = {byte} | (self.may_be[place] if failed else set())
        else:
            failed, data = await made.read(start, size, **names[1])
            if not failed:
                self.check(start, data)
        ended = self.cycle()
        if was_silent and self.stopped:  # then its error comes as soon as an answer that is good
            assert ended - begun <= FACTS["bound"], ended - begun
        base = start // OTHER * OTHER
        begins = sorted(one for one in self.begun[base, write] if one >= begun)
        for one, following in pairwise([*begins, ended]):
            assert following - one <= 2 * TIMEOUT + FACTS["bound"], (begins, ended)
        self.outcomes.append((node, base, begun, ended, failed))

    def check(self, start, data):
        for place, byte in enumerate(data, start):
            assert byte in self.may_be[place], (hex(place), byte, self.may_be[place])

    def check_memories(self):
        self.check(0, bytes(self.memories[0][:LIMIT]))
        self.check(OTHER, self.memories[OTHER].read(OTHER, OTHER))

    def took(self, *, since, node=None, base=None):
        """Cycles that each transfer took that ended since then, and whether it failed."""
        return [
            (end - begin, failed)
            for by, at, begin, end, failed in self.outcomes
            if end >= since and node in (None, by) and base in (None, at)
        ]

    async def in_burst(self):
        """Wait until the manager of node 0 has given some of a write's beats, and reads."""
        prefix = FACTS["prefixes"]["0"]
        if FACTS["kinds"]["0"] != "axi4":
            return
        names = [f"{prefix}_{name}" for name in ("wvalid", "wready", "wlast")]
        valid, ready, last = (getattr(self.dut, name) for name in names)
        beats = 0
        while beats < 2:
            await RisingEdge(self.dut.clk_0)
            if int(valid.value) and int(ready.value):
                beats = 0 if int(last.value) else beats + 1

    async def stops(self, name, ready=None):
        """Stop a clock, again and again: each length, with the cycle in which it stopped."""
        for length in FACTS["lengths"]:
            await ClockCycles(self.dut.clk, self.dice.randrange(300, 900))
            if ready is not None:
                await ready()
            before = self.cycle()
            self.stopped.add(name)
            await ClockCycles(self.dut.clk, length)
            yield length, before

    async def finish(self):
        self.ended = True
        for tasks in self.tasks.values():
            for task in tasks:
                await with_timeout(task, 1, "ms")


@cocotb.test(skip=FACTS["stops"] != "clk_1")
async def a_memory_whose_clock_stops_is_answered_for(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.start()
    longest = 0
    async for length, before in bench.stops("clk_1"):
        at_other = bench.took(since=before, base=OTHER)
        assert len(at_other) >= length // 100, "the other memory must be served"
        if length > TIMEOUT + FACTS["bound"]:
            answered = bench.took(since=before, base=0)
            assert bench.silent, "the stopped memory must be told"
            longest = max(longest, *(cycles for cycles, _ in answered))
            last = max(end for *_, end, _ in bench.outcomes)
            assert sum(failed for _, failed in answered) > 4
            assert last > bench.cycle() - TIMEOUT
        bench.stopped.clear()
        for _ in range(40):
            await ClockCycles(dut.clk, 25)
            if not int(dut.silent_1.value):
                break
        assert not int(dut.silent_1.value), "the memory must be used again"
        again = bench.cycle()
        await ClockCycles(dut.clk, 600)
        later = [one[4] for one in bench.outcomes if one[1] == 0 and one[2] >= again]
        assert len(later) > 4
        assert not any(later), "the memory must be used again"
        if length < TIMEOUT // 2:
            assert not any(failed for _, failed in bench.took(since=before))
            assert not bench.silent
        bench.silent = 0
    await bench.finish()
    assert not any(failed for _, failed in bench.took(since=0, base=OTHER))
    assert max(cycles for cycles, _ in bench.took(since=0, base=OTHER)) <= TIMEOUT + FACTS["bound"]
    dut._log.info(f"longest {longest}, {len(bench.outcomes)} transfers")
    bench.check_memories()
    for start in range(0, LIMIT - 60, 60):
        await bench.transfer("3", start, 60, bench.dice, [{}, {}], write=True)
    await ClockCycles(dut.clk, 100)
    bench.check_memories()


@cocotb.test(skip=FACTS["stops"] != "clk_0")
async def a_manager_whose_clock_stops_holds_up_nobody(dut):
    bench = Bench(dut)
    await bench.begin()
    bench.start()
    longest = 0
    async for length, before in bench.stops("clk_0", bench.in_burst):
        at_work = bench.took(since=before, node="3")
        assert len(at_work) >= length // 100
        longest = max(longest, *(cycles for cycles, _ in at_work), 0)
        assert longest <= FACTS["bound"]
        bench.stopped.clear()
        again = bench.cycle()
        await ClockCycles(dut.clk, 600)
        assert len(bench.took(since=again, node="0")) > 4
    await bench.finish()
    assert not any(failed for _, failed in bench.took(since=0))
    dut._log.info(f"longest {longest}, {len(bench.outcomes)} transfers")
    assert not bench.silent
    bench.check_memories()
