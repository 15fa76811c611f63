import csv
import json
from dataclasses import replace

import pytest
from knotwork.cli import main
from knotwork_sim.survive import dead_sets, run
from knotwork_sim.verbs.survive import PARTS


def call(words, capfd):
    status = main.run(["survive", *words.split()])
    out, err = capfd.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("ring n=4 --dead 9", "survive: --dead must be at most the 8 parts that can die, not 9"),
        ("ring n=4 --dead 1 --all --sets 3", "survive: --all must not go with --sets"),
        ("ring n=4 ring n=5 --dead 1", "survive: NET must be one network, not 2"),
        (
            "lcan d=2 u=2 levels=2 --dead 1",
            "survive: NET must be a network whose routers serve nodes directly, not lcan",
        ),
        (
            "ring n=4 --dead 1 --routing ecube",
            "survive: --routing must be one of updown, shortest, balanced, not 'ecube'",
        ),
        (
            "ring n=4 --dead 1 --parts nodes",
            "survive: --parts must be one of both, links, routers, not 'nodes'",
        ),
        (
            "ring n=4 --dead 1 -o fates.svg",
            "fates.svg: a table must end in .csv or .parquet, not '.svg'",
        ),
        ("ring n=4", "Missing option '--dead'"),
        (
            "hypercube n=10 --dead 2 --sets 1000 --limit 1min",
            "survive hypercube_n10 must stay within 1 min, but takes about",
        ),
    ],
)
def test_what_cannot_be_tried_is_refused_in_one_line(words, line, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = call(words, capfd)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"knotwork: error: {line}")
    assert list(tmp_path.iterdir()) == []


def test_the_command_knows_all_parts():
    assert PARTS == dead_sets.PARTS


def test_the_table_tells_the_loss(capfd):
    status, out, _ = call("ring n=6 --dead 1 --parts links --all", capfd)
    assert status == 0
    (row,) = [line for line in out.splitlines() if "updown " in line and "│" in line]
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells[1:3] == ["6 of 6", "1"]
    assert cells[4:6] == ["0.5556", "0.5556"]  # 9 / 5 flits on the middle of a path of six
    assert cells[8] == "2.333"
    assert "connected: 6 of 6 sets" in out


def test_what_falls_apart_is_named(capfd):
    _, out, _ = call("ring n=5 --dead 2 --parts links --all", capfd)
    assert "connected: 0 of 10 sets" in out
    assert "falls apart: dead=0-1,0-4" in out


def test_json_and_a_table_of_all_sets(capfd, tmp_path):
    file = tmp_path / "fates.csv"
    status, out, _ = call(f"mesh x=2 y=3 --dead 1 --json -o {file} --measure 100", capfd)
    told = json.loads(out)
    rows = list(csv.DictReader(file.open()))
    assert status == 0
    assert (told["sets"], told["connected"]) == (13, 13)
    assert len(rows) == 26
    assert told["routings"]["updown"]["accepted"]["least"] == (
        min(float(row["accepted"]) for row in rows if row["routing"] == "updown")
    )


def test_a_deadlock_ends_with_1(capfd, monkeypatch):
    def with_a_cycle(asked, scheduler=None):
        found = run_survival(asked, scheduler=scheduler)
        bad = {name: replace(one, deadlock_free=False) for name, one in found.whole.items()}
        return replace(found, fates=tuple(replace(fate, carried=bad) for fate in found.fates))

    run_survival = run.run_survival
    monkeypatch.setattr(run, "run_survival", with_a_cycle)
    status, out, _ = call("ring n=4 --dead 1", capfd)
    assert status == 1
    assert "0 of 8" in out
