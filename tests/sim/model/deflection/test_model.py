"""Packets through deflection routers: in the model, and in the Verilog cycle by cycle."""

import numpy as np
import pytest
from helpers.deflecting import FAMILIES, HOPLITE
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.model.deflection.model import run_deflection
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packet_table import packet_table

EQUAL = [
    "torus:x=4,y=3,directions=one,router=deflection,data_width=40",
    "hypercube:n=2,router=deflection,data_width=24",
]
MORE = [
    "wk:w=3,levels=2,router=deflection,sequence_width=3",
    "torus:x=2,y=2,directions=one,router=deflection",
    *FAMILIES,
]
slow = pytest.mark.slow


def with_refused(network, traffic, every=7):
    """Packets, some too long, and some to an address that no node has, where there is one.

    A packet of two beats is not taken before its second beat.
    """
    packets = make_packets(network, traffic)
    destination, length = packets.destination.copy(), packets.length.copy()
    if network.topology.nodes < 1 << network.topology.address_width:
        destination[::every] = -1
    length[3::every] = 2
    return packet_table(
        network,
        source=packets.source,
        destination=destination,
        length=length,
        time=packets.time,
        seed=traffic.seed,
    )


def assert_numbered(network, packets, record):
    """Check that the numbers put the packets of every flow into the order of sending."""
    words = packets.words(network.hardware.data_width)[packets.first_flit[:-1], 0]
    codes = [network.topology.address(node) for node in range(network.topology.nodes)]
    sent = {}
    for number in np.nonzero(~packets.refused)[0].tolist():
        flow = codes[packets.source[number]], int(packets.destination[number])
        sent.setdefault(flow, []).append(int(words[number]))
    places = {flow: {word: k for k, word in enumerate(of)} for flow, of in sent.items()}
    overtakes, latest = 0, {}
    for source, node, number, (word,) in zip(
        record.source.tolist(), record.node.tolist(), record.user.tolist(), record.data, strict=True
    ):
        place = places[source, node][int(word)]
        assert number == place % (1 << network.hardware.sequence_width)
        overtakes += place < latest.get((source, node), 0)
        latest[source, node] = place
    assert overtakes > 0


@pytest.mark.parametrize("word", [*EQUAL, *(pytest.param(word, marks=slow) for word in MORE)])
def test_the_verilog_does_what_the_model_does_in_the_same_cycle(equal, word):
    network = Network.from_word(word)
    keys = {"rate": 0.7, "bubble": 0.1, "stall": 0.15, "seed": 5}
    count = 280 * network.topology.nodes
    table = with_refused(network, Traffic(packets=count, **keys))
    packets, record = equal(network, table, packets=count, **keys)
    assert packets.refused.sum() == len(record.refused) > count // 8
    assert (record.last == 1).all()
    if network.hardware.sequence_width:
        assert_numbered(network, packets, record)
    if "hypercube:n=2" in word:  # old and new packets, and the turn of every address
        assert record.clocks > 2 * network.routing.turn_clocks << network.topology.address_width


@pytest.mark.parametrize(
    "word", [EQUAL[0], "hypercube:n=3,router=deflection", "mesh:x=3,y=3,router=deflection"]
)
def test_zero_load_latency_of_all_pairs(judged, word):
    network = Network.from_word(word)
    nodes = network.topology.nodes
    source, destination = np.divmod(np.arange(nodes**2), nodes)
    time = 40 * np.arange(nodes**2)
    table = packet_table(
        network,
        source=source,
        destination=destination,
        length=np.ones(nodes**2, np.int64),
        time=time,
        seed=1,
    )
    _, record = judged(network, table)
    hops = [network.topology.distance(*pair) for pair in zip(source, destination, strict=True)]
    cycles = network.cycles_per_hop * (np.array(hops) + 1)
    assert record.clock.tolist() == (time + cycles).tolist()


def test_longer_packets_are_refused():
    network = Network.from_word(HOPLITE)
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(network, Traffic(length=(1, 4)))
    assert str(refusal.value) == (
        "traffic: length must be 1 for "
        "torus_x4_y4_directionsone_deflection_data_width28_sourceno, "
        "whose packets are single flits, not 4"
    )


def test_the_model_ends_when_it_is_told_to():
    network = Network.from_word(HOPLITE)
    traffic = Traffic(rate=0.2, packets=2000)
    packets = make_packets(network, traffic)
    whole, _ = run_deflection(network, traffic, packets)
    part, totals = run_deflection(network, traffic, packets, clocks=300)
    assert totals.clocks == 300
    assert part.packet.tolist() == whole.packet[whole.clock < 300].tolist()
