import json

import pytest
from knotwork.costs.estimate import MODEL, Area, model

from . import collective_costs as costs
from .collective_costs import error, errors, keep, measured, page, rows


def test_kept_rows_are_written_as_they_were_read(tmp_path, monkeypatch):
    found, text = rows(), costs.ROWS.read_bytes()
    monkeypatch.setattr(costs, "ROWS", tmp_path / "rows.csv")
    keep(found)
    assert (tmp_path / "rows.csv").read_bytes() == text


def test_the_model_is_the_fit_of_the_kept_rows_and_the_page_has_its_errors():
    found = rows()
    kept = json.loads(MODEL.read_text(encoding="utf-8"))["collectives"]
    fit = costs.fitted(found)
    for figure in Area._fields:
        assert fit[figure] == pytest.approx(kept["costs"][figure], rel=0.02, abs=0.02)
    assert errors(found) == kept["errors"]
    text = costs.PAGE.read_text(encoding="utf-8")
    assert page(text, found) == text


def test_the_errors_are_small_for_trees_that_were_not_fitted():
    held_out = [row for row in rows() if row["held_out"]]
    assert len(held_out) == 6
    assert not {row["network"] for row in held_out} & {
        row["network"] for row in rows() if not row["held_out"]
    }
    assert model()["collectives"]["errors"]["luteq"]["most"] <= 0.12
    assert model()["collectives"]["errors"]["ff"]["most"] <= 0.06


def test_held_out_rows_take_no_part_in_the_fit_and_an_error_is_seen():
    found = rows()
    wrong = [row | {"lut4": 10**6} if row["held_out"] else row for row in found]
    assert costs.fitted(wrong) == costs.fitted(found)
    (one, *_) = (row for row in found if row["held_out"])
    assert error(one | {"ff": 2 * one["ff"]}, "ff") == pytest.approx((1 + error(one, "ff")) / 2 - 1)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["mesh:x=2,y=2,collectives=yes", "lcan:d=2,u=2,levels=2"])
def test_a_tree_is_synthesised_again(word, tmp_path, monkeypatch):
    monkeypatch.setattr("quality.benchmarks.hardware.FILE", tmp_path / "hardware.json")
    kept = next(row for row in rows() if row["network"].startswith(word))
    assert measured(kept) == {figure: kept[figure] for figure in Area._fields}
