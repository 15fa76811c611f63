import gc
import json
import warnings
from itertools import count
from pathlib import Path
from random import Random

import pytest
from amaranth.hdl import UnusedElaboratable
from amaranth.sim import Simulator
from helpers.self_tests import ModelFabric, pulse
from helpers.streams import watch
from knotwork import Fabric
from knotwork_boards.selftest import SelfTest, selftest_verilog
from knotwork_sim.rtl.verilator import build_simulator

BAUD = 115200
DIVISOR = 2
"""Cycles per bit."""


async def read_line(ctx, tx, divisor):
    """Line from a UART's signal, with its line end; checks every stop bit."""
    text = ""
    while not text.endswith("\n"):
        while ctx.get(tx):
            await ctx.tick()
        await ctx.tick().repeat(divisor // 2)
        byte = 0
        for place in range(8):
            await ctx.tick().repeat(divisor)
            byte |= ctx.get(tx) << place
        await ctx.tick().repeat(divisor)
        assert ctx.get(tx) == 1
        text += chr(byte)
    return text


def simulate(dut, testbench, *processes, cycles=200_000):
    """Run a testbench with a deadline; a cycle is a microsecond."""
    ended = []

    async def main(ctx):
        await testbench(ctx)
        ended.append(True)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(main)
    for process in processes:
        simulator.add_testbench(process, background=True)
    for cycle in range(0, cycles, 100):
        if not ended:
            simulator.run_until((cycle + 100) * 1e-6)
    assert ended, f"no end after {cycles} cycles"


def spread(bits, length, width):
    """Reference for `packet_format.spread`, on plain integers."""
    if width < length:
        result = 0
        while bits:
            result ^= bits & ((1 << width) - 1)
            bits >>= width
        return result
    result, inverted = 0, bits ^ ((1 << length) - 1)
    for copy in range(-(-width // length)):
        result |= (inverted if copy % 2 else bits) << copy * length
    return result & ((1 << width) - 1)


def packet_beats(form, source, destination, sequence, length, copy=0, beat_width=2):
    """Reference for a packet: the data of its beats; a copy names its source."""
    a, c, s, w = form.address_width, form.copy_width, form.sequence_width, form.data_width
    destination = source if copy else destination
    beats = []
    for beat in range(length):
        last = int(beat == length - 1)
        if beat == 0:
            mixed = sequence | source << s | destination << s + a | copy << s + 2 * a
            check = spread(mixed | last << s + 2 * a + c, s + 2 * a + c + 1, w - a - c - s)
            beats.append(destination | copy << a | sequence << a + c | check << a + c + s)
        else:
            mixed = sequence | source << s | copy << s + a | beat << s + a + c
            place = s + a + c + beat_width
            beats.append(spread(mixed | last << place, place + 1, w))
    return beats


class SelfTestRun:
    """Self-test of a network, sped up, in Amaranth's simulator."""

    def __init__(self, *, network, fabric=None, rounds_log2=2, faults=False):
        fabric = Fabric(network) if fabric is None else fabric(network)
        self._processes = [fabric.run] if isinstance(fabric, ModelFabric) else []
        self.dut = SelfTest(
            network,
            fabric=fabric,
            clock_hz=DIVISOR * BAUD,
            baud=BAUD,
            rounds_log2=rounds_log2,
            quiet_log2=7,
            faults=faults,
        )

    def windows(self, count, faults=()):
        """Lines of `count` windows, and the LEDs (alive, pass, fail) after each."""
        lines = []

        async def testbench(ctx):
            for window in range(count):
                if window < len(faults):
                    ctx.set(self.dut.fault, faults[window])
                line = await read_line(ctx, self.dut.tx, DIVISOR)
                leds = (self.dut.led_alive, self.dut.led_pass, self.dut.led_fail)
                lines.append((line, tuple(ctx.get(led) for led in leds)))

        simulate(self.dut, testbench, *self._processes)
        return lines

    def lines(self, count, faults=()):
        """The lines alone."""
        return [text for text, _ in self.windows(count, faults)]


@pytest.fixture
def self_test():
    return SelfTestRun


@pytest.fixture
def beats_of():
    return packet_beats


@pytest.fixture
def refusal():
    """Text of the error that a constructor raises, without warnings of its unused component."""

    def text_of(kind, make):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnusedElaboratable)
            try:
                make()
                text = "it was not refused"
            except kind as error:
                text = str(error)
            gc.collect()
        return text

    return text_of


@pytest.fixture
def run():
    return simulate


@pytest.fixture
def simulated(monkeypatch, tmp_path):
    """Lines and LEDs of windows of the emitted self-test in Verilator, one per fault (or None).

    Each of `commands` is sent while the line of a window comes. With `packets`, also the sources of
    that many packets at each node.
    """
    monkeypatch.syspath_prepend(Path(__file__).parent)

    def run(network, faults, *, clock_hz, packets=0, commands=(), **keys):
        with_faults = faults[0] is not None
        verilog = selftest_verilog(
            network, clock_hz=clock_hz, baud=115200, faults=with_faults, **keys
        )
        nodes, seen = network.topology.nodes, ("tvalid", "tready", "tid") if packets else ()
        ports = ["clk", "rst", "tx", "led_pass", "led_fail"]
        ports += ["fault"] * with_faults + ["rx"] * bool(commands)
        visible = [("selftest", port) for port in ports]
        visible += [(network.name, f"m_axis_{node}_{s}") for node in range(nodes) for s in seen]
        waivers = [f'public_flat_rw -module "{module}" -var "{name}"' for module, name in visible]
        config = "\n".join(["`verilator_config", *waivers, ""])
        result, of_packets = tmp_path / "result.json", tmp_path / "sources.json"
        environment = {
            "SELFTEST_CLOCK": str(clock_hz),
            "SELFTEST_BAUD": "115200",
            "SELFTEST_FAULTS": json.dumps(faults),
            "SELFTEST_COMMANDS": json.dumps(commands),
            "SELFTEST_RESULT": str(result),
        }
        if packets:
            environment |= {
                "SELFTEST_SOURCES": str(of_packets),
                "SELFTEST_NODES": str(nodes),
                "SELFTEST_PACKETS": str(packets),
            }
        simulator = build_simulator({"selftest.v": verilog, "ports.vlt": config}, "selftest")
        simulator.run("uart_testbench", tmp_path, environment=environment)
        lines = json.loads(result.read_text())
        return (lines, json.loads(of_packets.read_text())) if packets else lines

    return run


@pytest.fixture
def judge(run):
    """Verdict of a checker on each packet: the events that are high with `received`.

    A packet is its source, beats, marks of the last beat and, with batches, flags. A dictionary
    between packets has values of other inputs for a cycle.
    """
    events = ("corrupted", "misrouted", "duplicated", "skipped")

    def judge(dut, packets):
        dice, verdicts = Random(1), []

        async def take(ctx, payload):
            ctx.set(dut.i.payload, payload)
            ctx.set(dut.i.valid, 1)
            ready = False
            while not ready:
                ctx.set(dut.random, dice.randrange(4))
                *_, ready = await ctx.tick().sample(dut.i.ready)
            ctx.set(dut.i.valid, 0)
            if dice.randrange(2):
                await ctx.tick()

        async def send(ctx):
            for packet in packets:
                if isinstance(packet, dict):
                    await ctx.tick().repeat(2)
                    for name, value in packet.items():
                        ctx.set(getattr(dut, name), value)
                    await ctx.tick()
                    for name in packet:
                        ctx.set(getattr(dut, name), 0)
                    continue
                source, *beats = packet
                for beat in zip(*beats, strict=True):
                    payload = dict(zip(("data", "last", "flags"), beat, strict=False))
                    await take(ctx, payload | {"source": source})
            await ctx.tick().repeat(3)

        async def observe(ctx):
            signals = [getattr(dut, event) for event in events]
            async for _, _, received, *levels in ctx.tick().sample(dut.received, *signals):
                verdict = {event for event, high in zip(events, levels, strict=True) if high}
                if received:
                    verdicts.append(verdict)
                else:
                    assert verdict == set()

        run(dut, send, observe)
        return verdicts

    return judge


@pytest.fixture
def collect(run):
    """Packets per window that a source sends, each a list of beats (data, destination, mark)."""

    def collect(dut, *, windows=1, ready=lambda cycle: True, random=lambda cycle: 0):
        found, cycles = [], count()

        async def window(ctx):
            packets, beats, quiet = [], [], 0
            await pulse(ctx, dut.start)
            while quiet < 50:
                cycle = next(cycles)
                ctx.set(dut.random, random(cycle))
                ctx.set(dut.o.ready, ready(cycle))
                await ctx.delay(1e-9)
                valid, taken = ctx.get(dut.o.valid), ctx.get(dut.o.valid & dut.o.ready)
                beat = ctx.get(dut.o.payload)
                mark = getattr(beat, "multicast", 0) or getattr(beat, "broadcast", 0)
                assert ctx.get(dut.sent) == (taken and beat.last and not mark)
                quiet = 0 if valid else quiet + 1
                if taken:
                    beats.append((beat.data, beat.destination, mark))
                if taken and beat.last:
                    packets.append(beats)
                    beats = []
                await ctx.tick()
            assert beats == []
            return packets

        async def testbench(ctx):
            for _ in range(windows):
                found.append(await window(ctx))

        run(dut, testbench, watch(dut.o))
        return found

    return collect


@pytest.fixture
def inject(run):
    """Beats that leave an injector of faults in each window, with pauses."""

    def inject(dut, fault, beats, windows=1):
        found, dice = [], Random(2)

        async def offer(ctx, beat):
            """Offer a beat, which an injector that lost a packet may never take."""
            ctx.set(dut.i.payload, beat)
            ctx.set(dut.i.valid, 1)
            for _ in range(40):
                *_, taken = await ctx.tick().sample(dut.i.ready)
                if taken:
                    break
            ctx.set(dut.i.valid, 0)

        async def send(ctx):
            ctx.set(dut.fault, fault)
            for _ in range(windows):
                found.append([])
                await pulse(ctx, dut.start)
                for beat in beats:
                    await offer(ctx, beat)
                await ctx.tick().repeat(20)

        async def take(ctx):
            while True:
                ctx.set(dut.o.ready, dice.randrange(2))
                *_, moves, beat = await ctx.tick().sample(dut.o.valid & dut.o.ready, dut.o.p)
                if moves:
                    found[-1].append((beat.data, beat.last, beat.destination))

        run(dut, send, take, watch(dut.o))
        return found

    return inject
