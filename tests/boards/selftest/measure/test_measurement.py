"""What the emitted self-test measures, commanded over its UART, against the golden model."""

import json
from pathlib import Path

import pytest
from amaranth.sim import Simulator
from helpers.measured import expected_words, measured_line
from knotwork import Fabric, Network
from knotwork_boards.measuring.patterns import PATTERNS
from knotwork_boards.measuring.settings import SETTINGS, Settings
from knotwork_boards.selftest import SelfTest, selftest_verilog
from knotwork_boards.selftest.measure import commands
from knotwork_boards.table import BOARDS
from knotwork_sim.rtl.verilator import build_simulator

PORTS = ("clk", "rst", "tx", "rx", "led_pass", "led_fail")


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """Lines of windows, each after the commands that were sent before it."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1])

    def run(network, commands, *, clock_hz=8 * 115200, baud=115200):
        verilog = selftest_verilog(
            network, clock_hz=clock_hz, baud=baud, rounds_log2=0, measure=True
        )
        visible = "\n".join(f'public_flat_rw -module "selftest" -var "{port}"' for port in PORTS)
        sources = {"selftest.v": verilog, "ports.vlt": f"`verilator_config\n{visible}\n"}
        simulator = build_simulator(sources, "selftest")
        result = tmp_path / "result.json"
        environment = {
            "SELFTEST_CLOCK": str(clock_hz),
            "SELFTEST_BAUD": str(baud),
            "SELFTEST_FAULTS": json.dumps([None] * (len(commands) + 1)),
            "SELFTEST_COMMANDS": json.dumps(commands),
            "SELFTEST_RESULT": str(result),
        }
        simulator.run("uart_testbench", tmp_path, environment=environment)
        return [line for line, _, _ in json.loads(result.read_text())]

    return run


def windows(rates, lengths, patterns, **others):
    return [
        Settings(mode=1, rate=round(rate * 65536), length=length, pattern=pattern, **others)
        for pattern in patterns
        for length in lengths
        for rate in rates
    ]


def told(line):
    """Words of a line by name."""
    return {name: int(value) for name, _, value in (w.partition("=") for w in line.split()[1:-1])}


@pytest.mark.parametrize(
    ("word", "settings"),
    [
        (
            "hypercube:n=1,data_width=16",
            Settings(mode=1, rate=58982, length=2, pattern=1, cycles=100, warmup=50, seed=12345),
        ),
        (  # beyond saturation
            "moebius:n=2,data_width=13,buffer_depth=2",
            Settings(mode=1, rate=65536, cycles=300, warmup=50, seed=12345),
        ),
    ],
)
def test_a_window_is_what_the_golden_model_says(monkeypatch, word, settings):
    """In Amaranth's simulator, with settings that hold from the reset on."""
    for name in SETTINGS:
        monkeypatch.setitem(commands._DEFAULTS, name, getattr(settings, name))
    network = Network.from_word(word)
    dut = SelfTest(
        network,
        fabric=Fabric(network),
        clock_hz=2 * 115200,
        rounds_log2=0,
        quiet_log2=6,
        measure=True,
    )
    measurement, seen = dut._measurement, []

    async def watch(ctx):
        while len(seen) < 2:  # the first window has no threshold yet
            if ctx.get(measurement.told):
                names = [name for name, _ in measurement.values.shape()]
                seen.append({name: ctx.get(measurement.values[name]) for name in names})
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(watch)
    simulator.run()
    expected = expected_words(network, settings)
    assert seen[1] == {name: expected[name] for name in seen[1]}
    assert (expected["overrun"] > 0) == (settings.rate == 65536)


@pytest.mark.slow
def test_a_window_is_what_the_golden_model_says_and_commands_are_counted(measured):
    network = Network.from_word("moebius:n=2,data_width=13,buffer_depth=2")
    low, over = windows([0.2, 1.0], [1], [0], cycles=400, warmup=50, seed=12345)
    reversed_ = Settings(mode=1, rate=20000, length=2, pattern=3, cycles=300, warmup=0, seed=7)
    commands = [settings.commands.decode() for settings in (low, over, reversed_)]
    lines = measured(network, [*commands, "r10001\nx\nc\nm0\n", "g\n"])
    assert lines[1:4] == [
        measured_line(network, 1, low),
        measured_line(network, 2, over),
        measured_line(network, 3, reversed_),
    ]
    assert told(lines[2])["overrun"] > 0
    last = told(lines[4])  # the self-test again, from the beginning
    assert lines[4].endswith(" PASS\r\n")
    assert (last["window"], last["mode"], last["dropped"]) == (0, 0, 2)
    assert (last["sent"], last["flits"]) == (16, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "word",
    [
        "moebius:n=3,data_width=16",
        "mesh:x=3,y=2,data_width=32,buffer_depth=4",
        "ccc:n=2,data_width=16,buffer_depth=4",
        "wk:w=3,levels=2,data_width=20,buffer_depth=4",
    ],
)
def test_every_rate_length_and_pattern_is_as_the_golden_model_says(measured, word):
    network = Network.from_word(word)
    chosen = windows(
        [0.05, 0.4, 1.0],
        [1, 4],
        [0, PATTERNS.index("complement")],
        cycles=1500,
        warmup=300,
        seed=12345,
    )
    lines = measured(network, [settings.commands.decode() for settings in chosen])
    assert lines[1:] == [
        measured_line(network, number, settings) for number, settings in enumerate(chosen, start=1)
    ]


@pytest.mark.slow
def test_a_load_latency_curve_at_the_clock_and_baud_rate_of_a_board(measured):
    network = Network.from_word("moebius:n=3,data_width=16")
    board = BOARDS["ulx3s_85f"]
    rates = (0.05, 0.15, 0.3, 0.45, 0.6, 0.9)
    chosen = windows(rates, [4], [0], cycles=8000, warmup=1000, seed=99)
    lines = measured(
        network, [settings.commands.decode() for settings in chosen], clock_hz=board.clock_hz
    )
    assert lines[1:] == [
        measured_line(network, number, settings) for number, settings in enumerate(chosen, start=1)
    ]
    curve = [told(line) for line in lines[1:]]
    accepted = [words["flits"] / words["cycles"] / 8 for words in curve]
    latency = [words["latency_sum"] / words["samples"] for words in curve]
    for rate, got in zip(rates[:3], accepted, strict=False):
        assert got == pytest.approx(rate, rel=0.05)
    assert accepted[-1] < 0.85  # beyond saturation
    assert latency == sorted(latency)
