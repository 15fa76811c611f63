import dataclasses
import json
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.refusals import refuses
from helpers.ring import CyclicRingRouting, Ring
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.errors import ConfigurationError, DeadlockError, ToolError
from knotwork_sim.check import simulate
from knotwork_sim.check.engines import ENGINES
from knotwork_sim.check.simulate import split_words
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl import cocotb_run, driver
from knotwork_sim.traffic.keys import Traffic

NETWORK = Network(Hypercube(n=2), buffer_depth=4)
TRAFFIC = Traffic(rate=0.3, packets=50, seed=7)


@pytest.fixture
def pretended(monkeypatch):
    """A stand-in for the Verilog: the golden model's record, changed by `edit`."""
    golden_of = []

    def pretend(edit=lambda record: record):
        def drive(network, traffic, packets, *, golden, before, executable):
            assert before.cycles > 0
            golden_of.append(golden)
            return edit(run_model(network, traffic, packets))

        def run(*args, simulator, trace_file, **keys):
            if trace_file:
                trace_file.write_text("trace")
            return drive(*args, executable=None, **keys)

        program = SimpleNamespace(build=lambda check: None, is_built=True, has_library=True)
        monkeypatch.setattr(driver, "quickest_program", lambda network, cycles: program)
        monkeypatch.setattr(driver, "drive", drive)
        monkeypatch.setattr(cocotb_run, "build_rtl", lambda network, trace: None)
        monkeypatch.setattr(cocotb_run, "run_rtl", run)
        return golden_of

    return pretend


def test_words_go_to_the_network_or_to_the_traffic():
    network, traffic = split_words(
        ["hypercube", "rate=0.5", "n=2", "length=1-4", "pipeline=2", "seed=3"]
    )
    assert network.parameters == Network(Hypercube(n=2), pipeline=2).parameters
    assert traffic == Traffic(rate=0.5, length=(1, 4), seed=3)


@pytest.mark.parametrize(("engine", "mismatches"), [("both", 0), ("rtl", None), ("model", None)])
def test_a_result_has_the_fields_that_json_promises(pretended, engine, mismatches):
    pretended()
    result = simulate.simulate(NETWORK, TRAFFIC, engine=engine).as_json()
    latency, throughput = result.pop("latency"), result.pop("throughput")
    cycles, links = result.pop("cycles"), result.pop("links")
    histogram = result.pop("latency_histogram")
    assert result == {
        "engine": engine, "network": "hypercube_n2_buffer_depth4", "injected": 50,
        "delivered": 50, "lost": 0, "duplicated": 0, "misrouted": 0, "corrupted": 0, "refused": 0,
        "mismatches": mismatches, "first_fault": None, "seed": 7,
    }  # fmt: skip
    assert throughput == pytest.approx(50 / (4 * cycles), abs=1e-6)
    assert sum(histogram["counts"]) == 50
    assert histogram["edges"][-2] == latency["max"]
    assert (links is None) == (engine == "rtl")
    assert list(latency) == ["mean", "p50", "p99", "max"]
    assert 1 < latency["mean"] < latency["p99"] <= latency["max"]


def test_the_real_verilog_agrees():
    result = simulate.simulate(NETWORK, TRAFFIC)
    assert (result.delivered, result.mismatches) == (50, 0)
    assert result.faults == {}


def test_the_record_judged_is_the_verilogs(pretended):
    def lose_the_last(record):
        names = ("clock", "node", "source", "last", "user", "data")
        columns = {name: getattr(record, name)[:-1] for name in names}
        return dataclasses.replace(record, **columns)

    pretended(lose_the_last)
    result = simulate.simulate(NETWORK, TRAFFIC)
    assert (result.delivered, result.lost, result.mismatches) == (49, 1, 1)
    assert list(result.faults) == ["lost", "mismatches"]
    assert list(simulate.simulate(NETWORK, TRAFFIC, engine="rtl").faults) == ["lost"]
    assert list(simulate.simulate(NETWORK, TRAFFIC, engine="model").faults) == []


def test_a_late_beat_is_a_mismatch_though_nothing_is_lost(pretended):
    def late(record):
        return dataclasses.replace(record, clock=record.clock + (np.arange(50) == 49))

    pretended(late)
    assert list(simulate.simulate(NETWORK, TRAFFIC).faults) == ["mismatches"]


def test_the_first_fault_is_the_scoreboard_s_of_the_verilog(pretended):
    def wrong(record):
        return dataclasses.replace(record, mismatch="node 3 must not")

    golden_of = pretended(wrong)
    result = simulate.simulate(NETWORK, TRAFFIC)
    assert result.first_fault == result.as_json()["first_fault"] == "node 3 must not"
    assert simulate.simulate(NETWORK, TRAFFIC, engine="model").first_fault is None
    assert simulate.simulate(NETWORK, TRAFFIC, engine="rtl").first_fault == "node 3 must not"
    both, alone = golden_of
    assert len(both.clock) == 50
    assert alone is None


def test_what_the_golden_model_misroutes_is_told_too():
    # Only the first and the last change places: no linear-complement permutation does that.
    network = Network(CubeConnectedCycles(n=3), routing="lc2")
    keys = {"traffic": "permutation", "permutation": "7,1,2,3,4,5,6,0"}
    result = simulate.simulate(network, Traffic.from_texts(keys), engine="model")
    assert result.misrouted == 2
    first, *lines = result.first_fault.splitlines()
    assert first.startswith("ccc_n3_lc2: packet 0 must not reach node 0 (@000), in cycle ")
    assert "  should be: at node 7 (@111)" in lines
    assert any(line.startswith("  came with: tuser 0x") for line in lines)


def test_the_models_answer_is_reported_while_the_verilog_is_compiled(pretended, monkeypatch):
    lines, reported = [], threading.Event()

    def report(line):
        lines.append(line)
        reported.set()

    pretended()
    monkeypatch.setattr(simulate, "SHOWN_SECONDS", 0.01)
    monkeypatch.setattr(simulate, "report", report)
    simulate.simulate(NETWORK, TRAFFIC)
    assert lines == []  # the Verilog was there at once
    program = SimpleNamespace(
        build=lambda check: reported.wait(60), is_built=True, has_library=True
    )
    monkeypatch.setattr(driver, "quickest_program", lambda network, cycles: program)
    result = simulate.simulate(NETWORK, TRAFFIC)
    (line,) = lines
    assert line.startswith(
        "the golden model of hypercube_n2_buffer_depth4 has delivered 50 of 50 packets in "
        f"{result.cycles} cycles, mean latency {result.latency.mean}; "
    )


def test_a_compilation_is_noted_and_its_failure_is_the_commands(pretended, monkeypatch):
    noted = []

    def build(check):
        raise ToolError("the compiler must finish")

    pretended()
    monkeypatch.setattr(simulate, "note_driver_seconds", lambda *facts: noted.append(facts))
    program = SimpleNamespace(build=lambda check: None, is_built=False, has_library=True)
    monkeypatch.setattr(driver, "quickest_program", lambda network, cycles: program)
    simulate.simulate(NETWORK, TRAFFIC)
    ((network, seconds),) = noted
    assert network == NETWORK
    assert 0 <= seconds < 60
    program.build = build
    with refuses("the compiler must finish", ToolError):
        simulate.simulate(NETWORK, TRAFFIC)
    assert len(noted) == 1


@pytest.mark.parametrize("step", ["build_rtl", "run_rtl"])
def test_a_failure_leaves_no_file(pretended, monkeypatch, tmp_path, step):
    def fail(network, *_, **keys):
        if "trace_file" in keys:
            keys["trace_file"].write_text("half")
        raise ToolError("the simulation must finish")

    pretended()
    monkeypatch.setattr(cocotb_run, step, fail)
    with pytest.raises(ToolError, match="the simulation must finish"):
        simulate.simulate(NETWORK, TRAFFIC, trace_file=tmp_path / "a.vcd")
    assert list(tmp_path.iterdir()) == []


def test_a_trace_is_told_and_has_a_save_file_beside_it(pretended, tmp_path):
    pretended()
    path = tmp_path / "a.vcd"
    result = simulate.simulate(NETWORK, TRAFFIC, trace_file=path)
    assert (result.trace, result.save_file) == (path, tmp_path / "a.gtkw")
    assert path.read_text() == "trace"


def test_another_engine_is_refused():
    with refuses(f"engine must be one of {', '.join(ENGINES)}, not 'icarus'"):
        simulate.simulate(NETWORK, TRAFFIC, engine="icarus")
    assert list(ENGINES) == ["both", "rtl", "model", "netlist"]


def test_a_trace_of_the_model_is_refused(tmp_path):
    with refuses("--trace must be used with --engine rtl or both, not 'model'"):
        simulate.simulate(NETWORK, TRAFFIC, engine="model", trace_file=tmp_path / "a.vcd")


@pytest.mark.parametrize("engine", ["both", "rtl", "model"])
def test_a_network_that_can_deadlock_is_refused(engine):
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    with pytest.raises(DeadlockError, match="must be free of deadlock"):
        simulate.simulate(network, TRAFFIC, engine=engine)


def test_one_that_may_deadlock_is_run_and_its_losses_counted():
    keys = {"routing": CyclicRingRouting, "buffer_depth": 2, "allow_deadlock": "yes"}
    traffic = Traffic(rate=1.0, packets=150, length=(16, 16))
    result = simulate.simulate(Network(Ring(nodes=5), **keys), traffic)
    assert result.lost > 0
    assert list(result.faults) == ["lost"]  # the Verilog is stuck as the model is


CIRCUITS = Network.from_word("lcan:d=2,u=2,levels=3,max_packet=4")
SCHEDULED = Network.from_word("lcan:d=2,u=2,levels=3,max_packet=4,routing=scheduled")
PERMUTED = Traffic(traffic="permutation", permutation="random")


def test_circuits_tell_their_network_cycles():
    result = simulate.simulate(CIRCUITS, PERMUTED, engine="model")
    assert result.network_cycles in (1, 2, 3)
    assert "network_cycles" not in simulate.simulate(NETWORK, TRAFFIC, engine="model").as_json()


def test_a_schedule_is_read_and_driven(tmp_path):
    told = [[{"source": 0, "destination": 5, "word": [1, 0]}], [{"source": 3, "destination": 3}]]
    told[1][0]["word"] = []
    path = tmp_path / "schedule.json"
    path.write_text(json.dumps({"rounds": told}))
    rounds = simulate.read_schedule(SCHEDULED, path)
    result = simulate.simulate(SCHEDULED, Traffic(), engine="model", rounds=rounds)
    assert (result.delivered, result.network_cycles) == (2, 2)


@pytest.mark.parametrize(
    ("network", "text", "line"),
    [
        (CIRCUITS, "[]", "--schedule must be used with routing=scheduled, not updown"),
        (SCHEDULED, "[", "must be a readable JSON file: "),
        (SCHEDULED, "[3]", "schedule: the rounds must be a list of lists of messages"),
        (
            SCHEDULED,
            '[[{"source": 0, "destination": 4, "word": [0, 0]},'
            ' {"source": 1, "destination": 5, "word": [0, 0]}]]',
            "schedule: round 0: level 0, switch 0: upper 0 must carry one packet up, "
            "not 0>4 and 1>5",
        ),
    ],
)
def test_a_schedule_that_does_not_fit_is_refused(tmp_path, network, text, line):
    path = tmp_path / "schedule.json"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as refusal:
        simulate.read_schedule(network, path)
    assert line in str(refusal.value)


GRAPHS = {
    "one_way.edges": "0 -> 1\n1 -> 2\n2 -> 0\n1 3\n3 2\n",
    "star.json": '{"nodes": [{"id": "hub", "nodes": 0}, {"id": "a", "nodes": 2}, {"id": "b"}, '
    '{"id": "c", "nodes": 3}], "links": [{"source": "hub", "target": "a"}, {"source": "hub", '
    '"target": "b"}, {"source": "b", "target": "c"}]}',
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "word",
    [
        *(f"graph:file={name}" for name in GRAPHS),
        "graph:file=one_way.edges,dead=1-3,pipeline=2",
        "mesh:x=3,y=3,dead=4,0-1",
        "torus:x=3,y=2,z=2",
        "ring:n=5,directions=one",
        *(f"graph:file={name},routing=adaptive,pipeline=2" for name in GRAPHS),
        "mesh:x=3,y=3,routing=adaptive,virtual_channels=4",
        "mesh:x=2,y=2,z=3,routing=adaptive,ways=3",
        "hypercube:n=3,routing=adaptive,classes=2",
        "mesh:x=3,y=3,routing=adaptive,selection=credits,virtual_channels=4",
        "hypercube:n=3,routing=adaptive,ways=3,selection=credits,classes=2,pipeline=3",
        "torus:x=3,y=4,routing=adaptive,selection=credits,parity=yes",
        "graph:file=one_way.edges,routing=adaptive,selection=credits,pipeline=2",
        "mesh:x=3,y=3,routing=adaptive,selection=random,parity=yes",
        "wk:w=3,levels=2,routing=adaptive,selection=random,nodes_per_router=2,pipeline=3",
        "hypercube:n=3,routing=adaptive,ways=3,selection=random,virtual_channels=4",
        "torus:x=3,y=4,routing=adaptive,pipeline=3,parity=yes",
        "wk:w=3,levels=2,routing=adaptive,nodes_per_router=2",
        "mesh:x=2,y=2,routing=adaptive,classes=2,parity=yes",
        "wk:w=3,levels=2,broadcast=label,classes=2,parity=yes,pipeline=2,buffer_depth=4",
    ],
)
def test_graphs_and_layers_are_their_models_in_every_cycle(word, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in GRAPHS.items():
        (tmp_path / name).write_text(text)
    hardware = "" if "pipeline" in word else ",buffer_depth=2"
    network = Network.from_word(f"{word},data_width=8{hardware}")
    result = simulate.simulate(network, Traffic(rate=0.4, packets=500, length=(1, 4), seed=2))
    assert (result.injected, result.delivered, result.mismatches) == (500, 500, 0)
