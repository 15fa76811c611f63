"""The compiled driver of load sweeps, and how its program is compiled."""

import re
import shutil
import uuid
from pathlib import Path

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork.errors import ToolError
from knotwork.network import Network
from knotwork_sim.rtl import driver
from knotwork_sim.rtl.driver import build_driver, driven_network, run_driver
from knotwork_sim.rtl.verilator import build_executable, compiled_sources
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.point import draw_packets, measure_point, run_engine
from knotwork_sim.traffic.keys import Traffic

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
    assert build_driver(Network.from_word(f"{SMALL},data_width=8")) == executable
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
        build_executable({"testbench.v": f"modul {uuid.uuid4()}\n"})
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
    text = log.read_text()
    assert "main.cpp" in text and "verilated.cpp" not in text
    written = re.findall(r"bin/verilator -f \S*made/Vpart__hierMkArgs.f", text)
    assert len(written) == len(blocks)
    shutil.rmtree(log.parent)
