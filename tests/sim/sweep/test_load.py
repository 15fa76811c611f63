"""Load sweeps, killed and resumed; the verb is run as a command of its own where it is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork.errors import ConfigurationError, DeadlockError
from knotwork.network import Network
from knotwork_sim.sweep.load import LoadSweep, make_workers, run_sweep, split_nets
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.point import measure_point
from knotwork_sim.sweep.rates import coarse_rates
from knotwork_sim.sweep.workers import LocalThreads
from knotwork_sim.traffic.keys import Traffic

SMALL = "hypercube:n=2 mesh:x=2,y=2 length=2"
UNNAMED = "sweep: networks must be named, as in hypercube n=3, or moebius:n=6,twist=1"
RUN = "from knotwork.cli.main import main\nif __name__ == '__main__':\n    main()\n"


def made(words, measure=200, **keys):
    return LoadSweep(*split_nets(words.split()), window=Window(measure=measure), **keys)


def test_networks_in_several_words_are_those_in_one():
    words = "traffic=complement mesh x=2 y=2 length=4 hypercube n=3 data_width=8 petersen"
    entries, traffic = split_nets(words.split())
    labels = ["mesh:x=2,y=2", "hypercube:n=3,data_width=8", "petersen"]
    assert [entry.label for entry in entries] == labels
    assert traffic == Traffic(length=(4, 4), traffic="complement")
    again, _ = split_nets(labels)
    assert [e.network.parameters for e in entries] == [e.network.parameters for e in again]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", UNNAMED),
        ("length=4", UNNAMED),
        ("n=3 hypercube", "a key must follow its network, not come first, as 'n=3'"),
        ("hypercube:n=99", "hypercube: n must be an integer in 1..20, not 99"),
    ],
)
def test_wrong_words_are_refused(words, complaint):
    with refuses(complaint):
        split_nets(words.split())


def test_a_worker_makes_the_same_network_of_its_parameters():
    for word in ("lcan:d=2,u=2,levels=2", "fattree:r=2,2,u=2,2", "wk:w=3,levels=2,broadcast=label",
                 "moebius:n=3,routing=spr,virtual_channels=4", "hypercube:n=3"):  # fmt: skip
        network = Network.from_word(word)
        parameters = json.loads(json.dumps(network.parameters))
        again = Network.from_texts(network.topology.name, parameters)
        assert again.parameters == network.parameters


@pytest.mark.usefixtures("in_process")
def test_points_of_the_verilog_stand_beside_those_of_the_model():
    sweep = made("hypercube:n=2 length=2", rates=(0.2, 0.5, 0.8), rtl_rates=(0.5,))
    (swept,) = run_sweep(sweep).curves
    assert [point.offered for point in swept.points] == [0.2, 0.5, 0.8]
    assert swept.rtl_points == swept.points[1:2]
    assert sweep.digest != made("hypercube:n=2 length=2", rates=(0.2, 0.5, 0.8)).digest
    with pytest.raises(ConfigurationError, match="--rtl-rates must not be used with --engine rtl"):
        made(SMALL, rates=(0.2,), rtl_rates=(0.5,), engine="rtl")


def test_points_are_those_of_their_networks_and_loads():
    rates = (0.1, 0.5, 1.0)
    sweep = made(SMALL, rates=rates, measure=1000)
    found = run_sweep(sweep)
    assert [swept.network for swept in found.curves] == ["hypercube_n2", "mesh_x2_y2"]
    for swept, entry in zip(found.curves, sweep.entries, strict=True):
        expected = [
            measure_point(entry.network, sweep.traffic, rate, window=sweep.window) for rate in rates
        ]
        assert list(swept.points) == expected
        assert [point.saturated for point in expected] == [False, False, True]
        assert (swept.saturation_throughput, swept.accepted_at_overload) == (
            0.5,
            expected[-1].accepted,
        )
        assert swept.ideal_throughput == 1.0
        # A third of the packets goes to each other node; two cycles per router, and a second flit.
        assert swept.zero_load_latency == round(2 * (4 / 3 + 1) + 1, 4)
        assert swept.parameters == entry.network.parameters


@pytest.mark.parametrize("words", [
    "mesh:x=3,y=3 length=1-4", "torus:x=3,y=3,virtual_channels=4,pipeline=3 length=3 stall=0.1",
    "mesh:x=3,y=2,pipeline=1 burst=9", "moebius:n=3,routing=spr,vc_scheme=escape bubble=0.2",
    "mesh:x=4,y=2,router=deflection", "lcan:d=2,u=2,levels=2 length=2", "mesh:x=2,y=2,classes=2",
])  # fmt: skip
def test_replicas_side_by_side_are_runs_of_one_seed_each(words):
    rates = (0.05, 0.4)
    sweep = made(words + " seed=7", rates=rates, repeat=3)
    ((entry,), (curve,)) = sweep.entries, run_sweep(sweep).curves
    for rate, point in zip(rates, curve.points, strict=True):
        assert list(point.runs) == [
            measure_point(
                entry.network, replace(sweep.traffic, seed=seed), rate, window=sweep.window
            )
            for seed in (7, 8, 9)
        ]
        assert point.packets == sum(run.packets for run in point.runs)
        mean = np.mean([run.accepted for run in point.runs])
        assert point.accepted == pytest.approx(mean, abs=1e-6)


def test_a_job_has_the_missing_replicas_of_a_batch():
    sweep = made("hypercube:n=2", rates=(0.1, 0.2), repeat=5)
    results = {f"0 model {key}": None for key in ("0.1", "0.1 2", "0.1 3", "0.2 4")}
    wanted = sweep.wanted(results, 2)
    assert [(job.rate, job.replicas) for job in wanted] == [
        *((0.1, (1,)), (0.2, (0, 1))),
        *((0.2, (2, 3)), (0.1, (4,))),
    ]
    assert wanted[0].keys == ["0 model 0.1 1"]
    assert len(sweep.wanted(results)) == 6


def test_a_search_continues_from_points_that_are_complete():
    """With one of two replicas of each load it knows nothing yet."""
    sweep = made("hypercube:n=2", repeat=2)
    assert len(sweep.wanted({})) == 2 * len(coarse_rates(1.0))


@pytest.mark.parametrize("repeat", [0, -1, 1.5, True, 100_001])
def test_a_number_of_replicas_that_cannot_be_is_refused(repeat):
    with refuses(f"sweep: repeat must be an integer in 1..100000, not {repeat}"):
        made(SMALL, repeat=repeat)


def test_the_last_seed_must_be_one():
    with pytest.raises(ConfigurationError, match="seed must be an integer in 0"):
        made(f"hypercube:n=2 seed={2**63 - 2}", repeat=3)


def test_few_cores_measure_in_threads_and_many_in_processes(monkeypatch):
    def workers(cores, *words, **keys):
        monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)))
        monkeypatch.setattr("knotwork_sim.sweep.load.LocalWorkers", lambda limit: ("pool", limit))
        return make_workers(made(*words, **keys), None)

    threads = workers(2, SMALL)
    assert isinstance(threads, LocalThreads)
    assert threads.limit == 2
    assert workers(8, SMALL) == ("pool", 8)
    assert workers(2, "lcan:d=2,u=2,levels=2") == ("pool", 2)  # plain Python
    assert workers(2, SMALL, rates=(0.1,), rtl_rates=(0.1,)) == ("pool", 2)


@pytest.mark.usefixtures("in_process")
def test_a_search_finds_saturation():
    (swept,) = run_sweep(made("mesh:x=4,y=2 traffic=complement length=4", measure=2000)).curves
    assert swept.ideal_throughput == 0.5  # two nodes' packets over the middle link of their row
    below, above = swept.saturated_between
    assert 0.3 < below < above <= 0.53  # what is drawn may fall short of the rate
    assert above - below < 0.01
    assert swept.saturation_throughput == below
    assert below - 0.02 < swept.accepted_at_overload <= 0.505
    offered = [point.offered for point in swept.points]
    assert offered == sorted(offered)


def test_a_sweep_measures_with_one_engine_not_both():
    with refuses("engine must be one of model, rtl, board, not 'both'"):
        made(SMALL, engine="both")


def test_what_can_deadlock_is_refused():
    with pytest.raises(DeadlockError, match="must be free of deadlock"):
        made("torus:x=5,y=5,virtual_channels=1")


def test_every_fact_makes_a_sweep_of_its_own():
    sweeps = (
        made(SMALL),
        made(SMALL, rates=(0.1,)),
        made(SMALL, measure=300),
        made(SMALL, repeat=2),
        made(SMALL + " seed=2"),
        made(SMALL.replace("y=2", "y=3")),
        made(SMALL.replace("n=2", "n=2,pipeline=2")),
    )
    assert len({sweep.digest for sweep in sweeps}) == len(sweeps)
    assert made(SMALL).digest == sweeps[0].digest


# From here on: commands that are killed.

LONG = "sweep hypercube:n=4 hypercube:n=3 length=4 --measure 20000 --rates 0.02:0.4:0.02 --json"


def command(*words, **keys):
    return subprocess.Popen([sys.executable, "-c", RUN, *LONG.split(), *words], text=True, **keys)


def output(*words):
    process = command(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=300)
    # Long work may say how far it is; that is all.
    assert process.returncode == 0
    assert all(line.startswith("knotwork: sweep") for line in err.splitlines()), err
    return out


@pytest.fixture(scope="module")
def whole():
    """Answer of a sweep that ran through."""
    return output()


def wait_for(lines, file, process):
    """Wait until a file has so many lines."""
    until = time.monotonic() + 200
    while not file.exists() or file.read_text().count("\n") < lines:
        assert process.poll() is None, "the sweep was too fast to be killed"
        assert time.monotonic() < until
        time.sleep(0.01)


def children(process):
    """Worker processes of a command."""
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(p) for p in found if b"spawn_main" in Path(f"/proc/{p}/cmdline").read_bytes()]


def _worker_or_command(process):
    """Worker of a command, or itself where few cores work as threads."""
    return (children(process) or [process.pid])[0]


def killed_twice(file, victim, *words):
    """Sweep one of whose workers is killed, and then the command."""
    process = command("--results", str(file), *words, stdout=subprocess.DEVNULL)
    wait_for(3, file, process)
    killed = victim(process)
    os.kill(killed, signal.SIGKILL)
    if killed == process.pid:
        process.wait()
        process = command("--results", str(file), *words, stdout=subprocess.DEVNULL)
    wait_for(7, file, process)
    process.kill()
    process.wait()
    done = file.read_text().count("\n") - 1
    assert 6 <= done < 40
    with file.open("a") as torn:
        torn.write('{"key": "0 0.')
    return done


@pytest.mark.slow
def test_a_sweep_killed_twice_resumes_on_local_processes(tmp_path, whole):
    file = tmp_path / "points"
    killed_twice(file, _worker_or_command)
    kept = file.read_text().rpartition("\n")[0]
    assert output("--results", str(file)) == whole
    assert file.read_text().startswith(kept)
    assert output("--results", str(file)) == whole  # nothing is left to be measured


@pytest.mark.slow
def test_a_sweep_killed_twice_resumes_on_a_cluster(tmp_path, whole):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        address = ("--scheduler", cluster.scheduler_address)
        file = tmp_path / "points"
        killed_twice(file, lambda _: cluster.workers[0].pid, *address)
        assert output("--results", str(file), *address) == whole


def test_a_search_stays_below_what_the_traffic_can_offer():
    """Bursts of two cycles and pauses of at least one: two thirds of a flit per cycle."""
    sweep = made("hypercube:n=2 burst=2")
    wanted = [job.rate for job in sweep.wanted({})]
    assert max(wanted) == pytest.approx(2 / 3, abs=0.1)
    assert max(wanted) <= 2 / 3
    with refuses("traffic: rate must be at most 0.6667 with burst=2, not 0.7"):
        made("hypercube:n=2 burst=2", rates=(0.1, 0.7))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("reply=2", "reply must be left unset in a load sweep, which draws its packets at a given "
         "load, not 2"),
        ("traffic=tornado", "traffic: tornado must be used with a network that has a dimension"),
    ],
)  # fmt: skip
def test_traffic_that_is_not_drawn_at_a_load_is_refused(words, complaint):
    with pytest.raises(ConfigurationError, match=complaint):
        made(f"hypercube:n=2 {words}")
