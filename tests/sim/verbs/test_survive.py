import csv
from dataclasses import replace

import pytest
from knotwork_sim import survive
from knotwork_sim.verbs.survive import PARTS

REFUSED = {
    "ring n=4 --dead 9": "survive: --dead must be at most the 8 parts that can die, not 9",
    "ring n=4 --dead 1 --all --sets 3": "survive: --all must not be used with --sets",
    "ring n=4 ring n=5 --dead 1": "survive: NET must be one network, not 2",
    "ring n=4 --dead 1 --parts nodes": "survive: --parts must be one of both, links, routers, not "
    "'nodes'",
    "ring n=4": "Missing option '--dead'",
    "hypercube n=10 --dead 2 --sets 1000 --limit 1min": "survive hypercube_n10 must stay within 1 "
    "min, but takes about",
}


@pytest.mark.parametrize(("words", "line"), REFUSED.items())
def test_what_cannot_be_tried_is_refused(words, line, refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(f"survive {words}").startswith(line)
    assert list(tmp_path.iterdir()) == []


def test_the_command_knows_all_parts():
    assert PARTS == survive.PARTS


def test_the_table_has_the_loss_and_what_falls_apart(run):
    status, out, _ = run("survive ring n=6 --dead 1 --parts links --all")
    assert status == 0
    (row,) = [line for line in out.splitlines() if "updown " in line and "│" in line]
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells[1:3] == ["6 of 6", "1"]
    assert cells[4:6] == ["0.5556", "0.5556"]  # 9 / 5 flits on the middle of a path of six
    assert cells[8] == "2.333"
    assert "connected: 6 of 6 sets" in out
    _, out, _ = run("survive ring n=5 --dead 2 --parts links --all")
    assert "connected: 0 of 10 sets" in out
    assert "falls apart: dead=0-1,0-4" in out


def test_json_and_a_table_of_all_sets(answer, tmp_path):
    file = tmp_path / "fates.csv"
    found = answer(f"survive mesh x=2 y=3 --dead 1 -o {file} --measure 100")
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert (found["sets"], found["connected"]) == (13, 13)
    assert len(rows) == 26
    assert found["routings"]["updown"]["accepted"]["least"] == (
        min(float(row["accepted"]) for row in rows if row["routing"] == "updown")
    )


def test_a_deadlock_ends_with_1(run, monkeypatch):
    def with_a_cycle(asked, scheduler=None):
        found = run_survival(asked, scheduler=scheduler)
        bad = {name: replace(one, deadlock_free=False) for name, one in found.intact.items()}
        return replace(found, fates=tuple(replace(fate, carried=bad) for fate in found.fates))

    run_survival = survive.run_survival
    monkeypatch.setattr(survive, "run_survival", with_a_cycle)
    status, out, _ = run("survive ring n=4 --dead 1")
    assert status == 1
    assert "0 of 8" in out
