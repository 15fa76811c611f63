"""Self-tests of networks in which a packet can go to several nodes, or overtake another."""

from dataclasses import replace

import pytest
from helpers.expected_line import expected_line
from helpers.model_fabric import ModelFabric, Once
from knotwork import Fabric, Hypercube, Moebius, Network, WkRecursive
from knotwork_boards.selftest import Fault


def multicasting(**keys):
    return Network(Hypercube(n=2), data_width=8, multicast="yes", **keys)


SENT = 4 * (4 + 2) << 2
"""Packets that `few` sends: four nodes, four rounds, to all nodes and by multicast to two."""
SENT_TO_ALL = 4 * (4 + 3) << 2
"""Packets that `all_others` sends: to all nodes, and by broadcast to the three others."""


@pytest.fixture
def few(self_test):
    """Outcome of a window in a network whose multicasts go to two of the three other nodes."""

    def outcome(tamper):
        network = multicasting(max_packet=3)
        dut = self_test(network=network, fabric=lambda it: ModelFabric(it, tamper=tamper))
        ((text, _),) = dut.windows(1)
        return text

    return outcome


@pytest.fixture
def all_others(self_test):
    """Outcome of a window in a network of four nodes with broadcasts."""

    def outcome(tamper):
        dut = self_test(network=broadcasting(), fabric=lambda it: ModelFabric(it, tamper=tamper))
        ((text, _),) = dut.windows(1)
        return text

    return outcome


@pytest.mark.parametrize(
    ("fabric", "max_packet", "members"),
    [
        *((ModelFabric, *keys) for keys in ((2, 1), (3, 2), (16, 3))),
        (Fabric, 2, 1),
        *(pytest.param(Fabric, *keys, marks=pytest.mark.slow) for keys in ((3, 2), (16, 3))),
    ],
)
def test_a_network_with_multicasts_passes(self_test, fabric, max_packet, members):
    network = multicasting(max_packet=max_packet)
    dut = self_test(network=network, fabric=fabric)
    sent = 4 * (4 + members) << 2
    assert [text for text, _ in dut.windows(2)] == [
        expected_line(network.name, window, "PASS", sent=sent, received=sent) for window in range(2)
    ]


def broadcasting(w=2, **keys):
    return Network(WkRecursive(w=w, levels=2), **({"data_width": 16} | keys))


@pytest.mark.parametrize(
    ("fabric", "w", "keys", "rounds_log2"),
    [
        (ModelFabric, 2, {"max_packet": 1}, 2),
        pytest.param(
            *(Fabric, 2, {"max_packet": 1, "buffer_depth": 4, "pipeline": 2}, 2),
            marks=pytest.mark.slow,
        ),
        (Fabric, 2, {"routing": "shortest", "broadcast": "mask", "buffer_depth": 4}, 2),
        pytest.param(
            *(Fabric, 3, {"broadcast": "address", "buffer_depth": 2}, 0), marks=pytest.mark.slow
        ),
    ],
)
def test_a_network_with_broadcasts_passes(self_test, fabric, w, keys, rounds_log2):
    network = broadcasting(w, **keys)
    ((text, _),) = self_test(network=network, fabric=fabric, rounds_log2=rounds_log2).windows(1)
    sent = w**2 * (2 * w**2 - 1) << rounds_log2
    assert text == expected_line(network.name, 0, "PASS", sent=sent, received=sent)


def overtaking():
    return Network(Moebius(n=2), routing="spr", vc_scheme="escape", data_width=10)


@pytest.mark.parametrize("make", [multicasting, broadcasting, overtaking])
def test_each_fault_raises_its_counter_in_any_kind_of_network(self_test, make):
    network = make()
    # Eight rounds: in four, a window may be without a packet of one beat, which a fault is done to.
    dut = self_test(network=network, fabric=ModelFabric, rounds_log2=3, faults=True)
    faults = [Fault.LOST, Fault.DUPLICATED, Fault.CORRUPTED, Fault.MISROUTED, Fault.NONE]
    sent = dut.dut.packets
    assert sent == (128 if make is overtaking else 224)
    gained = {"lost": -1, "duplicated": 1, "corrupted": 0, "misrouted": 0}
    expected = [
        expected_line(network.name, window, "FAIL", sent=sent, received=sent + more, **{fault: 1})
        for window, (fault, more) in enumerate(gained.items())
    ]
    expected.append(expected_line(network.name, 4, "PASS", sent=sent, received=sent))
    assert [text for text, _ in dut.windows(5, faults)] == expected


def without_one(copies):
    return copies[1:]


def with_one_twice(copies):
    return [*copies, copies[0]]


def with_one_elsewhere(copies):
    return [copies[0], replace(copies[1], node=copies[1].source ^ 3)]


def with_one_more(copies):
    return [*copies, replace(copies[1], node=copies[1].source ^ 3)]


def with_one_at_home(copies):
    return [*copies, replace(copies[1], node=copies[1].source)]


def with_a_flipped_bit(copies):
    beats = copies[0].beats
    return [replace(copies[0], beats=(beats[0] ^ 4, *beats[1:])), *copies[1:]]


def with_the_chain(copies):
    chain = tuple(copy.node for copy in copies)
    return [replace(copies[0], beats=chain + copies[0].beats), *copies[1:]]


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        (list, {}),
        (without_one, {"received": SENT - 1, "lost": 1}),
        (lambda copies: [], {"received": SENT - 2, "lost": 2}),
        (with_one_twice, {"received": SENT + 1, "duplicated": 1}),
        (with_one_elsewhere, {"misrouted": 1}),
        (with_one_more, {"received": SENT + 1, "misrouted": 1}),
        (with_one_at_home, {"received": SENT + 1, "misrouted": 1}),
        (with_a_flipped_bit, {"corrupted": 1}),
        (with_the_chain, {"corrupted": 1}),
    ],
)
def test_a_multicast_gone_wrong_fails(few, change, errors):
    counts = {"sent": SENT, "received": SENT, **errors}
    verdict = "FAIL" if errors else "PASS"
    assert few(Once(change, after=15)) == expected_line(
        multicasting(max_packet=3).name, 0, verdict, **counts
    )


def with_one_instead_of_another(copies):
    return [replace(copies[0], node=copies[1].node), *copies[1:]]


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        (without_one, {"received": SENT_TO_ALL - 1, "lost": 1}),
        (lambda copies: [], {"received": SENT_TO_ALL - 3, "lost": 3}),
        (with_one_twice, {"received": SENT_TO_ALL + 1, "duplicated": 1}),
        (with_one_instead_of_another, {"lost": 1, "duplicated": 1}),
        (with_one_at_home, {"received": SENT_TO_ALL + 1, "misrouted": 1}),
        (with_a_flipped_bit, {"corrupted": 1}),
    ],
)
def test_a_broadcast_gone_wrong_fails(all_others, change, errors):
    counts = {"sent": SENT_TO_ALL, "received": SENT_TO_ALL, **errors}
    text = all_others(Once(change, after=15))
    assert text == expected_line(broadcasting().name, 0, "FAIL", **counts)


def test_copies_that_overtake_each_other_fail(few):
    held = []

    def exchange(copies):
        held.extend(copies)
        return []

    of_node_1 = {"chosen": lambda packets: packets[0].copy and packets[0].source == 1}
    later = Once(lambda copies: copies + held, after=2, **of_node_1)
    earlier = Once(exchange, after=1, **of_node_1)
    text = few(lambda packets: earlier(later(packets)))
    assert text == expected_line(
        multicasting(max_packet=3).name, 0, "FAIL", sent=SENT, received=SENT, lost=2, duplicated=2
    )


def test_a_unicast_delivered_in_place_of_a_copy_fails(few):
    unicasts = {}

    def tamper(packets):
        if not packets[0].copy:
            unicasts[packets[0].source, packets[0].node] = packets[0]
            return packets
        return once(packets)

    once = Once(lambda copies: [unicasts[copies[0].source, copies[0].node], *copies[1:]])
    text = few(tamper)
    assert text == expected_line(
        multicasting(max_packet=3).name, 0, "FAIL", sent=SENT, received=SENT, lost=1, duplicated=1
    )
