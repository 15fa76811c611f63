"""Input ports where packets have several ways: what they store beside a flit, and their front."""

import pytest
from helpers.paths import arrivals, choosing_port, escapes, ways_of
from helpers.routed import Routed, follow
from helpers.streams import assign, run
from knotwork import Moebius, Network
from knotwork.gateware.packet.ways import WaysBuffer, WaysPort
from knotwork.output_ways import OutputClass, output_classes
from knotwork.topology import LOCAL

KEYS = {"data_width": 8, "pipeline": 2, "buffer_depth": 4}
SPR = {"routing": "spr", "vc_scheme": "escape"}


@pytest.mark.parametrize("channels", [2, 4])
@pytest.mark.parametrize("is_local", [True, False])
def test_an_entry_has_the_way_of_a_flit_and_that_by_which_it_escapes(channels, is_local):
    """The same twice where it cannot escape: at its destination, and where it has escaped."""
    network = Network(Moebius(n=3), **SPR, **KEYS, virtual_channels=channels)
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    routes, escape_turns = (found(network) for found in (arrivals, escapes))
    port = LOCAL if is_local else choosing_port(kind, routes, escape_turns)
    dut = Routed(network, kind, port, WaysBuffer)
    ways = output_classes(network, kind, port)
    seen = set()

    def number(turn):
        return ways.index(OutputClass(turn.output_port, turn.output_vc % 2))

    async def testbench(ctx):
        ctx.set(dut.address, network.topology.address(kind.router))
        for place, vc in enumerate(kind.input_vcs(port)):
            for flow, turn in routes[kind.router, port, vc].items():
                escape = escape_turns.get((kind.router, port, vc), {}).get(flow, turn)
                ctx.set(dut.i.destination, network.topology.address(flow[1]))
                ctx.set(dut.arrives, 1 << place)
                first, second = 1 << number(turn), 1 << number(escape)
                assert ctx.get(dut.arriving) == first | second << len(ways)
                await ctx.tick()
                assign(ctx, dut, arrives=0, other_channel=1 << place)
                bits = (len(ways) - 1).bit_length()
                assert ctx.get(dut.other) == number(turn) | number(escape) << bits
                ctx.set(dut.leaves, 1 << place)
                await ctx.tick()
                ctx.set(dut.leaves, 0)
                seen.add(turn == escape)

    run(dut, testbench)
    assert seen == {True, False}
    (by_vc,) = dut.other_turns.values()
    assert set(by_vc) == {vc for vc in kind.input_vcs(port) if vc % 2 == 0}


def adaptive(word):
    return Network.from_word(f"{word},routing=adaptive,data_width=8,buffer_depth=4")


NETWORKS = [
    Network(Moebius(n=3), **SPR, **KEYS),
    Network(Moebius(n=3, twist=1), **SPR, **KEYS, virtual_channels=4),
    adaptive("mesh:x=3,y=3"),
    adaptive("mesh:x=3,y=3,virtual_channels=4"),
    adaptive("hypercube:n=3,ways=3"),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
@pytest.mark.parametrize("is_local", [True, False])
def test_a_blocked_head_requests_its_ways_in_turn(network, is_local):
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    ways = ways_of(network)
    port = LOCAL if is_local else choosing_port(kind, ways[0], ways[-1])
    dut = Routed(network, kind, port)
    assert isinstance(dut.inner, WaysPort)
    turns = [
        [found.get((kind.router, port, vc), {}) for vc in dut.encoding.channels] for found in ways
    ]
    address = network.topology.address(kind.router)
    seen = follow(dut, network, address, *turns, clocks=400 * len(turns))
    assert min(seen) >= 10
