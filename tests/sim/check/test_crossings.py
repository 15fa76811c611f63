"""Crossings, fates and loads of links against the rules of the routing."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.check import links as room
from knotwork_sim.check.links import LinkLoads
from knotwork_sim.check.result import packet_rows
from knotwork_sim.check.simulate import simulate
from knotwork_sim.model.router_model import Tally
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

WORDS = ["hypercube:n=3", "torus:x=4,y=4,pipeline=2"]


def run(word, **keys):
    """Network, crossings and rows of the packets of a run."""
    network = Network.from_word(word)
    traffic = Traffic(**({"packets": 150, "rate": 0.5, "length": (1, 3)} | keys))
    result = simulate(network, traffic, engine="model", trace_file=Path("a.json"))
    return network, result.crossings, result.packets.rows()


@pytest.mark.parametrize("word", WORDS)
def test_a_packets_way_is_the_routings_path(word):
    network, crossings, rows = run(word)
    for row in rows:
        here = crossings.packet == row["packet"]
        hops = network.routing.hops(row["source"], row["destination"])
        for name, count in (("router", None), ("port", None), ("virtual_channel", -1)):
            seen = getattr(crossings, name)[here]
            assert seen[:count].tolist() == [getattr(hop, name) for hop in hops[:count]]
        assert crossings.flits[here].tolist() == [row["length"]] * len(hops)
        assert (crossings.tail[here] - crossings.head[here] >= row["length"] - 1).all()


@pytest.mark.parametrize("word", WORDS)
def test_waits_are_the_latency_less_that_of_zero_load(word):
    network, crossings, rows = run(word, length=(1, 1), stall=0)
    waited = np.zeros(len(rows), int)
    np.add.at(waited, crossings.packet, crossings.wait)
    assert (crossings.wait >= 0).all()
    assert waited.sum() > 0
    for row in rows:
        queued = row["injected"] - row["offered"]
        distance = network.topology.distance(row["source"], row["destination"])
        zero_load = network.hardware.pipeline * (distance + 1)
        assert row["latency"] == queued + waited[row["packet"]] + zero_load


def test_deflected_packets_never_wait_on_their_way():
    _, crossings, rows = run("torus:x=4,y=4,router=deflection", length=(1, 1))
    assert (crossings.wait == 0).all()
    hops = np.bincount(crossings.packet[crossings.to >= 0], minlength=len(rows))
    assert hops.tolist() == [row["hops"] for row in rows]


def test_batches_are_recorded_word_by_word():
    keys = {"traffic": "permutation", "permutation": "complement", "length": None, "rate": None}
    network, crossings, rows = run("hypercube:n=3,routing=lc1,words=2", packets=8, **keys)
    for row in rows:
        here = crossings.packet == row["packet"]
        path = [row["source"]]
        for router, to in zip(crossings.router[here], crossings.to[here], strict=True):
            assert router == path[-1]
            path += [int(to)] if to >= 0 else []
        assert path[-1] == row["destination"]
        assert (crossings.flits[here] == 2).all()
    assert (crossings.wait >= 0).all()
    assert network.topology.nodes == len(rows)


def test_a_broadcast_reaches_every_node_over_its_tree():
    keys = {"broadcast_share": 1.0, "length": (2, 2), "rate": 0.1}
    network, crossings, rows = run("tcpg:k=1,m=1", packets=12, **keys)
    for packet in range(12):
        here = np.nonzero(crossings.packet == packet)[0]
        ends = crossings.router[here][crossings.to[here] < 0]
        source = crossings.packets.columns["source"][packet]
        assert sorted(ends) == sorted(set(range(network.topology.nodes)) - {source})
        for visit in here.tolist():
            before = crossings.before[visit]
            assert before < 0 or crossings.to[before] == crossings.router[visit]
            assert (before < 0) == (crossings.router[visit] == source)
    assert len(rows) == 12 * (network.topology.nodes - 1)


def test_too_many_crossings_are_refused(monkeypatch):
    monkeypatch.setattr(room, "MOST", 99)
    line = r"^--trace: flits must cross channels at most 99 times, not \d+; fewer packets do so$"
    with pytest.raises(ConfigurationError, match=line):
        run("ring:n=4", packets=60, length=(2, 2))


@pytest.mark.parametrize("pipeline", [1, 2])
@pytest.mark.parametrize("length", [1, 5])
def test_lone_packets_take_the_zero_load_latency(pipeline, length):
    """A packet a hundred cycles: none meets another."""
    network = Network.from_word(f"torus:x=4,y=4,pipeline={pipeline}")
    rng = np.random.default_rng(3)
    times = 100 * rng.permutation(16)
    packets = packets_of(network, np.arange(16), rng.permutation(16), length, times)
    record = run_model(network, Traffic(), packets, counts=True)
    rows = packet_rows(network, packets, record, score(network, packets, record), record.tally)
    assert len(rows) == 16
    for number, row in enumerate(rows.rows()):
        hops = network.topology.distance(number, int(packets.destination[number]))
        time = int(packets.time[number])
        latency = pipeline * (hops + 1) + length - 1
        assert row == {
            "packet": number, "source": number, "destination": int(packets.destination[number]),
            "length": length, "offered": time, "injected": time, "ejected": time + latency,
            "latency": latency, "hops": hops, "status": "delivered",
        }  # fmt: skip


def test_lost_and_refused_packets_have_rows_too():
    network = Network.from_word("lcan:d=2,u=2,levels=2,max_packet=4")
    packets = packets_of(network, [0, 0, 3], [3, 1, 0], [2, 9, 1], [0, 10, 2000])
    record = run_model(network, Traffic(), packets, clocks=100, counts=True)
    fates = score(network, packets, record)
    rows = packet_rows(network, packets, record, fates, record.tally).rows()
    assert [row["status"] for row in rows] == ["delivered", "refused", "lost"]
    assert [row["destination"] for row in rows] == [3, None, 0]
    assert [row["injected"] for row in rows] == [0, 10, None]
    assert [row["ejected"] for row in rows[1:]] == [row["hops"] for row in rows[1:]] == [None] * 2
    assert rows[1]["length"] == 9


def test_a_multicast_has_a_row_for_each_destination():
    network = Network.from_word("hypercube:n=3,multicast=yes")
    traffic = Traffic(packets=40, multicast_share=0.5, members=(3, 3), length=(2, 2))
    result = simulate(network, traffic, engine="model")
    packets = make_packets(network, traffic)
    rows = result.packets.rows()
    ends = sorted((row["packet"], row["destination"]) for row in rows)
    assert ends == sorted(packets.deliveries())
    assert {row["status"] for row in rows} == {"delivered"}
    assert max(row["latency"] for row in rows) == result.latency.max
    for row in rows:
        assert (row["hops"] is None) == (row["packet"] in packets.members)
        assert row["length"] == 2


def test_one_way_use_crosses_every_level():
    network = Network.from_word("banyan:d=2,u=2,levels=3,max_packet=4")
    rows = simulate(network, Traffic(packets=30), engine="model").packets.rows()
    assert {row["hops"] for row in rows} == {2}
    assert {(row["source"] < 8) != (row["destination"] < 8) for row in rows} == {True}


def test_circuits_go_up_to_the_common_ancestor_and_down():
    network = Network.from_word("lcan:d=2,u=2,levels=3,max_packet=4")
    result = simulate(network, Traffic(packets=30), engine="model")
    assert result.links is None
    for row in result.packets.rows():
        up = (row["source"] ^ row["destination"]).bit_length() - 1
        assert row["hops"] == 2 * up
        assert row["offered"] <= row["injected"] < row["ejected"]


@pytest.mark.parametrize("word", ["torus:x=4,y=3", "moebius:n=3", "wk:w=3,levels=2"])
def test_loads_are_those_of_the_packets_walked_one_by_one(word):
    network, traffic = Network.from_word(word), Traffic(packets=200, length=(1, 4), rate=0.3)
    result = simulate(network, traffic, engine="model")
    packets, expected = make_packets(network, traffic), Counter()
    for number in range(len(packets)):
        ends = int(packets.source[number]), int(packets.destination[number])
        for hop in network.routing.hops(*ends)[:-1]:
            expected[hop.router, hop.port, hop.virtual_channel] += int(packets.length[number])
    topology = network.topology
    seen = set()
    for row in result.links.table.rows():
        at = row["router"], topology.ports.index(row["port"]), row["virtual_channel"]
        assert row["to"] == topology.neighbours[at[:2]]
        assert row["flits"] == expected[at]
        assert row["utilization"] == pytest.approx(expected[at] / result.cycles, abs=1e-6)
        seen.add(at)
    assert set(expected) <= seen
    assert len(seen) == (topology.neighbours >= 0).sum() * network.routing.virtual_channels
    wires = Counter()
    for (router, port, _), flits in expected.items():
        wires[router, port] += flits
    directions = (topology.neighbours >= 0).sum()
    assert result.links.max == pytest.approx(max(wires.values()) / result.cycles, abs=1e-6)
    assert result.links.mean == pytest.approx(
        sum(wires.values()) / directions / result.cycles, abs=1e-5
    )


def test_loads_of_several_runs_are_added():
    network = Network.from_word("torus:x=3,y=3")
    parts = [simulate(network, Traffic(packets=50, seed=s), engine="model").links for s in (1, 2)]
    total = LinkLoads.sum(parts)
    assert (total.flits == parts[0].flits + parts[1].flits).all()
    assert total.cycles == parts[0].cycles + parts[1].cycles
    assert list(total.as_json()) == ["mean", "max", "channels"]
    assert repr(total).startswith("<LinkLoads of 36 directions: mean 0.")


def test_a_run_without_cycles_or_links_has_no_load():
    network = Network.from_word("hypercube:n=1")
    loads = LinkLoads.of(network, Tally.of(network, 0), 0)
    assert (loads.mean, loads.max) == (0, 0)
    none = LinkLoads(
        **dict.fromkeys(("router", "port", "to", "virtual_channel", "flits"), np.zeros(0, int)),
        ports=("local",),
        cycles=5,
    )
    assert (none.mean, none.max, repr(none)) == (None, None, "<LinkLoads of no links>")
