"""The compiled models against the readable one: every flit in its cycle, over all options."""

from dataclasses import replace
from itertools import zip_longest

import numpy as np
import pytest
from helpers.combinations import BASES, covering, word_of
from helpers.long_links import long_graphs, network_of
from helpers.networks import FAMILIES
from helpers.refusals import refuses
from helpers.ring import CyclicRingRouting, EscapingRingRouting, Ring
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork_sim.model.reference import CreditNetwork, RoundRobin, make_reference
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import NOWHERE


def assert_equal(network, traffic, *, refused=0.0):
    """Assert that a compiled model does what the reference does; a share of packets is refused."""
    packets = make_packets(network, traffic)
    if refused:
        refuse = np.random.default_rng(traffic.seed).random(len(packets)) < refused
        refuse &= ~packets.multicast & ~packets.broadcast
        packets = replace(packets, destination=np.where(refuse, NOWHERE, packets.destination))
    record = run_model(network, traffic, packets, counts=True)
    reference = make_reference(network, traffic, packets)
    # In a deadlock the compiled model waits for many thousands of cycles.
    last = max(packets.time.max(), record.clock.max(initial=0), record.refused.max(initial=0))
    for clock in range(min(record.clocks, int(last) + 2000)):
        reference.step(clock)
    lengths = reference.length
    seen = sorted(zip(record.clock, record.node, record.packet, record.last, strict=True))
    beats = [(*beat[:3], beat[3] == lengths[beat[2]] - 1) for beat in sorted(reference.beats)]
    # The first pair that differs: pytest would take a minute to write all of them.
    assert next((pair for pair in zip_longest(seen, beats) if pair[0] != pair[1]), None) is None
    assert record.refused.tolist() == [list(pulse) for pulse in sorted(reference.refused)]
    assert record.injected.tolist() == reference.ends.injected.tolist()
    crossings = np.zeros((*network.topology.neighbours.shape, network.virtual_channels), np.int64)
    for channel, count in reference.crossings.items():
        crossings[channel] = count
    assert (record.tally.crossings == crossings.ravel()).all()
    assert record.tally.hops.tolist() == [reference.hops[k] for k in range(len(lengths))]
    return record


def traffic_for(network, **keys):
    """Traffic with all kinds of packets that a network carries, none longer than it takes."""
    shares = {"broadcast_share": network.has_broadcast, "multicast_share": network.has_multicast}
    longest = network.longest_copied_packet - network.has_multicast  # a chain is one more
    keys |= {"length": (1, min(5, longest)) if longest > 0 else (1, 5)}
    return Traffic(**keys, **{key: 0.15 for key, has_it in shares.items() if has_it})


COMBINATIONS = [word_of(base, picks) for base in BASES for picks in covering(base)]


@pytest.mark.parametrize("word", COMBINATIONS)
def test_options_in_combination(word):
    network = Network.from_word(word)
    traffic = traffic_for(network, packets=60, rate=0.7, bubble=0.2, stall=0.3, seed=len(word))
    assert len(assert_equal(network, traffic, refused=0.1).clock) > 50


LIMITS = "class_limits=1/3,1,class_bursts=3,5"


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("word", [
    f"mesh:x=3,y=2,classes=2,{LIMITS}", f"hypercube:n=3,classes=2,multicast=yes,{LIMITS}",
    "mesh:x=3,y=2,classes=2,arbitration=weighted,class_weights=3,1",
])  # fmt: skip
def test_limits_of_injection_and_weights(word, stall):
    network = Network.from_word(word)
    traffic = traffic_for(network, packets=150, rate=0.9, bubble=0.1, stall=stall)
    assert_equal(network, traffic, refused=0.1)


@pytest.mark.parametrize("word", ["mesh:x=3,y=2", "mesh:x=3,y=2,pipeline=1", FAMILIES[3]])
def test_replies(word):
    network = Network.from_word(word)
    assert_equal(network, Traffic(packets=80, rate=0.5, reply=(1, 1), service=(0, 30)))


LENGTHS = st.tuples(st.integers(1, 4), st.sampled_from([0, 4, 30])).map(lambda p: (p[0], sum(p)))
LOADS = {
    "rate": st.floats(0.05, 1),
    "bubble": st.sampled_from([0.0, 0.3]),
    "stall": st.sampled_from([0.0, 0.3, 0.8]),
    "seed": st.integers(0, 2**32),
}


@settings(max_examples=25)
@given(
    word=st.sampled_from([
        "mesh:x=3,y=2", "mesh:x=2,y=2,virtual_channels=2", "hypercube:n=3,virtual_channels=4",
        "torus:x=3,y=3", "moebius:n=3,routing=spr", "ccc:n=3,routing=unicast", "petersen",
        "wk:w=3,levels=2,broadcast=no", "tcpg:k=1,m=1,broadcast=no",
    ]),
    pipeline=st.sampled_from([2, 3]),
    depth=st.sampled_from([2, 3, 4, 5, 8, 16]),
    length=LENGTHS,
    **LOADS,
)  # fmt: skip
def test_credits(word, pipeline, depth, **keys):
    separator = "," if ":" in word else ":"
    keyed = f"pipeline={pipeline},buffer_depth={depth}"
    assert_equal(Network.from_word(f"{word}{separator}{keyed}"), Traffic(packets=60, **keys))


SPR = {"routing": "spr", "vc_scheme": "escape", "pipeline": 2}


ADAPTIVE = (
    *("mesh:x=4,y=3", "torus:x=5,y=4", "moebius:n=4", "ccc:n=3", "wk:w=3,levels=2"),
    *("tcpg:k=1,m=1", "hypercube:n=4,ways=3", "mesh:x=3,y=2,nodes_per_router=2"),
    *("mesh:x=3,y=3,virtual_channels=4", "mesh:x=3,y=2,classes=2", "mesh:x=3,y=3,pipeline=3"),
)
SELECTED = (
    *("mesh:x=4,y=3,selection=credits", "torus:x=5,y=4,selection=credits,pipeline=3"),
    *("hypercube:n=3,ways=3,selection=credits", "mesh:x=3,y=2,classes=2,selection=credits"),
    *("mesh:x=3,y=3,virtual_channels=4,selection=credits", "ccc:n=3,selection=credits"),
    *("mesh:x=4,y=3,selection=random", "hypercube:n=3,ways=3,selection=random"),
    *("mesh:x=3,y=2,nodes_per_router=2,selection=random", "ccc:n=3,selection=random,pipeline=3"),
)


DRAWN = (
    *(
        "mesh:x=4,y=3,routing=o1turn",
        "torus:x=5,y=4,routing=o1turn",
        "mesh:x=2,y=2,z=2,routing=o1turn",
    ),
    *("mesh:x=3,y=2,classes=2,routing=o1turn", "mesh:x=3,y=3,routing=valiant,pipeline=3"),
    *("torus:x=4,y=3,routing=valiant", "wk:w=3,levels=2,routing=valiant"),
    *("tcpg:k=1,m=1,routing=valiant", "ccc:n=3,nodes_per_router=2,routing=valiant"),
    *("mesh:x=4,y=3,routing=romm", "torus:x=5,y=4,routing=romm,pipeline=3"),
    *("wk:w=3,levels=2,routing=romm", "ccc:n=3,nodes_per_router=2,routing=romm"),
    "mesh:x=3,y=2,classes=2,routing=romm",
)


@pytest.mark.parametrize("word", [
    *(f"{word},routing=adaptive" for word in (*ADAPTIVE, *SELECTED)), *DRAWN,
])  # fmt: skip
def test_packets_that_choose(word):
    network = Network.from_word(word)
    traffic = traffic_for(network, packets=100, rate=0.9, bubble=0.1, stall=0.3)
    assert_equal(network, traffic, refused=0.1)


@settings(max_examples=12)
@given(
    network=st.sampled_from([
        Network(Moebius(n=3), **SPR, virtual_channels=2),
        Network(Moebius(n=3, twist=1), **SPR, virtual_channels=4),
        Network(Moebius(n=2), **SPR, buffer_depth=9),
        Network(Moebius(n=3), **SPR | {"pipeline": 3}, buffer_depth=5),
        Network(Moebius(n=3), **SPR, buffer_depth=2),
        Network(Ring(nodes=6), routing=EscapingRingRouting, pipeline=2, buffer_depth=4),
    ]),
    length=st.sampled_from([(1, 1), (1, 4), (1, 20)]),
    **LOADS,
)  # fmt: skip
def test_escapes(network, **keys):
    assert_equal(network, Traffic(packets=80, **keys))


@settings(max_examples=25, deadline=None)
@given(
    links=long_graphs(),
    directed=st.booleans(),
    depth=st.sampled_from([2, 3, 4, 5, 8, 16, 40]),
    pipeline=st.sampled_from([2, 3]),
    channels=st.sampled_from([2, 4]),
    length=LENGTHS,
    **LOADS,
)
def test_links_of_several_cycles(links, directed, pipeline, depth, channels, **keys):
    hardware = {"pipeline": pipeline, "virtual_channels": channels, "buffer_depth": depth}
    assert_equal(network_of(links, directed=directed, **hardware), Traffic(packets=40, **keys))


@settings(max_examples=25)
@given(
    topology=st.one_of(
        st.integers(1, 3).map(lambda n: (Hypercube(n=n), None)),
        st.builds(lambda n, twist: (Moebius(n=n, twist=twist), None), st.integers(1, 3),
                  st.integers(0, 1)),
        st.just((Ring(nodes=6), CyclicRingRouting)),
    ),
    depth=st.integers(2, 5),
    length=LENGTHS,
    **LOADS,
)  # fmt: skip
def test_plain_routers(topology, depth, **keys):
    network = Network(
        topology[0], routing=topology[1], pipeline=1, buffer_depth=depth, allow_deadlock="yes"
    )
    assert_equal(network, Traffic(packets=60, **keys), refused=0.1)


@pytest.mark.parametrize("word", ["wk:w=3,levels=2,router=deflection,sequence_width=3", *FAMILIES])
def test_deflection_routers(word):
    traffic = Traffic(packets=300, rate=0.8, bubble=0.1, stall=0.3)
    assert_equal(Network.from_word(word), traffic, refused=0.1)


def test_other_router_classes_have_none():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    traffic = Traffic(packets=4)
    with refuses("network must have packet or deflection routers, not circuit", ValueError):
        make_reference(network, traffic, make_packets(network, traffic))


@pytest.mark.parametrize("word", ["mesh:x=3,y=2,classes=2", "mesh:x=3,y=2,pipeline=1"])
def test_a_wrong_arbiter_is_found(word, monkeypatch):
    monkeypatch.setattr(RoundRobin, "grant", lambda _, requests: min(requests, default=None))
    monkeypatch.setattr(CreditNetwork, "chosen_class", lambda _, at, requesting: min(requesting))
    with pytest.raises(AssertionError):
        assert_equal(Network.from_word(word), Traffic(packets=80, rate=0.9, length=(1, 4)))
