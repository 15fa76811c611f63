"""Crossings against the rules of the routing and the latencies that nodes saw."""

from pathlib import Path

import numpy as np
import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.check import crossings as room
from knotwork_sim.check.simulate import simulate
from knotwork_sim.traffic.keys import Traffic

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
        way = np.stack(
            [crossings.router[here], crossings.port[here], crossings.virtual_channel[here]]
        )
        hops = network.routing.hops(row["source"], row["destination"])
        assert way[0].tolist() == [hop.router for hop in hops]
        assert way[1].tolist() == [hop.port for hop in hops]
        assert way[2][:-1].tolist() == [hop.virtual_channel for hop in hops[:-1]]
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
    network, crossings, rows = run(
        "hypercube:n=3,routing=lc1,words=2",
        traffic="permutation",
        permutation="complement",
        packets=8,
        length=None,
        rate=None,
    )
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
    network, crossings, rows = run(
        "tcpg:k=1,m=1", packets=12, broadcast_share=1.0, length=(2, 2), rate=0.1
    )
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
    with pytest.raises(ConfigurationError) as refusal:
        run("ring:n=4", packets=60, length=(2, 2))
    assert str(refusal.value).startswith(
        "--trace: flits must cross channels at most 99 times, not "
    )
    assert str(refusal.value).endswith("; fewer packets do so")
