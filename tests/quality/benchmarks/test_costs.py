import json

import numpy as np
import pytest
from knotwork.costs.estimate import MODEL, Area, largest_kind, model
from knotwork.network import Network

from . import cost_rows, costs
from .cases import NETWORK
from .cost_errors import GUIDES, area, compared, errors, page, with_costs
from .cost_rows import keep, measured, of_pages, rows


def test_kept_rows_are_written_as_they_were_read(tmp_path, monkeypatch):
    found, text = rows(), cost_rows.ROWS.read_bytes()
    monkeypatch.setattr(cost_rows, "ROWS", tmp_path / "costs.csv")
    keep(found)
    assert (tmp_path / "costs.csv").read_bytes() == text


def test_networks_of_all_classes_are_held_out_and_none_of_them_is_fitted():
    routers = [row for row in rows() if row["role"] != NETWORK]
    held_out = {row["network"] for row in routers if row["held_out"]}
    assert len(held_out) == 24
    assert not held_out & {row["network"] for row in routers if not row["held_out"]}
    classes = {Network.from_word(word).router_class for word in held_out}
    assert classes == {"packet", "circuit", "batch", "deflection"}


@pytest.mark.slow
def test_rows_of_pages_are_of_routers_and_have_no_area_where_a_role_was_chosen():
    found = {(row["network"], row["role"]): row for row in of_pages()}
    assert len(found) > 30
    largest = found["hypercube:n=4,pipeline=1", "router"]
    assert largest["role"] == largest_kind(Network.from_word("hypercube:n=4,pipeline=1")).role
    assert all(largest[figure] >= 0 for figure in Area._fields)
    chosen = found["lcan:d=2,u=2,levels=3", "router_level1"]
    assert [chosen[figure] for figure in Area._fields] == [None] * 3
    assert chosen["fmax_mhz"] > 0
    held_out = {row["network"] for row in rows() if row["held_out"] and row["role"] != NETWORK}
    assert not held_out & {word for word, _ in found}


def test_costs_per_piece_are_found_again_and_none_is_negative():
    pieces = np.random.default_rng(1).integers(0, 50, (30, 3))
    found = costs.least_squares(pieces, pieces @ np.array([2.0, 0.0, 7.5]), least=1)
    assert found == pytest.approx([2, 0, 7.5], abs=0.01)
    pieces = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    cost, slope = costs.least_squares(pieces, np.array([30.0, 20.0, 10.0]), least=1)
    assert slope == 0
    assert 10 < cost < 30


def test_held_out_rows_take_no_part_in_the_fit():
    found = [
        row for row in rows() if row["network"] in ("petersen:pipeline=1", "petersen:pipeline=2")
    ]
    held_out = next(row for row in rows() if row["held_out"])
    with_it = costs.fitted([*found, held_out | {"lut4": 10**6}])
    assert with_it == costs.fitted(found)
    assert costs.fitted([*found, held_out | {"lut4": 10**6, "held_out": False}]) != with_it


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
        ("mesh:x=6,y=6,data_width=40,pipeline=1", "router_R_D"),
        ("mesh:x=6,y=6,router=deflection,data_width=24", "router_R_D"),
    ],
)
def test_a_held_out_router_is_synthesised_again(word, role, tmp_path, monkeypatch):
    monkeypatch.setattr("quality.benchmarks.hardware.FILE", tmp_path / "hardware.json")
    (kept,) = [row for row in rows() if (row["network"], row["role"]) == (word, role)]
    found = measured(word, role)
    assert [found[name] for name in Area._fields] == [kept[name] for name in Area._fields]


def test_the_command_measures_the_networks_that_it_names(tmp_path, monkeypatch):
    for name in ("MODEL", "PAGE"):
        copy = tmp_path / name
        copy.write_text(getattr(costs, name).read_text())
        monkeypatch.setattr(costs, name, copy)
    asked, row = [], {"network": "ring:n=4", "role": "router", "held_out": False}
    row |= {"lut4": 1, "dpr": 1, "ff": 1, "fmax_mhz": None}
    monkeypatch.setattr(costs, "GUIDES", [])
    monkeypatch.setattr(costs, "rows", lambda: [dict(row), row | {"network": "petersen"}])
    monkeypatch.setattr(costs, "keep", asked.append)
    monkeypatch.setattr(costs, "measured", lambda word, role: {"network": word, "lut4": 99})
    monkeypatch.setattr(costs, "write_model", lambda found: None)
    costs.main(["petersen"], standalone_mode=False)
    ((untouched, again),) = asked
    assert (untouched["lut4"], again["lut4"]) == (1, 99)


def test_the_errors_and_the_page_are_those_of_the_held_out_rows():
    found = model()["errors"]
    assert errors(rows()) == found, MODEL
    assert found["networks"] == 24
    assert found["network_luteq"]["most"] <= 0.125
    assert found["luteq"]["mean"] <= 0.05
    assert found["ff"]["most"] <= 0.05
    text = costs.PAGE.read_text(encoding="utf-8")
    assert page(text, rows()) == text
    assert text.count("| `") == 24 + 5 + 6


def test_an_error_is_seen_and_kinds_that_were_not_measured_leave_no_sum():
    one = next(
        row for row in rows() if row["held_out"] and row["network"] == "hypercube:n=5,pipeline=1"
    )
    (right,) = compared([one])
    (wrong,) = compared([one | {"lut4": 2 * one["lut4"]}])
    assert right.error("ff") == wrong.error("ff")
    assert wrong.error("lut4") == pytest.approx((1 + right.error("lut4")) / 2 - 1)
    assert right.found["network_luteq"] == 32 * area(one).luteq
    mesh = [row for row in rows() if row["network"] == "mesh:x=6,y=6,data_width=40,pipeline=1"]
    (part,) = compared([row for row in mesh if row["role"] == "router_L_R_U_D"])
    assert "network_luteq" not in part.found


def test_old_costs_of_a_guide_are_written_anew_and_nothing_else():
    assert {guide.stem for guide in GUIDES} == {"ccc", "lcan", "moebius", "tcpg", "wk"}
    for guide in GUIDES:
        text = guide.read_text(encoding="utf-8")
        begin = text.index("`", text.index("LUTeq of all"))
        row = text[begin : text.index("\n", begin)]
        old = row.rpartition(" |")[0].rpartition(" | ")[0] + " | 7 |"
        assert old != row
        assert with_costs(text.replace(row, old)) == text
    assert with_costs("| a | b |\n|---|---|\n\nand\n") == "| a | b |\n|---|---|\n\nand\n"
