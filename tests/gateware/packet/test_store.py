"""Store of a multicast unit against `routing.multicast.copies_of`."""

import pytest
from amaranth.hdl import Module, Signal
from helpers.streams import consume, get_maybe, produce, put, run, watch
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Hypercube, Network
from knotwork.gateware.packet.store import Store, bit_length
from knotwork.routing.multicast import copies_of

NETWORK = Network(Hypercube(n=4), multicast="yes", max_packet=12)


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
    from random import Random

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
    store = Store(NETWORK, delivers=delivers)
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
    store = Store(NETWORK, delivers=False)
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
    store = Store(NETWORK, delivers=True)
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
    store = Store(NETWORK, delivers=False)

    async def feed(ctx):
        ctx.set(store.i.p, {"data": 1, "last": 1, "chain": 1})
        ctx.set(store.i.valid, 1)
        await ctx.tick()
        await ctx.tick()

    with pytest.raises(AssertionError, match="store: a packet must fit"):
        run(store, feed)


def test_bit_length():
    m, value, result = Module(), Signal(5), Signal(3)
    m.d.comb += result.eq(bit_length(value, 3))

    async def testbench(ctx):
        for number in range(32):
            ctx.set(value, number)
            assert ctx.get(result) == number.bit_length()

    run(m, testbench)
