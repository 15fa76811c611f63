"""Input ports: what they store of a flit, its ways, and the front that asks for outputs."""

import pytest
from amaranth.hdl import Const, Module, Signal
from amaranth.lib.wiring import In, Out
from helpers.paths import arrivals
from helpers.routed import Routed, follow
from helpers.streams import run
from knotwork import CubeConnectedCycles, Hypercube, Mesh, Moebius, Network, Torus
from knotwork.gateware.layouts import flit_layout
from knotwork.gateware.packet.credit_links import credit_signature
from knotwork.gateware.packet.front import FrontEncoding, OneHotRegister
from knotwork.gateware.packet.input_buffer import InputBuffer
from knotwork.gateware.router_classes import gateware_of
from knotwork.output_ways import OutputClass, output_classes
from knotwork.topology import LOCAL


def largest(network):
    """Kind of router with the most turns."""
    return max(network.router_kinds, key=lambda kind: len(kind.turns))


def test_a_link_carries_flits_ahead_and_a_credit_per_channel_back():
    network = Network(Hypercube(n=3), virtual_channels=3, pipeline=2)
    members = credit_signature(network).members
    flows = {name: member.flow for name, member in members.items()}
    assert flows == {"valid": Out, "flit": Out, "credit": In}
    assert (members["valid"].shape, members["credit"].shape) == (3, 3)
    assert members["flit"].shape == flit_layout(network)
    assert gateware_of(network).link_signature(network) == credit_signature(network)


@pytest.mark.parametrize(
    "network",
    [
        Network(Mesh(x=3, y=3), pipeline=2, virtual_channels=3),
        Network(Torus(x=4, y=4), pipeline=2),
        Network(Torus(x=4, y=4), pipeline=2, virtual_channels=4),
        Network(Moebius(n=3), pipeline=2, multicast="yes"),
    ],
    ids=lambda network: network.name,
)
def test_an_entry_says_which_turn_of_the_router_its_flit_takes(network):
    """Whatever the channel, the pair of output and virtual channel there is that turn's."""
    kind = largest(network)
    for port in kind.ports:
        check(
            FrontEncoding(network, kind, port), output_classes(network, kind, port), network, port
        )


def check(encoding, ways, network, port):
    kind = largest(network)
    entry, channel = Signal((len(ways) - 1).bit_length() + 1), Signal(len(encoding.channels))
    outputs, vcs = Signal(len(encoding.outputs)), Signal(len(encoding.output_vcs))
    m = Module()
    front = encoding.of_entry(entry, channel, Const(0))
    m.d.comb += [outputs.eq(encoding.turn(front)), vcs.eq(encoding.output_channel(front))]

    async def testbench(ctx):
        for turn in (turn for turn in kind.turns if turn.input_port == port):
            way = (turn.output_port, turn.output_vc % network.routing.classes)
            ctx.set(entry, ways.index(way))
            ctx.set(channel, 1 << encoding.channels.index(turn.input_vc))
            assert ctx.get(outputs) == 1 << encoding.outputs.index(turn.output_port)
            if turn.output_port != LOCAL or network.has_multicast:
                assert ctx.get(vcs) == 1 << encoding.output_vcs.index(turn.output_vc)

    run(m, testbench)


@pytest.mark.parametrize(("count", "bits"), [(1, 0), (2, 1), (3, 3), (5, 5)])
def test_a_one_hot_register_stores_what_it_must(count, bits):
    m = Module()
    register = OneHotRegister.create(m, count, "front_vc")
    assert (len(register.value), len(register.register)) == (count, bits)
    following = Signal(count)
    if bits:
        m.d.sync += register.register.eq(register.stored(following))
    front_vc = Signal(count)
    m.d.comb += front_vc.eq(register.value)

    async def testbench(ctx):
        assert ctx.get(front_vc) == 1
        for place in range(count if bits else 0):
            ctx.set(following, 1 << place)
            await ctx.tick()
            assert ctx.get(front_vc) == 1 << place

    run(m, testbench)


@pytest.mark.parametrize(("channels", "depth"), [(1, 4), (2, 8), (3, 5)])
def test_each_channel_keeps_as_many_flits_as_it_is_deep(channels, depth):
    """Interleaved, filled to the last place, and read in the order of each channel.

    Which flits are the last of their packet, the port tells.
    """
    keys = {"data_width": 8, "pipeline": 2, "virtual_channels": channels, "buffer_depth": depth}
    network = Network(Mesh(x=3, y=3), **keys)
    kind = largest(network)
    dut = Routed(network, kind, LOCAL, InputBuffer)

    async def testbench(ctx):
        ctx.set(dut.address, network.topology.address(kind.router))
        for number in range(channels * depth):
            ctx.set(dut.arrives, 1 << number % channels)
            ctx.set(dut.i.data, number)
            await ctx.tick()
        ctx.set(dut.arrives, 0)
        assert ctx.get(dut.full) == ctx.get(dut.at_least_two) == (1 << channels) - 1
        for number in range(channels * depth):
            ctx.set(dut.front_vc, 1 << number % channels)
            ctx.set(dut.leaves, 1 << number % channels)
            ctx.set(dut.last, number % 3 == 0)
            assert (ctx.get(dut.flit.data), ctx.get(dut.flit.last)) == (number, number % 3 == 0)
            await ctx.tick()
        assert ctx.get(dut.nonempty) == 0

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
                ways = {OutputClass(turn.output_port, turn.output_vc) for turn in turns}
                assert output_classes(network, kind, port) == sorted(ways)
                assert all(way.out_class < classes for way in ways)


@pytest.mark.parametrize(
    "network",
    [
        Network(Hypercube(n=3), data_width=8, pipeline=2, buffer_depth=4),
        Network(Hypercube(n=4), data_width=8, pipeline=2, virtual_channels=2, buffer_depth=4),
        Network(Mesh(x=4, y=4), data_width=8, pipeline=2, virtual_channels=3, buffer_depth=5),
    ],
    ids=lambda network: network.name,
)
@pytest.mark.parametrize("is_local", [True, False])
def test_the_front_is_the_next_flit_that_may_move(network, is_local):
    kind = largest(network)
    port = LOCAL if is_local else next(p for p in kind.ports[1:] if kind.input_vcs(p))
    dut, asked = Routed(network, kind, port), arrivals(network)
    turns = [asked[kind.router, port, vc] for vc in dut.encoding.channels]
    seen = follow(dut, network, network.topology.address(kind.router), turns)
    assert seen[0] > 200
