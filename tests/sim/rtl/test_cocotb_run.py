"""Emitted Verilog and golden model on the same traffic: every beat at the same node and clock."""

import dataclasses
from contextlib import contextmanager

import numpy as np
import pytest
from helpers.faults import changing
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Network
from knotwork.emit import network_verilog
from knotwork.errors import ToolError
from knotwork.progress import Task
from knotwork_sim.model.record import PATIENCE
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl import cocotb_run, wrapper
from knotwork_sim.rtl.cocotb_run import BLOCK_LINES, build_rtl, run_rtl
from knotwork_sim.rtl.programs import router_blocks
from knotwork_sim.rtl.verilator import build_simulator
from knotwork_sim.scoreboard.score import count_mismatches, score
from knotwork_sim.traffic.keys import STANDALONE, Traffic
from knotwork_sim.traffic.make import list_packets, make_packets
from knotwork_sim.traffic.packets import packet_table

SMALL = Network(Hypercube(n=2), buffer_depth=4)
PLAIN = Network(Hypercube(n=2), buffer_depth=4, pipeline=1)


@pytest.fixture
def equal(equal_in_cocotb):
    """Function that gives the record of cocotb's testbench, not of the driver."""
    return equal_in_cocotb


def slow(*values):
    """Parameters of a test that runs for long."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("word", "rate", "count"),
    [
        ("moebius:n=2,virtual_channels=3,data_width=8,buffer_depth=2", 1.0, 500),
        slow("moebius:n=2,twist=1,data_width=72,buffer_depth=2,pipeline=2", 1.0, 500),
        ("ccc:n=2,buffer_depth=4", 0.5, 1000),
        slow("ccc:n=3,buffer_depth=4", 0.5, 3000),
        slow("moebius:n=4,twist=1", 0.4, 20_000),
        slow("hypercube:n=4,virtual_channels=2,pipeline=2", 0.6, 3000),
    ],
)
def test_networks_of_every_width_depth_and_kind_of_router(equal, word, rate, count):
    network = Network.from_word(word)
    packets, record = equal(network, rate=rate, packets=count, length=(1, 6), bubble=0.1, stall=0.4)
    assert score(network, packets, record).delivered == count


@pytest.mark.parametrize(
    ("word", "packets"),
    [
        ("mesh:x=2,y=2,virtual_channels=2,buffer_depth=4", 150),
        *(
            slow(word, 800)
            for word in (
                "mesh:x=2,y=2,virtual_channels=2,buffer_depth=4",
                "hypercube:n=2,virtual_channels=4,data_width=72,buffer_depth=4",
                "mesh:x=3,y=3,buffer_depth=5",
                "mesh:x=3,y=2,virtual_channels=4",
                "torus:x=3,y=3,buffer_depth=4",
                "moebius:n=3,twist=1,virtual_channels=3,buffer_depth=9",
                "moebius:n=3,routing=spr,buffer_depth=8",
                "ccc:n=3,routing=unicast,buffer_depth=4",
                "wk:w=3,levels=2,broadcast=no,buffer_depth=4",
                "tcpg:k=1,m=1,broadcast=no,buffer_depth=4",
                "petersen:buffer_depth=4",
            )
        ),
    ],
)
def test_routers_with_credits(equal, word, packets):
    network = Network.from_word(f"{word},pipeline=2")
    assert network.has_credits
    for keys in (
        {"length": (1, 1)},
        {"length": (1, 6), "stall": 0.3, "bubble": 0.1},
        {"length": (20, 40), "stall": 0.6, "packets": packets // 5},
        {"length": (4, 4), "traffic": "hotspot", "pauses": "changing", "stall": 0.2},
    ):
        equal(network, **{"rate": 1.0, "packets": packets, **keys})


@pytest.mark.parametrize(
    "traffic", ["hotspot", *map(slow, sorted({*STANDALONE} - {"hotspot", "tornado"}))]
)
def test_all_patterns(equal, traffic):
    equal(SMALL, traffic=traffic, rate=0.8, packets=400, length=(1, 4), stall=0.2)


@pytest.mark.parametrize("virtual_channels", [2, slow(4)])
def test_refused_packets_are_told_in_the_same_clock_and_disturb_nobody(equal, virtual_channels):
    network = Network(
        Ring(nodes=6), routing=RingRouting, virtual_channels=virtual_channels, buffer_depth=3
    )
    drawn = make_packets(network, Traffic(rate=0.7, packets=500, length=(1, 5)))
    illegal = np.random.default_rng(1).random(len(drawn)) < 0.2
    packets = dataclasses.replace(drawn, destination=np.where(illegal, -1, drawn.destination))
    _, record = equal(network, packets, bubble=0.1, stall=0.2)
    assert len(record.refused) == illegal.sum() > 60


def test_a_network_that_idles_for_long_goes_on(equal, monkeypatch):
    monkeypatch.setattr(cocotb_run, "patience_with", lambda _: 200)
    packets = packet_table(
        SMALL,
        source=np.array([0, 3]),
        destination=np.array([3, 1]),
        length=np.array([2, 1]),
        time=np.array([0, 1000]),
        seed=1,
    )
    assert PATIENCE > 1000  # of the golden model, which has a test of its own
    _, record = equal(SMALL, packets)
    assert record.clock.tolist() == [6, 7, 1004]


link_bit_flipped = changing(
    ".dim0_i_flit(link_00_dim0_flit)", ".dim0_i_flit(link_00_dim0_flit ^ 37'd1)"
)
# A buffer that says full while it has room: no flit is lost, but the clocks differ.
ready_late = changing(
    ".dim1_o_ready(link_00_dim1_ready)", ".dim1_o_ready(link_00_dim1_ready & m_axis_3_tready)"
)


@pytest.mark.parametrize(
    ("network", "edit", "expected"),
    [(SMALL, link_bit_flipped, {"corrupted", "lost"}), (PLAIN, ready_late, set())],
)
def test_a_broken_network_is_caught(network, edit, expected):
    right = network_verilog(network)
    wrong = edit(right)
    assert wrong != right
    sources = {"wrong.v": wrong, "testbench.v": wrapper.wrapper_verilog(network)}
    traffic = Traffic(rate=0.5, packets=400, length=(1, 4), stall=0.3)
    packets = make_packets(network, traffic)
    simulator, golden = build_simulator(sources, wrapper.TOP), run_model(network, traffic, packets)
    rtl = run_rtl(network, traffic, packets, golden=golden, simulator=simulator)
    result = score(network, packets, rtl)
    assert {f for f in ("lost", "duplicated", "corrupted") if getattr(result, f)} >= expected
    assert count_mismatches(rtl, golden) > 0
    assert rtl.mismatch.startswith(f"{network.name}: ")
    log = (simulator.directory / "simulation.log").read_text()
    assert "FAIL=1" in log, "cocotb itself fails"
    assert f"Mismatch: {rtl.mismatch.splitlines()[0]}" in log


@pytest.mark.slow
def test_an_invariant_of_a_router_fails_the_cocotb_test():
    always = changing(".dim1_o_credit(link_00_dim1_credit)", ".dim1_o_credit(1'b1)")
    wrong = always(network_verilog(SMALL))
    sources = {"wrong.v": wrong, "testbench.v": wrapper.wrapper_verilog(SMALL)}
    traffic = Traffic(rate=0.5, packets=400, length=(1, 4), stall=0.3)
    packets = make_packets(SMALL, traffic)
    simulator = build_simulator(sources, wrapper.TOP)
    with pytest.raises(ToolError, match="queue: a flit must not arrive without a place"):
        run_rtl(SMALL, traffic, packets, simulator=simulator)


@pytest.mark.parametrize(
    ("words", "routers"),
    [
        ("hypercube n=2", 0),  # few
        ("hypercube n=3", 8),
        # Nine kinds, by the ports that they have.
        slow("mesh x=3 y=3", 0),
        # All but the ends of the three longer rings.
        slow("torus x=3 y=7 pipeline=2", 15),
        ("ccc n=4 routing=lc2", 0),  # small
        ("lcan d=2 u=2 levels=3", 0),
        # Verilator loses longer names.
        (f"hypercube n=3 name={'n' * 93}", 8),
        (f"hypercube n=3 name={'n' * 94}", 0),
    ],
)
def test_routers_are_blocks_where_they_are_many_and_large(words, routers):
    network = Network.from_words(words.split())
    blocks = router_blocks(network, network_verilog(network), BLOCK_LINES)
    assert len(set(blocks)) == len(blocks)
    assert sum(network.router_kinds[n].name in blocks for n in network.router_number) == routers


def test_a_run_with_replies_reports_its_progress_and_its_record_is_replayed(monkeypatch):
    tasks = []

    @contextmanager
    def progress(what, *, total=None, unit=""):
        tasks.append(Task(what, total, unit))
        yield tasks[-1]

    simulator = build_rtl(SMALL)
    pauses = {"stall": 0.3, "bubble": 0.1, "seed": 5}
    drawn = Traffic(rate=0.3, packets=250, length=(1, 2), reply=(1, 3), service=(0, 6), **pauses)
    packets = make_packets(SMALL, drawn)
    monkeypatch.setattr(cocotb_run, "progress", progress)
    rtl = run_rtl(SMALL, drawn, packets, simulator=simulator)
    (task,) = tasks
    assert (task.what, task.total, task.unit) == ("simulating", packets.due.sum(), "flits")
    assert 0 < task.done <= task.total
    assert rtl.mismatch is None
    assert count_mismatches(rtl, run_model(SMALL, drawn, packets)) == 0
    found = score(SMALL, packets, rtl)
    assert (found.delivered, len(found.round_trip)) == (500, 250)
    listed = list_packets(SMALL, packets, found.time)
    again = Traffic(traffic="replay", replay=listed, **pauses)
    repeated = run_rtl(SMALL, again, make_packets(SMALL, again), simulator=simulator)
    for name in ("clock", "node", "source", "last"):
        assert (getattr(repeated, name) == getattr(rtl, name)).all()
