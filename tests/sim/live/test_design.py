import pytest
from knotwork.network import Network
from knotwork_sim.live.design import channels, design_header, lengths, mangled
from knotwork_sim.live.patterns import pattern_choices


def test_names_are_mangled_as_cxxrtl_does():
    assert mangled("s_axis_0_tvalid") == "p_s__axis__0__tvalid"


def test_channels_lead_from_port_to_port():
    topology = Network.from_word("ccc:n=3").topology
    found = channels(Network.from_word("ccc:n=3"))
    assert len(found) == (topology.neighbours >= 0).sum()
    back = {(link.to, link.into): (link.router, link.port) for link in found}
    assert all(back[link.router, link.port] == (link.to, link.into) for link in found)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("hypercube:n=2", (1, 4096)), ("hypercube:n=3,router=deflection", (1, 1))],
)
def test_lengths_are_those_that_the_network_takes(word, expected):
    assert lengths(Network.from_word(word)) == expected


@pytest.mark.parametrize(
    ("word", "crosses"),
    [
        (
            "hypercube:n=2",
            "p_dim0__o__valid) & *output(design->cell_p_router__00.p_dim0__o__ready)",
        ),
        (
            "hypercube:n=3,pipeline=2",
            "return (*output(design->cell_p_router__000.p_dim0__o__valid))",
        ),
        ("lcan:d=2,u=2,levels=2", "__kind) & 2) != 0"),
    ],
)
def test_a_flit_crosses_when_the_router_class_says(word, crosses):
    network = Network.from_word(word)
    header = design_header(network, pattern_choices(network.topology))
    assert crosses in header
    assert header.count("case ") == len(channels(network))
