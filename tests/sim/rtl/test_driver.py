"""The compiled driver of load sweeps, and how its program is compiled."""

import re
import shutil
import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork.emit import network_verilog
from knotwork.errors import ToolError
from knotwork.network import Network
from knotwork_sim.check.simulate import run_before
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl import driver
from knotwork_sim.rtl.cocotb_run import run_rtl
from knotwork_sim.rtl.driver import (
    build_driver,
    drive,
    driven_network,
    quickest_program,
    run_driver,
)
from knotwork_sim.rtl.programs import Program, build_executable, compiled_sources
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.point import draw_packets, measure_point, run_engine
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

SMALL = "hypercube:n=2"


def slow(*values):
    """Parameters of a test that compiles for long."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("word", "rate", "keys"),
    [
        (SMALL, 0.3, {"length": (4, 4)}),
        (SMALL, 0.95, {"length": (1, 8), "traffic": "complement"}),
        (SMALL, 0.6, {"length": (1, 3), "bubble": 0.3, "stall": 0.2, "seed": 7}),
        (SMALL, 0.6, {"bubble": 0.3, "stall": 0.2, "pauses": "changing"}),
        (SMALL, 0.4, {"burst": 9.0, "traffic": "uniform:1,complement:2"}),
        slow("lcan:d=2,u=2,levels=2", 0.1, {"length": (1, 8)}),
        slow("moebius:n=3,routing=spr", 0.7, {"length": (4, 4)}),
    ],
)
def test_the_verilog_sees_what_the_model_sees(word, rate, keys):
    network, traffic = Network.from_word(word), Traffic(**keys)
    packets = draw_packets(network, traffic, rate, 1500)
    rtl, model = (
        run_engine(network, traffic, packets, cycles=1500, engine=engine)
        for engine in ("rtl", "model")
    )
    assert len(rtl.packet) > 500
    for one, other in zip(rtl, model, strict=True):
        assert np.array_equal(one, other)


FIELDS = ("clock", "node", "source", "last", "user", "data", "refused", "injected", "status")
PAUSES = {"rate": 0.6, "packets": 60, "bubble": 0.2, "stall": 0.3}


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        slow("hypercube:n=2,data_width=72", {"reply": (1, 3), "service": (0, 5), "length": (1, 2)}),
        slow("moebius:n=3,routing=spr,data_width=8", {"length": (1, 4)}),
        slow("hypercube:n=3,multicast=yes", {"multicast_share": 0.2, "length": (1, 3)}),
        slow("wk:w=3,levels=2", {"broadcast_share": 0.2}),
        slow("torus:x=3,y=3,router=deflection", {"pauses": "changing"}),
        slow("hypercube:n=3,routing=lc1,words=2", {}),
        slow("ccc:n=2,routing=lc2", {}),
        slow("lcan:d=2,u=2,levels=2,max_packet=4", {"length": (1, 4)}),
        slow("mesh:x=3,y=3,tables=loaded", {}),
        slow("hypercube:n=3,classes=2,counters=yes,watchdog=100", {}),
    ],
)
def test_the_driver_records_what_cocotbs_testbench_records(word, keys):
    network = Network.from_word(word)
    if network.routing.arrivals == "any_time":
        traffic = Traffic(**PAUSES, **keys)
    else:
        traffic = Traffic(traffic="permutation", permutation="random", **keys)
    packets = make_packets(network, traffic)
    golden = run_model(network, traffic, packets)
    before = run_before(network, traffic, packets, golden)
    executable = quickest_program(network, golden.clocks).build()
    driven = drive(network, traffic, packets, executable=executable, golden=golden, before=before)
    recorded = run_rtl(network, traffic, packets, golden=golden, before=before)
    assert (driven.mismatch, driven.clocks) == (None, recorded.clocks)
    for name in FIELDS:
        assert getattr(driven, name).dtype == getattr(recorded, name).dtype
        assert np.array_equal(getattr(driven, name), getattr(recorded, name)), name
    # What is wrong is told in the same words.
    late = np.arange(len(golden.clock)) == len(golden.clock) // 2
    wrong = replace(golden, clock=golden.clock + late)
    driven, recorded = (
        run(network, traffic, packets, golden=wrong, before=before, **given)
        for run, given in ((drive, {"executable": executable}), (run_rtl, {}))
    )
    assert driven.mismatch == recorded.mismatch is not None


def test_a_failed_assertion_ends_the_driver_with_its_message(monkeypatch):
    def failing(network):
        text = network_verilog(network)
        begin = text.index("  always")
        always = '  always @(posedge clk) assert (0) else $error("count must be [below] 5");\n'
        return f"{text[:begin]}{always}{text[begin:]}"

    network = Network.from_word(SMALL)
    monkeypatch.setattr(driver, "network_verilog", failing)
    executable = quickest_program(network, 100).build()
    packets = make_packets(network, Traffic(packets=10))
    with pytest.raises(ToolError, match=r"^the simulation must finish, but failed: .*must be \["):
        drive(network, Traffic(), packets, executable=executable)


def test_long_runs_are_optimised_and_what_is_built_is_taken(monkeypatch):
    network = Network.from_word("hypercube:n=3")
    monkeypatch.setattr(Program, "is_built", property(lambda program: False))
    chosen = [quickest_program(network, cycles) for cycles in (100, 100_000, 100_000_000)]
    levels = [(each.level, "--hierarchical" in each.verilate) for each in chosen]
    assert levels == [("-O0", True), ("-O1", True), ("-O1", False)]
    monkeypatch.setattr(Program, "is_built", property(lambda program: program == chosen[1]))
    assert quickest_program(network, 100) == chosen[1]
    assert quickest_program(network, 100_000_000) == chosen[2]


@pytest.mark.parametrize("word", [SMALL, slow("hypercube:n=4")])
def test_points_are_equal_whatever_measures_them(word):
    network, traffic = Network.from_word(word), Traffic(length=(4, 4))
    for rate in (0.1, 0.7, 1.0):
        window = Window(measure=400)
        points = [
            measure_point(network, traffic, rate, window=window, engine=engine)
            for engine in ("rtl", "model")
        ]
        assert points[0] == points[1]


def test_a_driver_is_compiled_once_with_its_headers_and_its_failures_are_errors(monkeypatch):
    network = Network.from_word(SMALL)
    executable = build_driver(network)
    before = executable.stat().st_mtime_ns
    assert build_driver(network) == executable
    assert build_driver(driven_network(Network.from_word(f"{SMALL},data_width=8"))) == executable
    assert executable.stat().st_mtime_ns == before
    assert driven_network(network).hardware.data_width == 32
    packets = draw_packets(network, Traffic(), 0.5, 10)
    failing = executable.with_name("failing")
    failing.write_text("#!/bin/sh\necho error: no luck >&2\nexit 3\n")
    failing.chmod(0o755)
    monkeypatch.setattr(driver, "build_driver", lambda *_, **__: failing)
    kept = failing.with_name("simulation.log")
    line = f"the simulation must finish, but failed: error: no luck; see {kept}"
    with refuses(line, ToolError):
        run_driver(network, Traffic(), packets, clocks=10)
    sources = compiled_sources("driver.cpp")
    assert [*sources] == ["driver.cpp", "ports.h"]
    assert '#include "ports.h"' in sources["driver.cpp"]
    with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: .*; see ") as error:
        build_executable({"testbench.v": f"modul {uuid.uuid4()}\n", "main.cpp": ""})
    Path(str(error.value).rpartition("; see ")[2]).unlink()


PART = """
module part (input clk, output reg [7:0] count);
  always @(posedge clk) count <= count + 1;
endmodule
module testbench (input clk, output [7:0] a, output [7:0] b);
  part first (.clk(clk), .count(a));
  part second (.clk(clk), .count(b));
endmodule
"""


@pytest.mark.parametrize("blocks", [[], ["part"]])
def test_the_library_is_compiled_once_and_no_two_processes_write_a_block(blocks):
    build_driver(Network.from_word(SMALL))
    # Verilator's makefile has one rule for two files of a block: a parallel Make runs it twice.
    sources = {
        "testbench.v": PART,
        "main.cpp": f"int main() {{}}  // {uuid.uuid4()}\n",  # of no build before
    }
    log = build_executable(sources, level="-O0", blocks=blocks).with_name("build.log")
    commands = log.with_name("commands.log").read_text()
    assert "unit0.cpp" in commands and "verilated.cpp" not in commands
    text = log.read_text()
    written = re.findall(r"bin/verilator -f \S*made/Vpart__hierMkArgs.f", text)
    assert len(written) == len(blocks)
    shutil.rmtree(log.parent)
