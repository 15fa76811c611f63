import pytest
from knotwork.costs.estimate import MODEL, model
from knotwork.network import Network

from .cost_errors import area, compared, errors, page
from .cost_rows import rows
from .costs import PAGE


def test_the_errors_beside_the_model_are_those_of_the_held_out_rows():
    assert errors(rows()) == model()["errors"], MODEL


def test_the_cost_is_within_twelve_per_cent_for_held_out_networks():
    told = model()["errors"]
    assert told["networks"] == 25
    assert told["network_luteq"]["most"] <= 0.12
    assert told["luteq"]["mean"] <= 0.05
    assert told["ff"]["most"] <= 0.05


def test_an_error_is_seen():
    one = next(row for row in rows() if row["held_out"] and row["network"] == "hypercube:n=5")
    (right,) = compared([one])
    (wrong,) = compared([one | {"lut4": 2 * one["lut4"]}])
    assert right.error("ff") == wrong.error("ff")
    assert wrong.error("lut4") == pytest.approx((1 + right.error("lut4")) / 2 - 1)
    assert right.found["network_luteq"] == 32 * area(one).luteq
    assert Network.from_word(right.word).topology.routers == 32


def test_networks_with_kinds_that_were_not_measured_have_no_sum():
    corner = [row for row in rows() if row["network"] == "mesh:x=6,y=6,data_width=40"]
    largest = [row for row in corner if row["role"] == "router_L_R_U_D"]
    (part,) = compared(largest)
    assert "network_luteq" not in part.found
    assert errors(largest)["networks"] == 1


def test_the_page_has_the_tables_of_the_kept_rows():
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, rows()) == text
    assert text.count("| `") == 25 + 6
