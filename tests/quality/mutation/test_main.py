import json

import pytest
from click.testing import CliRunner
from knotwork import Network
from quality.mutation import __main__ as program
from quality.mutation.targets import TARGETS, Target

SMALL = Target("small", "hypercube:n=1,data_width=8,buffer_depth=2", "hypercube_router")


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_targets_are_kinds_of_routers(target):
    network = Network.from_word(target.net)
    assert target.module in [kind.name for kind in network.router_kinds]


def test_targets_cover_the_classes_of_routers():
    classes = {Network.from_word(target.net).routing.router for target in TARGETS}
    assert classes == {"packet", "batch", "circuit", "deflection", "ring_deflection"}
    assert any(Network.from_word(t.net).routing.broadcast is not None for t in TARGETS)
    assert any(Network.from_word(t.net).routing.virtual_channels > 1 for t in TARGETS)


@pytest.mark.slow
def test_a_report_adds_up_and_names_each_survivor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = program.row(SMALL, count=40, seed=1)
    assert row["made"] == 40
    assert row["killed"] == sum(row["kills"].values()) > 30
    assert row["made"] == row["killed"] + row["equivalent"] + len(row["survivors"])
    assert len(row["equivalents"]) == row["equivalent"]
    assert sum(row["assertions"].values()) == row["kills"].get("assertion", 0)
    other = row | {"name": "other", "survivors": [{"mutant": 3, "fault": "inv", "reason": "?"}]}
    report = program.total([row, other])
    assert (report["made"], report["killed"]) == (80, 2 * row["killed"])
    assert report["survivors"][-1] == {
        "router": "other",
        "mutant": 3,
        "fault": "inv",
        "reason": "?",
    }
    assert [line["name"] for line in report["routers"]] == ["small", "other"]


def test_the_report_is_left_after_each_router(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = {"made": 4, "killed": 2, "equivalent": 1, "seconds": 1.0}
    made |= {"proofs": 2, "properties": {"order": 1, "grants": 0}}
    survivor = {"mutant": 2, "fault": "inv at A", "reason": "may show at y", "by_hand": ""}

    def row(target, **_):
        return {"name": target.name, **made, "survivors": [survivor]}

    monkeypatch.setattr(program, "row", row)
    done = CliRunner().invoke(program.main, ["mesh", "lcan", "--mutants", "3"])
    assert done.exit_code == 0
    assert "lcan 2: inv at A: may show at y; no reason is known\n" in done.output
    assert "66.7%" in done.output
    assert "mesh: of 2 mutants, counterexamples to order 1, grants 0\n" in done.output
    assert "50.0%" in done.output
    report = json.loads((tmp_path / "build" / "mutate.json").read_text())
    assert {key: report[key] for key in ("made", "killed", "equivalent")} == {
        "made": 8, "killed": 4, "equivalent": 2,
    }  # fmt: skip
    assert len(report["survivors"]) == 2
    assert CliRunner().invoke(program.main, ["wk", "lcan"]).exit_code == 0
    report = json.loads((tmp_path / "build" / "mutate.json").read_text())
    assert [row["name"] for row in report["routers"]] == ["mesh", "wk", "lcan"]
    assert report["made"] == 12


def test_a_name_of_no_router_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(program.main, ["ring"])
    assert done.exit_code == 2
    assert "'ring' is not one of 'mesh', 'hypercube'" in done.output
    assert not list(tmp_path.iterdir())


def test_an_original_that_fails_is_no_ground_to_judge_mutants(monkeypatch):
    from quality.mutation.runs import Verdict

    monkeypatch.setattr(program, "list_mutants", lambda *_, **__: [])
    monkeypatch.setattr(program, "make_runs", lambda *_, **__: [])
    monkeypatch.setattr(program, "judge", lambda *_: [Verdict(0, 5, "late")])
    monkeypatch.setattr(program, "decide", lambda *_: [])
    with pytest.raises(program.click.ClickException) as error:
        program.row(SMALL, count=1, seed=1)
    assert error.value.message == "small: the original must pass, not fail: late"
