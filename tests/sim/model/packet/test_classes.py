"""How classes of traffic share links, in the golden model and in the Verilog."""

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from helpers.routes import slow
from knotwork import Network
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

CASES = (
    "mesh:x=4,y=2", "torus:x=4,y=3", "moebius:n=3,twist=1", "hypercube:n=3,virtual_channels=2",
    "wk:w=3,levels=2,broadcast=no", "ccc:n=3", "mesh:x=3,y=3,routing=shortest",
    "moebius:n=3,routing=spr,vc_scheme=escape",
)  # fmt: skip


def with_keys(word, *, classes=1):
    """Network with so many classes, and as many times the virtual channels."""
    name, _, keys = word.partition(":")
    stage = "" if "pipeline" in keys else ",pipeline=2"
    plain = Network.from_word(f"{name}:{keys}{stage},buffer_depth=4")
    if classes == 1:
        return plain
    others = ",".join(each for each in keys.split(",") if not each.startswith("virtual"))
    more = f"classes={classes},virtual_channels={classes * plain.virtual_channels}"
    return Network.from_word(f"{name}:{others},{more},buffer_depth=4")


def beats_of(topology, record, chosen, offset):
    """Cycle, node, source and tail of the beats to some nodes, in the order of the first two."""
    kept = np.isin(record.node, chosen)
    source = np.array([topology.node_at(int(code)) for code in record.source[kept]])
    found = [record.clock[kept], record.node[kept] - offset, source - offset, record.last[kept]]
    rows = np.stack(found, axis=1)
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))].tolist()


@pytest.mark.parametrize("word", CASES)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_highest_class_does_not_notice_the_others(word, seed):
    """Its beats come in the very cycles in which a network of its own would bring them."""
    classed, alone = with_keys(word, classes=2), with_keys(word)
    nodes = alone.topology.nodes
    traffic = Traffic(class_rates=(1.0, 0.3), length=(1, 6), packets=900, seed=seed)
    packets = make_packets(classed, traffic)
    own = packets.source >= nodes
    assert 0 < own.sum() < len(own)
    ends = packets.source[own] - nodes, packets.destination[own] - nodes
    high = packets_of(alone, *ends, packets.length[own], packets.time[own], seed=seed)
    both, only = run_model(classed, traffic, packets), run_model(alone, traffic, high)
    beats = beats_of(classed.topology, both, range(nodes, 2 * nodes), nodes)
    assert beats == beats_of(alone.topology, only, range(nodes), 0)
    assert len(both.clock) == packets.length.sum()


SEVERAL = (
    "mesh:x=3,y=2,nodes_per_router=2", "wk:w=3,levels=2,nodes_per_router=2", "tcpg:k=1,m=1",
    "wk:w=3,levels=2,broadcast=address", "hypercube:n=2,multicast=yes",
    "moebius:n=1,nodes_per_router=2,multicast=yes,pipeline=3",
)  # fmt: skip


@pytest.mark.parametrize("word", [*CASES[:3], *SEVERAL])
def test_each_class_alone_has_the_whole_network(word):
    """With several nodes per router, and packets to several nodes, too."""
    count = 2 if word in SEVERAL else 3
    classed, alone = with_keys(word, classes=count), with_keys(word)
    nodes = alone.topology.nodes
    traffic = Traffic(
        rate=0.8,
        length=(1, 2 if alone.longest_copied_packet else 4),
        packets=400,
        broadcast_share=0.1 * alone.has_broadcast,
        multicast_share=0.3 * alone.has_multicast,
    )
    packets = make_packets(alone, traffic)
    only = beats_of(alone.topology, run_model(alone, traffic, packets), range(nodes), 0)
    to, data = packets.destination, packets.length - packets.chain_length
    for number in range(count):
        ends = packets.source + number * nodes, np.where(to >= 0, to + number * nodes, to)
        bits = classed.topology.port_bits
        chains = {
            place: [address << bits | number for address in chain]
            for place, chain in packets.chains.items()
        }
        times = packets.time
        moved = packets_of(classed, *ends, data, times, seed=traffic.seed, chains=chains)
        record = run_model(classed, traffic, moved)
        assert beats_of(classed.topology, record, range(3 * nodes), number * nodes) == only


LOADS = (
    {"length": (1, 6), "stall": 0.3, "bubble": 0.1},
    {"length": (4, 4), "traffic": "hotspot", "pauses": "changing", "stall": 0.2},
    {"length": (1, 1), "rate": 0.9},
)


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("mesh:x=2,y=2", {"classes": 2}),
        *(
            pytest.param(word, {"classes": classes, **weights}, marks=pytest.mark.slow)
            for classes, words in ((2, CASES), (4, CASES[:4]))
            for word in words
            for weights in ({}, {"class_weights": (3, 1) if classes == 2 else (2, 1, 15, 4)})
        ),
        pytest.param(
            "mesh:x=3,y=2", {"classes": 3, "class_weights": (1, 1, 1)}, marks=pytest.mark.slow
        ),
    ],
)
def test_the_verilog_is_equal_in_every_cycle(equal, word, keys):
    network = with_keys(word, classes=keys["classes"])
    if "class_weights" in keys:
        network = network.changed(arbitration="weighted", class_weights=keys["class_weights"])
    for traffic in LOADS[:2] if word == "mesh:x=2,y=2" else LOADS:
        equal(network, **{"rate": 0.6, "packets": 500, **traffic})


@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=2,y=1,classes=2,class_limits=1/3,1/7,class_bursts=2,4",
        *slow([
            "mesh:x=3,y=2,classes=2,class_limits=1/3,1/7,class_bursts=2,4",
            "torus:x=3,y=3,classes=3,class_limits=1,0.9,1/9,class_bursts=1,9,3",
        ]),
    ],
)  # fmt: skip
def test_the_verilog_limits_what_nodes_send_in_the_same_cycles(equal, word):
    network = Network.from_word(f"{word},buffer_depth=4")
    for keys in ({"length": (1, 7), "stall": 0.3, "bubble": 0.2}, {"length": (4, 4)}):
        equal(network, **{"rate": 0.5, "packets": 400, **keys})


def over_one_link(arbitration, starts):
    """Beats of each class in each cycle, of a node that sends 4000 of each over one link.

    `starts` gives the first cycle of each class, None for none.
    """
    network = Network.from_word(f"mesh:x=2,y=1,classes={len(starts)},{arbitration}")
    nodes, each = 2, 4000
    own = [(number * nodes, start) for number, start in enumerate(starts) if start is not None]
    source = np.repeat([node for node, _ in own], each)
    time = np.concatenate([np.arange(start, start + each) for _, start in own])
    packets = packets_of(network, source, source + 1, 1, time)
    record = run_model(network, Traffic(packets=len(source)), packets)
    assert len(record.clock) == len(source)
    beats = np.zeros((len(starts), int(record.clock.max()) + 1), np.int64)
    np.add.at(beats, (record.node // nodes, record.clock), 1)
    return beats


@pytest.mark.parametrize(
    ("keys", "shares"),
    [
        ("arbitration=weighted,class_weights=3,1", (0.75, 0.25)),
        ("arbitration=weighted,class_weights=1,3", (0.25, 0.75)),
        ("arbitration=weighted", (0.5, 0.5)),
        ("arbitration=weighted,class_weights=2,5,1", (0.25, 0.625, 0.125)),
        ("arbitration=strict", (0.0, 1.0)),
    ],
)
def test_classes_that_fill_a_link_get_their_shares(keys, shares):
    beats = over_one_link(keys, [0] * len(shares))[:, 100:3100]
    assert beats.sum(axis=1) == pytest.approx(3000 * np.array(shares), rel=0.02, abs=0.5)
    # The link is never idle.
    assert (beats.sum(axis=0) == 1).all()


@pytest.mark.parametrize("number", [0, 1])
def test_a_class_alone_has_the_whole_link(number):
    starts = [0 if each == number else None for each in range(2)]
    beats = over_one_link("arbitration=weighted,class_weights=3,1", starts)
    assert beats[number, 10:3900].all()


@pytest.mark.parametrize("first", [0, 1])
def test_a_class_that_was_silent_does_not_make_up_for_it(first):
    """Between 1000 and 3000 both want the link; before and after it is the first one's alone."""
    starts = [1000, 1000]
    starts[first] = 0
    beats = over_one_link("arbitration=weighted,class_weights=3,1", starts)
    assert beats[first, 10:1000].all()
    for start in range(1020, 2900, 40):
        shares = beats[:, start : start + 40].sum(axis=1)
        assert shares.tolist() == [30, 10]
