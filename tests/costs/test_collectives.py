"""Pieces of trees of collectives, counted by hand for small trees."""

import pytest
from helpers.operations import Average
from knotwork import Network
from knotwork.costs import estimated_cost
from knotwork.costs.collectives import collective_pieces


def pieces_of(word):
    (group,) = Network.from_word(f"{word},collectives=yes").collective_groups
    return collective_pieces(group)


def test_pieces_of_a_star_are_those_of_its_branches():
    """Two switches below a third: each joins two branches in a merge."""
    pieces = pieces_of("lcan:d=2,u=1,levels=2")["lut4"]
    assert pieces["merges"] == 3
    assert pieces["operands"] == 3 * 32
    assert pieces["sums"] == 3 * 32
    assert pieces["spreads"] == 3
    assert pieces["flits of spreads"] == 3 * (32 + 3)
    assert pieces["nodes below"] == 4 + 4  # once at the top, once below
    assert (pieces["members"], pieces["beats of members"]) == (4, 128)
    # Without its other costs: a group of all nodes needs no look at who is a member.
    assert pieces["roots of members"] == 0
    assert pieces_of("lcan:d=2,u=1,levels=2,groups=0-2")["lut4"]["roots of members"] > 0


def test_operations_are_counted_by_what_they_need():
    word = "mesh:x=2,y=1,collective_width=16,operations="
    (pairs,) = {pieces_of(f"{word}sum")["lut4"]["sums"]}
    several = pieces_of(f"{word}sum,signed_max,xor,and,min")["lut4"]
    assert [several[name] for name in ("sums", "comparisons", "logic")] == [
        pairs,
        2 * pairs,
        2 * pairs,
    ]
    assert several["choices of operations"] == 4 * 16 * several["merges"]
    # Where zeros are neutral to all operations, no beats pass beside them.
    assert pieces_of(f"{word}sum,or,max")["lut4"]["beats beside"] == 0
    assert several["beats beside"] == several["operands"]


def test_gates_of_a_users_operation_are_not_counted():
    network = Network.from_word("mesh:x=2,y=1").changed(
        collectives=True, collective_width=16, operations=("sum", Average)
    )
    found = collective_pieces(network.collective_groups[0])["lut4"]
    alone = pieces_of("mesh:x=2,y=1,collective_width=16")["lut4"]
    assert [found.get(name, 0) for name in ("sums", "comparisons", "logic")] == [
        alone["sums"],
        0,
        0,
    ]
    assert found["choices of operations"] == 16 * found["merges"]


def test_a_watchdog_is_counted_by_members_and_bits_of_its_bound():
    plain, watched = (
        pieces_of(f"mesh:x=2,y=2{keys}")["ff"] for keys in ("", ",collective_watchdog=100")
    )
    assert (watched["watched members"], watched["bits of watchdogs"]) == (4, 7)
    assert (plain["watched members"], plain["bits of watchdogs"]) == (0, 0)


@pytest.mark.parametrize(
    "word", ["mesh:x=3,y=3", "hypercube:n=3,routing=lc1", "lcan:d=2,u=2,levels=2"]
)
def test_trees_of_all_groups_cost_the_same_beside_any_routers(word):
    plain, one, two = (
        estimated_cost(Network.from_word(f"{word}{keys}"))
        for keys in ("", ",collectives=yes", ",collectives=yes,groups=all/all")
    )
    assert plain.collectives is None
    assert "collectives" not in plain.as_json()
    assert "trees of collectives" not in plain.cells()
    assert two.collectives == pytest.approx([2 * part for part in one.collectives])
    assert one.network == pytest.approx(plain.network.plus(one.collectives))
    assert one.router == plain.router
    assert "about" in one.cells()["trees of collectives"]
    assert one.as_json()["collectives"]["lut4"] == round(one.collectives.lut4)
