"""What only the gates do; that they equal their model is shown elsewhere."""

import pytest
from helpers.streams import run
from knotwork import Fabric, Hypercube, Mesh, Moebius, Network, WkRecursive
from knotwork.gateware.router_classes import gateware_of


@pytest.mark.parametrize(
    ("network", "has"),
    [
        (Network(Hypercube(n=2), pipeline=2, buffer_depth=4), True),
        (Network(Hypercube(n=2), pipeline=2, buffer_depth=3), False),
        (Network(Hypercube(n=2), pipeline=1), False),
        (Network(Hypercube(n=2), pipeline=3), True),
        (Network(Hypercube(n=2), pipeline=2, parity="yes"), True),
        (Network(Hypercube(n=2), pipeline=2, parity="yes", buffer_depth=3), False),
        (Network(Moebius(n=3), pipeline=2, multicast="yes"), True),
        (Network(Moebius(n=3), routing="spr", vc_scheme="escape", pipeline=2), True),
        (
            Network(Moebius(n=3), routing="spr", vc_scheme="escape", pipeline=2, parity="yes"),
            False,
        ),
        (Network(Moebius(n=3), routing="spr", pipeline=2), True),
        (Network(WkRecursive(w=2, levels=2), pipeline=2), True),
    ],
)
def test_serves_networks_of_two_or_three_cycles_per_hop_but_parity_beside_escapes(network, has):
    assert network.has_credits == has
    assert ("credit" in gateware_of(network).link_signature(network).members) == has


@pytest.mark.parametrize("pipeline", [2, 3])
@pytest.mark.parametrize("virtual_channels", [1, 2])
def test_single_flit_packets_go_at_one_per_cycle_and_take_so_many_cycles_per_hop(
    virtual_channels, pipeline
):
    network = Network(
        Mesh(x=3, y=2),
        data_width=8,
        pipeline=pipeline,
        virtual_channels=virtual_channels,
        buffer_depth=pipeline + 2,
    )
    dut, sent, got = Fabric(network), [], []
    count, hops = 20, 2

    async def testbench(ctx):
        ctx.set(dut.eject[2].ready, 1)
        for clock in range(count + pipeline * hops + 4):
            ctx.set(dut.inject[0].valid, len(sent) < count)
            ctx.set(dut.inject[0].p.data, len(sent))
            ctx.set(dut.inject[0].p.last, 1)
            ctx.set(dut.inject[0].p.destination, network.topology.address(2))
            if ctx.get(dut.eject[2].valid):
                got.append((clock, ctx.get(dut.eject[2].p.data)))
            if len(sent) < count and ctx.get(dut.inject[0].ready):
                sent.append(clock)
            await ctx.tick()

    run(dut, testbench)
    assert sent == list(range(count))
    assert got == [(clock + pipeline * hops + 2, clock) for clock in range(count)]
