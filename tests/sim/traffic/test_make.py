"""Packets of a run: drawn, listed, in batches, hostile; and what is refused."""

import numpy as np
import pytest
from helpers.refusals import refuses
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.routing import routings_of
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement
from knotwork.routing.scheduling.rounds import schedule
from knotwork.topology import TOPOLOGIES
from knotwork_sim.model.run import run_model
from knotwork_sim.sweep.point import draw_packets
from knotwork_sim.traffic.arrivals import make_arrivals, rate_limit, successes
from knotwork_sim.traffic.jump_tables import ConfigSource, Loading
from knotwork_sim.traffic.keys import STANDALONE, Traffic
from knotwork_sim.traffic.make import (
    PACKET_MAKERS,
    Requirement,
    as_traffic,
    hostile_packets,
    list_packets,
    make_packets,
    require_all,
)
from knotwork_sim.traffic.packets import EVERYONE, address_codes

RANDOM = Traffic(traffic="permutation", permutation="random", packets=8)


def test_every_way_in_which_packets_arrive_has_its_maker():
    routings = [routing for name in TOPOLOGIES for routing in routings_of(name).values()]
    assert {routing.arrivals for routing in routings} == PACKET_MAKERS.keys()


@pytest.mark.parametrize(
    ("word", "arrivals"),
    [
        ("hypercube:n=3", "any_time"),
        ("hypercube:n=3,routing=lc1", "batches"),
        ("lcan:d=2,u=2,levels=3", "any_time"),
        ("lcan:d=2,u=2,levels=3,routing=scheduled", "rounds"),
    ],
)
def test_packets_are_made_as_the_routing_takes_them(word, arrivals):
    network = Network.from_word(word)
    assert network.routing.arrivals == arrivals
    packets, expected = make_packets(network, RANDOM), PACKET_MAKERS[arrivals](network, RANDOM)
    for name in ("source", "destination", "length", "time", "user"):
        assert (getattr(packets, name) == getattr(expected, name)).all()


def test_rounds_go_before_the_pattern():
    network = Network.from_word("lcan:d=2,u=2,levels=3,routing=scheduled")
    destinations = np.roll(np.arange(8), 3)
    rounds = schedule(network.topology, np.arange(8), destinations)
    packets = make_packets(network, Traffic(), rounds=rounds)
    assert packets.destination.tolist() == destinations.tolist()


def test_a_program_gives_packets_in_any_form():
    network = Network.from_word("hypercube:n=3")
    rows = [(cycle, cycle % 8, 7 - cycle % 8, 1) for cycle in range(20)]
    keys = Traffic(stall=0.5)
    assert as_traffic(network, keys) is keys
    forms = (rows, np.array(rows), iter(rows), lambda net: rows[: net.topology.nodes * 3])
    for form in forms:
        packets = make_packets(network, as_traffic(network, form))
        assert sorted(packets.time.tolist()) == list(range(20))
    assert as_traffic(network, lambda _: keys) is keys
    line = "it must be a Traffic, packets, or a function of the network that returns them, not 5"
    with refuses(f"traffic: {line}"):
        as_traffic(network, 5)


@pytest.mark.parametrize("word", ["hypercube:n=3", "torus:x=4,y=4", "moebius:n=4"])
@pytest.mark.parametrize("length", [(1, 1), (1, 5)])
def test_uniform_packets_are_drawn_as_they_always_were(word, length):
    """Draws in their order: who creates, in all cycles; the destination's distance; the length."""
    network = Network.from_word(word)
    nodes = network.topology.nodes
    packets = make_packets(network, Traffic(rate=0.3, packets=50, length=length, seed=9))
    rng = np.random.default_rng([9, 1])
    each = 0.3 * 2 / sum(length)
    block = int(1.1 * 50 / (nodes * each)) + 1
    found, cycle = [], 0
    while len(found) < 50:
        creates = np.argwhere(rng.random((block, nodes)) < each)
        found += [(node, cycle + row) for row, node in creates.tolist()]
        cycle += block
    source, time = np.array(sorted(found[:50])).T
    assert packets.source.tolist() == source.tolist()
    assert packets.time.tolist() == time.tolist()
    destination = (source + rng.integers(1, nodes, 50)) % nodes
    assert packets.destination.tolist() == destination.tolist()
    assert packets.length.tolist() == rng.integers(length[0], length[1] + 1, 50).tolist()


def test_traffic_that_meets_all_requirements_passes():
    require_all(Traffic(), Network(Hypercube(n=2)).routing, [Requirement("rate", "1", True, 1)])


BATCHES = "ccc:n=4,routing=lc2,words=3"
SCHEDULED = "lcan:d=3,u=2,levels=3,routing=scheduled,max_packet=4"


@pytest.mark.parametrize(
    ("word", "keys", "line"),
    [
        (BATCHES, {}, "traffic must be permutation with routing=lc2, not uniform"),
        (BATCHES, {"packets": 20},
         "packets must be a multiple of its 16 nodes with routing=lc2, not 20"),
        (BATCHES, {"rate": 0.5}, "rate must be 1 or unnamed with routing=lc2, not 0.5"),
        (BATCHES, {"length": (1, 1)}, "length must be words=3 with routing=lc2, not 1"),
        (BATCHES, {"length": (1, 8)}, "length must be words=3 with routing=lc2, not 1-8"),
        (BATCHES, {"multicast_share": 0.25},
         "multicast_share must be 0 with routing=lc2, not 0.25"),
        (BATCHES, {"broadcast_share": 0.25},
         "broadcast_share must be 0 with routing=lc2, not 0.25"),
        (SCHEDULED, {},
         "traffic must be permutation, or --schedule with routing=scheduled, not uniform"),
        (SCHEDULED, {"packets": 28},
         "packets must be 27 or unnamed with routing=scheduled, not 28"),
        (SCHEDULED, {"rate": 0.5}, "rate must be 1 or unnamed with routing=scheduled, not 0.5"),
        (SCHEDULED, {"bubble": 0.5}, "bubble must be 0 with routing=scheduled, not 0.5"),
        (SCHEDULED, {"length": (1, 3)},
         "length must be one number with routing=scheduled, not 1-3"),
        (SCHEDULED, {"multicast_share": 0.5},
         "multicast_share must be 0 with routing=scheduled, not 0.5"),
        # The first that does not hold is named.
        (SCHEDULED, {"broadcast_share": 0.5, "bubble": 0.5},
         "bubble must be 0 with routing=scheduled, not 0.5"),
    ],
)  # fmt: skip
def test_what_the_routing_does_not_take_is_refused(word, keys, line):
    fixed = {"traffic": "permutation", "permutation": "identity"} if keys else {}
    with refuses(f"traffic: {line}"):
        make_packets(Network.from_word(word), Traffic(**fixed, **keys))


CUBE = Network(Hypercube(n=4))
MANY = 40_000
PATTERNS = [pattern for pattern in STANDALONE if pattern != "tornado"]  # a cube has none
CAST = Network(Hypercube(n=3), multicast="yes", max_packet=7)


@pytest.mark.parametrize("traffic", PATTERNS)
@pytest.mark.parametrize(("rate", "length"), [(0.05, (1, 1)), (0.4, (1, 8)), (1.0, (3, 3))])
def test_rate_and_lengths_are_as_asked(traffic, rate, length):
    keys = {"traffic": traffic, "rate": rate, "length": length, "packets": MANY}
    packets = make_packets(CUBE, Traffic(**keys))
    offered = packets.length.sum() / (16 * (packets.time.max() + 1))
    assert offered == pytest.approx(rate, rel=0.03)
    first, last = length
    counts = np.bincount(packets.length, minlength=last + 1)[first:]
    assert counts.sum() == len(packets) == MANY
    assert counts.min() > 0.9 * MANY / (last - first + 1)


@given(
    traffic=st.sampled_from(PATTERNS),
    rate=st.floats(0.001, 1),
    packets=st.integers(1, 300),
    length=st.tuples(st.integers(1, 9), st.integers(0, 9)).map(lambda p: (p[0], p[0] + p[1])),
    seed=st.integers(0, 2**63 - 1),
)
def test_packets_are_sorted_by_source_and_time_and_the_seed_decides_them(**keys):
    traffic = Traffic(**keys)
    packets, again = make_packets(CUBE, traffic), make_packets(CUBE, traffic)
    assert len(packets) == traffic.packets
    for name in ("source", "destination", "length", "time", "virtual_channel", "first_packet"):
        assert (getattr(packets, name) == getattr(again, name)).all()
        assert getattr(packets, name).dtype == np.int64
    assert (packets.words(32) == again.words(32)).all()
    for node in range(16):
        own = slice(packets.first_packet[node], packets.first_packet[node + 1])
        assert (packets.source[own] == node).all()
        assert (np.diff(packets.time[own]) > 0).all()
    assert packets.first_packet[-1] == len(packets)
    assert packets.first_flit[-1] == packets.length.sum()


def test_another_seed_draws_other_packets_and_other_contents():
    one, two = (make_packets(CUBE, Traffic(seed=seed)) for seed in (1, 2))
    assert (one.source != two.source).any()
    assert (one.words(64)[:1000] != two.words(64)[:1000]).all()


def test_a_longer_permutation_goes_on_at_one_flit_per_cycle():
    keys = {"traffic": "permutation", "permutation": "reversal", "length": (4, 4)}
    packets = make_packets(CUBE, Traffic(packets=48, **keys))
    assert packets.source.tolist() == [node for node in range(16) for _ in range(3)]
    assert packets.time.tolist() == [0, 4, 8] * 16
    slow = make_packets(CUBE, Traffic(packets=MANY, rate=0.2, **keys))
    assert slow.length.sum() / (16 * slow.time.max()) == pytest.approx(0.2, rel=0.03)


def test_multicasts_have_their_share_and_random_members():
    packets = make_packets(CAST, Traffic(packets=2000, multicast_share=0.25, length=(1, 3)))
    assert 400 < packets.multicast.sum() < 600
    assert not packets.refused.any()
    sizes = [len(chain) for chain in packets.chains.values()]
    assert set(sizes) == {1, 2, 3, 4}  # three flits of data leave room for four addresses
    met = {member for members in packets.members.values() for member in members}
    assert met == set(range(8))
    for number, members in packets.members.items():
        assert int(packets.source[number]) not in members
        assert len(set(members)) == len(members)


def test_members_are_drawn_from_their_range():
    packets = make_packets(CAST, Traffic(packets=200, multicast_share=1.0, members=(2, 3)))
    assert {len(chain) for chain in packets.chains.values()} == {2, 3}


@pytest.mark.parametrize(
    ("network", "keys", "complaint"),
    [
        (Network(Hypercube(n=3)), {},
         "multicast_share must be 0 for a network without multicast=yes, not 0.5"),
        (CAST, {"length": (1, 7)},
         "length must leave space for a list of destinations in max_packet=7, at most 6, not 7"),
        (CAST, {"length": (1, 3), "members": (2, 5)},
         "members must be at most 4, with length=3 and max_packet=7, not 5"),
    ],
)  # fmt: skip
def test_multicasts_that_cannot_be_are_refused(network, keys, complaint):
    with refuses(f"traffic: {complaint}"):
        make_packets(network, Traffic(multicast_share=0.5, **keys))


CYCLES = 50_000


def cycles_of(traffic, rate, nodes=16, weights=None):
    """Cycles in which each node creates a packet, bool of shape (nodes, cycles)."""
    made = make_arrivals(traffic, nodes, rate, weights)
    source, time = made.within(np.random.default_rng(1), CYCLES)
    assert (np.diff(source * CYCLES + time) > 0).all()  # in order, at most one per cycle
    table = np.zeros((nodes, CYCLES), bool)
    table[source, time] = True
    return table


@pytest.mark.parametrize(("burst", "rate"), [(4, 0.3), (20, 0.1), (1, 0.4), (100, 0.6)])
def test_a_burst_has_its_mean_length_and_the_load_its_mean_rate(burst, rate):
    """At one packet per cycle of a burst, runs of packets are the bursts: geometric ones."""
    table = cycles_of(Traffic(burst=burst), rate)
    # Of a two-state chain, the share of cycles on has this variance over so many cycles.
    spread = (rate * (1 - rate) / table.size * 2 * burst * (1 - rate)) ** 0.5
    assert abs(table.mean() - rate) < 5 * max(spread, (rate / table.size) ** 0.5)
    edges = np.diff(np.pad(table, ((0, 0), (1, 1))).astype(int), axis=1)
    starts, ends = np.nonzero(edges == 1), np.nonzero(edges == -1)
    whole = (starts[1] > 0) & (ends[1] < CYCLES)  # neither cut at the start nor at the end
    lengths = (ends[1] - starts[1])[whole]
    deviation = (burst * (burst - 1)) ** 0.5  # of a geometric length
    assert lengths.mean() == pytest.approx(burst, abs=5 * deviation / len(lengths) ** 0.5 + 1e-9)
    if burst > 1:
        assert lengths.std() == pytest.approx(deviation, rel=0.15)


def test_a_burst_may_be_slower_than_a_flit_per_cycle():
    traffic = Traffic(burst=50, burst_rate=0.4, length=(2, 2))
    table = cycles_of(traffic, 0.1)
    assert 2 * table.mean() == pytest.approx(0.1, rel=0.1)
    # Within 5 cycles of a packet, a node is still in its burst with a chance of 0.98^5: it creates
    # 0.2 packets per cycle there, against 0.05 on average.
    near = np.mean([(table[:, :-lag] & table[:, lag:]).sum() / table[:, :-lag].sum()
                    for lag in range(1, 6)])  # fmt: skip
    assert near == pytest.approx(0.2 * 0.95 + 0.05 * 0.05, rel=0.1)


def test_nodes_have_the_rates_of_their_weights():
    weights = np.array([0.0, 0.5, 1.0, 2.5])
    for traffic in (Traffic(), Traffic(burst=10)):
        rates = cycles_of(traffic, 0.2, nodes=4, weights=weights).mean(axis=1)
        assert rates[0] == 0
        assert rates[1:] == pytest.approx(0.2 * weights[1:], rel=0.12)


@pytest.mark.parametrize("keys", [{}, {"burst": 30.0}, {"burst": 5.0, "burst_rate": 0.5}])
def test_a_simulation_and_a_sweep_offer_the_rate(keys):
    traffic = Traffic(length=(1, 3), seed=4, **keys)
    point = draw_packets(CUBE, traffic, 0.25, CYCLES)
    assert point.length.sum() / (16 * CYCLES) == pytest.approx(0.25, rel=0.05)
    packets = make_packets(CUBE, Traffic(length=(1, 3), rate=0.25, packets=60_000, **keys))
    assert len(packets) == 60_000
    assert packets.length.sum() / (16 * packets.time.max()) == pytest.approx(0.25, rel=0.05)


@pytest.mark.parametrize(
    ("keys", "rate", "limit", "reason"),
    [
        ({"burst": 4.0}, 0.9, "0.8", " with burst=4"),
        ({"burst": 1.0}, 0.6, "0.5", " with burst=1"),
        ({"burst": 9.0, "burst_rate": 0.5}, 0.5, "0.45", " with burst=9 and burst_rate=0.5"),
    ],
)
def test_a_load_that_leaves_no_pause_is_refused(keys, rate, limit, reason):
    with refuses(f"traffic: rate must be at most {limit}{reason}, not {rate:g}"):
        make_packets(CUBE, Traffic(rate=rate, **keys))
    assert rate_limit(Traffic(**keys), None) == pytest.approx(float(limit))
    make_packets(CUBE, Traffic(rate=float(limit), packets=10, **keys))


def test_few_packets_of_long_bursts_are_found():
    packets = make_packets(CUBE, Traffic(burst=1000.0, rate=0.001, packets=7))
    assert len(packets) == 7


def test_successes_are_bernoulli_trials():
    found = successes(np.random.default_rng(2), 0.3, 100_000)
    assert (np.diff(found) > 0).all()
    assert found[-1] < 100_000
    assert abs(len(found) - 30_000) < 5 * (100_000 * 0.21) ** 0.5
    assert successes(np.random.default_rng(2), 1.0, 5).tolist() == [0, 1, 2, 3, 4]
    assert len(successes(np.random.default_rng(2), 0.5, 0)) == 0


CUBE3 = Network.from_word("hypercube:n=3")
CAST3 = Network.from_word("hypercube:n=3,multicast=yes,max_packet=7")
WIDE = Network.from_word("wk:w=4,levels=2,broadcast=mask,max_packet=4")
TORUS = Network.from_word("torus:x=4,y=4")
CIRCUITS = Network.from_word("lcan:d=2,u=2,levels=3")
DEFLECTION = Network.from_word("torus:x=3,y=3,router=deflection")
NETWORKS = [CUBE3, CAST3, WIDE, TORUS, CIRCUITS, DEFLECTION]


def replay(packets, network=CUBE3, **keys):
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
        ([(0, 1, 2), (0, 8, 1)], CUBE3, "packet 1: source must be a node in 0..7, not 8"),
        ([(0, 1, 9)], CUBE3, "packet 0: destination must be a node in 0..7, not 9"),
        ([(0, 1, 5)], Network.from_word("mesh:x=2,y=2,classes=2,buffer_depth=4"),
         "packet 0: destination must be a node to which source=1 may send, in 0..3, not 5"),
        ([(0, 1, 2)], Network.from_word("banyan:d=2,u=1,levels=2"),
         "packet 0: destination must be a node to which source=1 may send, in 4..4, not 2"),
        ([(0, 1, 2, 99)], CIRCUITS, "packet 0: length must be in 1..16, not 99"),
        ([(0, 1, 2, 2)], DEFLECTION, "packet 0: length must be in 1..1, not 2"),
        ([(0, 1, None)], CUBE3,
         "packet 0: a broadcast must be used with a network that has broadcasts, not "
         f"{CUBE3.name}"),
        ([(0, 1, None, 5)], WIDE, "packet 0: length must be in 1..4, not 5"),
        ([(0, 1, [2])], CUBE3,
         f"packet 0: a multicast must be used with multicast=yes, not {CUBE3.name}"),
        ([(0, 1, [2, 3, 4], 5)], CAST3,
         "packet 0: a multicast must have at most 2 destinations with length=5 and max_packet=7, "
         "not 3"),
        ([(0, 1, [2, 2])], CAST3,
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
    with pytest.raises(ConfigurationError, match=r"must be left unset with traffic=replay, not "):
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
        "tree: --record must be used with packets that the network takes, not with 3 that it "
        "refuses for their length"
    ):
        list_packets(refusing, packets)
    batches = Network.from_word("hypercube:n=3,routing=lc1,name=cube")
    packets = make_packets(batches, Traffic(traffic="permutation", permutation="reversal"))
    line = "cube: --record must be used with packets that come at any time, not with routing=lc1"
    with refuses(line):
        list_packets(batches, packets)


def test_every_pattern_of_a_run_can_be_listed():
    for pattern in STANDALONE:
        packets = make_packets(TORUS, Traffic(traffic=pattern, packets=30))
        listed = list_packets(TORUS, packets)
        assert len(listed) == 30
        assert (np.diff(listed.cycle) >= 0).all()


NETWORK = Network(CubeConnectedCycles(n=4), routing="lc2", words=3)


def batches(name, network=NETWORK, **keys):
    return make_packets(network, Traffic(traffic="permutation", permutation=name, **keys))


def test_every_node_has_a_packet_in_each_batch():
    packets = batches("reversal", packets=48)
    assert packets.source.tolist() == [node for node in range(16) for _ in range(3)]
    reversal = [int(f"{node:04b}"[::-1], 2) for node in range(16)]
    assert packets.destination.tolist() == [reversal[node] for node in packets.source]
    assert packets.length.tolist() == [3] * 48
    assert packets.time[:3].tolist() == [0, 3, 6]
    assert len(batches("reversal")) == 16


def test_the_table_is_the_permutations():
    # Bit reversal of four bits: jump is 1 at the lower bit of each exchanged pair.
    (loading,) = batches("reversal").loadings
    assert loading == Loading(0, ((0, 4), (0, 4), (1, 4), (1, 4)))


def test_a_list_that_is_not_linear_has_the_plain_table():
    listed = [1, 2, 0, *range(3, 16)]
    packets = batches(",".join(map(str, listed)))
    assert packets.destination.tolist() == listed
    assert packets.loadings == (Loading.of(JumpTable.naive(4)),)


def test_a_random_permutation_is_linear_complement_and_the_seeds():
    drawn = {seed: batches("random", seed=seed).destination for seed in range(20)}
    assert all(LinearComplement.of(destinations) for destinations in drawn.values())
    assert len({tuple(destinations) for destinations in drawn.values()}) == 20
    assert (batches("random", seed=3).destination == drawn[3]).all()


def test_a_table_comes_with_its_highest_dimension_first():
    table = JumpTable(jump=(1, 0, 1), buddy=(3, 0, 3))
    assert Loading.of(table, time=9) == Loading(9, ((1, 3), (0, 0), (1, 3)))


def test_entries_are_held_out_until_they_are_taken():
    source = ConfigSource([Loading(5, ((1, 2), (0, 1))), Loading(0, ((1, 0),))])
    assert source.offered(4) is None
    assert source.offered(5) == source.offered(8) == (1, 2, False)
    source.taken()
    assert source.offered(9) == (0, 1, True)
    source.taken()
    assert not source.done
    assert source.offered(10) == (1, 0, True)
    source.taken()
    assert source.done
    assert source.offered(11) is None


FLITS = 40


@pytest.mark.parametrize(
    ("word", "refused"),
    [
        ("hypercube:n=2", 0),  # every address is a node's, and a packet may have any length
        ("mesh:x=3,y=3", 1),
        ("mesh:x=2,y=2,pipeline=2,classes=2", 1),
        ("wk:w=3,levels=2,max_packet=2", 2),  # an address, and a broadcast that is too long
        ("mesh:x=3,y=2,router=deflection", 2),  # an address, and a second flit
        ("hypercube:n=2,router=deflection", 1),
        ("lcan:d=2,u=2,levels=2,max_packet=4", 1),
    ],
)
def test_every_node_sends_what_must_be_refused_among_what_must_arrive(word, refused):
    network = Network.from_word(word)
    packets = hostile_packets(network, flits=FLITS, seed=3)
    nodes = network.topology.nodes
    assert packets.refused.sum() == refused * nodes
    taken = packets.length * ~packets.refused
    assert (np.bincount(packets.source, taken) >= FLITS).all()
    assert (packets.destination == EVERYONE).any() == network.has_broadcast
    codes = address_codes(network, packets)
    receivers = [network.topology.receivers(node) for node in range(nodes)]
    short = packets.length <= (network.longest_packet or FLITS)
    for number in np.flatnonzero(packets.refused & ~packets.broadcast & short).tolist():
        node = network.topology.node_at(int(codes[number]))
        assert node is None or node not in receivers[packets.source[number]]


def test_the_golden_model_refuses_them_and_delivers_the_others():
    network = Network.from_word("wk:w=3,levels=2,max_packet=2")
    packets = hostile_packets(network, flits=FLITS, seed=3)
    record = run_model(network, Traffic(stall=0.3), packets)
    assert len(record.refused) == packets.refused.sum()
    assert len(record.clock) == packets.due.sum()
