"""Self-tests of networks in which a packet can go to several nodes, or overtake another."""

from dataclasses import replace

import pytest
from helpers.cases import slow
from helpers.self_tests import ModelFabric, Once, expected_line, expected_lines
from knotwork import Fabric, Hypercube, Network, WkRecursive
from knotwork_boards.selftest import Fault


def multicasting(**keys):
    return Network(Hypercube(n=2), data_width=8, multicast="yes", name="few", **keys)


def broadcasting(w=2, **keys):
    return Network(WkRecursive(w=w, levels=2), name="all", **({"data_width": 16} | keys))


FEW, ALL = multicasting(max_packet=3), broadcasting()
"""Four nodes that send in each round to all nodes, and to two or to the three others at once."""
SENT = {FEW: 4 * (4 + 2) << 2, ALL: 4 * (4 + 3) << 2}


@pytest.fixture
def require(self_test):
    """Hold the line of a window, in a network whose packets are tampered with, to its counters."""

    def require(network, tamper, more=0, **errors):
        dut = self_test(network=network, fabric=lambda it: ModelFabric(it, tamper=tamper))
        counts = {"sent": SENT[network], "received": SENT[network] + more} | errors
        verdict = "FAIL" if errors else "PASS"
        assert dut.lines(1) == [expected_line(network.name, 0, verdict, **counts)]

    return require


@pytest.mark.parametrize(
    ("fabric", "max_packet", "members"),
    [
        (ModelFabric, 16, 3),
        (Fabric, 2, 1),
        slow(ModelFabric, 2, 1),
        slow(Fabric, 3, 2),
        slow(Fabric, 16, 3),
    ],
)
def test_a_network_with_multicasts_passes(self_test, fabric, max_packet, members):
    network = multicasting(max_packet=max_packet)
    dut = self_test(network=network, fabric=fabric)
    assert dut.lines(1) == expected_lines(network.name, 4 * (4 + members) << 2, [None])


@pytest.mark.parametrize(
    ("fabric", "w", "keys", "rounds_log2"),
    [
        (ModelFabric, 2, {"max_packet": 1}, 2),
        slow(Fabric, 2, {"max_packet": 1, "buffer_depth": 4, "pipeline": 2}, 2),
        (Fabric, 2, {"routing": "shortest", "broadcast": "mask", "buffer_depth": 4}, 1),
        slow(Fabric, 3, {"broadcast": "address", "buffer_depth": 2}, 0),
    ],
)
def test_a_network_with_broadcasts_passes(self_test, fabric, w, keys, rounds_log2):
    network = broadcasting(w, **keys)
    sent = w**2 * (2 * w**2 - 1) << rounds_log2
    dut = self_test(network=network, fabric=fabric, rounds_log2=rounds_log2)
    assert dut.lines(1) == expected_lines(network.name, sent, [None])


def overtaking():
    return Network.from_word("moebius:n=2,routing=spr,vc_scheme=escape,data_width=10,name=net")


def classed(**keys):
    """Four nodes with two streams each, each of which sends to the four of its class."""
    keys = {"buffer_depth": 4} | keys
    words = "".join(f",{key}={value}" for key, value in keys.items())
    return Network.from_word(f"mesh:x=2,y=2,classes=2,data_width=16,name=net{words}")


@pytest.mark.parametrize(
    ("fabric", "keys"),
    [
        (ModelFabric, {}),
        (Fabric, {"arbitration": "weighted", "class_weights": "3,1"}),
        slow(Fabric, {"pipeline": 3, "buffer_depth": 5}),
        slow(Fabric, {"class_limits": "1,1/20"}),
    ],
)
def test_a_network_with_classes_of_traffic_passes(self_test, fabric, keys):
    network = classed(**keys)
    dut = self_test(network=network, fabric=fabric, rounds_log2=0)
    assert dut.lines(1) == expected_lines("net", 2 * 4 * 4, [None])


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        # Two streams per class; each sends to both, and to the other one as a multicast.
        ("hypercube:n=1,multicast=yes,classes=2,buffer_depth=4", 2 * 2 * 3),
        slow("wk:w=2,levels=1,classes=2,buffer_depth=4,max_packet=4", 2 * 2 * 3),
        # Six nodes: only the distance to the other router leads from each of three to a node.
        slow("hypercube:n=1,multicast=yes,nodes_per_router=3,buffer_depth=8", 6 * (6 + 1)),
        slow(
            "mesh:x=2,y=1,classes=2,nodes_per_router=2,parity=yes,counters=yes,watchdog=100,"
            "tables=loaded,pipeline=3,buffer_depth=2",
            2 * 4 * 4,
        ),
    ],
)
def test_a_network_with_several_options_passes(self_test, words, sent):
    network = Network.from_word(f"{words},data_width=16,name=net")
    dut = self_test(network=network, fabric=Fabric, rounds_log2=0)
    assert dut.lines(1) == expected_lines("net", sent, [None])


@pytest.mark.parametrize(
    ("make", "sent"),
    [(broadcasting, 224), slow(multicasting, 224), slow(overtaking, 128), (classed, 256)],
)
def test_each_fault_raises_its_counter_in_any_kind_of_network(self_test, make, sent):
    network, names = make(), ["lost", "duplicated", "corrupted", "misrouted"]
    # Eight rounds: in four, a window may be without a packet of one beat, which a fault is done to.
    dut = self_test(network=network, fabric=ModelFabric, rounds_log2=3, faults=True)
    assert dut.dut.packets == sent
    faults = [*(Fault[name.upper()] for name in names), Fault.NONE]
    assert dut.lines(5, faults) == expected_lines(network.name, sent, [*names, None])


def elsewhere(copy, mask):
    """The copy at another node: its source's number changed by a mask."""
    return replace(copy, node=copy.source ^ mask)


def with_a_flipped_bit(copies):
    beats = copies[0].beats
    return [replace(copies[0], beats=(beats[0] ^ 4, *beats[1:])), *copies[1:]]


def with_the_chain(copies):
    chain = tuple(copy.node for copy in copies)
    return [replace(copies[0], beats=chain + copies[0].beats), *copies[1:]]


WRONG = {
    "sound": (FEW, list, 0, {}),
    "without_one": (FEW, lambda copies: copies[1:], -1, {"lost": 1}),
    "without_any": (FEW, lambda copies: [], -2, {"lost": 2}),
    "one_twice": (FEW, lambda copies: [*copies, copies[0]], 1, {"duplicated": 1}),
    "one_elsewhere": (FEW, lambda c: [c[0], elsewhere(c[1], 3)], 0, {"misrouted": 1}),
    "one_more": (FEW, lambda c: [*c, elsewhere(c[1], 3)], 1, {"misrouted": 1}),
    "one_at_home": (FEW, lambda c: [*c, elsewhere(c[1], 0)], 1, {"misrouted": 1}),
    "a_flipped_bit": (FEW, with_a_flipped_bit, 0, {"corrupted": 1}),
    "with_the_chain": (FEW, with_the_chain, 0, {"corrupted": 1}),
    "all_without_one": (ALL, lambda copies: copies[1:], -1, {"lost": 1}),
    "all_without_any": (ALL, lambda copies: [], -3, {"lost": 3}),
    "all_one_twice": (ALL, lambda copies: [*copies, copies[0]], 1, {"duplicated": 1}),
    "all_one_instead_of_another": (
        *(ALL, lambda c: [replace(c[0], node=c[1].node), *c[1:]], 0),
        {"lost": 1, "duplicated": 1},
    ),
    "all_one_at_home": (ALL, lambda c: [*c, elsewhere(c[1], 0)], 1, {"misrouted": 1}),
    "all_a_flipped_bit": (ALL, with_a_flipped_bit, 0, {"corrupted": 1}),
}


@pytest.mark.parametrize(
    "name",
    [
        *("sound", "without_one", "one_elsewhere", "a_flipped_bit", "with_the_chain"),
        *("all_without_any", "all_one_instead_of_another"),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("without_any", "one_twice", "one_more", "one_at_home", "all_without_one")
        ),
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("all_one_twice", "all_one_at_home", "all_a_flipped_bit")
        ),
    ],
)
def test_a_packet_to_several_gone_wrong_fails(require, name):
    network, change, more, errors = WRONG[name]
    require(network, Once(change, after=15), more, **errors)


def test_copies_that_overtake_each_other_fail(require):
    held = []
    of_node_1 = {"chosen": lambda packets: packets[0].copy and packets[0].source == 1}
    later = Once(lambda copies: copies + held, after=2, **of_node_1)
    earlier = Once(lambda copies: held.extend(copies) or [], after=1, **of_node_1)
    require(FEW, lambda packets: earlier(later(packets)), lost=2, duplicated=2)


def test_a_unicast_delivered_in_place_of_a_copy_fails(require):
    unicasts = {}

    def tamper(packets):
        if not packets[0].copy:
            unicasts[packets[0].source, packets[0].node] = packets[0]
            return packets
        return once(packets)

    once = Once(lambda copies: [unicasts[copies[0].source, copies[0].node], *copies[1:]])
    require(FEW, tamper, lost=1, duplicated=1)
