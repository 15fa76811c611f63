import json

import numpy as np
import pytest
from knotwork.costs import estimated_cost
from knotwork.costs.estimate import MODEL, Area
from knotwork.network import Network

from . import cost_rows, costs
from .cost_rows import measured, of_pages, rows


def test_costs_per_piece_are_found_again():
    pieces = np.random.default_rng(1).integers(0, 50, (30, 3))
    found = costs.least_squares(pieces, pieces @ np.array([2.0, 0.0, 7.5]), least=1)
    assert found == pytest.approx([2, 0, 7.5], abs=0.01)


def test_no_cost_is_negative():
    pieces = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    cost, slope = costs.least_squares(pieces, np.array([30.0, 20.0, 10.0]), least=1)
    assert slope == 0
    assert 10 < cost < 30


def test_held_out_rows_take_no_part_in_the_fit():
    found = [row for row in rows() if row["network"] in ("petersen", "petersen:pipeline=2")]
    held_out = next(row for row in rows() if row["held_out"])
    with_it = costs.fitted([*found, held_out | {"lut4": 10**6}])
    assert with_it == costs.fitted(found)
    seen = costs.fitted([*found, held_out | {"lut4": 10**6, "held_out": False}])
    assert seen != with_it


@pytest.mark.slow
def test_the_model_is_the_fit_of_the_kept_rows():
    kept = json.loads(MODEL.read_text())["costs"]
    found = costs.fitted([*rows(), *of_pages()])
    assert found.keys() == kept.keys()
    for name, figures in found.items():
        for figure, pieces in figures.items():
            assert pieces == pytest.approx(kept[name][figure], rel=0.05, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "role"),
    [
        ("hypercube:n=5,routing=lc1,data_width=24", "router"),
        ("mesh:x=6,y=6,data_width=40", "router_R_D"),
        ("mesh:x=6,y=6,router=deflection,data_width=24", "router_R_D"),
    ],
)
def test_a_held_out_router_is_synthesised_again(word, role, tmp_path, monkeypatch):
    monkeypatch.setattr("quality.benchmarks.hardware.FILE", tmp_path / "hardware.json")
    (kept,) = [row for row in rows() if (row["network"], row["role"]) == (word, role)]
    found = measured(word, role)
    assert {name: found[name] for name in Area._fields} == {
        name: kept[name] for name in Area._fields
    }
    assert estimated_cost(Network.from_word(word)).router.lut4 > 0


def test_the_command_measures_the_networks_that_it_is_given(tmp_path, monkeypatch):
    for name in ("MODEL", "PAGE"):
        copy = tmp_path / name
        copy.write_text(getattr(costs, name).read_text())
        monkeypatch.setattr(costs, name, copy)
    asked, row = [], {"network": "ring:n=4", "role": "router", "held_out": False}
    row |= {"lut4": 1, "dpr": 1, "ff": 1, "fmax_mhz": None}
    monkeypatch.setattr(costs, "rows", lambda: [dict(row), row | {"network": "petersen"}])
    monkeypatch.setattr(costs, "keep", asked.append)
    monkeypatch.setattr(costs, "measured", lambda word, role: {"network": word, "lut4": 99})
    monkeypatch.setattr(costs, "write_model", lambda found: None)
    costs.main(["petersen"], standalone_mode=False)
    ((untouched, again),) = asked
    assert (untouched["lut4"], again["lut4"]) == (1, 99)
    assert cost_rows.ROWS.exists()
