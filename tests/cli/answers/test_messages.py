"""Message sets that `schedule` carries out."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from knotwork import Network


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


@pytest.mark.parametrize(
    "network",
    [
        "lcan d=3 u=2 levels=3",
        "lcan d=4 u=2 levels=3 interconnect=tree",
        "lcan d=3 u=3 levels=3",
        "baseline levels=5",
        "fattree r=2,3,4 u=1,2,2",
        "cm5 levels=3",
    ],
)
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


def test_random_routing_is_decided_by_its_seed(answer):
    line = "schedule baseline levels=4 --messages random_routing"
    one, same, other = (answer(f"{line} {seed}") for seed in ("", "--seed 1", "--seed 2"))
    assert one == same != other
    assert one["messages"] == "random_routing"


def test_a_schedule_of_messages_is_simulated(answer, tmp_path):
    network = "lcan d=3 u=2 levels=2"
    (tmp_path / "m.json").write_text("[[0, 4], [0, 5], [3, 4], [8, 4], [2, 2]]")
    told = answer(f"schedule {network} --messages {tmp_path}/m.json")
    (tmp_path / "s.json").write_text(json.dumps(told))
    run = answer(
        f"simulate {network} routing=scheduled --schedule {tmp_path}/s.json --engine model"
    )
    assert (run["delivered"], run["lost"], run["misrouted"]) == (5, 0, 0)
    assert run["network_cycles"] == len(told["rounds"]) == 3
