"""Verilog of routers with credits: three cycles per hop, long links, small buffers."""

import numpy as np
import pytest
from helpers.long_links import long_graphs, network_of
from helpers.routes import slow
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from knotwork import Mesh, Network
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packets import packet_table


@pytest.mark.parametrize(
    "word",
    ["mesh:x=2,y=2,virtual_channels=2,buffer_depth=5", *slow([
        "mesh:x=3,y=2,buffer_depth=5", "moebius:n=3,routing=spr,vc_scheme=escape",
        "mesh:x=3,y=2,classes=2", "moebius:n=3,multicast=yes", "hypercube:n=3,parity=yes",
        "mesh:x=2,y=2,nodes_per_router=2", "wk:w=3,levels=2,broadcast=label", "tcpg:k=1,m=1",
    ])],
)  # fmt: skip
def test_the_verilog_of_three_cycles_per_hop_is_equal(equal, word):
    network = Network.from_word(f"{word},pipeline=3,data_width=8")
    share = 0.2 if network.has_broadcast else 0.0
    keys = {"rate": 0.6, "length": (1, 6), "stall": 0.3, "bubble": 0.1}
    equal(network, packets=400, broadcast_share=share, **keys)


@pytest.mark.parametrize("channels", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_verilog_of_long_links_is_equal_in_every_cycle(equal, channels):
    """Links of 1 to 16 cycles, one one-way, buffers deeper than `buffer_depth`, two or no nodes."""
    links = [(0, 1, 2), (1, 2, 16), (2, 0), (0, 2, 5), (2, 0, 7)]
    network = network_of(
        links, nodes=[2, 1, 0], directed=True, data_width=8, buffer_depth=4, routing="shortest",
        virtual_channels=channels,
    )  # fmt: skip
    equal(network, packets=200, rate=0.4, length=(1, 20), stall=0.2, bubble=0.1)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, phases=[Phase.generate])
@given(long_graphs(), st.booleans(), st.sampled_from([4, 7, 16]))
def test_the_verilog_of_any_long_links_is_equal(equal, links, directed, depth):
    network = network_of(links, directed=directed, data_width=8, buffer_depth=depth)
    equal(network, packets=400, rate=0.5, length=(1, 12), stall=0.1)


@pytest.mark.parametrize(("pipeline", "depth", "share"), [
    (2, 2, 1 / 2), (2, 3, 3 / 4), (2, 4, 1), (3, 2, 2 / 5), (3, 4, 4 / 5), (3, 5, 1)
])  # fmt: skip
@pytest.mark.parametrize("channels", [1, 4])
def test_small_buffers_fill_a_part_of_a_link_per_virtual_channel(pipeline, depth, share, channels):
    keys = {"pipeline": pipeline, "buffer_depth": depth, "virtual_channels": channels}
    network = Network(Mesh(x=6, y=2), **keys)
    assert network.channel_share == pytest.approx(share)
    # All nodes of the left half send to all of the right half of their row, over one link.
    sources, destinations = np.repeat([0, 1, 2], 200), np.tile([3, 4, 5], 200)
    packets = packet_table(
        network, source=sources, destination=destinations, length=np.ones(600, int),
        time=np.zeros(600, int), seed=1,
    )  # fmt: skip
    cycles = int(run_log(network, Traffic(), packets).log.clock[-1])
    assert 600 / cycles == pytest.approx(min(1, channels * share), rel=0.1)
