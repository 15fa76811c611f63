"""Referee of AXI4-Stream: cocotbext-axi on a network's ports. Runs inside the simulator."""

import itertools
import json
import os
import random
from collections import defaultdict

import cocotb
from bus_rules import Watched
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

NODES = int(os.environ["REFEREE_NODES"])
CODES = json.loads(os.environ["REFEREE_CODES"])
BYTES = int(os.environ["REFEREE_BYTES"])
FRAMES = 400


class Source(AxiStreamSource):
    _init_x = False  # Verilator knows no x


def pauses(seed, share):
    rng = random.Random(seed)
    return (rng.random() < share for _ in itertools.count())


class Rules(Watched):
    """Rules of AXI4-Stream for the sender of a stream, checked in every cycle."""

    def __init__(self, dut, prefix, fields):
        super().__init__(dut, prefix)
        self.fields, self.waits = fields, 0

    def check(self):
        valid, ready = self.values("tvalid", "tready")
        self.hold("beat", valid and not ready, (valid, *self.values(*self.fields)))
        self.count += valid & ready
        self.waits += valid and not ready


class Testbench:
    def __init__(self, dut):
        self.dut = dut
        self.sources, self.sinks, self.rules = [], [], []
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        for node in range(NODES):
            into = AxiStreamBus.from_prefix(dut, f"s_axis_{node}")
            out = AxiStreamBus.from_prefix(dut, f"m_axis_{node}")
            self.sources.append(Source(into, dut.clk, dut.rst))
            self.sinks.append(AxiStreamSink(out, dut.clk, dut.rst))
            self.rules.append(Rules(dut, f"m_axis_{node}", ("tdata", "tlast", "tid")))
            self.rules.append(Rules(dut, f"s_axis_{node}", ("tdata", "tlast", "tdest")))
        for rules in self.rules:
            cocotb.start_soon(rules.watch())

    async def reset(self, clocks):
        await RisingEdge(self.dut.clk)
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, clocks)
        self.dut.rst.value = 0
        await RisingEdge(self.dut.clk)

    def set_pauses(self, at_sources, at_sinks):
        for number, source in enumerate(self.sources):
            source.set_pause_generator(pauses(number, at_sources))
        for number, sink in enumerate(self.sinks):
            sink.set_pause_generator(pauses(1000 + number, at_sinks))

    def send(self, count, seed):
        """Queue frames; return those that each (sink, source) must get, in order."""
        rng = random.Random(seed)
        expected = defaultdict(list)
        for _ in range(count):
            source, to = rng.randrange(NODES), rng.randrange(NODES)
            content = rng.randbytes(BYTES * rng.randint(1, 9))
            self.sources[source].send_nowait(AxiStreamFrame(content, tdest=CODES[to]))
            expected[to, CODES[source]].append(content)
        return expected

    async def receive(self, expected):
        for to, sink in enumerate(self.sinks):
            mine = {source: frames for (node, source), frames in expected.items() if node == to}
            for _ in range(sum(map(len, mine.values()))):
                frame = await with_timeout(sink.recv(), 1, "ms")
                assert isinstance(frame.tid, int), f"tid changes within a frame: {frame.tid}"
                assert bytes(frame.tdata) == mine[frame.tid].pop(0)
        await ClockCycles(self.dut.clk, 50)
        assert all(sink.empty() for sink in self.sinks)


@cocotb.test()
async def frames_arrive_whole(dut):
    testbench = Testbench(dut)
    await testbench.reset(3)
    for at_sources, at_sinks in ((0.0, 0.0), (0.3, 0.3), (0.8, 0.1), (0.1, 0.8)):
        testbench.set_pauses(at_sources, at_sinks)
        await testbench.receive(testbench.send(FRAMES // 4, seed=at_sinks))
    for rules in testbench.rules:
        assert rules.count > 100, f"{rules.prefix} was hardly used"
        assert rules.waits > 10, f"{rules.prefix} never waited"


@cocotb.test()
async def reset_empties_the_network(dut):
    testbench = Testbench(dut)
    await testbench.reset(3)
    testbench.set_pauses(0.0, 0.95)
    testbench.send(FRAMES, seed=1)
    await ClockCycles(dut.clk, 200)
    valid = [getattr(dut, f"m_axis_{node}_tvalid") for node in range(NODES)]
    assert any(int(signal.value) for signal in valid)
    for end in (*testbench.sources, *testbench.sinks):
        end.clear_pause_generator()
        end.pause = False
    await testbench.reset(3)
    for end in (*testbench.sources, *testbench.sinks):
        end.clear()
    for _ in range(100):
        await RisingEdge(dut.clk)
        await ReadOnly()
        assert not any(int(signal.value) for signal in valid)
    await testbench.receive(testbench.send(FRAMES // 4, seed=2))
