"""The live module delivers what the golden model delivers, in the same cycles."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.live_run import LiveRun
from helpers.refusals import refuses
from knotwork.network import Network
from knotwork_sim import live as room
from knotwork_sim.check.links import LinkLoads
from knotwork_sim.live.design import channels, pattern_choices
from knotwork_sim.live.module import STATS, live_module, require_live
from knotwork_sim.model.run import run_log
from knotwork_sim.sweep.point import draw_packets
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import as_traffic, make_packets

NETWORKS = (
    "hypercube:n=3",
    "moebius:n=4",
    "ccc:n=3",
    "wk:w=4,levels=2",
    "tcpg:k=1,m=1",
    "lcan:d=2,u=2,levels=3",
    "hypercube:n=3,pipeline=1",
    "hypercube:n=3,router=deflection",
    "mesh:x=3,y=2,virtual_channels=2",
)
CYCLES = 100_000
EMPTIED = 1000
"""Last cycles, in which no packets begin: with credits the golden model counts a flit when its
router sends it, and the live module when the link's register has it."""


@pytest.fixture(scope="module")
def small():
    """Network whose counts are equal at any cycle: see `EMPTIED`."""
    network = Network.from_word("hypercube:n=2,pipeline=1")
    return network, live_module(network)


def mixed(x):
    x = ((x ^ x >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    x = ((x ^ x >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return x ^ x >> 16


def number(seed, cycle, node, purpose):
    """Number of 32 bits of the documented generator; arrays in, arrays out."""
    return mixed(seed ^ mixed(cycle ^ mixed(2 * node + purpose + 1)))


def created(topology, *, seed, rate, pattern, length, cycles):
    """Packets (cycle, source, destination, length) in order of cycle and source."""
    choices = pattern_choices(topology)
    cycle, node = np.mgrid[:cycles, : topology.nodes].astype(np.uint64)
    hit = number(np.uint64(seed), cycle, node, 0) < (rate << 16) // length
    time, source = np.nonzero(hit)
    drawn = number(np.uint64(seed), time.astype(np.uint64), source.astype(np.uint64), 1)
    rows = []
    for at, node, word in zip(time.tolist(), source.tolist(), drawn.tolist(), strict=True):
        begin, end = choices.first[pattern * topology.nodes + node :][:2].tolist()
        if begin == end:
            continue
        chosen = begin + int(np.searchsorted(choices.end[begin:end], word))
        rows.append((at, node, int(choices.destination[chosen]), length))
    return rows


def golden(network, rows, clocks):
    """Rows of deliveries, in order of cycle and node, and flits by channel, of the golden model."""
    traffic = as_traffic(network, rows)
    packets = make_packets(network, traffic)
    run = run_log(network, traffic, packets, clocks=clocks, counts=True)
    log = run.log
    number = run.copies.origin[log.packet]
    last = log.beat == packets.length[number] - 1
    number, arrived = number[last], log.clock[last]
    deliveries = np.stack(
        [packets.source[number], log.node[last], packets.time[number], arrived], axis=1
    )
    crossed = None
    if run.tally is not None:
        loads = LinkLoads.of(network, run.tally, clocks)
        begins = np.flatnonzero(loads.virtual_channel == 0)
        crossed = np.add.reduceat(loads.flits, begins)
    return deliveries, crossed


def drawn(network, rate, clocks, **keys):
    """Packets (cycle, source, destination, length) of `knotwork simulate`, in order of cycle."""
    packets = draw_packets(network, Traffic(**keys), rate, clocks)
    order = np.lexsort((packets.source, packets.time))
    columns = (packets.time, packets.source, packets.destination, packets.length)
    return [*zip(*(column[order].tolist() for column in columns), strict=True)]


def require_equal(network, live, rows, cycles):
    deliveries, crossed = LiveRun(live).run_offered(rows, cycles)
    expected, through = golden(network, rows, cycles)
    assert len(expected) > 100
    assert np.array_equal(deliveries, expected)
    if through is not None:
        assert np.array_equal(crossed, through)


@pytest.mark.parametrize(
    ("rate", "keys"),
    [(0.4, {"length": (1, 4)}), (0.95, {"length": (2, 2), "traffic": "complement"})],
)
def test_offered_packets_arrive_when_the_golden_model_says(small, rate, keys):
    network, live = small
    require_equal(network, live, drawn(network, rate, 3000, **keys), 3000)


@pytest.mark.parametrize(("pattern", "length", "rate"), [("uniform", 1, 0.3), ("hotspot", 3, 0.2)])
def test_its_own_sources_create_what_the_page_says(small, pattern, length, rate):
    network, live = small
    settings = {
        "seed": 0x9ABCDEF1,
        "rate": int(rate * 65536),
        "pattern": live.description["patterns"].index(pattern),
        "length": length,
    }
    rows = created(network.topology, **settings, cycles=2000)
    run = LiveRun(live)
    assert run.call("configure", *settings.values()) == 1
    deliveries, crossed = run.run(2000)
    expected, through = golden(network, rows, 2000)
    assert np.array_equal(deliveries, expected)
    assert np.array_equal(crossed, through)
    stats = run.stats
    assert stats["created"] == len(rows)
    assert abs(len(rows) * length / 2000 / 4 - rate) < 0.05
    assert stats["delivered"] == len(expected)
    assert stats["delivered"] + stats["waiting"] + stats["in_flight"] == stats["created"]
    latency = expected[:, 3] - expected[:, 2]
    assert (stats["latency_sum"], stats["latency_max"]) == (latency.sum(), latency.max())
    assert (stats["astray"], stats["refused"], stats["overflowed"]) == (0, 0, 0)


def test_what_does_not_fit_is_counted_and_a_run_stops_before_deliveries_are_lost(small):
    network, live = small
    run = LiveRun(live)
    assert run.call("configure", 1, 65536, live.description["patterns"].index("hotspot"), 1) == 1
    run.run(3000)
    stats = run.stats
    assert stats["overflowed"] > 0
    attempts = len(created(network.topology, seed=1, rate=65536, pattern=6, length=1, cycles=3000))
    assert stats["created"] + stats["overflowed"] == attempts == 4 * 3000
    assert stats["waiting"] <= 4 * 256
    run = LiveRun(live)
    run.call("configure", 1, 65536, live.description["patterns"].index("neighbour"), 1)
    done = run.call("run", 100_000)
    assert 0 < done < 100_000
    assert len(run.deliveries) == run.stats["delivered"] <= 1 << 16
    assert len(run.deliveries) + 4 > 1 << 16


def test_a_reset_begins_anew_and_the_description_names_channels_and_patterns(small):
    network, live = small
    run = LiveRun(live)
    run.call("configure", 5, 30000, 0, 2)
    first = run.run(700)
    run.reset()
    assert run.stats == dict.fromkeys(STATS, 0)
    for one, other in zip(first, run.run(700), strict=True):
        assert np.array_equal(one, other)
    links = [[link.router, link.port, link.to, link.into] for link in channels(network)]
    assert [[*link] for link in live.description["links"]] == links
    assert live.description["patterns"][0] == "uniform"
    assert live.description["network"] == network.name


def test_what_the_network_does_not_have_is_refused_and_changes_nothing(small):
    _, live = small
    run = LiveRun(live)
    run.call("configure", 5, 30000, 0, 2)
    for wrong in ((1, 65537, 0, 1), (1, 100, 99, 1), (1, 100, 0, 0), (1, 100, 0, 4097)):
        assert run.call("configure", *wrong) == 0
    for wrong in ((4, 0, 1, 0), (0, 4, 1, 0), (0, 1, 0, 0), (0, 1, 5000, 0)):
        assert run.call("offer", *wrong) == 0
    assert run.call("offer", 0, 1, 1, 50) == 1
    assert run.call("offer", 0, 1, 1, 49) == 0  # before the one before
    fresh = LiveRun(live)
    fresh.call("configure", 5, 30000, 0, 2)
    fresh.call("offer", 0, 1, 1, 50)
    assert np.array_equal(run.run(500)[0], fresh.run(500)[0])


REFUSED = {
    "hypercube:n=7": "live: hypercube_n7 must have at most 64 routers, not 128",
    "hypercube:n=3,routing=lc1": "live: hypercube_n3_lc1 must take packets at any time, without "
    "tables or rounds, not routing=lc1",
    "lcan:d=2,u=2,levels=2,routing=scheduled": "live: "
    "lcan_d2_u2_levels2_interconnectcomplete_scheduled must take packets at any time, without "
    "tables or rounds, not routing=scheduled",
}


@pytest.mark.parametrize(("word", "message"), REFUSED.items())
def test_what_cannot_be_live_is_refused(word, message):
    with refuses(message):
        require_live(Network.from_word(word))


@pytest.mark.slow
@pytest.mark.parametrize("word", NETWORKS)
def test_every_network_is_equal_for_a_hundred_thousand_cycles(word):
    network = Network.from_word(word)
    longest = network.longest_packet or 4
    keys = {"length": (network.shortest_packet, longest)} if longest > 1 else {}
    rows = drawn(network, 0.2, CYCLES - EMPTIED, **keys)
    require_equal(network, live_module(network), rows, CYCLES)


SCRIPT = Path(room.__file__).with_name("live.js")
NODE = shutil.which("node")
PAGE = """
const KnotworkLive = require(%s);
const [packed, description] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const refused = (action) => {
  try { action(); return ""; } catch (error) { return error.message; }
};
KnotworkLive.unpack(packed, description).then((network) => {
  network.configure({ rate: 0.25, pattern: "complement", length: 2, seed: 4000000000 });
  const offered = network.offer(0, 2, 5, 30);
  const done = network.run(400);
  const told = { offered, done, stats: network.stats, deliveries: network.deliveries,
                 occupancy: Array.from(network.occupancy), cycles: network.cycles };
  told.refused = [
    refused(() => network.configure({ pattern: "nowhere" })),
    refused(() => network.configure({ rate: 1.5 })),
    refused(() => network.configure({ length: 0 })),
    refused(() => network.offer(4, 0)),
  ];
  network.reset();
  told.anew = network.stats.cycles;
  console.log(JSON.stringify(told));
});
"""


@pytest.mark.skipif(NODE is None, reason="node must be installed to run live.js")
def test_a_page_sees_what_the_module_tells(small):
    _, live = small
    command = [NODE, "-e", PAGE % json.dumps(str(SCRIPT))]
    module = json.dumps([live.packed, live.description])
    done = subprocess.run(command, input=module, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    run = LiveRun(live)
    pattern = live.description["patterns"].index("complement")
    run.call("configure", 4_000_000_000, 65536 // 4, pattern, 2)
    assert told["offered"] == (run.call("offer", 0, 2, 5, 30) == 1) is True
    deliveries, occupancy = run.run(400)
    assert told["done"] == told["cycles"] == 400
    assert told["stats"] == run.stats
    assert told["occupancy"] == occupancy.tolist()
    rows = [(d["source"], d["destination"], d["created"], d["arrived"]) for d in told["deliveries"]]
    assert rows == [tuple(row) for row in deliveries.tolist()]
    assert all(d["latency"] == d["arrived"] - d["created"] > 0 for d in told["deliveries"])
    assert (0, 2, 30) in [row[:3] for row in rows]
    assert told["anew"] == 0
    patterns = ", ".join(live.description["patterns"])
    assert told["refused"] == [
        f"pattern must be one of {patterns}, not nowhere",
        "rate must be a number in 0..1, not 1.5",
        "length must be an integer in 1..4096, not 0",
        "source must be an integer in 0..3, not 4",
    ]
