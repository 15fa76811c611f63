"""Parts of a live module: its channels and header, its patterns, and its compilers."""

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork.errors import ToolError
from knotwork.network import Network
from knotwork_sim.live import webassembly
from knotwork_sim.live.design import channels, design_header, lengths, mangled, pattern_choices
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.patterns import make_law


def test_names_are_mangled_as_cxxrtl_does_and_channels_lead_from_port_to_port():
    assert mangled("s_axis_0_tvalid") == "p_s__axis__0__tvalid"
    network = Network.from_word("ccc:n=3")
    found, topology = channels(network), network.topology
    assert len(found) == (topology.neighbours >= 0).sum()
    for link in found:
        assert topology.neighbours[link.router, link.port] == link.to
        assert topology.peer_ports[link.router, link.port] == link.into


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
            "hypercube:n=2,pipeline=1",
            "p_dim0__o__valid) & *output(design->cell_p_router__00.p_dim0__o__ready)",
        ),
        (
            "hypercube:n=3",
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


def shares_of(choices, nodes, pattern, node):
    """Share with which each node is drawn, by drawing at every boundary of the table."""
    begin, end = choices.first[pattern * nodes + node :][:2]
    widths = np.diff(choices.end[begin:end], prepend=-1)
    return np.bincount(choices.destination[begin:end], widths / 2**32, minlength=nodes)


@pytest.mark.parametrize("word", ["hypercube:n=3", "mesh:x=3,y=2", "torus:x=4,y=3", "ccc:n=3"])
def test_the_shares_are_those_of_simulated_traffic(word):
    topology = Network.from_word(word).topology
    choices = pattern_choices(topology)
    assert choices.names[0] == "uniform"
    for pattern, name in enumerate(choices.names):
        law = make_law(topology, Traffic(traffic=name), np.random.default_rng(0))
        for node in range(topology.nodes):
            told = law.shares(node)
            expected = np.bincount(told.destinations, told.shares, minlength=topology.nodes)
            found = shares_of(choices, topology.nodes, pattern, node)
            assert np.allclose(found, expected, atol=1e-9)


def test_patterns_that_a_network_does_not_have_are_left_out():
    for word, has, lacks in (
        ("hypercube:n=3", "shuffle", "tornado"),
        ("torus:x=4,y=3", "tornado", "shuffle"),
    ):
        names = pattern_choices(Network.from_word(word).topology).names
        assert has in names
        assert lacks not in names


COUNTER = """module counter (input clk, output reg [7:0] count = 8'd0);
  always @(posedge clk) count <= count + 1;
endmodule
"""


def test_a_missing_compiler_is_told_in_a_line(monkeypatch):
    monkeypatch.setattr(webassembly, "find_spec", lambda name: None)
    line = "must be installed, with the extra 'live': run `make setup`, or `pip install ziglang`"
    with refuses(f"ziglang: {line}", ToolError):
        webassembly.build_module("counter", COUNTER, {})


def test_errors_of_compiler_and_yosys_are_one_line(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError, match=r"^zig: must succeed: harness\.cpp:1:1: error: .*\Z"):
        webassembly.build_module("counter", COUNTER, {"harness.cpp": "nonsense;\n"})
    assert not [*(tmp_path / "build/live").glob("*/live.wasm")]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError, match=r"^yosys: must succeed: ERROR: .*\Z"):
        webassembly.build_module("another", COUNTER, {"harness.cpp": ""})
