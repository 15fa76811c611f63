"""Multicast units: which chains they take, and what a whole interface does with a packet."""

import pytest
from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue] (no stub)
from helpers.streams import refusal, run
from helpers.wide import run_fabric
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Fabric, Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.gateware.packet.multicast import ChainCheck
from knotwork.routing.multicast import is_sendable
from knotwork_sim.check.score import mismatches, score
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORK = Network(Moebius(n=3), multicast="yes", max_packet=7)


def offered(check, packets):
    """What a check says of packets (own address, nodes, beats): refused each, and its flits."""
    told = []

    async def feed(ctx):
        ctx.set(check.o.ready, 1)
        for own, nodes, beats in packets:
            ctx.set(check.address, own)
            flits = []
            for place, word in enumerate(beats):
                ctx.set(check.i.p.data, word)
                ctx.set(check.i.p.last, place == len(beats) - 1)
                ctx.set(check.i.p.destination, nodes if place == 0 else 7 - nodes)
                ctx.set(check.i.valid, 1)
                discard = ctx.get(check.discard)
                flits.append((ctx.get(check.o.p.data), ctx.get(check.o.p.chain)))
                assert ctx.get(check.o.p.source) == own
                await ctx.tick()
            ctx.set(check.i.valid, 0)
            assert ctx.get(check.refused) == discard
            told.append((bool(discard), flits))

    run(check, feed)
    return told


beats = st.lists(st.integers(0, 9), min_size=1, max_size=9)


@settings(max_examples=60)
@given(packets=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), beats), max_size=8))
def test_a_check_refuses_what_cannot_be_sent(packets):
    for (own, nodes, words), (refused, flits) in zip(
        packets, offered(ChainCheck(NETWORK), packets), strict=True
    ):
        chain = words[:nodes]
        sendable = len(chain) == nodes and is_sendable(NETWORK.routing, own, chain, len(words))
        assert refused == (not sendable)
        if sendable:
            assert flits == [(word, int(place < nodes)) for place, word in enumerate(words)]


def test_each_wrong_chain_by_hand():
    wrong = [(0, []), (1, [5]), (2, [4, 4]), (2, [3, 4]), (2, [4, 9]), (6, [4, 7, 6, 1, 0, 3])]
    packets = [(5, nodes, [*chain, 1, 2]) for nodes, chain in wrong]
    packets += [
        (5, 1, [4]),
        (5, 2, [4, 7]),
        (5, 1, [4, *range(7)]),
        (5, 1, [4, 0]),
        (5, 2, [4, 7, 0]),
    ]
    refused = [told for told, _ in offered(ChainCheck(NETWORK), packets)]
    # Six addresses in XOR order and a beat of data are just as long as a packet may be: not two.
    assert refused == [True] * 6 + [True, True, True, False, False]


def test_other_numbers_of_virtual_channels_are_refused():
    network = Network(Hypercube(n=3), multicast="yes", virtual_channels=2, allow_deadlock="yes")
    text = refusal(ConfigurationError, lambda: elaborated(Fabric(network)))
    assert text == ("hypercube: virtual_channels must be 3 for the multicast units, not 2")


def elaborated(fabric):
    """Whole design, elaborated."""
    return rtlil.convert(fabric, ports=[fabric.refused])


@pytest.mark.parametrize(
    ("topology", "pipeline"),
    [
        pytest.param(Hypercube(n=2), 1, marks=pytest.mark.slow),
        (Moebius(n=2, twist=1), 2),
        pytest.param(Hypercube(n=2), 2, marks=pytest.mark.slow),
        pytest.param(Moebius(n=2, twist=1), 1, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_fabric_multicasts_as_the_model_does(topology, pipeline):
    network = Network(topology, multicast="yes", max_packet=6, pipeline=pipeline, buffer_depth=4)
    traffic = Traffic(
        rate=0.6, packets=80, length=(1, 3), multicast_share=0.5, bubble=0.1, stall=0.2
    )
    packets = make_packets(network, traffic)
    record = run_fabric(network, traffic, packets)
    assert mismatches(record, run_model(network, traffic, packets)) == 0
    assert score(network, packets, record).lost == 0
