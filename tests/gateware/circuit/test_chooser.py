"""One chooser in Amaranth's simulator; whole networks against the model in tests/sim."""

import pytest
from amaranth.sim import Simulator
from knotwork import Network
from knotwork.gateware.circuit.chooser import CopyChooser
from knotwork.gateware.circuit.layouts import Kind, header_layout

NETWORK = Network.from_word("kyklos:k=2,levels=3,copies=2,max_packet=2,data_width=8")
OWN = 0b001


def header(source, destination):
    ends = {"destination": destination, "source": source}
    return header_layout(NETWORK).const(ends).as_bits()


def reversed_bits(address):
    return int(f"{address:03b}"[::-1], 2)


def run(bench):
    chooser = CopyChooser(NETWORK)

    async def testbench(ctx):
        ctx.set(chooser.address, OWN)
        await bench(ctx, chooser)

    simulator = Simulator(chooser)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()


@pytest.mark.parametrize(
    ("destination", "copy"),
    # 000 differs in the lowest digit: level 0 in copy 0. 101 in the highest: level 0 in copy 1.
    # 011 in the middle one: level 1 in both, so the first. To itself: the first.
    [(0b000, 0), (0b101, 1), (0b011, 0), (0b001, 0), (0b111, 1), (0b100, 0)],
)
def test_a_header_goes_to_the_copy_where_the_nodes_are_nearest(destination, copy):
    async def bench(ctx, chooser):
        ctx.set(chooser.sent.kind, Kind.HEADER.value)
        ctx.set(chooser.sent.data, header(OWN, destination))
        place = reversed_bits if copy else int
        assert ctx.get(chooser.o[copy].kind) == Kind.HEADER.value
        assert ctx.get(chooser.o[1 - copy].kind) == Kind.IDLE.value
        assert ctx.get(chooser.o[copy].data) == header(place(OWN), place(destination))
        await ctx.tick()
        ctx.set(chooser.sent.kind, Kind.LAST.value)
        ctx.set(chooser.sent.data, 0xA5)
        assert ctx.get(chooser.o[copy].kind) == Kind.LAST.value
        assert ctx.get(chooser.o[copy].data) == 0xA5
        ctx.set(chooser.o[1 - copy].back, 1)
        assert not ctx.get(chooser.sent.back)
        ctx.set(chooser.o[copy].back, 1)
        assert ctx.get(chooser.sent.back)

    run(bench)


def test_the_first_header_of_a_network_cycle_comes_in_alone():
    async def bench(ctx, chooser):
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

    run(bench)
