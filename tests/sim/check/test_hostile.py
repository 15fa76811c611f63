"""Networks among hostile nodes: resets amid traffic, packets that cannot be sent, silence."""

import numpy as np
import pytest
from helpers.faults import changing
from helpers.hostile_runs import hostile_packets, hostile_traffic, longest, run_phases
from helpers.packet_columns import packets_of
from helpers.ring import Ring, RingRouting
from helpers.routes import slow
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl import wrapper
from knotwork_sim.rtl.verilator import build_simulator
from knotwork_sim.traffic.keys import Traffic

RING = "a ring with two virtual channels"
CUBE = "hypercube:n=2,buffer_depth=4"
DEFLECTION = "torus:x=3,y=2,directions=one,router=deflection,data_width=40"
BATCHES = "ccc:n=3,routing=lc2,words=3"
CIRCUITS = "lcan:d=3,u=2,levels=2,max_packet=5"
CREDITS = "mesh:x=2,y=2,virtual_channels=2,buffer_depth=4,pipeline=2"
QUICK = (CUBE, DEFLECTION, BATCHES, CIRCUITS, CREDITS)  # most are compiled for other tests
SLOW = (
    RING,
    "hypercube:n=3", "mesh:x=3,y=3,buffer_depth=2", "torus:x=3,y=3,pipeline=2",
    "petersen:buffer_depth=4", "tcpg:k=1,m=1,buffer_depth=4,data_width=16",
    "moebius:n=3,routing=spr,vc_scheme=escape,buffer_depth=4",
    "wk:w=3,levels=2,buffer_depth=4,pipeline=2", "wk:w=2,levels=3,buffer_depth=4,broadcast=stack",
    "wk:w=3,levels=2,buffer_depth=5,max_packet=4,broadcast=address",
    "wk:w=3,levels=2,router=deflection,sequence_width=3",
    "torus:x=4,y=3,directions=one,router=deflection,data_width=40", "hypercube:n=3,routing=lc1",
    "lcan:d=3,u=2,levels=3,max_packet=5", "fattree:r=4,2,3,u=2,3,1,max_packet=4",
    "banyan:d=3,u=2,levels=2,max_packet=4", "banyan:d=2,u=2,levels=2,max_packet=3",
)  # fmt: skip


def network_of(word):
    if word == RING:
        return Network(Ring(nodes=6), routing=RingRouting, virtual_channels=2, buffer_depth=3)
    return Network.from_word(word)


def broken_off(network, count):
    """Phases of traffic: all but the last are broken off; some begin with cycles of silence."""
    dice = np.random.default_rng(len(network.name))
    phases = []
    for number in range(count):
        traffic = hostile_traffic(network, seed=10 + number)
        after = int(dice.integers(60, 200)) if number % 2 else 0
        packets = hostile_packets(network, traffic, after=after)
        clocks = run_model(network, traffic, packets).clocks - after
        until = None if number == count - 1 else after + int(clocks * dice.uniform(0.1, 0.9))
        phases.append((traffic, packets, {"reset": int(dice.integers(1, 5)), "until": until}))
    return phases


@pytest.mark.parametrize("word", [*QUICK, *slow(SLOW)])
def test_a_reset_amid_traffic_leaves_an_empty_network_that_works(word, tmp_path, judgement):
    """A flit, a grant or half a packet left behind would change the timing of the next phase."""
    network = network_of(word)
    phases = broken_off(network, 3 if word in QUICK else 12)
    records = run_phases(network, phases, tmp_path)
    refusals = 0
    for (traffic, packets, more), record in zip(phases, records, strict=True):
        until = more["until"]
        model = run_model(network, traffic, packets, clocks=until or 2**62)
        early = model.refused[:, 0] < (until or 2**62)
        assert record.rows().tolist() == model.rows().tolist()
        assert record.refused.tolist() == model.refused[early].tolist()
        if until is not None:
            assert len(record.clock) < packets.due.sum(), "it was not amid traffic"
        refusals += len(record.refused)
        assert not (record.clock < packets.time.min()).any()
    judgement(network, packets, record)
    if packets.refused.any():
        assert refusals > packets.refused.sum() > 0
    codes = network.topology.unused_addresses
    if codes and network.routing.takes_packets_any_time:
        short = packets.length <= longest(network)
        nowhere = packets.refused & short & ~packets.broadcast
        assert nowhere.sum() >= len(codes), "the driver takes them by turns: each was there"


@pytest.mark.fault
@pytest.mark.slow
def test_a_reset_that_forgets_arbiters_is_seen(tmp_path):
    network = network_of(CUBE)
    wrong = network_verilog(network)
    for inputs in (2, 3):
        wrong = changing("if (rst)", "if (1'b0)", f"matrix_arbiter_{inputs}way")(wrong)
    sources = {"wrong.v": wrong, "testbench.v": wrapper.wrapper_verilog(network)}
    phases = broken_off(network, 12)
    records = run_phases(network, phases, tmp_path, simulator=build_simulator(sources, wrapper.TOP))
    same = []
    for (traffic, packets, more), record in zip(phases, records, strict=True):
        model = run_model(network, traffic, packets, clocks=more["until"] or 2**62)
        same.append(record.rows().tolist() == model.rows().tolist())
    assert same[0]
    assert not all(same)


@pytest.mark.parametrize("word", [DEFLECTION, *slow([RING, CIRCUITS, BATCHES])])
def test_a_tlast_that_is_late_by_thousands_of_clocks_loses_nothing(word, tmp_path, judgement):
    """Where no packet waits for the silent one, all others arrive before it."""
    network, node, until = network_of(word), 1, 2000
    traffic = hostile_traffic(network, seed=2, packets_a_node=20)
    drawn = hostile_packets(network, traffic)
    first = drawn.first_packet[node]
    destination, length, time = (
        getattr(drawn, name).copy() for name in ("destination", "length", "time")
    )
    length[first], time[first] = 3, 0
    if network.routing.takes_packets_any_time:
        destination[first] = (node + 1) % network.topology.nodes
    columns = drawn.source, destination, length, time
    packets = packets_of(network, *columns, seed=2, loadings=drawn.loadings)
    quiet = {"silence": {"node": node, "beat": 2, "until": until}}
    (record,) = run_phases(network, [(traffic, packets, quiet)], tmp_path)
    judgement(network, packets, record)
    late = record.clock >= until
    assert late.any()
    if network.router_class in ("deflection", "circuit"):
        assert set(record.source[late]) == {network.topology.address(node)}
    if not network.routing.takes_packets_any_time:
        assert late.all()


def test_others_go_on_clock_by_clock_as_if_a_silent_packet_were_not_there(tmp_path):
    """Node 0 holds a path 0, 2, 3 of the square; the others use none of its channels."""
    network, until = network_of(CUBE), 1500
    ways = np.array([(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2)])
    rng = np.random.default_rng(1)
    source, destination = ways[np.sort(rng.integers(0, len(ways), 300))].T
    mixed = rng.permutation(len(source))
    mixed = mixed[np.argsort(source[mixed], kind="stable")]
    others = np.stack([source[mixed], destination[mixed], rng.integers(1, 5, len(source))])
    traffic = Traffic(bubble=0.2, stall=0.3, seed=1)
    both = packets_of(network, *np.insert(others, 0, [0, 3, 4], axis=1))
    quiet = {"silence": {"node": 0, "beat": 2, "until": until}}
    (record,) = run_phases(network, [(traffic, both, quiet)], tmp_path)
    model = run_model(network, traffic, packets_of(network, *others))
    theirs = record.source != 0
    assert record.clock[theirs].tolist() == model.clock.tolist()
    assert record.node[theirs].tolist() == model.node.tolist()
    assert model.clock.max() < until
    assert record.node[~theirs].tolist() == [3] * 4
    assert (record.clock[~theirs] >= until).tolist() == [False, False, True, True]
