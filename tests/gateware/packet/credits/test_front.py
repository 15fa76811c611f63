import pytest
from amaranth.hdl import Const, Module, Signal
from helpers.streams import run
from knotwork import Mesh, Moebius, Network, Torus
from knotwork.gateware.packet.credits.front import FrontEncoding, OneHotRegister
from knotwork.gateware.packet.credits.port_buffer import input_ways
from knotwork.topology import LOCAL


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
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    for port in kind.ports:
        check(FrontEncoding(network, kind, port), input_ways(network, kind, port), network, port)


def check(encoding, ways, network, port):
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
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
    register = OneHotRegister.made(m, count, "shown")
    assert (len(register.value), len(register.register)) == (count, bits)
    following = Signal(count)
    if bits:
        m.d.sync += register.register.eq(register.stored(following))
    shown = Signal(count)
    m.d.comb += shown.eq(register.value)

    async def testbench(ctx):
        assert ctx.get(shown) == 1
        for place in range(count if bits else 0):
            ctx.set(following, 1 << place)
            await ctx.tick()
            assert ctx.get(shown) == 1 << place

    run(m, testbench)
