"""Sweeps over sizes; the verb is put into the command line by hand, installed or not."""

import json
import math
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from knotwork.cli import main
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.circuits import network_cycles
from knotwork.topology import Lcan
from knotwork_sim.sweep import growth
from knotwork_sim.sweep.growth import Fit, draw_permutation, fit_laws, measure, sweep

SMALL = "lcan:d=2,u=2,levels=2-5"


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command line; its status, output and complaints."""
    entry = EntryPoint("sweep", "knotwork_sim.commands:sweep", "knotwork.commands")
    monkeypatch.setitem(main.cli.entries, "sweep", entry)

    def run(line):
        status = main.run(["sweep", *line.split()])
        return (status, *capsys.readouterr())

    return run


def test_the_verb_is_declared():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    value = project["entry-points"]["knotwork.commands"]["sweep"]
    entry = EntryPoint("sweep", value, "knotwork.commands")
    assert entry.load().name == "sweep"


# Section 8.2, worst-case set: levels of (2, 2), mean of 100 samples.
MEANS = {2: 1.00, 3: 1.61, 4: 2.30, 5: 2.96}


def test_means_are_those_of_the_table():
    (swept,) = sweep([SMALL], permutation="worst", repeat=100, seed=5)
    assert [point.levels for point in swept.points] == list(MEANS)
    for point in swept.points:
        assert point.nodes == 2**point.levels
        assert point.min <= point.network_cycles <= point.max
        assert point.lower_bound == 1
        error = point.ci95 / 1.96 * math.sqrt(2)  # theirs are as many
        assert abs(point.network_cycles - MEANS[point.levels]) <= 4 * error + 0.005
    assert swept.points[0].ci95 == 0


def test_bounds_and_means_where_uppers_are_few():
    (swept,) = sweep(["lcan:d=4,u=2,levels=2-3"], permutation="worst", repeat=30)
    assert [point.lower_bound for point in swept.points] == [2, 4]
    for point, mean in zip(swept.points, (3.29, 7.29), strict=True):
        assert abs(point.network_cycles - mean) <= 4 * point.ci95 / 1.96


def test_statistics_of_a_point_are_those_of_its_runs():
    network = Network.from_word("lcan:d=4,u=2,levels=2,network_seed=7")
    point = measure(network, "random", range(3, 8))
    cycles = [
        network_cycles(
            Lcan(d=4, u=2, levels=2), np.random.default_rng(seed).permutation(16), seed=seed + 6
        )
        for seed in range(3, 8)
    ]
    mean = sum(cycles) / 5
    deviation = math.sqrt(sum((count - mean) ** 2 for count in cycles) / 4)
    assert point.network_cycles == pytest.approx(mean)
    assert point.ci95 == pytest.approx(1.96 * deviation / math.sqrt(5))
    assert (point.min, point.max) == (min(cycles), max(cycles))
    assert 1 <= point.lower_bound <= 2
    assert deviation > 0


def test_identity_takes_one_cycle_and_both_laws_fit_it():
    (swept,) = sweep(["lcan:levels=4-6,d=2,u=2"], permutation="identity", repeat=2)
    assert [point.network_cycles for point in swept.points] == [1, 1, 1]
    assert [fit.r2 for fit in swept.fits] == [1, 1]
    assert swept.fits[0].second == pytest.approx(0)


def test_exact_laws_are_found():
    sizes = [4, 8, 16, 32, 64, 128]
    noise = [50.0, 70.0]  # too small to count
    log, power = fit_laws(sizes, noise + [0.25 + 0.5 * math.log2(n) for n in sizes[2:]])
    assert (log.law, power.law) == ("log", "power")
    assert (log.first, log.second, log.r2) == pytest.approx((0.25, 0.5, 1))
    assert 0.9 < power.r2 < 0.9999
    power, log = fit_laws(sizes, noise + [0.75 * n**0.5 for n in sizes[2:]])
    assert (power.law, log.law) == ("power", "log")
    assert (power.first, power.second, power.r2) == pytest.approx((0.75, 0.5, 1))
    assert log.r2 < 0.99
    assert power.at(np.array([256])) == pytest.approx([12])
    assert log.at(np.array([1])) == pytest.approx([log.first])


def test_a_fit_is_that_of_the_measured_table():
    # Section 8.2: (2, 2), (4, 4) and (4, 2), rounded means, and the fits that it gives.
    sizes = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
    log = fit_laws(sizes, [2.30, 2.96, 3.52, 4.11, 4.62, 5.09, 5.84, 6.33, 6.83])[0]
    assert (log.law, round(log.r2, 4)) == ("log", 0.9985)
    assert log[1:3] == (pytest.approx(0.11, abs=0.006), pytest.approx(0.565, abs=0.001))
    sizes = [16, 64, 256, 1024, 4096]
    log = fit_laws(sizes, [2.07, 3.16, 4.10, 5.03, 6.08])[0]
    assert (log.law, round(log.r2, 4)) == ("log", 0.9992)
    assert log[1:3] == (pytest.approx(0.13, abs=0.006), pytest.approx(0.495, abs=0.001))
    power = fit_laws(sizes, [3.29, 7.29, 14.4, 28.2, 55.5])[0]
    assert power.law == "power"
    assert power[1:3] == (pytest.approx(0.85, abs=0.006), pytest.approx(0.505, abs=0.001))


def test_two_sizes_are_no_fit():
    assert fit_laws([8, 16, 32], [1, 2, 3]) == ()
    assert fit_laws([16, 16, 16], [1, 2, 3]) == ()
    assert len(fit_laws([16, 32, 64], [1, 2, 3])) == 2


def test_formulas():
    assert Fit("log", -1.234, -0.5, 1.0).formula == "-1.23 - 0.500 log2 N"
    assert Fit("power", 0.5, 0.25, 1.0).as_json() == {"c": 0.5, "e": 0.25, "r2": 1.0}


def test_json_has_the_promised_fields_and_the_seed_decides(run):
    status, out, err = run(
        f"{SMALL} lcan:d=2,u=2,levels=4-6 --permutation random --repeat 4 --json"
    )
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert (answer["permutation"], answer["repeat"], answer["seed"]) == ("random", 4, 1)
    first, second = answer["sweeps"]
    assert first["network"] == "lcan"
    assert (first["parameters"]["d"], first["parameters"]["levels"]) == (2, "2-5")
    assert first["fit"] is None
    promised = ["nodes", "levels", "network_cycles", "ci95", "min", "max", "lower_bound"]
    assert [list(point) for point in first["points"]] == [promised] * 4
    assert first["points"][2:] == second["points"][:2]
    assert {key: set(law) for key, law in second["fit"].items() if key != "better"} == {
        "log": {"a", "b", "r2"},
        "power": {"c", "e", "r2"},
    }
    assert second["fit"]["better"] in ("log", "power")
    line = f"{SMALL} lcan:d=2,u=2,levels=4-6 --permutation random --repeat 4 --json"
    assert run(line)[1] == out
    assert run(f"{line} --seed 2")[1] != out


def test_a_table_says_the_same(run):
    status, out, err = run("lcan:d=2,u=2,levels=4-6 --permutation worst --repeat 3")
    assert (status, err) == (0, "")
    for text in ("lcan d=2, u=2", "PEs", "lower bound", "64", "better fit: ", "other fit: "):
        assert text in out
    assert "\x1b" not in out


def test_a_figure_and_its_numbers_are_written(run, tmp_path):
    path = tmp_path / "new" / "cycles.svg"
    status, out, err = run(f"{SMALL} --permutation worst --repeat 2 --json -o {path}")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert (answer["figure"], answer["table"]) == (str(path), str(path.with_suffix(".csv")))
    assert sorted(file.name for file in path.parent.iterdir()) == ["cycles.csv", "cycles.svg"]


NAMES = "worst, identity, complement, random, reversal, transpose, shuffle"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("--permutation worst", "networks must be named, each in one word like "
         "lcan:d=2,u=2,levels=2-6"),
        (f"{SMALL} --permutation worse", f"permutation must be one of {NAMES}, or destinations "
         "a,b,..., not 'worse'"),
        (f"{SMALL} --permutation 1,0", "permutation must name each node 0..3 once, not '1,0'"),
        ("lcan:d=3,u=2,levels=2-3 --permutation shuffle",
         "shuffle must have a power of two nodes, not 9"),
        ("lcan:d=2,u=2,levels=5-3 --permutation worst",
         "levels must be a range FIRST-LAST that is not empty, not 5-3"),
        ("lcan:d=2-3,u=2,levels=2-3 --permutation worst",
         "one key must be a range, not d=2-3 and levels=2-3"),
        ("lcan:d=2,u=2,levels=2,max_packet=2-3 --permutation worst",
         "a key with a range must be one of d, u, levels, interconnect, not 'max_packet'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_line(refusal, tmp_path, line, complaint):
    assert refusal(f"{line} -o {tmp_path / 'a.svg'}") == f"sweep: {complaint}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("hypercube:n=2-3 --permutation random",
         "hypercube_n2: --permutation must go with a network of circuits and routing=updown, "
         "not routing=ecube"),
        ("lcan:d=2,u=2,levels=2-3,routing=scheduled --permutation worst",
         "lcan_d2_u2_levels2_interconnectcomplete_scheduled: --permutation must go with a "
         "network of circuits and routing=updown, not routing=scheduled"),
        ("lcan:d=2,u=2,levels=2-99 --permutation worst",
         "lcan: levels must be an integer in 1..16, not 17"),
        ("lcan:d=2,u=2,levels=2- --permutation worst",
         "lcan: levels must be an integer in 1..16, not '2-'"),
        (SMALL, "lcan: levels must be an integer in 1..16, not '2-5'"),  # a load sweep's network
        (f"{SMALL} --permutation worst --repeat 1",
         "Invalid value for '--repeat': 1 is not in the range 2<=x<=100000; see "
         "knotwork sweep --help"),
    ],
)  # fmt: skip
def test_what_is_no_family_is_refused(refusal, tmp_path, line, complaint):
    assert refusal(f"{line} -o {tmp_path / 'a.svg'}") == complaint
    assert list(tmp_path.iterdir()) == []


def test_a_figure_of_another_kind_is_refused_before_anything_is_measured(refusal, monkeypatch):
    monkeypatch.setattr(growth, "measure", None)
    assert refusal(f"{SMALL} --permutation worst -o a.pdf") == (
        "a.pdf: a figure must end in .svg or .png, not '.pdf'"
    )


def test_once_is_refused():
    with pytest.raises(ConfigurationError, match=r"^sweep: --repeat must be at least 2, not 1$"):
        sweep([SMALL], permutation="worst", repeat=1)


def test_a_listed_permutation_is_taken_as_it_is():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    assert draw_permutation(network, "3,2,1,0", 9).tolist() == [3, 2, 1, 0]
