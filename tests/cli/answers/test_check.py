"""Verb check: what it answers, its tables, what it refuses."""

import json

import pytest


def test_paths_found_at_the_source_and_walked_by_rule(answer, refusal, run):
    report = answer("check moebius n=4 routing=approx_spr", status=1)
    assert report["channels"] == 4 * 16
    assert report["cycle"]
    assert answer("check moebius n=2 routing=approx_spr")["deadlock_free"] is True
    for n, nodes in ((10, 1024), (13, 8192)):
        assert refusal(f"check moebius n={n} routing=approx_spr") == (
            f"moebius: nodes must be at most 512 to walk all pairs with routing=approx_spr, "
            f"not {nodes}"
        )
    report = answer("check moebius n=7 twist=0 routing=dfr virtual_channels=1")
    assert report["deadlock_free"] is True
    assert report["channels"] == 7 * 128
    assert report["virtual_channels"] == 1
    assert report["cycle"] is None
    assert report["dependencies"] > 0
    assert "acyclic" in report["reason"]
    assert run("check hypercube n=3")[0] == 0


@pytest.mark.usefixtures("cyclic")
def test_check_of_a_network_with_a_cycle_prints_it_and_fails(answer, run):
    report = answer("check ring", status=1)
    assert report["deadlock_free"] is False
    assert sorted(report["cycle"]) == [[i, (i + 1) % 6, 0] for i in range(6)]
    status, out, err = run("check ring")
    assert (status, err) == (1, "")
    ends = [line.split("│")[1:3] for line in out.splitlines() if "│" in line]
    links = {tuple(map(str.strip, pair)) for pair in ends}
    assert links >= {(f"{i:03b}", f"{(i + 1) % 6:03b}") for i in range(6)}


def test_the_graph_goes_to_a_file_even_where_it_has_a_cycle(answer, run, tmp_path):
    file = tmp_path / "deep" / "graph.graphml"
    report = answer(f"check moebius n=3 routing=set_spr --graphml {file}", status=1)
    assert report["graphml"] == str(file)
    text = file.read_text()
    assert text.count("<node ") == report["channels"] == 24
    assert text.count("<edge ") == report["dependencies"]
    status, out, err = run(f"check hypercube n=3 --graphml {file}")
    assert (status, err) == (0, "")
    assert out.endswith(f"\n{file}\n")
    assert "graphml" not in answer("check hypercube n=3")


def test_a_graph_that_cannot_be_is_refused_before_anything_is_written(refusal, tmp_path):
    file = tmp_path / "graph.graphml"
    assert refusal(f"check hypercube n=2 hypercube n=3 --graphml {file}") == (
        "check: --graphml must be used with one network, not 2: a file has one graph"
    )
    assert refusal(f"check hypercube n=13 --graphml {file}") == (
        "hypercube_n13: nodes must be at most 4096 for --graphml, not 8192"
    )
    assert list(tmp_path.iterdir()) == []


# Figures 3.1 and 3.2 of the thesis: pairs of nodes, and their paths' channels, which make a ring.
DEADLOCKS = {
    0: ("07 43 71 35 16 52 60 24", [0, 4, 7, 3, 1, 5, 6, 2]),
    1: ("04 73 41 36 15 62 50 27", [0, 7, 4, 3, 1, 6, 5, 2]),
}


@pytest.mark.parametrize("routing", ["spr virtual_channels=1", "set_spr"])
@pytest.mark.parametrize("twist", DEADLOCKS)
def test_messages_alone_are_the_deadlock_of_the_thesis(run, tmp_path, twist, routing):
    pairs, ring = DEADLOCKS[twist]
    file = tmp_path / "sent.csv"
    file.write_text("\n".join(f"{a},{b}" for a, b in pairs.split()))
    status, out, _ = run(
        f"check moebius n=3 twist={twist} routing={routing} --messages {file} --json"
    )
    assert status == 1
    told = json.loads(out)
    start = [end for end, *_ in told["cycle"]].index(0)
    assert [(a, b) for a, b, _ in told["cycle"][start:] + told["cycle"][:start]] == list(
        zip(ring, [*ring[1:], 0], strict=True)
    )
    assert told["reason"] == (
        "8 messages walked: their channel dependence graph has a cycle of 8 channels"
    )
    # One message less breaks the ring, and so does another routing.
    file.write_text("\n".join(f"{a},{b}" for a, b in pairs.split()[1:]))
    assert run(f"check moebius n=3 twist={twist} routing={routing} --messages {file}")[0] == 0
    file.write_text("\n".join(f"{a},{b}" for a, b in pairs.split()))
    assert run(f"check moebius n=3 twist={twist} routing=dfr --messages {file}")[0] == 0


def test_messages_alone_go_with_one_network_whose_packets_keep_to_their_path(
    refusal, answer, tmp_path
):
    file = tmp_path / "sent.csv"
    file.write_text("0,1")
    line = f"--messages {file}"
    assert refusal(f"check moebius:n=3 moebius:n=4 {line}") == (
        "check: --messages must be used with one network, not 2"
    )
    assert refusal(f"check moebius n=3 {line} --graphml {tmp_path}/x.graphml") == (
        "check: --messages must be used without --graphml"
    )
    assert refusal(f"check moebius n=3 routing=spr vc_scheme=escape {line}") == (
        "moebius: packets must keep to one path in a check of messages, not choose as with "
        "routing=spr"
    )
    told = answer(f"check lcan d=2 u=2 levels=2 {line}")
    assert told == answer("check lcan d=2 u=2 levels=2")
