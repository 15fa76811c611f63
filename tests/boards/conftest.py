import gc
import warnings

import pytest
from amaranth.hdl import UnusedElaboratable
from amaranth.sim import Simulator
from helpers.model_fabric import ModelFabric
from knotwork import Fabric, Hypercube, Network
from knotwork_boards.selftest import SelfTest

BAUD = 115200


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
    """Self-test of a network, of two nodes if unnamed, sped up, in Amaranth's simulator."""

    def __init__(
        self, *, network=None, fabric=None, rounds_log2=2, faults=False, measure=False, divisor=2
    ):
        network = network or Network(Hypercube(n=1), data_width=8, buffer_depth=2)
        fabric = Fabric(network) if fabric is None else fabric(network)
        self._divisor = divisor
        self._processes = [fabric.run] if isinstance(fabric, ModelFabric) else []
        self.dut = SelfTest(
            network,
            fabric=fabric,
            clock_hz=divisor * BAUD,
            baud=BAUD,
            rounds_log2=rounds_log2,
            quiet_log2=7,
            faults=faults,
            measure=measure,
        )

    def windows(self, count, faults=(), commands=()):
        """Lines of `count` windows, and the LEDs (alive, pass, fail) after each.

        Each of `commands` is sent while the line of a window comes.
        """
        lines = []

        async def send(ctx):
            for number, text in enumerate(commands):
                while len(lines) < number or ctx.get(self.dut.tx):
                    await ctx.tick()
                for byte in text.encode():
                    for bit in (0, *(byte >> place & 1 for place in range(8)), 1):
                        ctx.set(self.dut.rx, bit)
                        await ctx.tick().repeat(self._divisor)

        async def testbench(ctx):
            for window in range(count):
                if window < len(faults):
                    ctx.set(self.dut.fault, faults[window])
                line = await read_line(ctx, self.dut.tx, self._divisor)
                leds = (self.dut.led_alive, self.dut.led_pass, self.dut.led_fail)
                lines.append((line, tuple(ctx.get(led) for led in leds)))

        simulate(self.dut, testbench, *self._processes, *([send] if commands else []))
        return lines


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
