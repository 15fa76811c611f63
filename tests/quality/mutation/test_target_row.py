import pytest
from knotwork.errors import CheckFailedError
from quality.mutation import target_row as module
from quality.mutation.equivalence import Answer
from quality.mutation.judge import Verdict
from quality.mutation.mutants import Mutant
from quality.mutation.target_row import target_row
from quality.mutation.targets import Target

SMALL = Target("small", "hypercube:n=1,data_width=8,buffer_depth=2", "router")


@pytest.mark.slow
def test_a_row_adds_up_and_names_each_survivor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = target_row(SMALL, count=40, seed=1)
    assert row["made"] == 40
    assert row["killed"] == sum(row["kills"].values()) > 30
    assert row["made"] == row["killed"] + row["equivalent"] + len(row["survivors"])
    assert len(row["equivalents"]) == row["equivalent"]
    assert sum(row["assertions"].values()) == row["kills"].get("assertion", 0)


def test_an_original_that_fails_is_no_ground_to_judge_mutants(monkeypatch):
    monkeypatch.setattr(module, "list_mutants", lambda *_, **__: [])
    monkeypatch.setattr(module, "make_runs", lambda *_, **__: [])
    monkeypatch.setattr(module, "judge", lambda *_: [Verdict(0, 5, "late")])
    monkeypatch.setattr(module, "decide", lambda *_: [])
    with pytest.raises(CheckFailedError) as error:
        target_row(SMALL, count=1, seed=1)
    assert str(error.value) == "small: the original must pass, not fail: late"


def test_a_survivor_is_told_with_the_reason_found_by_hand(monkeypatch):
    known, new = (Mutant(n, f" -mode inv -port A -portbit {n} -cell $and$1") for n in (1, 2))
    monkeypatch.setattr(module, "list_mutants", lambda *_, **__: [known, new])
    monkeypatch.setattr(module, "make_runs", lambda *_, **__: [])
    monkeypatch.setattr(module, "judge", lambda *_: [Verdict(-1, 0, "nothing")] * 3)
    monkeypatch.setattr(module, "decide", lambda *_: [Answer(False, "may show at y")] * 2)
    monkeypatch.setitem(module.REASONS, SMALL.name, {str(known): "nobody looks at it"})
    row = target_row(SMALL, count=2, seed=1)
    assert [(one["reason"], one["by_hand"]) for one in row["survivors"]] == [
        ("may show at y", "nobody looks at it"),
        ("may show at y", ""),
    ]
