"""Multicast units: which chains they take, their stores, and interfaces that have them."""

from random import Random

import pytest
from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue] (no stub)
from helpers.streams import assign, consume, get_maybe, produce, put, refusal, run, watch
from helpers.wide import run_fabric
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Fabric, Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.gateware.packet.multicast import ChainCheck
from knotwork.gateware.packet.store import Store
from knotwork.routing.multicast import copies_of, is_sendable
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import count_mismatches, score
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
                beat = {"data": word, "last": place == len(beats) - 1}
                beat |= {"destination": nodes if place == 0 else 7 - nodes}
                assign(ctx, check.i, p=beat, valid=1)
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
    keys = {"multicast": "yes", "max_packet": 16, "virtual_channels": 2}
    network = Network(Hypercube(n=3), allow_deadlock="yes", **keys)
    text = refusal(ConfigurationError, lambda: elaborated(Fabric(network)))
    assert text == (
        "hypercube: virtual_channels must be a multiple of 3 for the multicast units, not 2"
    )


def elaborated(fabric):
    """Whole design, elaborated."""
    return rtlil.convert(fabric, ports=[fabric.refused])


@pytest.mark.parametrize(
    ("topology", "pipeline"),
    [
        (Moebius(n=2, twist=1), 2),
        pytest.param(Hypercube(n=2), 2, marks=pytest.mark.slow),
        pytest.param(Moebius(n=2, twist=1), 3, marks=pytest.mark.slow),
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
    assert count_mismatches(record, run_model(network, traffic, packets)) == 0
    assert score(network, packets, record).lost == 0


CUBE = Network(Hypercube(n=4), multicast="yes", max_packet=12)


def packet(chain, data):
    """Flits of a packet with this chain of addresses and these payloads."""
    return [
        {
            "data": word,
            "last": place == len(chain + data) - 1,
            "chain": place < len(chain),
            "source": 9,
        }
        for place, word in enumerate(chain + data)
    ]


def expected_copies(chain, data):
    """(data, last, chain, destination, source, class) of every flit that goes on."""
    flits = []
    for destination, rest in copies_of(chain):
        words = [*rest, *data]
        for place, word in enumerate(words):
            last, in_chain = place == len(words) - 1, place < len(rest)
            rounds = len(rest).bit_length()
            flits.append((word, int(last), int(in_chain), destination, 9, rounds))
    return flits


def sent_by(store, taken, *, stall=0.3):
    """Testbench that takes what a store sends until nothing has come for long."""
    dice = Random(1)

    async def testbench(ctx):
        quiet = 0
        while quiet < 60:
            if dice.random() < stall:
                await ctx.tick()
                continue
            vc_class = ctx.get(store.vc_class)
            p = await get_maybe(ctx, store.o)
            quiet += 1
            if p is not None:
                taken.append((p.data, p.last, p.chain, p.destination, p.source, vc_class))
                quiet = 0

    return testbench


chains = st.lists(st.integers(0, 15), min_size=1, max_size=8, unique=True)
payloads = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4)


@settings(max_examples=25)
@given(packets=st.lists(st.tuples(chains, payloads), min_size=1, max_size=3))
@pytest.mark.parametrize("delivers", [False, True])
def test_halves_go_to_their_middles_and_the_data_to_the_node(delivers, packets):
    store = Store(CUBE, delivers=delivers)
    flits = [flit for chain, data in packets for flit in packet(chain, data)]
    taken, delivered = [], []
    words = [word for _, data in packets for word in data]
    benches = [produce(store.i, flits), sent_by(store, taken)]
    streams = [store.o]
    if delivers:
        benches.append(consume(store.deliver, delivered, len(words)))
        streams.append(store.deliver)
    run(store, *benches, background=[watch(stream) for stream in streams])
    assert taken == [flit for chain, data in packets for flit in expected_copies(chain, data)]
    assert [(p.data, p.source) for p in delivered] == [(word, 9) for word in words if delivers]
    ends = [place == len(data) - 1 for _, data in packets for place in range(len(data))]
    assert [p.last for p in delivered] == [end for end in ends if delivers]


def test_a_discarded_packet_leaves_nothing():
    store = Store(CUBE, delivers=False)
    taken = []

    async def feed(ctx):
        for length in (3, 40):  # longer than the store, too
            for flit in packet([1, 2], [7] * length):
                ctx.set(store.discard, flit["last"])
                await put(ctx, store.i, flit)
        ctx.set(store.discard, 0)
        for flit in packet([5], [6]):
            await put(ctx, store.i, flit)

    run(store, feed, sent_by(store, taken))
    assert taken == expected_copies([5], [6])


def test_clocks_from_the_last_flit_to_the_copies_and_the_delivery():
    store = Store(CUBE, delivers=True)
    seen = []

    async def feed(ctx):
        for flit in packet([3, 4], [8]):
            await put(ctx, store.i, flit)
        # Now is the cycle after the last flit's.
        for clock in range(1, 9):
            ctx.set(store.o.ready, 1)
            ctx.set(store.deliver.ready, 1)
            if ctx.get(store.o.valid):
                seen.append((clock, "send", ctx.get(store.o.p.destination)))
            if ctx.get(store.deliver.valid):
                seen.append((clock, "deliver", ctx.get(store.deliver.p.data)))
            await ctx.tick()

    run(store, feed)
    assert seen == [(2, "send", 4), (4, "send", 3), (5, "deliver", 8)]


def test_a_packet_without_data_breaks_the_assertion():
    store = Store(CUBE, delivers=False)

    async def feed(ctx):
        assign(ctx, store.i, p={"data": 1, "last": 1, "chain": 1}, valid=1)
        await ctx.tick()
        await ctx.tick()

    with pytest.raises(AssertionError, match="store: a packet must fit"):
        run(store, feed)


GUARDED = Network(Moebius(n=3), multicast="yes", max_packet=7, parity="yes", data_width=8)


def multicast(chain, data, *, wrong=()):
    """Flits of a multicast from node 2 to the node of the store, with their parity."""
    words = [*chain, *data]
    return [
        {
            "data": word,
            "last": place == len(words) - 1,
            "chain": place < len(chain),
            "source": 2,
            "destination": 5,
            "header_parity": 1,  # 2 and 5
            "data_parity": (word.bit_count() + (place < len(chain))) % 2,
            "last_copies": 3 * (place == len(words) - 1),
            "wrong": place in wrong,
        }
        for place, word in enumerate(words)
    ]


def ones(*values):
    return sum(value.bit_count() for value in values) % 2


@pytest.mark.parametrize(("wrong", "upset"), [((), None), ((0,), None), ((3,), None), ((), 4)])
def test_a_broken_multicast_is_not_sent_on_and_a_store_keeps_the_parity_of_words(wrong, upset):
    dut, sent, delivered = Store(GUARDED, delivers=True), [], []
    chain, data = [3, 6, 1], [0x5B, 0x80]
    flits = multicast(chain, data, wrong=wrong)
    if upset is not None:  # as if it broke in the store
        flits[upset]["data"] ^= 1
    copies = 0 if wrong else 2

    async def testbench(ctx):
        for flit in flits:
            await put(ctx, dut.i, flit)
        while len(delivered) < (len(flits) if wrong else len(data)):
            for stream, found in ((dut.o, sent), (dut.deliver, delivered)):
                payload = await get_maybe(ctx, stream)
                if payload is not None:
                    found.append(payload)

    run(dut, testbench)
    assert sum(flit.last for flit in sent) == copies
    for flit in sent:
        assert not flit.wrong
        assert ones(flit.destination, flit.source, flit.header_parity) == 0
        assert flit.last_copies == 3 * flit.last
        is_hit = upset is not None and flit.data == 0x81
        assert ones(flit.data, flit.chain, flit.data_parity) == is_hit
    words = [*chain, *data] if wrong else [0x5B, 0x80 if upset is None else 0x81]
    assert [beat.data for beat in delivered] == words
    assert [beat.last for beat in delivered] == [0] * (len(words) - 1) + [1]
    marks = [1] * len(words) if wrong else [0, upset is not None]
    assert [beat.flags for beat in delivered] == marks
