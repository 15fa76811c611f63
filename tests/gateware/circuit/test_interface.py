"""Interfaces of nodes, and choosers of trees; whole networks are tested in tests/sim."""

import pytest
from helpers.streams import assign, put
from helpers.streams import run as simulate
from knotwork import Network
from knotwork.gateware.circuit.interface import CircuitInterface, CopyChooser
from knotwork.gateware.circuit.layouts import Kind, header_layout

NETWORK = Network.from_word("lcan:d=3,u=2,levels=2,max_packet=2,data_width=8")


def run(bench, network=NETWORK, address=4):
    interface = CircuitInterface(network)

    async def testbench(ctx):
        ctx.set(interface.address, address)
        await bench(ctx, interface)

    simulate(interface, testbench)


async def send(ctx, interface, beats, destination):
    for number, beat in enumerate(beats):
        last = number == len(beats) - 1
        flit = {"data": beat, "last": last, "destination": destination}
        await put(ctx, interface.inject, flit)


async def pulse(ctx, signal):
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)


def test_a_packet_is_offered_until_it_is_acknowledged():
    async def bench(ctx, interface):
        await send(ctx, interface, [7, 8], 5)
        assert ctx.get(interface.report.pending)
        for acknowledged in (0, 0, 1):
            await pulse(ctx, interface.control.begin)
            assert ctx.get(interface.o.kind) == Kind.HEADER.value
            assert ctx.get(interface.o.data) & 0xFF == 4 << 4 | 5
            await ctx.tick()
            assert ctx.get(interface.o.kind) == Kind.IDLE.value
            ctx.set(interface.o.back, acknowledged)
            await pulse(ctx, interface.control.sample)
            ctx.set(interface.o.back, 0)
            seen = []
            for _ in range(4):
                seen.append((ctx.get(interface.o.kind), ctx.get(interface.o.data) & 0xFF))
                await ctx.tick()
            if acknowledged:
                assert seen[:2] == [(Kind.FLIT.value, 7), (Kind.LAST.value, 8)]
                seen = seen[2:]
            assert all(kind == Kind.IDLE.value for kind, _ in seen)
        assert not ctx.get(interface.report.pending)

    run(bench)


def test_two_packets_wait_and_no_third():
    async def bench(ctx, interface):
        await send(ctx, interface, [1, 2], 5)
        await send(ctx, interface, [3], 6)
        assert not ctx.get(interface.inject.ready)
        for first in (1, 3):
            await pulse(ctx, interface.control.begin)
            ctx.set(interface.o.back, 1)
            await pulse(ctx, interface.control.sample)
            assert ctx.get(interface.o.data) & 0xFF == first
            await ctx.tick().repeat(3)
            assert ctx.get(interface.inject.ready)

    run(bench)


@pytest.mark.parametrize(
    ("beats", "destination"), [([1, 2, 3], 5), ([1], 3), ([1, 2, 3, 4, 5], 15), ([1, 2], 12)]
)
def test_what_cannot_be_sent_is_refused_and_blocks_nobody(beats, destination):
    """Longer than two beats; a digit of 3, which no PE has."""

    async def bench(ctx, interface):
        await send(ctx, interface, beats, destination)
        assert ctx.get(interface.refused)
        await ctx.tick()
        assert not ctx.get(interface.refused)
        assert not ctx.get(interface.report.pending)
        await send(ctx, interface, [9], 6)
        assert ctx.get(interface.report.pending)

    run(bench)


@pytest.mark.parametrize(("own", "other"), [(0b00010, 0b10001), (0b10011, 0b00110)])
def test_a_packet_to_the_own_side_is_refused_in_one_way_use(own, other):
    """PEs of 2 x 2 bits and terminals of 2 x 1 bits, told apart by the highest bit."""
    network = Network.from_word("banyan:d=3,u=2,levels=2,max_packet=2,data_width=8")

    async def bench(ctx, interface):
        for destination in (own, own ^ 1):
            await send(ctx, interface, [1], destination)
            assert ctx.get(interface.refused)
            assert not ctx.get(interface.report.pending)
        await send(ctx, interface, [2], other)
        assert not ctx.get(interface.refused)
        await ctx.tick()
        assert ctx.get(interface.report.pending)

    run(bench, network, own)


def test_a_word_that_names_no_upper_is_refused():
    network = Network.from_word("lcan:d=3,u=3,levels=2,max_packet=2,routing=scheduled")

    async def bench(ctx, interface):
        for upper, refused in ((3, 1), (2, 0)):
            ctx.set(interface.inject.p.word.upper0, upper)
            assign(ctx, interface.inject.p, destination=5, last=1)
            await pulse(ctx, interface.inject.valid)
            assert ctx.get(interface.refused) == refused
        assert ctx.get(interface.report.pending)

    run(bench, network)


def test_without_room_for_a_packet_no_header_is_acknowledged():
    header = header_layout(NETWORK).const({"destination": 4, "source": 9}).as_bits()

    async def packet(ctx, interface):
        """A header, and a packet of two flits if it is acknowledged."""
        assign(ctx, interface.i, kind=Kind.HEADER.value, data=header)
        await ctx.tick()
        acknowledged = ctx.get(interface.i.back)
        for kind in (Kind.FLIT, Kind.LAST) if acknowledged else ():
            assign(ctx, interface.i, kind=kind.value, data=0x21)
            await ctx.tick()
        ctx.set(interface.i.kind, Kind.IDLE.value)
        await pulse(ctx, interface.control.release)
        assert not ctx.get(interface.i.back)
        return acknowledged

    async def bench(ctx, interface):
        assert [await packet(ctx, interface) for _ in range(3)] == [1, 1, 0]
        shown = ctx.get(interface.eject.payload)
        await ctx.tick().repeat(3)
        assert ctx.get(interface.eject.payload) == shown  # it waits, unchanged
        ctx.set(interface.eject.ready, 1)
        seen = []
        for _ in range(4):
            assert ctx.get(interface.eject.valid)
            beat = interface.eject.p
            seen.append((ctx.get(beat.data), ctx.get(beat.last), ctx.get(beat.source)))
            await ctx.tick()
        assert seen == [(0x21, 0, 9), (0x21, 1, 9)] * 2
        assert not ctx.get(interface.eject.valid)
        ctx.set(interface.eject.ready, 0)
        assert await packet(ctx, interface)

    run(bench)


KYKLOS = Network.from_word("kyklos:k=2,levels=3,copies=2,max_packet=2,data_width=8")
OWN = 0b001


def header(source, destination):
    ends = {"destination": destination, "source": source}
    return header_layout(KYKLOS).const(ends).as_bits()


def reversed_bits(address):
    return int(f"{address:03b}"[::-1], 2)


@pytest.mark.parametrize(
    ("destination", "copy"),
    # 000 differs in the lowest digit: level 0 in copy 0. 101 in the highest: level 0 in copy 1.
    # 011 in the middle one: level 1 in both, so the first. To itself: the first.
    [(0b000, 0), (0b101, 1), (0b011, 0), (0b001, 0), (0b111, 1), (0b100, 0)],
)
def test_a_header_goes_to_the_copy_where_the_nodes_are_nearest(destination, copy):
    chooser = CopyChooser(KYKLOS)

    async def testbench(ctx):
        ctx.set(chooser.address, OWN)
        assign(ctx, chooser.sent, kind=Kind.HEADER.value, data=header(OWN, destination))
        place = reversed_bits if copy else int
        assert ctx.get(chooser.o[copy].kind) == Kind.HEADER.value
        assert ctx.get(chooser.o[1 - copy].kind) == Kind.IDLE.value
        assert ctx.get(chooser.o[copy].data) == header(place(OWN), place(destination))
        await ctx.tick()
        assign(ctx, chooser.sent, kind=Kind.LAST.value, data=0xA5)
        assert ctx.get(chooser.o[copy].kind) == Kind.LAST.value
        assert ctx.get(chooser.o[copy].data) == 0xA5
        ctx.set(chooser.o[1 - copy].back, 1)
        assert not ctx.get(chooser.sent.back)
        ctx.set(chooser.o[copy].back, 1)
        assert ctx.get(chooser.sent.back)

    simulate(chooser, testbench)


def test_the_first_header_of_a_network_cycle_comes_in_alone():
    chooser = CopyChooser(KYKLOS)

    async def testbench(ctx):
        ctx.set(chooser.address, OWN)
        for copy, source in ((0, 0b000), (1, reversed_bits(0b101))):
            ctx.set(chooser.i[copy].kind, Kind.HEADER.value)
            ctx.set(chooser.i[copy].data, header(source, OWN if not copy else reversed_bits(OWN)))
        assert ctx.get(chooser.given.data) == header(0b000, OWN)
        await ctx.tick()
        ctx.set(chooser.i[0].kind, Kind.IDLE.value)
        assert ctx.get(chooser.given.kind) == Kind.IDLE.value  # that of copy 1 stays out
        ctx.set(chooser.given.back, 1)
        assert [ctx.get(link.back) for link in chooser.i] == [1, 0]
        ctx.set(chooser.control.release, 1)
        await ctx.tick()
        ctx.set(chooser.control.release, 0)
        assert ctx.get(chooser.given.kind) == Kind.HEADER.value
        assert ctx.get(chooser.given.data) == header(0b101, OWN)

    simulate(chooser, testbench)
