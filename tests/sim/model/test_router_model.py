"""What every router class's model promises of its runs."""

import numpy as np
import pytest
from knotwork import Network
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork_sim.model.run import MODELS, run_log
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORKS = {
    "packet": "hypercube:n=3,virtual_channels=2",
    "batch": "hypercube:n=3,routing=lc1,words=2",
    "circuit": "lcan:d=2,u=2,levels=3",
    "deflection": "torus:x=4,y=2,router=deflection,sequence_width=3",
}


def test_every_router_class_is_here():
    assert NETWORKS.keys() == ROUTER_PARAMETERS.keys()


@pytest.mark.parametrize("name", NETWORKS)
def test_a_run_logs_every_beat_in_order_and_its_user(name):
    network = Network.from_word(NETWORKS[name])
    assert network.router_class == name
    traffic = Traffic(traffic="permutation", permutation="reversal", packets=80, stall=0.3)
    packets = make_packets(network, traffic)
    run = run_log(network, traffic, packets)
    assert len(run.log.clock) == packets.due.sum()
    assert (np.lexsort((run.log.node, run.log.clock)) == np.arange(len(run.log.clock))).all()
    assert (run.copies.destination[run.log.packet] == run.log.node).all()
    assert run.clocks > run.log.clock.max()
    user = MODELS[name].user(network, packets, run)
    assert user.dtype == np.int64
    assert user.shape == run.log.clock.shape


@pytest.mark.parametrize("name", [name for name in NETWORKS if MODELS[name].counts_crossings])
def test_a_run_notes_what_it_counts(name):
    network = Network.from_word(NETWORKS[name])
    traffic = Traffic(traffic="permutation", permutation="reversal", packets=80, stall=0.3)
    packets = make_packets(network, traffic)
    run = run_log(network, traffic, packets, counts=True, room=5000)
    events = run.tally.events[: int(run.tally.noted[0])]
    counts = np.bincount(events[:, 1], minlength=len(run.tally.crossings))
    assert (counts == run.tally.crossings).all()
    assert 0 < len(events) < 5000
    part = run_log(network, traffic, packets, counts=True, room=7).tally
    assert part.events.tolist() == run.tally.events[:7].tolist()
    assert part.noted == run.tally.noted


@pytest.mark.parametrize("name", NETWORKS)
def test_a_run_ends_after_the_cycles_it_is_given(name):
    network = Network.from_word(NETWORKS[name])
    traffic = Traffic(traffic="permutation", permutation="reversal", packets=80)
    packets = make_packets(network, traffic)
    whole = run_log(network, traffic, packets)
    cycles = int(np.median(whole.log.clock))
    part = run_log(network, traffic, packets, clocks=cycles)
    assert part.clocks == cycles
    seen = whole.log.clock < cycles
    for one, other in zip(part.log[:4], whole.log[:4], strict=True):
        assert one.tolist() == other[seen].tolist()
