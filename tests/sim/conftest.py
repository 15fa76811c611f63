from collections import defaultdict, deque

import pytest
from knotwork_sim.check.score import mismatches, score
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import build_rtl, run_rtl
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import EVERYONE


def judge(network, packets, record):
    """Judge deliveries independently of `score`: whole, once, in order where order is promised.

    Unicasts of a flow arrive in order unless packets can escape, broadcasts of a source among
    themselves; multicasts of a source by their contents alone.
    """
    words = packets.words(network.hardware.data_width)
    flows, copies, spread = defaultdict(deque), defaultdict(list), defaultdict(deque)
    for number in range(len(packets)):
        source = int(packets.source[number])
        contents = words[packets.first_flit[number] : packets.first_flit[number + 1]]
        if packets.destination[number] == EVERYONE:
            for node in set(range(network.topology.nodes)) - {source}:
                spread[source, node].append(contents.tobytes())
        elif number in packets.members:
            chain = len(packets.chains[number])
            for address in packets.chains[number]:
                node = network.topology.node_at(address)
                copies[source, node].append(contents[chain:].tobytes())
        elif packets.destination[number] >= 0:
            flows[source, int(packets.destination[number])].append(contents.tobytes())
    nodes = {network.topology.address(node): node for node in range(network.topology.nodes)}
    coming = {}
    for place in range(len(record.clock)):
        node, source = int(record.node[place]), nodes[int(record.source[place])]
        expected, beats = coming.setdefault(node, (source, []))
        assert source == expected, "packets interleave at a node"
        beats.append(record.data[place].tobytes())
        if record.last[place]:
            contents, flow = b"".join(coming.pop(node)[1]), flows[source, node]
            # Narrow packets may be equal: then take the next one of the flow.
            if contents in (flow if not network.routing.in_order else list(flow)[:1]):
                flow.remove(contents)
            elif contents in list(spread[source, node])[:1]:
                spread[source, node].popleft()
            else:
                assert contents in copies[source, node]
                copies[source, node].remove(contents)
    assert not coming
    assert not any(flows.values())
    assert not any(copies.values())
    assert not any(spread.values())
    refused = packets.source[packets.refused]
    assert sorted(record.refused[:, 1]) == sorted(refused)


@pytest.fixture(scope="session")
def judgement():
    """Function that judges a record."""
    return judge


@pytest.fixture(scope="session")
def judged():
    """Function that gives the golden model's record of traffic, which `judge` has judged."""

    def run(network, table=None, **keys):
        traffic = Traffic(**keys)
        packets = table or make_packets(network, traffic)
        record = run_model(network, traffic, packets)
        judge(network, packets, record)
        return packets, record

    return run


@pytest.fixture(scope="session")
def equal():
    """Function that gives the Verilog's record of traffic, judged and equal to the model's."""

    built = {}  # writing the Verilog of a network takes up to a minute, compiled or not

    def run(network, table=None, **keys):
        traffic = Traffic(**keys)
        packets = table or make_packets(network, traffic)
        if network not in built:
            built[network] = build_rtl(network)
        model = run_model(network, traffic, packets)
        rtl = run_rtl(network, traffic, packets, golden=model, simulator=built[network])
        assert rtl.mismatch is None, rtl.mismatch
        assert mismatches(rtl, model) == 0
        judge(network, packets, rtl)
        result = score(network, packets, rtl)
        assert (result.delivered, result.lost) == (result.injected, 0)
        return packets, rtl

    return run
