import pytest
from knotwork import Network
from knotwork.costs.circuit import circuit_pieces


@pytest.mark.parametrize(
    ("word", "level", "crosspoints"),
    [
        # Each downer from the others and the uppers, each upper from the downers.
        ("lcan:d=2,u=2,levels=3", 0, 2 * (1 + 2) + 2 * 2),
        ("lcan:d=4,u=2,levels=3", 0, 4 * (3 + 2) + 2 * 4),
        ("lcan:d=4,u=2,levels=3", 2, 4 * 3),
        ("banyan:d=2,u=2,levels=3", 0, 2 * 2 + 2 * 2),
    ],
)
def test_the_crosspoints_are_those_that_circuits_take(word, level, crosspoints):
    network = Network.from_word(word)
    kind = next(kind for kind in network.router_kinds if kind.role == f"router_level{level}")
    sizes = circuit_pieces(network, kind)["lut4"]
    assert sizes["crosspoints"] == crosspoints
    assert sizes["wires"] == (len(kind.ports) - 1) * (32 + 2)


def test_a_switch_of_two_downers_at_the_top_chooses_nothing():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    kind = next(kind for kind in network.router_kinds if kind.role == "router_level1")
    sizes = circuit_pieces(network, kind)["lut4"]
    assert (sizes["choice"], sizes["crossbar"], sizes["requests"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("word", "multiplied"),
    [
        ("lcan:d=4,u=2,levels=2", False),
        ("lcan:d=3,u=2,levels=2", True),
        ("lcan:d=4,u=3,levels=2", True),
    ],
)
def test_a_scan_of_a_count_that_is_no_power_of_two_is_multiplied(word, multiplied):
    network = Network.from_word(word)
    kind = next(kind for kind in network.router_kinds if kind.role == "router_level0")
    assert circuit_pieces(network, kind)["ns"]["multiplied"] == multiplied
