"""What `schedule --naive` tells."""

import pytest
from helpers.tables import rows_of

# Section 3.1 of the paper, the rows as the specification rebuilds them.
EXAMPLE = "001\n011\n100\n"


@pytest.fixture
def example(tmp_path):
    (tmp_path / "paper").write_text(EXAMPLE)
    return f"--permutation lc --matrix {tmp_path}/paper"


def test_collisions_of_the_example(answer, example):
    got = answer(f"schedule hypercube n=3 {example} --naive descending")
    collisions, positions = got.pop("collisions"), got.pop("positions")
    assert got == {
        "permutation": "lc",
        "order": "descending",
        "dimensions": [2, 1, 0],
        "steps": 3,
        "conflict_free": False,
        "collided": [4, 4, 0],
    }
    assert positions[0] == [0b000, 0b101, 0b010, 0b111, 0b000, 0b101, 0b010, 0b111]
    assert positions[2] == [0b000, 0b110, 0b010, 0b100, 0b001, 0b111, 0b011, 0b101]
    assert [found["node"] for found in collisions] == [0b000, 0b010, 0b101, 0b111]
    assert collisions[0] == {
        "step": 1,
        "dimension": 2,
        "node": 0,
        "link": {"from": 4, "to": 0, "port": "dim2"},
        "stays": {"source": 0, "destination": 0},
        "comes": {"source": 4, "destination": 1},
    }


def test_links_of_the_cycles(answer, example):
    """Dimension 2 of 8 nodes is crossed at place 1 of the cycles, to which all messages go."""
    down = answer(f"schedule ccc n=3 {example} --naive descending")["collisions"]
    assert [found["link"] for found in down] == [
        {"from": 0b101, "to": 0b001, "port": "L"},
        {"from": 0b111, "to": 0b011, "port": "L"},
        {"from": 0b001, "to": 0b101, "port": "L"},
        {"from": 0b011, "to": 0b111, "port": "L"},
    ]
    up = answer("schedule ccc n=4 --permutation reversal --naive ascending")["collisions"]
    assert {(found["dimension"], found["link"]["port"]) for found in up} == {(0, "F"), (0, "B")}


def test_no_single_link_joins_places_that_are_not_neighbours(answer, run, tmp_path):
    """Nodes 0 and 2 of a cycle of four, both for nodes with bit 1 clear."""
    (tmp_path / "f").write_text("[0, 3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]")
    line = f"schedule ccc n=4 --permutation {tmp_path}/f --naive descending"
    found, *_ = answer(line)["collisions"]
    assert (found["dimension"], found["node"]) == (1, 0)
    assert found["link"] == {"from": 2, "to": 0, "port": None}
    row = ["0000", "0000 to 0000", "0010 to 0001", "links from 0010 to 0000"]
    assert row in rows_of(run(line)[1])


def test_tables(run, example):
    status, out, err = run(f"schedule hypercube n=3 {example} --naive descending")
    assert (status, err) == (0, "")
    rows = rows_of(out)
    assert ["001", "110", "101", "111", "110"] in rows
    assert ["conflict_free", "no"] in rows
    assert "Collisions in step 1, dimension 2" in out
    assert ["101", "101 to 111", "001 to 110", "dim2 from 001 to 101"] in rows
    out = run("schedule ccc n=4 --permutation identity --naive ascending")[1]
    assert ["conflict_free", "yes"] in rows_of(out)
    assert "Collisions" not in out
    out = run("schedule ccc n=8 --permutation reversal --naive ascending")[1]
    assert "ccc_n8: reversal, naively" in out
    assert "The first 64 collisions are listed; --json has them all." in out
    assert "after 0" not in out


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            "lcan d=2 u=2 levels=3 --permutation reversal --naive ascending",
            "schedule: --naive must go with hypercube or ccc, whose dimensions it takes in turn, "
            "not lcan",
        ),
        (
            "ccc n=4 --messages random_routing --naive ascending",
            "schedule: --naive must go with --permutation, not --messages",
        ),
        (
            "ccc n=4 --permutation identity --naive ascending --expected",
            "schedule: --naive must not go with --online or --expected",
        ),
    ],
)
def test_what_is_refused(refusal, line, complaint):
    assert refusal(f"schedule {line}") == complaint
