"""Paths and next routers that `route` tells."""

from knotwork import Network


def test_route_to_the_node_itself(answer):
    assert answer("route hypercube n=3 5 5") == {
        "path": [5],
        "labels": ["101"],
        "ports": [],
        "virtual_channels": [],
    }


def test_route_table_of_paths_found_at_the_source(answer):
    table = answer("route moebius n=4 routing=approx_spr --table")["next"]
    routing = Network.from_words(["moebius", "n=4", "routing=approx_spr"]).routing
    for a in range(16):
        for b in range(16):
            assert table[a][b] == (-1 if a == b else routing.path(a, b)[1])


def test_route_found_at_the_source(answer):
    # 1-MC_3: e_2, E_0 become E_2, E_1, E_0; neither E_1 nor E_0 is at 000, both are at 111.
    assert answer("route moebius n=3 twist=1 routing=approx_spr 0 5") == {
        "path": [0, 7, 6, 5],
        "labels": ["000", "111", "110", "101"],
        "ports": ["dim2", "dim0", "dim1"],
        "virtual_channels": [0, 0, 0],
    }
