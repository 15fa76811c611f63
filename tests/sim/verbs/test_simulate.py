import csv
import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers import operations
from helpers.tables import rows_of
from knotwork_boards.table import BOARDS
from knotwork_sim.check import simulate
from knotwork_sim.collectives import ports
from knotwork_sim.rtl import driver
from knotwork_sim.scoreboard import score
from knotwork_sim.traffic.keys import COLLECTIVES, PATTERNS

SMALL = "simulate hypercube n=2 buffer_depth=4 rate=0.3 packets=50"
LCAN = "lcan_d2_u2_levels2_interconnectcomplete"


def test_engines_agree_the_seed_decides_and_json_has_the_promised_fields(answer, tmp_path):
    path = tmp_path / "ways.json"
    both = answer(f"{SMALL} --engine both --trace {path}")
    assert (both.pop("engine"), both.pop("mismatches"), both.pop("trace")) == ("both", 0, str(path))
    rtl, model, other = (
        answer(f"{SMALL} {words}") for words in ("--engine rtl", "--engine model", "seed=2")
    )
    for found, engine in ((rtl, "rtl"), (model, "model")):
        promised = "injected delivered lost duplicated misrouted cycles latency throughput seed"
        assert set(found) >= set(promised.split())
        assert set(found["latency"]) == {"mean", "p50", "p99", "max"}
        assert (found.pop("engine"), found["injected"], found["delivered"]) == (engine, 50, 50)
        assert found.pop("mismatches") is None
    assert rtl.pop("links") is None
    assert both.pop("links") == model.pop("links")
    assert both == rtl == model
    assert (other["seed"], other["mismatches"]) == (2, 0)
    assert other["latency"] != model["latency"]
    events = json.loads(path.read_text())["otherData"]
    assert (events["engine"], events["mismatches"]) == ("both", 0)
    assert events["command"] == f"knotwork {SMALL} --engine both --trace {path}"


def test_a_table_says_the_same_and_bars_of_the_latencies_have_all_packets(run):
    status, out, err = run(f"{SMALL} --engine model")
    assert (status, err) == (0, "")
    assert out.split()[0] == "hypercube_n2_buffer_depth4"
    for fact in ("injected", "delivered", "latency mean", "latency p99", "throughput", "seed"):
        assert fact in out
    assert "\x1b" not in out
    status, out, err = run(f"{SMALL} --engine model --histogram")
    assert (status, err) == (0, "")
    rows = rows_of(out.partition("latency\n")[2] or out[out.rindex("cycles") :])
    bars = [row for row in rows if "█" in row[-1] or row[1].isdigit()]
    assert sum(int(row[1]) for row in bars) == 50


def test_rows_of_packets_and_channels_are_written(answer, tmp_path):
    files = tmp_path / "p.csv", tmp_path / "l.csv"
    found = answer(f"{SMALL} --engine model --packets {files[0]} --links {files[1]}")
    packets, links = (list(csv.DictReader(file.read_text().splitlines())) for file in files)
    assert len(packets) == 50
    assert max(int(row["latency"]) for row in packets) == found["latency"]["max"]
    channels = found["links"]["channels"]
    assert [row["flits"] for row in links] == [str(row["flits"]) for row in channels]
    flits = sum(int(row["flits"]) for row in links)
    assert flits == sum(int(row["hops"]) * int(row["length"]) for row in packets)


@pytest.fixture
def verilog(monkeypatch):
    """Let the Verilog's record be one of the golden model, changed."""

    def verilog(edit=lambda record: record, **keys):
        def drive(network, traffic, packets, **_):
            return edit(simulate.run_model(network, traffic, packets, **keys))

        program = SimpleNamespace(build=lambda check: None, is_built=True, has_library=True)
        monkeypatch.setattr(driver, "quickest_program", lambda network, cycles: program)
        monkeypatch.setattr(driver, "drive", drive)

    return verilog


def test_faults_exit_with_status_1_and_one_line(run, verilog):
    verilog(clocks=20)
    status, out, err = run(f"{SMALL} seed=5 --json")
    answer = json.loads(out)
    lost, mismatches = answer["lost"], answer["mismatches"]
    assert 0 < lost < 50
    assert lost < mismatches <= 2 * lost  # deliveries, and injections
    assert status == 1
    assert err == (
        "knotwork: error: hypercube_n2_buffer_depth4: a simulation must lose nothing and match its "
        f"model, not lost {lost}, mismatches {mismatches}; seed=5 repeats it\n"
    )


def test_the_first_fault_is_told_in_full(run, verilog, monkeypatch):
    wrong = "node 3 must not\n  packet 2: ..."
    verilog(lambda record: dataclasses.replace(record, mismatch=wrong))
    status, out, err = run(SMALL)
    assert status == 1
    assert out.endswith(f"first fault\n{wrong}\n")
    assert "not go wrong at all; seed=1 repeats it" in err
    _, out, _ = run(f"{SMALL} --json")
    assert json.loads(out)["first_fault"] == wrong
    monkeypatch.setattr(score, "count_mismatches", lambda record, golden: 3)
    assert "not mismatches 3" in run(f"{SMALL} --json")[2]


BITSTREAM = "simulate hypercube n=1 --engine bitstream"


def test_collectives_are_answered(answer, run):
    words = "simulate ring n=4 collectives=yes groups=all/0,1 traffic=all_reduce length=3"
    found = answer(f"{words} collective_count=5 --engine model")
    assert (found["collectives"], found["answered"]) == (10, 5 * 4 + 5 * 2)
    assert (found["missing"], found["wrong"], found["mismatches"]) == (0, 0, None)
    _, out, _ = run(f"{words} --engine model")
    assert "collective1" in out
    assert "beats per cycle" in out


def test_collectives_combine_by_an_operation_of_a_plugin(answer, monkeypatch):
    monkeypatch.setattr("knotwork.operations._KNOWN", {})
    words = "collectives=yes operations=user:average,sum element_width=8 traffic=all_reduce"
    plugin = f"--plugin {Path(operations.__file__)}"
    found = answer(f"simulate {plugin} ring n=4 {words} length=3 --engine model")
    assert (found["answered"], found["missing"], found["wrong"]) == (80, 0, 0)


def test_a_wrong_answer_of_a_collective_ends_with_1(run, monkeypatch):
    verdict = ports.Verdict(7, 0, 1, "collective: node 2, cycle 9: wrong", 20)
    monkeypatch.setattr(ports, "judge", lambda groups, log: verdict)
    status, out, err = run("simulate ring n=4 collectives=yes traffic=barrier --engine model")
    assert status == 1
    assert "first fault\ncollective: node 2, cycle 9: wrong\n" in out
    assert "must give the answers of NumPy and match their model, not wrong 1; seed=1" in err


REFUSED = {
    "simulate ring n=4 collectives=yes traffic=barrier --repeat 2": "simulate: traffic=barrier "
    "must be used without --repeat",
    "simulate ring n=4 traffic=barrier": "ring_n4: traffic=barrier must be used with "
    "collectives=yes",
    "simulate hypercube n=2 traffic=hurricane": "traffic: traffic must be one of "
    f"{', '.join((*PATTERNS, *COLLECTIVES))}, or several with shares as uniform:3,complement:1, "
    "not 'hurricane'",
    f"{SMALL} --engine icarus": "simulate: --engine must be one of both, rtl, model, netlist, "
    "bitstream, not 'icarus'",
    f"{SMALL} --engine model --trace a.vcd": "--trace must be used with --engine rtl or both, not "
    "'model'",
    f"{SMALL} --engine rtl --trace a.json": "--trace *.json must be used with --engine model or "
    "both, not 'rtl'",
    "simulate lcan d=2 u=2 levels=2 --engine model --trace a.html": f"{LCAN}: --trace *.html must "
    f"be used with packets, batches or deflection, not with circuit routers",
    f"{SMALL} --engine rtl --links a.csv": "--links must be used with --engine model or both, not "
    "'rtl'",
    "simulate lcan d=2 u=2 levels=2 --links a.csv": f"{LCAN}: --links must be used with packets, "
    "batches or deflection, not with circuit routers",
    BITSTREAM: "--engine bitstream must be used with --board NAME, one that `knotwork boards` "
    "lists",
    f"{SMALL} --engine netlist": "--engine netlist must be used with --board NAME, one that "
    "`knotwork boards` lists",
    f"{SMALL} --board icebreaker": "--board must be used with --engine netlist or bitstream, not "
    "'both'",
    f"{SMALL} --engine bitstream --board icebreaker": "simulate: --engine bitstream must be used "
    "without keys of the traffic: the self-test sends packets of its own",
    f"{BITSTREAM} --board icebreaker --repeat 2": "simulate: --engine bitstream must be used "
    "without --repeat",
    f"{SMALL} --engine netlist --board icebreaker --trace a.vcd": "--trace must be used with "
    "--engine rtl or both, not 'netlist'",
    f"{BITSTREAM} --board de10": f"a board must be one of {', '.join(BOARDS)}, not 'de10'",
    f"{SMALL} --repeat 2 --packets a.csv": "simulate: --repeat must not be used with --trace, "
    "--record, --schedule or --packets",
    f"{SMALL} --trace a.xyz": "a.xyz: a trace must end in .vcd, .fst, .html or .json, not '.xyz'",
    "simulate hypercube n=3 routing=lc1 traffic=permutation permutation=reversal "
    "--engine model --record run.csv": "hypercube_n3_lc1: --record must be used with packets that "
    "come at any time, not with routing=lc1",
}


@pytest.mark.parametrize(("line", "complaint"), REFUSED.items())
def test_bad_input_is_refused_before_anything_runs(refusal, tmp_path, monkeypatch, line, complaint):
    monkeypatch.chdir(tmp_path)
    assert refusal(line) == complaint
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_key_and_a_failing_simulator_are_one_line(refusal, monkeypatch):
    said = refusal("simulate hypercube n=2 pakets=5")
    assert said.startswith(
        "hypercube: a key must be one of n, routing, router, multicast, max_packet, data_width, "
    )
    assert said.endswith(", not 'pakets'; did you mean packets?")
    failed = subprocess.CompletedProcess([], 3, b"before\nerror: no luck\n")
    monkeypatch.setattr(driver, "run_process", lambda *_, **__: failed)
    said = refusal("simulate hypercube n=1 buffer_depth=2")
    assert said.startswith("the simulation must finish, but failed: error: no luck; see ")
    assert Path(said.rpartition("; see ")[2]).read_text() == "before\nerror: no luck\n"


def test_help_needs_neither_cocotb_nor_amaranth():
    code = (
        "import sys, knotwork_sim.verbs.simulate\n"
        "assert not {'cocotb', 'cocotb_tools', 'amaranth'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_recorded_run_is_replayed_and_replies_have_their_round_trips(answer, tmp_path, run):
    file = tmp_path / "run.csv"
    keys = "simulate hypercube n=2 stall=0.3 --engine model"
    first = answer(f"{keys} rate=0.4 packets=60 length=1-3 --record {file}")
    assert len(file.read_text().splitlines()) == 61
    assert answer(f"{keys} traffic=replay replay={file}") == first
    line = "simulate hypercube n=2 rate=0.1 packets=40 reply=2 service=5 --engine model"
    found = answer(line)
    assert (found["injected"], found["delivered"]) == (80, 80)
    # At least the service, a cycle for the reply's creation, and both ways over a hop.
    assert found["round_trip"]["p50"] >= 5 + 1 + 2 + 3
    assert "round trip mean" in run(line)[1]
