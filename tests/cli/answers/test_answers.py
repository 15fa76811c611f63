"""Schedules in one dimension after the other, of messages, and in pictures."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from helpers.tables import rows_of
from knotwork import Hypercube, Network
from knotwork.cli.answers.steps import draw_schedule
from knotwork.cli.message_options import MessageRequest
from knotwork.errors import ConfigurationError

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
        "link_steps": 3,
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


def test_links_of_cycles_where_places_are_neighbours_or_not(answer, example, run, tmp_path):
    # Dimension 2 of 8 nodes is crossed at place 1 of the cycles, to which all messages go.
    down = answer(f"schedule ccc n=3 {example} --naive descending")["collisions"]
    assert [found["link"] for found in down] == [
        {"from": 0b101, "to": 0b001, "port": "L"},
        {"from": 0b111, "to": 0b011, "port": "L"},
        {"from": 0b001, "to": 0b101, "port": "L"},
        {"from": 0b011, "to": 0b111, "port": "L"},
    ]
    up = answer("schedule ccc n=4 --permutation reversal --naive ascending")["collisions"]
    assert {(found["dimension"], found["link"]["port"]) for found in up} == {(0, "F"), (0, "B")}
    # Nodes 0 and 2 of a cycle of four, both for nodes with bit 1 clear.
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


def check_rounds(answer, network, pairs):
    """Every message arrives once, in rounds of at most one per link, PE and direction."""
    topology = Network.from_words(network.split()).topology
    rounds = answer["rounds"]
    found = [(one["source"], one["destination"]) for ways in rounds for one in ways]
    assert Counter(found) == Counter(pairs)
    for ways in rounds:
        ends = [one["source"] for one in ways], [one["destination"] for one in ways]
        assert all(len(set(side)) == len(side) for side in ends)
        used = Counter(link for one in ways for link in pairwise(one["path"]))
        for (here, there), times in used.items():
            assert times <= np.count_nonzero(topology.neighbours[here] == there)


@pytest.mark.parametrize("network", ["lcan d=3 u=2 levels=3", "fattree r=2,3,4 u=1,2,2"])
@pytest.mark.parametrize("kind", ["json", "csv"])
def test_any_messages_go_in_rounds_without_a_conflict(answer, tmp_path, network, kind):
    nodes = Network.from_words(network.split()).topology.nodes
    rng = np.random.default_rng(4)
    # Half of them leave a quarter of the nodes, and all go to three quarters.
    pairs = rng.integers([nodes // 4, nodes * 3 // 4], size=(nodes, 2)).tolist()
    pairs += [*rng.integers(nodes, size=(nodes // 2, 2)).tolist(), [1, 1], [2, 0], [2, 0]]
    file = tmp_path / f"m.{kind}"
    lines = "".join(f"{s},{t}\n" for s, t in pairs)
    file.write_text(json.dumps(pairs) if kind == "json" else lines)
    told = answer(f"schedule {network} --messages {file}")
    assert (told["messages"], told["conflict_free"]) == (str(file), True)
    assert told["steps"] == len(told["rounds"]) >= told["lower_bound"]
    most = max(max(Counter(end).values()) for end in zip(*pairs, strict=True))
    assert told["lower_bound"] >= most
    check_rounds(told, network, list(map(tuple, pairs)))


@pytest.mark.parametrize(("network", "steps"), [("ccc n=5", 20), ("hypercube n=4", 7)])
def test_messages_go_in_batches_that_the_tables_of_theirs_carry_out(answer, network, steps):
    told = answer(f"schedule {network} --messages random_routing --seed 3")
    topology = Network.from_words(network.split()).topology
    pairs = [(one["source"], one["destination"]) for ways in told["rounds"] for one in ways]
    assert sorted(source for source, _ in pairs) == list(range(topology.nodes))
    most = max(Counter(destination for _, destination in pairs).values())
    assert told["lower_bound"] == most <= len(told["rounds"]) == len(told["batches"])
    assert told["steps"] == steps * len(told["rounds"])
    assert (told["conflict_free"], set(told["flags"].values())) == (True, {0})
    for ways, batch in zip(told["rounds"], told["batches"], strict=True):
        rows = [int(row, 2) for row in batch["matrix"]]
        for one in ways:
            # T s + c: each row of T, the highest bit first, is multiplied by the source.
            bits = "".join(str((row & one["source"]).bit_count() % 2) for row in rows)
            assert int(bits, 2) ^ int(batch["complement"], 2) == one["destination"]
            assert (one["path"][0], one["path"][-1]) == (one["source"], one["destination"])


def test_schedules_of_messages_are_simulated_and_decided_by_a_seed(answer, tmp_path):
    line = "schedule baseline levels=4 --messages random_routing"
    one, same, other = (answer(f"{line} {seed}") for seed in ("", "--seed 1", "--seed 2"))
    assert one == same != other
    assert one["messages"] == "random_routing"
    network = "lcan d=3 u=2 levels=2"
    (tmp_path / "m.json").write_text("[[0, 4], [0, 5], [3, 4], [8, 4], [2, 2]]")
    told = answer(f"schedule {network} --messages {tmp_path}/m.json")
    (tmp_path / "s.json").write_text(json.dumps(told))
    run = answer(
        f"simulate {network} routing=scheduled --schedule {tmp_path}/s.json --engine model"
    )
    assert (run["delivered"], run["lost"], run["misrouted"]) == (5, 0, 0)
    assert run["network_cycles"] == len(told["rounds"]) == 3


REVERSAL = MessageRequest("reversal", None, None, None, 1)


def test_all_steps_in_one_picture_or_in_one_each():
    network = Network(Hypercube(n=3))
    (whole,) = draw_schedule(network, REVERSAL)
    assert "reversal: 5 steps, routing=lc1" in whole
    parts = draw_schedule(network, REVERSAL, apart=True)
    assert len(parts) == 5
    for number, part in enumerate(parts, start=1):
        assert f"step {number} of 5: " in whole
        assert f"reversal: 5 steps, step {number} of 5: " in part
        assert draw_schedule(network, REVERSAL, step=number) == [part]


@pytest.mark.parametrize(
    ("word", "step", "complaint"),
    [
        ("hypercube:n=3", 6, "draw: --step must be in 1..5, not 6"),
        (
            "ccc:n=8",
            None,
            "ccc_n8_lc2: boxes of 40 steps must be at most 4096 to be drawn in one picture, not "
            "10240; --step draws one, --frames a file per step",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(word, step, complaint):
    with pytest.raises(ConfigurationError) as caught:
        draw_schedule(Network.from_word(word), REVERSAL, step=step)
    assert str(caught.value) == complaint
