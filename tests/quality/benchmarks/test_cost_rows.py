import pytest
from knotwork.costs.estimate import Area, largest_kind
from knotwork.network import Network

from . import cost_rows
from .cases import NETWORK
from .cost_rows import keep, of_pages, rows


def test_kept_rows_are_written_as_they_were_read(tmp_path, monkeypatch):
    found = rows()
    text = cost_rows.ROWS.read_bytes()
    monkeypatch.setattr(cost_rows, "ROWS", tmp_path / "costs.csv")
    keep(found)
    assert (tmp_path / "costs.csv").read_bytes() == text
    assert rows() == found


def test_networks_of_all_classes_are_held_out_and_none_of_them_is_fitted():
    routers = [row for row in rows() if row["role"] != NETWORK]
    held_out = {row["network"] for row in routers if row["held_out"]}
    assert len(held_out) == 25
    fitted = [row for row in routers if not row["held_out"]]
    assert not held_out & {row["network"] for row in fitted}
    classes = {Network.from_word(word).router_class for word in held_out}
    assert classes == {"packet", "circuit", "batch", "deflection"}


@pytest.mark.slow
def test_rows_of_pages_are_of_routers_and_have_no_area_where_a_role_was_chosen():
    found = {(row["network"], row["role"]): row for row in of_pages()}
    assert len(found) > 30
    largest = found["hypercube:n=4", "router"]
    assert largest["role"] == largest_kind(Network.from_word("hypercube:n=4")).role
    assert all(largest[figure] >= 0 for figure in Area._fields)
    chosen = found["lcan:d=2,u=2,levels=3", "router_level1"]
    assert [chosen[figure] for figure in Area._fields] == [None] * 3
    assert chosen["fmax_mhz"] > 0
    held_out = {row["network"] for row in rows() if row["held_out"] and row["role"] != NETWORK}
    assert not held_out & {word for word, _ in found}
