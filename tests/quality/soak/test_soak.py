import json
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.digraphs import one_way, random_regular
from knotwork.errors import CheckFailedError, ConfigurationError, ToolError
from knotwork.network import Network
from knotwork.parameters import Choice, Integer, Integers, Text
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from quality.coverage.verilog import PORTS
from quality.soak import __main__ as soak
from quality.soak import random_networks as draws
from quality.soak import runs as soak_runs
from quality.soak.__main__ import chosen_families, replayed
from quality.soak.random_networks import Family, draw_network, draw_traffic, drawn, families
from quality.soak.runs import Job, Soak, judged, run_job

MESH = Family("mesh", "dimension_order", "packet")
JOB = Job("model", MESH, 3, 800, 4000, 5)
LOST = ("1 packets are lost", "1 packets lack beats")


def test_every_network_is_there_with_all_that_can_be_built():
    drawable = set(TOPOLOGIES) - {"graph"}
    built = {(family.topology, family.routing) for family in families()}
    unbuilt = {(name, rule) for name in drawable for rule in routings_of(name)} - built
    assert unbuilt == {("moebius", name) for name in ("approx_spr", "set_spr", "rsa")}
    assert {topology for topology, _ in built} == drawable
    assert Family("hypercube", "lc1", "batch") in families()
    assert {"adaptive", "valiant", "romm", "o1turn"} <= {routing for _, routing in built}
    assert ("wk", "adaptive") in built
    assert Family("torus", "dimension_order", "deflection") in families()


@pytest.mark.parametrize("kind", [Integer(3, 9), Integers(1, 4), Choice(("a", "b"))])
def test_values_are_of_their_kind_and_differ(kind):
    rng = np.random.default_rng(1)
    values = {drawn(kind, rng, 4) for _ in range(100)}
    assert all(kind.accepts(value) for value in values)
    assert len(values) > 1
    assert not isinstance(kind, Integer) or values == set(range(3, 10))
    with pytest.raises(TypeError, match="a key must have a range to draw from"):
        drawn(Text(), rng, 4)


FIRST = {family.router: family for family in reversed(families())}.values()


@pytest.mark.parametrize(
    "family",
    [pytest.param(f, marks=[] if f in FIRST else pytest.mark.slow) for f in families()],
    ids=str,
)
def test_a_familys_networks_are_what_their_word_says(family):
    rng = np.random.default_rng(2)
    word, network = draw_network(family, rng, most=16, ports=PORTS)
    assert network.deadlock_report.deadlock_free
    assert (network.topology.name, network.routing.name) == (family.topology, family.routing)
    assert network.topology.nodes >= 2
    assert max(len(kind.ports) for kind in network.router_kinds) <= PORTS
    assert Network.from_word(word).parameters == network.parameters
    assert draw_network(family, np.random.default_rng(2), most=16, ports=PORTS)[0] == word
    traffic, packets = draw_traffic(network, rng, flits=500)
    assert len(packets) > 0
    assert packets.due.sum() <= 1000
    assert traffic.seed == packets.seed


def test_what_is_never_legal_is_given_up(monkeypatch):
    def refuse(*_, **__):
        raise ConfigurationError("no")

    rng = np.random.default_rng(1)
    _, network = draw_network(MESH, rng, most=16)
    monkeypatch.setattr(draws, "ATTEMPTS", 50)
    monkeypatch.setattr(draws, "make_packets", refuse)
    monkeypatch.setattr(draws.Network, "from_texts", refuse)
    with pytest.raises(LookupError, match="mesh/dimension_order/packet: no network of at most"):
        draw_network(MESH, rng, most=16)
    with pytest.raises(LookupError, match="no traffic was drawn"):
        draw_traffic(network, rng, flits=10)


def lose_a_beat(monkeypatch):
    """Let every run on the model lose its last beat."""
    run_log = soak_runs.run_log

    def losing(*arguments, **keys):
        run = run_log(*arguments, **keys)
        beats = len(run.log.clock) - 1
        return replace(run, log=run.log.up_to(beats, len(run.log.refused_clock)))

    monkeypatch.setattr(soak_runs, "run_log", losing)


def test_a_run_is_its_numbers_and_an_exception_is_its_fault(monkeypatch):
    facts, again = run_job(JOB), run_job(JOB)
    for key in ("run", "net", "flits", "clocks", "faults"):
        assert facts[key] == again[key]
    assert facts["faults"] == []
    assert 0 < facts["flits"] <= 2 * 800
    assert facts["net"] != run_job(JOB._replace(number=4))["net"]
    assert facts["net"] != run_job(JOB._replace(seed=6))["net"]
    monkeypatch.setattr(soak_runs, "draw_network", lambda *_, **__: 1 / 0)
    assert run_job(JOB)["faults"] == ["ZeroDivisionError: division by zero"]


def test_the_command_of_a_lost_beat_repeats_its_run(monkeypatch):
    assert JOB.command == (
        "PYTHONPATH=tests .venv/bin/python -m quality.soak --seed 5 --flits 800 --clocks 4000 "
        "--run model/mesh/dimension_order/packet/3"
    )
    words = JOB.command.split()[4:]
    assert CliRunner().invoke(soak.soak, words, standalone_mode=False).exit_code == 0
    lose_a_beat(monkeypatch)
    (fault, *_) = run_job(JOB)["faults"]
    assert fault.startswith(LOST)
    assert "seed=" in fault
    done = CliRunner().invoke(soak.soak, words, standalone_mode=False)
    assert isinstance(done.exception, CheckFailedError)
    fault = str(done.exception).removeprefix("model/mesh/dimension_order/packet/3: ")
    assert fault.startswith(LOST)


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


def test_families_are_chosen_by_a_part_of_their_names():
    assert chosen_families("mesh/dimension") == [MESH, MESH._replace(router="deflection")]
    assert chosen_families(None) == families()
    assert {family.routing for family in chosen_families("/adaptive/")} == {"adaptive"}
    with pytest.raises(ConfigurationError, match="soak: --only must be part of one of hypercube/"):
        chosen_families("cubes")


def soaked(monkeypatch, engine, share, known, *, speed=lambda family: 1e5, faults=()):
    """Tally of a soak whose runs take as long as the families' speeds say, in no time."""

    def run(job):
        flits = 0 if faults else min(job.flits, job.cycles)
        facts = {"flits": flits, "clocks": flits, "peak_mib": 1, "faults": list(faults)}
        return facts | {"seconds": flits / speed(job.family) or 0.1}

    monkeypatch.setattr(soak_runs, "run_job", run)
    made = Soak(engine, seed=1, share=share, known=known)
    with ThreadPoolExecutor(1) as pool:
        made.run(pool, 1, float("inf"), lambda *_: None)
    return made.tally


def test_every_family_runs_and_the_flits_are_reached(monkeypatch):
    known = chosen_families("mesh/dimension")
    speeds = dict(zip(known, (1e6, 1e4), strict=True))
    tally = soaked(monkeypatch, "model", 1.0, known, speed=speeds.get)
    fast, slow = (tally.rows[str(family)] for family in known)
    assert fast["flits"] + slow["flits"] == tally.flits >= 10**9
    # A hundred times faster: ten times the time, a thousand times the flits.
    assert fast["seconds"] / slow["seconds"] == pytest.approx(10, rel=0.5)
    tally = soaked(monkeypatch, "rtl", 1e-6, families())
    assert tally.rows.keys() == set(map(str, families()))
    assert all(row["runs"] >= 1 for row in tally.rows.values())
    tally = soaked(monkeypatch, "model", 1.0, [MESH], faults=["lost"])
    assert len(tally.faults) == soak_runs.MOST_FAULTS


@pytest.mark.parametrize(
    ("job", "keys", "cut"),
    [
        # All to node 0, one flit per cycle, so a limit on cycles is one on flits; and packets
        # that are longer than the circuits take, of which none is due.
        (JOB, {"traffic": "hotspot", "rate": 1.0}, True),
        (Job("model", Family("lcan", "updown", "circuit"), 0, 1, 1, 1), {"length": (999, 999)}, 0),
    ],
)
def test_a_run_that_would_take_too_long_is_cut(monkeypatch, job, keys, cut):
    def heavy(network, rng, *, flits):
        traffic = Traffic(packets=network.topology.nodes * 50, **keys)
        return traffic, make_packets(network, traffic)

    monkeypatch.setattr(soak_runs, "draw_traffic", heavy)
    facts = run_job(job._replace(cycles=160, flits=10**6))
    assert facts["faults"] == []
    assert bool(facts["flits"]) == bool(cut)
    assert facts["clocks"] > 0
    assert not cut or facts["clocks"] <= 160


def test_a_worker_that_dies_is_named_with_its_run():
    class Dying:
        def submit(self, *_):
            future = Future()
            future.set_exception(BrokenExecutor())
            return future

    made = Soak("model", seed=1, share=1e-6, known=[MESH])
    with pytest.raises(ToolError, match=r"a worker must finish PYTHONPATH=tests .* but died"):
        made.run(Dying(), 1, float("inf"), lambda *_: None)


def test_figures_are_left_in_a_file_and_faults_end_with_1(monkeypatch, tmp_path):
    monkeypatch.setattr(soak, "ProcessPoolExecutor", lambda jobs, **_: ThreadPoolExecutor(jobs))
    file = tmp_path / "soak.json"
    words = ["--only", "mesh/dimension", "--engine", "model", "--share", "1e-6", "-o", str(file)]
    done = CliRunner().invoke(soak.soak, words, standalone_mode=False)
    assert done.exception is None
    found = json.loads(file.read_text())
    assert (found["seed"], found["model"]["faults"]) == (1, [])
    assert found["model"]["flits"] == sum(r["flits"] for r in found["model"]["rows"].values())
    assert "mesh/dimension_order/deflection" in done.stdout
    lose_a_beat(monkeypatch)
    done = CliRunner().invoke(soak.soak, words, standalone_mode=False)
    assert isinstance(done.exception, CheckFailedError)
    command = json.loads(file.read_text())["model"]["faults"][0]["command"]
    assert str(done.exception).endswith(f"runs failed; {command} repeats the first")


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


def kautz(letters, length):
    """Kautz digraph: from a word whose neighbours differ to those that it becomes by shifting."""
    words = [
        word
        for word in product(range(letters), repeat=length)
        if all(one != other for one, other in pairwise(word))
    ]
    number = {word: place for place, word in enumerate(words)}
    joins = [
        (place, number[(*word[1:], letter)])
        for word, place in number.items()
        for letter in range(letters)
        if letter != word[-1]
    ]
    return one_way(len(words), joins)


CHOOSING = {
    "moebius": lambda: TOPOLOGIES["moebius"](n=4),
    "ccc": lambda: TOPOLOGIES["ccc"](n=3),
    "wk": lambda: TOPOLOGIES["wk"](w=3, levels=2),
    "tcpg": lambda: TOPOLOGIES["tcpg"](k=1, m=1),
    "regular": lambda: random_regular(50, 4, 1),
    "kautz": lambda: kautz(3, 4),
}
"""Networks whose packets choose their ways."""

IN_ALL = {"model": (10**8, 500_000), "rtl": (10**6, 100_000)}
"""Packets on all of them, and in a run, by the engine."""


@pytest.mark.parametrize(
    ("name", "engine", "count", "most"),
    [
        ("kautz", "model", 20_000, 10_000),
        *(
            pytest.param(name, engine, 1 + count // len(CHOOSING), most, marks=pytest.mark.soak)
            for engine, (count, most) in IN_ALL.items()
            for name in CHOOSING
        ),
    ],
)
def test_packets_that_choose_are_not_lost_under_hot_spots_and_stalls(name, engine, count, most):
    network = Network(CHOOSING[name](), routing="adaptive", buffer_depth=4)
    assert network.deadlock_report.deadlock_free
    seed = 0
    while count > 0:
        seed += 1
        traffic = Traffic(
            traffic="hotspot" if seed % 2 else "uniform:0.8,hotspot:0.2",
            packets=min(most, count),
            length=(1, 6),
            bubble=0.1,
            stall=0.2,
            seed=seed,
        )
        packets = make_packets(network, traffic)
        run = run_log(network, traffic, packets)
        result = judged(engine, network, packets, traffic, run)
        assert result.faults == []
        assert result.flits == packets.length.sum()
        count -= len(packets)
