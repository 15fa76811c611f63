import json
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from click.testing import CliRunner
from knotwork.errors import CheckFailedError, ConfigurationError, ToolError
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from quality.soak import __main__ as soak
from quality.soak import dispatch
from quality.soak import runs as soak_runs
from quality.soak.__main__ import chosen_families, replayed
from quality.soak.dispatch import Soak
from quality.soak.random_networks import Family, families
from quality.soak.runs import ENGINES, Job, run_job

MESH = Family("mesh", "dimension_order", "packet")
JOB = Job("model", MESH, 3, 800, 4000, 5)


def lose_a_beat(monkeypatch):
    """Let every run on the model lose its last beat."""
    run_log = soak_runs.run_log

    def losing(*arguments, **keys):
        run = run_log(*arguments, **keys)
        beats = len(run.log.clock) - 1
        return replace(run, log=run.log.up_to(beats, len(run.log.refused_clock)))

    monkeypatch.setattr(soak_runs, "run_log", losing)


def test_a_run_is_its_numbers():
    facts, again = run_job(JOB), run_job(JOB)
    for key in ("run", "net", "flits", "clocks", "faults"):
        assert facts[key] == again[key]
    assert facts["faults"] == []
    assert 0 < facts["flits"] <= 2 * 800
    assert facts["net"] != run_job(JOB._replace(number=4))["net"]
    assert facts["net"] != run_job(JOB._replace(seed=6))["net"]


def test_a_lost_beat_is_told_with_the_traffic_and_the_command(monkeypatch):
    lose_a_beat(monkeypatch)
    (fault, *_) = run_job(JOB)["faults"]
    assert fault.startswith(("1 packets are lost", "1 packets lack beats"))
    assert "seed=" in fault
    assert JOB.command == (
        "PYTHONPATH=tests .venv/bin/python -m quality.soak --seed 5 --flits 800 --clocks 4000 "
        "--run model/mesh/dimension_order/packet/3"
    )


def test_the_command_repeats_the_run(monkeypatch):
    words = JOB.command.split()[4:]
    assert CliRunner().invoke(soak.soak, words, standalone_mode=False).exit_code == 0
    lose_a_beat(monkeypatch)
    done = CliRunner().invoke(soak.soak, words, standalone_mode=False)
    assert isinstance(done.exception, CheckFailedError)
    fault = str(done.exception).removeprefix("model/mesh/dimension_order/packet/3: ")
    assert fault.startswith(("1 packets are lost", "1 packets lack beats"))


def test_an_exception_is_a_fault_of_the_run(monkeypatch):
    monkeypatch.setattr(soak_runs, "draw_network", lambda *_, **__: 1 / 0)
    assert run_job(JOB)["faults"] == ["ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(
    "name",
    [
        *("", "model", "model/mesh/dimension_order/packet/x", "both/mesh/dimension_order/packet/1"),
        *("model/mesh/spr/packet/1", "model/moebius/approx_spr/packet/0"),
    ],
)
def test_a_run_that_is_none_is_refused(name):
    with pytest.raises(ConfigurationError) as error:
        replayed(name, seed=1, flits=10, cycles=10)
    assert str(error.value) == (
        f"soak: --run must be ENGINE/TOPOLOGY/ROUTING/ROUTER/NUMBER, not {name!r}"
    )


def test_families_are_chosen_by_how_they_begin():
    assert chosen_families("mesh/") == [MESH, MESH._replace(router="deflection")]
    assert chosen_families(None) == families()
    with pytest.raises(ConfigurationError, match="soak: --only must begin one of hypercube/ecube"):
        chosen_families("cube")


def speeds(monkeypatch, of):
    """Runs that take as long as the families' speeds say, in no time."""

    def run(job):
        flits = min(job.flits, job.cycles)
        seconds = flits / of[job.family]
        return {"flits": flits, "clocks": flits, "seconds": seconds, "faults": [], "peak_mib": 1}

    monkeypatch.setattr(dispatch, "run_job", run)


def test_every_family_runs_and_the_flits_are_reached(monkeypatch):
    known = chosen_families("mesh/")
    speeds(monkeypatch, {known[0]: 1e6, known[1]: 1e4})
    made = Soak("model", seed=1, share=1.0, known=known)
    with ThreadPoolExecutor(1) as pool:
        made.run(pool, 1, float("inf"), lambda *_: None)
    assert made.tally.flits >= 10**9
    fast, slow = (made.tally.rows[str(family)] for family in known)
    assert fast["flits"] + slow["flits"] == made.tally.flits
    # A hundred times faster: ten times the time, a thousand times the flits.
    assert fast["seconds"] / slow["seconds"] == pytest.approx(10, rel=0.5)


def test_a_share_still_runs_every_family(monkeypatch):
    known = families()
    speeds(monkeypatch, dict.fromkeys(known, 1e5))
    made = Soak("rtl", seed=1, share=1e-6, known=known)
    with ThreadPoolExecutor(1) as pool:
        made.run(pool, 1, float("inf"), lambda *_: None)
    assert all(row["runs"] >= 1 for row in made.tally.rows.values())
    assert len(made.tally.rows) == len(known)


def test_a_soak_of_faults_ends(monkeypatch):
    facts = {"flits": 0, "clocks": 0, "seconds": 0.1, "faults": ["lost"], "peak_mib": 1}
    monkeypatch.setattr(dispatch, "run_job", lambda job: facts)
    made = Soak("model", seed=1, share=1.0, known=[MESH])
    with ThreadPoolExecutor(1) as pool:
        made.run(pool, 1, float("inf"), lambda *_: None)
    assert len(made.tally.faults) == dispatch.MOST_FAULTS


def test_a_run_that_would_take_too_long_is_cut(monkeypatch):
    """All to node 0: one flit per cycle, so a limit on cycles is one on flits."""

    def heavy(network, rng, *, flits):
        traffic = Traffic(traffic="hotspot", packets=network.topology.nodes * 500, rate=1.0)
        return traffic, make_packets(network, traffic)

    monkeypatch.setattr(soak_runs, "draw_traffic", heavy)
    facts = run_job(JOB._replace(cycles=1600, flits=10**6))
    assert facts["faults"] == []
    assert 0 < facts["clocks"] <= 1600


def test_a_run_of_refusals_alone_is_cut(monkeypatch):
    """Longer packets than the circuits take: nothing is due."""

    def long(network, rng, *, flits):
        traffic = Traffic(packets=network.topology.nodes * 20, length=(1030, 1030))
        return traffic, make_packets(network, traffic)

    monkeypatch.setattr(soak_runs, "draw_traffic", long)
    facts = run_job(Job("model", Family("lcan", "updown", "circuit"), 0, 10**6, 1600, 1))
    assert (facts["faults"], facts["flits"]) == ([], 0)
    assert facts["clocks"] > 0


def test_a_worker_that_dies_is_named_with_its_run():
    class Dying:
        def submit(self, *_):
            future = Future()
            future.set_exception(BrokenExecutor())
            return future

    made = Soak("model", seed=1, share=1e-6, known=[MESH])
    with pytest.raises(ToolError, match=r"a worker must finish PYTHONPATH=tests .* but died"):
        made.run(Dying(), 1, float("inf"), lambda *_: None)  # pyright: ignore[reportArgumentType]


def test_figures_are_left_in_a_file_and_faults_end_with_1(monkeypatch, tmp_path):
    monkeypatch.setattr(soak, "ProcessPoolExecutor", lambda jobs, **_: ThreadPoolExecutor(jobs))
    file = tmp_path / "soak.json"
    words = ["--only", "mesh", "--engine", "model", "--share", "1e-6", "-o", str(file)]
    done = CliRunner().invoke(soak.soak, words, standalone_mode=False)
    assert done.exception is None
    told = json.loads(file.read_text())
    assert (told["seed"], told["model"]["faults"]) == (1, [])
    assert told["model"]["flits"] == sum(r["flits"] for r in told["model"]["rows"].values())
    assert "mesh/dimension_order/deflection" in done.stdout
    lose_a_beat(monkeypatch)
    done = CliRunner().invoke(soak.soak, words, standalone_mode=False)
    assert isinstance(done.exception, CheckFailedError)
    command = json.loads(file.read_text())["model"]["faults"][0]["command"]
    assert str(done.exception).endswith(f"runs failed; {command} repeats the first")


def test_an_expected_failure_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["soak", "--only", "nothing"])
    with pytest.raises(SystemExit) as ended:
        soak.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("soak: error: soak: --only must begin one of")


@pytest.mark.slow
@pytest.mark.parametrize(
    "family",
    [f for f in families() if f.topology in ("hypercube", "lcan") or f.routing == "lc2"]
    + [Family("petersen", "shortest", "deflection"), Family("wk", "unicast", "packet")],
    ids=str,
)
def test_verilog_of_each_class_of_routers(family):
    facts = run_job(Job("rtl", family, 0, 4000, 20_000, 1))
    assert facts["faults"] == []
    assert facts["flits"] > 0
    assert ENGINES["rtl"].traffics > 1
