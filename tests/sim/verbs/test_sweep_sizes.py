"""Sweeps over sizes; the verb is put into the command line by hand, installed or not."""

import json
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from knotwork.cli import main
from knotwork_sim.sweep import growth

SMALL = "lcan:d=2,u=2,levels=2-5"


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command line; its status, output and complaints."""
    entry = EntryPoint("sweep", "knotwork_sim.verbs.sweep:sweep", "knotwork.commands")
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


NAMES = (
    "worst, random_routing, identity, complement, random, reversal, transpose, shuffle, "
    "bit_rotation"
)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("--permutation worst", "networks must be named, each in one word like "
         "lcan:d=2,u=2,levels=2-6"),
        (f"{SMALL} --permutation worse", f"permutation must be one of {NAMES}, or destinations "
         "a,b,..., not 'worse'; did you mean worst?"),
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
        ("kyklos:k=2,levels=2-3 --permutation worst",
         "kyklos_k2_levels2_copies2: --permutation worst must go with one copy of the levels "
         "(copies=1), not 2"),
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
    assert refusal(f"{SMALL} --permutation worst -o a.eps") == (
        "a.eps: a figure must end in .svg, .png or .pdf, not '.eps'"
    )
