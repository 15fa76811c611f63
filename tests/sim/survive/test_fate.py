import pytest
from knotwork.network import Network
from knotwork.own.portable import packed
from knotwork.topology.altered import without
from knotwork_sim.survive.fate import SHOWN, Trial, carried, rerouted


def fate(dead, *words, measure=None):
    network = Network.from_words(words or ["ring", "n=6"])
    (found,) = Trial(packed(network), [dead], SHOWN, measure)()
    return found


@pytest.mark.parametrize(
    ("dead", "nodes"), [(("0-5",), 6), (("2-3",), 6), (("4",), 5), (("4", "4-5"), 5)]
)
def test_a_ring_with_a_gap_is_a_path(dead, nodes):
    """The middle channel of a path carries all that its two parts send each other."""
    found = fate(dead)
    assert (found.connected, found.nodes) == (True, nodes)
    fullest = (nodes // 2) * (nodes - nodes // 2) / (nodes - 1)
    for told in found.carried.values():
        assert told.deadlock_free
        assert told.ideal_throughput == pytest.approx(1 / fullest)
        assert told.average_hops == pytest.approx((nodes + 1) / 3)
        assert told.accepted is None


@pytest.mark.parametrize(
    "dead", [("0-5", "2-3"), ("0", "3"), ("0", "2-3"), ("0", "1", "2", "3", "4")]
)
def test_what_falls_apart_carries_nothing(dead):
    found = fate(dead)
    assert not found.connected
    assert found.as_json() == {
        "dead": list(dead),
        "connected": False,
        "nodes": None,
        "routings": {},
    }


def test_a_network_loses_nothing_by_another_number_of_its_routers():
    """By its symmetry, one dead router of a torus is as bad as any other."""
    every = [fate((str(router),), "torus", "x=3", "y=3") for router in range(9)]
    assert len({round(one.carried["shortest"].average_hops, 9) for one in every}) == 1


def test_the_golden_model_accepts_less_than_the_ideal():
    told = fate(("0-5",), measure=400).carried["updown"]
    assert 0.3 < told.accepted <= told.ideal_throughput * 1.05


def test_survivors_keep_the_keys_of_the_hardware():
    whole = Network.from_words(["mesh", "x=3", "y=3", "data_width=24", "buffer_depth=8"])
    left = rerouted(whole, without(whole.topology, "4"), "shortest")
    assert (left.parameters["data_width"], left.parameters["buffer_depth"]) == (24, 8)
    assert left.topology.nodes == 8
    assert carried(left, None).average_hops == pytest.approx(16 / 7)  # a ring of eight
