import json

import pytest
from click.testing import CliRunner
from knotwork.errors import CheckFailedError
from quality.mutation import __main__ as program


def test_the_report_is_left_after_each_router(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = {"made": 4, "killed": 2, "equivalent": 1, "seconds": 1.0}
    made |= {"proofs": 2, "properties": {"order": 1, "grants": 0}}
    survivor = {"mutant": 2, "fault": "inv at A", "reason": "may show at y", "by_hand": ""}

    def row(target, **_):
        return {"name": target.name, **made, "survivors": [survivor]}

    monkeypatch.setattr(program, "target_row", row)
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


def test_help_tells_each_name_whole():
    words = CliRunner().invoke(program.main, ["--help"]).output.split()
    assert {name for name in program.NAMES if f"{name}," in words} == {*program.NAMES[:-1]}


def test_a_report_has_sums_and_every_survivor_with_its_router():
    row = {"name": "small", "made": 40, "killed": 36, "equivalent": 4, "survivors": []}
    survivor = {"mutant": 3, "fault": "inv", "reason": "?"}
    report = program.total([row, row | {"name": "other", "survivors": [survivor]}])
    assert (report["made"], report["killed"], report["equivalent"]) == (80, 72, 8)
    assert report["survivors"] == [{"router": "other", **survivor}]
    assert [line["name"] for line in report["routers"]] == ["small", "other"]


def test_an_original_that_fails_ends_with_one_line(monkeypatch, capsys):
    def row(*_, **__):
        raise CheckFailedError("mesh: the original must pass, not fail: late")

    monkeypatch.setattr(program, "target_row", row)
    monkeypatch.setattr("sys.argv", ["mutate", "mesh"])
    with pytest.raises(SystemExit) as ended:
        program.run()
    assert ended.value.code == 1
    line = "mutate: error: mesh: the original must pass, not fail: late\n"
    assert capsys.readouterr().err.endswith(line)
