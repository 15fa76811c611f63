"""Whole packets, whatever bit of a flit is wrong on the link before a buffer."""

from random import Random

import pytest
from amaranth.hdl import Module, Signal
from helpers.routed import Routed
from helpers.streams import assign, run
from knotwork import Hypercube, Network
from knotwork.topology import LOCAL

SOURCE = 2
"""Address of the node that sends them."""


def packet(destination, length, *, at=None, fault=None):
    """Flits with their parity; in flit `at` the fields of `fault` are others."""
    parity = (bin(destination).count("1") + bin(SOURCE).count("1")) % 2
    flits = []
    for beat in range(length):
        last = int(beat == length - 1)
        flits.append(
            {
                "data": beat,
                "last": last,
                "destination": destination,
                "source": SOURCE,
                "header_parity": parity,
                "data_parity": bin(beat).count("1") % 2,
                "last_copies": 3 * last,
                "wrong": 0,
            }
            | (fault if fault and beat == at else {})
        )
    return flits


ADDRESS = 0b101
FAULTS = [{"destination": 0b110}, {"source": 3}, {"header_parity": 1}]
CHANNELS = pytest.mark.parametrize("channels", [1, 2])


def port(channels):
    """Local input port of a router of the hypercube n=3."""
    keys = {"data_width": 8, "pipeline": 2, "buffer_depth": 8, "parity": "yes"}
    network = Network(Hypercube(n=3), virtual_channels=channels, **keys)
    return Routed(network, network.router_kinds[0], LOCAL)


def leaving(channels, *packets):
    """Output port, `last` and data of every flit that leaves, by channel; moves at random."""
    dut, dice = port(channels), Random(1)
    waiting = [[flit for one in packets[n::channels] for flit in one] for n in range(channels)]
    found = [[] for _ in range(channels)]

    async def testbench(ctx):
        ctx.set(dut.address, ADDRESS)
        while sum(map(len, found)) < sum(map(len, packets)):
            arrives = dice.randrange(channels)
            comes = bool(waiting[arrives]) and not ctx.get(dut.full) >> arrives & 1
            ctx.set(dut.arrives, comes << arrives)
            if comes:
                ctx.set(dut.i, waiting[arrives].pop(0))
            moves = bool(ctx.get(dut.turn)) and dice.random() < 0.4
            assign(ctx, dut, eligible=moves, granted=moves)
            if moves:
                way = dut.encoding.outputs[ctx.get(dut.turn).bit_length() - 1]
                assert not ctx.get(dut.flit.wrong)
                front_vc = 0 if channels == 1 else ctx.get(dut._buffer.front_vc).bit_length() - 1
                found[front_vc].append((way, ctx.get(dut.last), ctx.get(dut.flit.data)))
            await ctx.tick()

    run(dut, testbench)
    return found


def ways(channels, *packets):
    """The same of packets as (output port, length)."""
    flits = [[(way, int(n == length - 1), n) for n in range(length)] for way, length in packets]
    return [[flit for one in flits[n::channels] for flit in one] for n in range(channels)]


@CHANNELS
def test_sound_packets_leave_as_their_destination_says(channels):
    lengths = [1, 3, 2, 5, 1, 1, 4, 2]
    sent = [packet(to, length) for to, length in enumerate(lengths)]
    turns = [((to ^ ADDRESS).bit_length(), length) for to, length in enumerate(lengths)]
    assert leaving(channels, *sent) == ways(channels, *turns)


@CHANNELS
@pytest.mark.parametrize("fault", FAULTS, ids="_".join)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_packet_goes_whole_the_way_of_its_head_and_is_ejected_if_that_is_broken(
    channels, fault, at
):
    others = [packet(0b111, 3), packet(0b100, 2)]
    sent = [others[0], packet(0b111, 4, at=at, fault=fault), *others]
    broken = (2 if at else LOCAL, 4)
    assert leaving(channels, *sent) == ways(channels, (2, 3), broken, (2, 3), (1, 2))


def test_of_an_entry_two_of_three_copies_count():
    """Any bit of what is stored beside a flit may flip."""
    m = Module()
    m.submodules.port = dut = port(1)
    buffer = dut._buffer
    assert buffer._guard is not None
    entry = Signal(len(buffer.behind))
    flips, found = Signal(3 * len(entry)), Signal(len(entry))

    class Flipped:
        """In place of a RAM."""

        def ram(self, name, value, found):
            assert len(value) == len(flips)
            return value ^ flips

    m.d.comb += found.eq(buffer._turns(Flipped(), "turns", entry, 0))

    async def testbench(ctx):
        for value in range(1 << len(entry)):
            ctx.set(entry, value)
            for bit in range(len(flips)):
                ctx.set(flips, 1 << bit)
                assert ctx.get(found) == value
        ctx.set(flips, 1 | 1 << len(entry))
        assert ctx.get(found) == value ^ 1

    run(m, testbench)
