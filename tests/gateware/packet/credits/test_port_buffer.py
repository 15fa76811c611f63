import pytest
from helpers.streams import run
from knotwork import CubeConnectedCycles, Mesh, Network, Torus
from knotwork.gateware.packet.credits.port_buffer import PortBuffer, Way, input_ways
from knotwork.topology import LOCAL


@pytest.mark.parametrize(("channels", "depth"), [(1, 4), (2, 8), (3, 5)])
def test_each_channel_keeps_as_many_flits_as_it_is_deep(channels, depth):
    """Interleaved, filled to the last place, and read in the order of each channel.

    Which flits are the last of their packet, the port tells.
    """
    network = Network(
        Mesh(x=3, y=3), data_width=8, pipeline=2, virtual_channels=channels, buffer_depth=depth
    )
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    dut = PortBuffer(network, kind, LOCAL)

    async def testbench(ctx):
        ctx.set(dut.address, network.topology.address(kind.router))
        for number in range(channels * depth):
            ctx.set(dut.arrives, 1 << number % channels)
            ctx.set(dut.i.data, number)
            await ctx.tick()
        ctx.set(dut.arrives, 0)
        assert ctx.get(dut.full) == ctx.get(dut.more) == (1 << channels) - 1
        for number in range(channels * depth):
            ctx.set(dut.shown, 1 << number % channels)
            ctx.set(dut.leaves, 1 << number % channels)
            ctx.set(dut.last, number % 3 == 0)
            assert (ctx.get(dut.flit.data), ctx.get(dut.flit.last)) == (number, number % 3 == 0)
            await ctx.tick()
        assert ctx.get(dut.some) == 0

    run(dut, testbench)


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_way_is_an_output_and_a_class_whatever_the_lane(lanes):
    for topology in (Torus(x=4, y=4), CubeConnectedCycles(n=3)):
        alone = Network(topology, pipeline=2)
        network = Network(topology, pipeline=2, virtual_channels=lanes * alone.virtual_channels)
        classes = network.routing.classes
        for one, kind in zip(alone.router_kinds, network.router_kinds, strict=True):
            for port in kind.ports:
                turns = [turn for turn in one.turns if turn.input_port == port]
                ways = {Way(turn.output_port, turn.output_vc) for turn in turns}
                assert input_ways(network, kind, port) == sorted(ways)
                assert all(way.out_class < classes for way in ways)
