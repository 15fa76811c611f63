"""Counters that share a RAM and an adder."""

import json
import re
import subprocess
from random import Random

import pytest
from helpers.streams import refusal, run
from knotwork.emit.modules import Shell, module_verilog
from knotwork.gateware.monitors import EventCounters
from knotwork.tools import find_tool


@pytest.mark.parametrize("events", [2, 5, 8, 17])
@pytest.mark.parametrize("often", [0.3, 1.0])
def test_every_event_is_counted_once(events, often):
    dut, dice = EventCounters(events=events, width=12), Random(events)

    async def testbench(ctx):
        expected = [0] * events
        for cycle in range(6 * events + 11):
            cleared = cycle == 3 * events + 2
            now = [dice.random() < often for _ in range(events)]
            ctx.set(dut.event, sum(1 << n for n, happens in enumerate(now) if happens))
            ctx.set(dut.clear, cleared)
            await ctx.tick()
            expected = [0 if cleared else e + n for e, n in zip(expected, now, strict=True)]
        ctx.set(dut.event, 0)
        await ctx.tick().repeat(events)
        assert not ctx.get(dut.clearing)
        for number in range(events):
            ctx.set(dut.index, number)
            assert ctx.get(dut.count) == expected[number]

    run(dut, testbench)


def test_a_count_goes_round():
    dut = EventCounters(events=2, width=4)

    async def testbench(ctx):
        ctx.set(dut.event, 1)
        await ctx.tick().repeat(21)
        ctx.set(dut.event, 0)
        await ctx.tick().repeat(2)
        assert ctx.get(dut.count) == 21 % 16

    run(dut, testbench)


def test_counts_are_not_valid_while_they_are_cleared():
    dut = EventCounters(events=6)

    async def testbench(ctx):
        for _ in range(2):
            for _ in range(6):
                assert ctx.get(dut.clearing)
                await ctx.tick()
            assert not ctx.get(dut.clearing)
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)

    run(dut, testbench)


def test_one_event_is_refused():
    text = refusal(ValueError, lambda: EventCounters(events=1))
    assert re.fullmatch("events must be at least 2, not 1", text)


@pytest.mark.slow
def test_many_events_are_synthesised(tmp_path):
    """Yosys goes through a chain of choices step by step, and its stack is limited."""
    dut = EventCounters(events=180)
    shell = Shell(dut)
    for name in ("event", "clear", "index"):
        shell.input(name, getattr(dut, name))
    for name in ("clearing", "count"):
        shell.output(name, getattr(dut, name))
    (tmp_path / "counters.v").write_text(module_verilog(shell, "counters"))
    script = "read_verilog counters.v; synth_ecp5 -top counters -json counters.json"
    subprocess.run([find_tool("yosys"), "-q", "-p", script], cwd=tmp_path, check=True, timeout=600)
    cells = json.loads((tmp_path / "counters.json").read_text())["modules"]["counters"]["cells"]
    kinds = [cell["type"] for cell in cells.values()]
    # 8 bits per event until its visit, the number of the visited one, and whether all is fresh.
    assert kinds.count("TRELLIS_FF") == 180 * 8 + 8 + 1
    assert kinds.count("TRELLIS_DPR16X4") == 2 * 12 * 8  # two readers of 180 words of 32 bits
