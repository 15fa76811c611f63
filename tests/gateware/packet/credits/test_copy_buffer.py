"""Buffers of a port whose broadcasts are copied: ways and labels against the broadcast's rule."""

import pytest
from helpers.branches import copies
from helpers.streams import run
from knotwork import Network, Tcpg, WkRecursive
from knotwork.gateware.packet.credits.copy_buffer import CopyBuffer
from knotwork.gateware.packet.credits.port_buffer import Way, input_ways
from knotwork.topology import LOCAL

NETWORKS = [
    Network(WkRecursive(w=4, levels=2), data_width=8, pipeline=2, buffer_depth=4),
    Network(WkRecursive(w=2, levels=3), data_width=8, pipeline=2, broadcast="mask"),
    Network(Tcpg(k=1, m=1), data_width=8, pipeline=2, buffer_depth=4),
]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_ways_before_the_queue_and_labels_behind_the_ram_are_the_rule_s(network):
    asked, address = copies(network), network.topology.address
    field = network.routing.broadcast.field
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    number, compared = network.router_kinds.index(kind), 0
    for port in kind.ports:
        if not any(kind.branches(port, vc) for vc in kind.input_vcs(port)):
            continue
        dut, ways = CopyBuffer(network, kind, port), input_ways(network, kind, port)
        places = list(dut.routes)
        cases = [
            (vc, one, sent)
            for vc in places
            for one, sent in asked.get((number, port, vc), {}).items()
            if kind.branches(port, vc)
        ]

        async def testbench(ctx, dut=dut, ways=ways, places=places, cases=cases, port=port):
            nonlocal compared
            for vc, (router, source, label), sent in cases:
                ctx.set(dut.address, address(router))
                ctx.set(dut.arrives, 1 << places.index(vc))
                ctx.set(dut.shown, 1 << places.index(vc))
                ctx.set(dut.again, 0)
                ctx.set(dut.i.broadcast, 1)
                ctx.set(dut.i.last, 1)
                ctx.set(dut.i.source, address(source))
                ctx.set(dut.i.destination, field(label))
                taken = {Way(turn.output_port, turn.output_vc): one for turn, one in sent.items()}
                assert ctx.get(dut.arriving) == sum(1 << ways.index(way) for way in taken)
                assert ctx.get(dut.seen) == 1 << places.index(vc)
                await ctx.tick()
                ctx.set(dut.arrives, 0)
                for way, one in taken.items():
                    if way.output != LOCAL and len(dut.labels[0]):
                        assert ctx.get(dut.labels[ways.index(way)]) == field(one)
                        compared += 1
                ctx.set(dut.leaves, 1 << places.index(vc))
                ctx.set(dut.last, 1)
                await ctx.tick()
                ctx.set(dut.leaves, 0)
                assert ctx.get(dut.some) == 0

        run(dut, testbench)
        assert port == LOCAL or cases
    assert compared > 4


def test_a_packet_to_one_node_keeps_its_destination():
    network = NETWORKS[0]
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    dut = CopyBuffer(network, kind, LOCAL)
    width = len(dut.labels[0])

    async def testbench(ctx):
        ctx.set(dut.address, network.topology.address(kind.router))
        for node in range(network.topology.nodes):
            code = network.topology.address(node)
            ctx.set(dut.arrives, 1)
            ctx.set(dut.shown, 1)
            ctx.set(dut.i.destination, code)
            ctx.set(dut.i.last, 1)
            assert bin(ctx.get(dut.arriving)).count("1") == 1
            await ctx.tick()
            ctx.set(dut.arrives, 0)
            ctx.set(dut.leaves, 1)
            assert {ctx.get(label) for label in dut.labels} == {code % (1 << width)}
            await ctx.tick()
            ctx.set(dut.leaves, 0)

    run(dut, testbench)
