from collections import defaultdict, deque

import pytest
from knotwork_sim.golden import run_model
from knotwork_sim.hardware import run_hardware
from knotwork_sim.score import mismatches, score
from knotwork_sim.traffic import Traffic, make_packets


def judge(network, packets, record):
    """Judge deliveries by other means than `score`: whole, once, in order within a flow."""
    words = packets.words(network.hardware.data_width)
    flows = defaultdict(deque)
    for number in range(len(packets)):
        flows[int(packets.source[number]), int(packets.destination[number])].append(number)
    nodes = {network.topology.address(node): node for node in range(network.topology.nodes)}
    open_packet = {}
    for place in range(len(record.clock)):
        node, source = int(record.node[place]), nodes[int(record.source[place])]
        if node not in open_packet:
            open_packet[node] = source, flows[source, node].popleft(), 0
        expected, packet, beat = open_packet[node]
        assert source == expected, "packets interleave at a node"
        assert list(record.data[place]) == list(words[packets.first_flit[packet] + beat])
        is_last = beat + 1 == packets.length[packet]
        assert record.last[place] == is_last
        open_packet[node] = source, packet, beat + 1
        if is_last:
            del open_packet[node]
    assert not open_packet
    assert not any(flow for (_, destination), flow in flows.items() if destination >= 0)
    refused = packets.source[packets.destination < 0]
    assert sorted(record.refused[:, 1]) == sorted(refused)


@pytest.fixture(scope="session")
def judged():
    """Golden model's record of a network's traffic, after `judge` found no fault."""

    def run(network, table=None, **keys):
        traffic = Traffic(**keys)
        packets = table or make_packets(network, traffic)
        record = run_model(network, traffic, packets)
        judge(network, packets, record)
        return packets, record

    return run


@pytest.fixture(scope="session")
def equal():
    """Verilog's record of a network's traffic, equal to the golden model's and without fault."""

    def run(network, table=None, **keys):
        traffic = Traffic(**keys)
        packets = table or make_packets(network, traffic)
        hardware = run_hardware(network, traffic, packets)
        model = run_model(network, traffic, packets)
        assert mismatches(hardware, model) == 0
        judge(network, packets, hardware)
        result = score(network, packets, hardware)
        assert (result.delivered, result.lost) == (result.injected, 0)
        return packets, hardware

    return run
