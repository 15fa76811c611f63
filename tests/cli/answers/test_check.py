"""Verb check: what it answers, its tables, what it refuses."""

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
        "check: --graphml must go with one network, not 2: a file has one graph"
    )
    assert refusal(f"check hypercube n=13 --graphml {file}") == (
        "hypercube_n13: nodes must be at most 4096 for --graphml, not 8192"
    )
    assert list(tmp_path.iterdir()) == []
