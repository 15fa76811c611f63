"""Broadcasts that branch in the routers: each node one copy, in the model and in the Verilog."""

import numpy as np
import pytest
from helpers import literal_wk
from helpers.packet_columns import packets_of
from helpers.refusals import refuses
from helpers.routes import slow
from knotwork import Network, Tcpg, WkRecursive
from knotwork.topology import metrics
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import EVERYONE, packet_table


def one_by_one(network, *, length=1):
    """A broadcast from every source, each alone in an idle network."""
    nodes = network.topology.nodes
    gap = network.hardware.pipeline * (network.topology.diameter + 2) + 2 * length
    if length > 1:  # copies may leave one after another
        gap += length * len(network.topology.ports) * (network.topology.diameter + 1)
    return packet_table(
        network,
        source=np.arange(nodes),
        destination=np.full(nodes, EVERYONE),
        length=np.full(nodes, length),
        time=np.arange(nodes) * gap,
        seed=1,
    )


def cycles_of(network, steps):
    """Cycles to the first flit of a copy from when its whole packet is in, all copies at once."""
    return network.hardware.pipeline * (steps + 1)


def cycles_one_after_another(network, length):
    """The same where a router sends its copies in turn, to the highest port first, the node last.

    A copy leaves in as many cycles as it has flits; its head is at the next router's front two
    cycles after it left, and at the node in the cycle after.
    """
    topology, routing = network.topology, network.routing
    found = np.zeros((topology.nodes, topology.nodes), np.int64)
    for source in range(topology.nodes):
        waiting = [(source, 0, 0, 0, 1)]
        while waiting:
            router, port, vc_class, label, front = waiting.pop()
            for output in reversed(topology.connected_ports(router)):
                if output == 0:
                    if port != 0:
                        found[source, router] = front + 1
                    continue
                sent, out_class = routing.broadcast.rule(
                    routing.parameters, router, port, vc_class, label, source, output
                )
                if sent < 0:
                    continue
                far = int(topology.neighbours[router, output])
                peer = int(topology.peer_ports[router, output])
                waiting.append((far, peer, int(out_class), int(sent), front + 2))
                front += length
    return found


def assert_arrivals(network, packets, record, cycles, *, length=1):
    """Each node has the first flit as many cycles after the packet is in, the others right behind.

    `cycles` has a row a source.
    """
    topology, nodes = network.topology, network.topology.nodes
    codes = np.array([topology.address(node) for node in range(nodes)])
    source = np.argsort(codes)[np.searchsorted(np.sort(codes), record.source)]
    order = np.lexsort((record.clock, record.node, source))
    clocks = record.clock[order].reshape(-1, length)
    pairs = np.stack([source, record.node], axis=1)[order].reshape(-1, length, 2)
    assert (pairs == pairs[:, :1]).all()
    expected = [(a, b) for a in range(nodes) for b in range(nodes) if a != b]
    assert pairs[:, 0].tolist() == [list(pair) for pair in expected]
    after = cycles[pairs[:, 0, 0], pairs[:, 0, 1]]
    first = packets.time[pairs[:, 0, 0]] + length - 1 + after
    assert (clocks == first[:, None] + np.arange(length)).all()


SIZES = [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (2, 6), (3, 1), (3, 2), (3, 3), (3, 4), (4, 1),
         (4, 2), (4, 3), (5, 1), (5, 2)]  # fmt: skip
SMALL = {"buffer_depth": 4, "data_width": 16}
WK32 = Network(WkRecursive(w=3, levels=2), buffer_depth=4, pipeline=2)
WK33 = Network(WkRecursive(w=3, levels=3), buffer_depth=4)
WK42 = Network(WkRecursive(w=4, levels=2), buffer_depth=4, pipeline=2)
TCPG11 = Network(Tcpg(k=1, m=1), **SMALL)
TCPG11_CREDITS = Network(Tcpg(k=1, m=1), pipeline=2, **SMALL)
NETWORKS = [
    WK32,
    *slow([
        WK33, WK42, TCPG11, TCPG11_CREDITS,
        Network(WkRecursive(w=4, levels=3), buffer_depth=4),
        Network(WkRecursive(w=3, levels=2), buffer_depth=5, max_packet=4, broadcast="address"),
        Network(WkRecursive(w=2, levels=3), buffer_depth=4, pipeline=2, broadcast="mask"),
    ]),
]  # fmt: skip
LARGE = [Network(Tcpg(k=2, m=2)), Network(Tcpg(k=2, m=3), broadcast="address", **SMALL)]


def named(network):
    return f"{network.name}_{network.routing.options.broadcast}"


def steps(topology):
    """Step at which each node has a source's copy, (sources, nodes), message by message."""
    if isinstance(topology, Tcpg):
        return metrics.distances(topology.neighbours)
    found = np.zeros((topology.nodes, topology.nodes), np.int64)
    for source, label in enumerate(literal_wk.nodes_of(topology.w, topology.levels)):
        for node, _, step, *_ in literal_wk.broadcast(label, topology.w):
            assert found[source, int(node, topology.w)] == 0
            found[source, int(node, topology.w)] = step
    return found


@pytest.mark.parametrize(
    "topology",
    [
        *(WkRecursive(w=w, levels=n) for w, n in SIZES),
        *(Tcpg(k=k, m=m) for k, m in ((1, 1), (1, 2), (2, 1))),
        *slow([Tcpg(k=k, m=m) for k in (1, 2, 3) for m in (1, 2, 3) if k + m > 3]),
    ],
    ids=lambda topology: topology.instance_name,
)
def test_every_source_on_the_model(topology):
    network = Network(topology, buffer_depth=2)
    packets = one_by_one(network)
    record = run_model(network, Traffic(), packets)
    assert_arrivals(network, packets, record, cycles_of(network, steps(topology)))


@pytest.mark.parametrize(
    "network",
    [
        WK42,
        Network(WkRecursive(w=2, levels=3), buffer_depth=8, pipeline=2, broadcast="stack"),
        TCPG11_CREDITS,
    ],
    ids=named,
)
def test_over_credits_copies_of_a_longer_packet_leave_one_after_another(network):
    packets = one_by_one(network, length=4)
    record = run_model(network, Traffic(), packets)
    cycles = cycles_one_after_another(network, 4)
    assert_arrivals(network, packets, record, cycles, length=4)


def test_a_packet_behind_a_broadcast_waits_for_its_last_copy():
    """Node 0 sends four flits to its three neighbours; then one to node 3, by the highest port."""
    record = run_model(WK42, Traffic(), packets_of(WK42, [0, 0], [EVERYONE, 3], [4, 1]))
    # The broadcast is complete in cycle 3 and at the front in 4: its copies leave in 4 to 15, to
    # node 3 first, whose router sends its copy across in 6 to 9 and gives the node its own from 10
    # on, a cycle before m_axis. The next packet's flit leaves in 16, and node 3's router in 18.
    assert sorted(record.clock[record.node == 3]) == [11, 12, 13, 14, 19]


@pytest.mark.timeout(2400)  # 160 routers: eight minutes of CPU, most of it Verilator and C++
@pytest.mark.parametrize("network", [*NETWORKS, *slow(LARGE)], ids=named)
@pytest.mark.parametrize("length", [*slow([1]), 4])
def test_every_source_in_the_verilog(equal, network, length):
    packets = one_by_one(network, length=length)
    _, record = equal(network, packets)
    cycles = cycles_of(network, steps(network.topology))
    if network.has_credits and length > 1:
        cycles = cycles_one_after_another(network, length)
    assert_arrivals(network, packets, record, cycles, length=length)


def at_once(network, seed):
    """Sixteen random sources that broadcast in the first cycles, amid unicasts."""
    traffic = Traffic(rate=0.1, packets=20 * network.topology.nodes, length=(1, 4), seed=seed)
    drawn = make_packets(network, traffic)
    rng = np.random.default_rng(seed)
    count = min(16, network.topology.nodes)
    sources = rng.choice(network.topology.nodes, count, replace=False)
    source = np.concatenate([sources, drawn.source])
    time = np.concatenate([rng.integers(0, 3, count), drawn.time])
    order = np.lexsort((time, source))
    destination = np.concatenate([np.full(count, EVERYONE), drawn.destination])
    length = np.concatenate([rng.integers(1, 5, count), drawn.length])
    columns = np.stack([source, destination, length, time])[:, order]
    return packets_of(network, *columns, seed=seed)


@pytest.mark.parametrize("network", [WK33, WK42, TCPG11, TCPG11_CREDITS], ids=named)
@pytest.mark.parametrize("seeds", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_sixteen_at_once_amid_unicasts_on_the_model(judged, network, seeds):
    for seed in range(seeds):
        judged(network, at_once(network, seed), stall=0.2 * (seed % 2))


@pytest.mark.parametrize("network", NETWORKS, ids=named)
def test_sixteen_at_once_amid_unicasts_in_the_verilog(equal, network):
    for seed in range(2 if network is WK32 else 10):
        equal(network, at_once(network, seed))


@pytest.mark.parametrize("network", NETWORKS, ids=named)
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_saturated_with_slow_nodes(equal, network, share):
    keys = {"rate": 1.0, "length": (1, 4), "bubble": 0.1, "stall": 0.3}
    equal(network, packets=300, broadcast_share=share, **keys)


@pytest.mark.parametrize("network", NETWORKS, ids=named)
def test_a_broadcast_that_is_too_long_is_dropped_whole_and_told(equal, network):
    """Unicasts of the same length pass, and the next broadcast does."""
    rng, nodes = np.random.default_rng(2), network.topology.nodes
    count = 12 * nodes
    source = np.sort(rng.integers(0, nodes, count))
    destination, length = rng.integers(0, nodes, count), rng.choice([1, 3, 4, 5, 9], count)
    destination[rng.random(count) < 0.3] = EVERYONE
    packets = packets_of(network, source, destination, length)
    long = packets.broadcast & (packets.length > network.routing.options.max_packet)
    assert (packets.refused == long).all()
    _, record = equal(network, packets, bubble=0.1, stall=0.2)
    assert len(record.refused) == long.sum() > 10


def test_lanes_keep_a_source_s_broadcasts_in_order(judged):
    network = Network(WkRecursive(w=3, levels=2), virtual_channels=4, buffer_depth=4)
    assert network.routing.lanes == 2
    judged(network, rate=0.8, packets=2000, length=(1, 4), broadcast_share=0.3, stall=0.2)


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (
            {"broadcast": "no"},
            "broadcast_share must be 0 for a network without broadcasts, not 0.5",
        ),
        ({"max_packet": 2}, "length must be at most max_packet=2 with broadcasts, not 3"),
    ],
)
def test_traffic_that_cannot_be(keys, line):
    network = Network(WkRecursive(w=3, levels=2), **keys)
    with refuses(f"traffic: {line}"):
        make_packets(network, Traffic(broadcast_share=0.5, length=(1, 3)))
