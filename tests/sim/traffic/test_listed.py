import numpy as np
import pytest
from helpers.refusals import refuses
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import STANDALONE, Traffic
from knotwork_sim.traffic.listed import list_packets
from knotwork_sim.traffic.make import make_packets

CUBE = Network.from_word("hypercube:n=3")
CAST = Network.from_word("hypercube:n=3,multicast=yes,max_packet=7")
WIDE = Network.from_word("wk:w=4,levels=2,broadcast=mask,max_packet=4")
TORUS = Network.from_word("torus:x=4,y=4")
CIRCUITS = Network.from_word("lcan:d=2,u=2,levels=3")
DEFLECTION = Network.from_word("torus:x=3,y=3,router=deflection")
NETWORKS = [CUBE, CAST, WIDE, TORUS, CIRCUITS, DEFLECTION]


def replay(packets, network=CUBE, **keys):
    return make_packets(network, Traffic(traffic="replay", replay=packets, **keys))


def test_packets_are_sorted_by_source_and_cycle_and_else_stay_in_order():
    packets = replay([(5, 1, 2), (3, 1, 4, 2), (0, 0, 7), (3, 1, 6)])
    assert packets.source.tolist() == [0, 1, 1, 1]
    assert packets.time.tolist() == [0, 3, 3, 5]
    assert packets.destination.tolist() == [7, 4, 6, 2]
    assert packets.length.tolist() == [1, 2, 1, 1]


@pytest.mark.parametrize(
    ("packets", "network", "complaint"),
    [
        ([(0, 1, 2), (0, 8, 1)], CUBE, "packet 1: source must be a node in 0..7, not 8"),
        ([(0, 1, 9)], CUBE, "packet 0: destination must be a node in 0..7, not 9"),
        ([(0, 1, 5)], Network.from_word("mesh:x=2,y=2,classes=2,buffer_depth=4"),
         "packet 0: destination must be a node to which source=1 may send, in 0..3, not 5"),
        ([(0, 1, 2)], Network.from_word("banyan:d=2,u=1,levels=2"),
         "packet 0: destination must be a node to which source=1 may send, in 4..4, not 2"),
        ([(0, 1, 2, 99)], CIRCUITS, "packet 0: length must be in 1..16, not 99"),
        ([(0, 1, 2, 2)], DEFLECTION, "packet 0: length must be in 1..1, not 2"),
        ([(0, 1, None)], CUBE,
         f"packet 0: a broadcast must go with a network that has broadcasts, not {CUBE.name}"),
        ([(0, 1, None, 5)], WIDE, "packet 0: length must be in 1..4, not 5"),
        ([(0, 1, [2])], CUBE, f"packet 0: a multicast must go with multicast=yes, not {CUBE.name}"),
        ([(0, 1, [2, 3, 4], 5)], CAST,
         "packet 0: a multicast must have at most 2 destinations with length=5 and max_packet=7, "
         "not 3"),
        ([(0, 1, [2, 2])], CAST,
         "packet 0: hypercube_n3: destinations must be distinct, not 2 twice"),
    ],
)  # fmt: skip
def test_what_the_network_does_not_take_is_refused_by_its_place(packets, network, complaint):
    with refuses(f"traffic: {complaint}"):
        replay(packets, network)


def test_a_line_of_a_file_is_named(tmp_path):
    (tmp_path / "run.csv").write_text("cycle,source,destination,length\n0,0,1,1\n0,1,8,1\n")
    with refuses("run.csv: line 3: destination must be a node in 0..7, not 8"):
        replay(tmp_path / "run.csv")


@pytest.mark.parametrize("keys", [{"rate": 0.3}, {"length": (2, 2)}, {"broadcast_share": 0.5}])
def test_keys_that_draw_packets_are_refused_beside_a_list(keys):
    with pytest.raises(ConfigurationError, match=r"must be unnamed with traffic=replay, not "):
        replay([(0, 1, 2)], **keys)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    network=st.sampled_from(NETWORKS),
    pattern=st.sampled_from(["uniform", "hotspot", "complement:2,uniform:1"]),
    rate=st.sampled_from([0.05, 0.3]),
    packets=st.integers(1, 60),
    longest=st.integers(1, 3),
    burst=st.sampled_from([None, 5.0]),
    stall=st.sampled_from([0.0, 0.4]),
    bubble=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 2**63 - 1),
)
def test_a_recorded_run_comes_again_cycle_by_cycle(
    tmp_path_factory, network, pattern, longest, stall, bubble, seed, **keys
):
    pauses = {"stall": stall, "bubble": bubble, "seed": seed}
    keys |= {"traffic": pattern, "length": (1, min(longest, network.longest_packet or 3))}
    if network.has_broadcast:
        keys["broadcast_share"] = 0.2
    elif network.routing.chain_limit:
        keys["multicast_share"] = 0.2
    traffic = Traffic(**keys, **pauses)
    packets = make_packets(network, traffic)
    file = tmp_path_factory.getbasetemp() / "recorded.csv"
    file.write_text(list_packets(network, packets).text())
    again = Traffic(traffic="replay", replay=file, **pauses)
    repeated = make_packets(network, again)
    for name in ("source", "destination", "length", "time", "virtual_channel", "user", "broadcast"):
        assert (getattr(repeated, name) == getattr(packets, name)).all()
    assert repeated.chains == packets.chains
    first, second = run_model(network, traffic, packets), run_model(network, again, repeated)
    assert (first.rows() == second.rows()).all()
    assert first.clocks == second.clocks


def test_what_no_list_may_hold_is_refused():
    refusing = Network.from_word("lcan:d=2,u=2,levels=3,max_packet=8,name=tree")
    packets = make_packets(refusing, Traffic(length=(9, 9), packets=3))
    with refuses(
        "tree: --record must go with packets that the network takes, not with 3 that it refuses "
        "for their length"
    ):
        list_packets(refusing, packets)
    batches = Network.from_word("hypercube:n=3,routing=lc1,name=cube")
    packets = make_packets(batches, Traffic(traffic="permutation", permutation="reversal"))
    line = "cube: --record must go with packets that come at any time, not with routing=lc1"
    with refuses(line):
        list_packets(batches, packets)


def test_every_pattern_of_a_run_can_be_listed():
    for pattern in STANDALONE:
        packets = make_packets(TORUS, Traffic(traffic=pattern, packets=30))
        listed = list_packets(TORUS, packets)
        assert len(listed) == 30
        assert (np.diff(listed.cycle) >= 0).all()
