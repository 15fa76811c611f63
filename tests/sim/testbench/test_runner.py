"""Runs of tests as a command: what it takes, what it tells, what it refuses."""

import json
import re
import shutil

import pytest
from knotwork import Hypercube, Network
from knotwork.emit import manifest
from knotwork.errors import ToolError
from knotwork_sim.testbench import run_tests, runner

RESULTS = """<testsuites><testsuite>
<testcase name="first"/>
<testcase name="second"><failure message="noc: a packet is lost&#10;  is: nowhere"/></testcase>
<testcase name="third"><error message="no clock"/></testcase>
</testsuite></testsuites>"""


def test_failed_tests_are_listed_with_their_reasons_and_no_test_is_no_success(tmp_path, capsys):
    (tmp_path / "results.xml").write_text(RESULTS)
    assert runner.report(tmp_path / "results.xml") == 1
    assert capsys.readouterr().err == (
        "second: noc: a packet is lost\n  is: nowhere\nthird: no clock\n1 of 3 tests passed\n"
    )
    (tmp_path / "results.xml").write_text("<testsuites/>")
    assert runner.report(tmp_path / "results.xml") == 1
    assert capsys.readouterr().err == "0 of 0 tests passed\n"
    with pytest.raises(ToolError, match=r"must leave .*missing\.xml, and did not"):
        runner.report(tmp_path / "missing.xml")


def test_what_cannot_run_is_refused_before_anything_runs(tmp_path, capsys, monkeypatch):
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(manifest(Network(Hypercube(n=1)))))
    settings = {"sources": [tmp_path / "noc.v"], "top": "noc", "tests": "test_noc"}
    with pytest.raises(SystemExit):
        run_tests(**settings, arguments=["vcs"])
    assert "invalid choice: 'vcs'" in capsys.readouterr().err
    assert run_tests(**settings, arguments=["verilator"], manifest=path, version="0.0.1") == 2
    line = f"{path}: version must be 0.0.1, for which this testbench was written, not "
    assert re.fullmatch(f"{re.escape(line)}.*\n", capsys.readouterr().err)
    monkeypatch.setattr(runner.shutil, "which", lambda name: None)
    assert run_tests(**settings, arguments=["icarus"]) == 2
    line = "icarus must be installed as iverilog (Debian: apt install iverilog)\n"
    assert capsys.readouterr().err == line
    assert run_tests(top="noc", tests="test_noc", arguments=[]) == 2
    line = "run_tests: a manifest or sources must be given, not neither\n"
    assert capsys.readouterr().err == line
    path.write_text(json.dumps(manifest(Network(Hypercube(n=1))) | {"files": []}))
    assert run_tests(top="noc", tests="test_noc", arguments=[], manifest=path) == 2
    assert capsys.readouterr().err == (
        f"{path}: files must be names of Verilog files, one of them hypercube_n1.v, not []\n"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["manifest.json"]


needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")
WIRE = "module wire_only(input a, output b);\n  assign b = a;\nendmodule\n"
TEST = """
import cocotb
from cocotb.triggers import Timer

@cocotb.test()
async def follows(dut):
    dut.a.value = 1
    await Timer(1, "ns")
    assert dut.b.value == 1
"""


@pytest.mark.parametrize(
    ("simulator", "waveform"),
    [
        pytest.param("icarus", "icarus_waves/wire_only.fst", marks=needs_icarus),
        pytest.param("verilator", "verilator_waves/*.vcd", marks=pytest.mark.slow),
    ],
)
def test_a_waveform_is_written_also_after_a_run_without(tmp_path, simulator, waveform):
    sources = [tmp_path / "wire_only.v"]
    sources[0].write_text(WIRE)
    (tmp_path / "test_wire.py").write_text(TEST)
    for words in ([simulator], [simulator, "--waves"]):
        assert run_tests(sources=sources, top="wire_only", tests="test_wire", arguments=words) == 0
        assert len([*tmp_path.glob(f"sim_build/{waveform}")]) == ("--waves" in words)
