"""Each kind of fault is put into a sound run, and found."""

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.model.run import run_log
from knotwork_sim.rtl.driver import DriverLog
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from quality.soak import arrivals
from quality.soak.arrivals import Arrivals, differences, expected_keys, faults

BEAT_BITS = 12


def run(word, **keys):
    network, traffic = Network.from_word(word), Traffic(**keys)
    packets = make_packets(network, traffic)
    run = run_log(network, traffic, packets)
    log, copies = run.log, run.copies
    return network, packets, arrivals.of_model(log, copies)


@pytest.fixture(scope="module")
def sound():
    """Run of unicasts of 1 to 4 flits."""
    return run("hypercube:n=3", packets=400, length=(1, 4), rate=0.5, stall=0.2)


def changed(seen, place, **columns):
    """Arrivals with other values at one place."""
    copies = {name: getattr(seen, name).copy() for name in columns}
    for name, value in columns.items():
        copies[name][place] = value
    return seen._replace(**copies)


def without(seen, places):
    return Arrivals(*(np.delete(column, places) for column in seen[:4]), refused=seen.refused)


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("moebius:n=4,routing=spr,vc_scheme=escape", {"rate": 0.9, "length": (1, 8)}),
        ("wk:w=3,levels=2", {"broadcast_share": 0.2, "length": (1, 3), "stall": 0.3}),
        ("hypercube:n=3,multicast=yes", {"multicast_share": 0.3, "length": (1, 3)}),
        ("torus:x=3,y=3,router=deflection", {"rate": 0.7}),
        ("lcan:d=2,u=2,levels=3", {"length": (1, 16), "bubble": 0.2}),
        (
            "ccc:n=4,routing=lc2,words=3",
            {"traffic": "permutation", "permutation": "reversal", "packets": 64},
        ),
    ],
)
def test_every_router_class_has_sound_runs(word, keys):
    network, packets, seen = run(word, **keys)
    assert faults(network, packets, seen) == []
    assert len(seen.packet) == packets.due.sum()


def test_what_a_network_refuses_is_counted():
    network, packets, seen = run("lcan:d=2,u=2,levels=2,max_packet=4", length=(1, 6), packets=200)
    assert 20 < packets.refused.sum() < 180
    assert faults(network, packets, seen) == []
    fewer = seen._replace(refused=seen.refused[1:])
    count = int(packets.refused.sum())
    assert faults(network, packets, fewer) == [f"{count - 1} packets are refused of {count}"]


def test_each_kind_of_fault_is_found(sound):
    network, packets, seen = sound
    places = [np.nonzero(seen.packet == packets.length.tolist().index(n))[0] for n in (1, 3, 4)]
    (one,), three, (first, second, *_) = places
    twice = np.insert(np.arange(len(seen.packet)), three[1], three[1])
    broken = {
        "1 packets are lost": without(seen, three),
        "1 packets are at a node that is not their own": changed(
            seen, one, node=(seen.node[one] + 1) % 8
        ),
        "1 packets lack beats": without(seen, three[1]),
        "1 packets have beats too many": Arrivals(
            *(column[twice] for column in seen[:4]), refused=seen.refused
        ),
        "3 beats are out of their packet's order": changed(  # the first two, and the one behind
            seen, [first, second], rest=seen.rest[[second, first]]
        ),
    }
    for fault, arrived in broken.items():
        assert fault in faults(network, packets, arrived)


def test_packets_of_a_flow_that_change_places(sound):
    network, packets, seen = sound
    ends = {}
    for number in np.nonzero(packets.length == 1)[0].tolist():
        ends.setdefault((packets.source[number], packets.destination[number]), []).append(number)
    first, second = next(numbers for numbers in ends.values() if len(numbers) > 1)[:2]
    turned = seen.packet.copy()
    turned[seen.packet == first], turned[seen.packet == second] = second, first
    (found,) = faults(network, packets, seen._replace(packet=turned))
    assert found.endswith("unicasts are overtaken")


def test_a_broadcast_that_misses_a_node():
    network, packets, seen = run("wk:w=3,levels=2", broadcast_share=0.3, packets=50)
    broadcast = int(np.nonzero(packets.broadcast)[0][0])
    place = np.nonzero(seen.packet == broadcast)[0][0]
    assert faults(network, packets, without(seen, place)) == ["1 packets are lost"]
    # 9 nodes: 8 copies of each broadcast, none to its sender.
    due = expected_keys(packets, 9)
    assert len(due) == 50 + 7 * packets.broadcast.sum()
    assert not np.isin(broadcast * 9 + packets.source[broadcast], due)


def driver_log(packets, seen, codes):
    """What the driver would note of these arrivals."""
    beat = packets.length[seen.packet] - 1 - seen.rest
    return DriverLog(
        word=seen.packet << BEAT_BITS | beat,
        clock=seen.cycle,
        last=(seen.rest == 0).astype(np.int64),
        node=seen.node,
        source=codes[packets.source[seen.packet]],
        refused=np.zeros((0, 2), np.int64),
        accepted=np.zeros(len(codes), np.int64),
    )


def test_the_drivers_log_says_the_same_and_a_wrong_bit_in_it_is_found(sound):
    network, packets, seen = sound
    codes = np.array([network.topology.address(node) for node in range(8)])
    log, keys = driver_log(packets, seen, codes), {"beat_bits": BEAT_BITS, "codes": codes}
    assert differences(arrivals.of_driver(log, packets, **keys), seen) == 0
    for column, mask in (("word", 1 << 30), ("word", 1 << 11), ("last", 1), ("source", 1)):
        values = getattr(log, column).copy()
        values[5] ^= mask
        broken = arrivals.of_driver(log._replace(**{column: values}), packets, **keys)
        assert faults(network, packets, broken) == ["1 beats are of no packet"]


def test_runs_that_differ_in_a_cycle(sound):
    _, _, seen = sound
    later = changed(seen, len(seen.cycle) - 1, cycle=seen.cycle[-1] + 1)
    assert differences(seen, later) == 2
    assert differences(seen, seen._replace(refused=np.array([1]))) == 1
