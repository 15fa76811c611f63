"""Bufferless routers and their parts; tests/sim compares the Verilog in every cycle."""

import numpy as np
import pytest
from amaranth.hdl import Module, ResetInserter, Signal
from helpers.streams import run
from helpers.wide import run_fabric
from knotwork import Fabric, Network, Torus
from knotwork.gateware.deflection.node import SingleBeats
from knotwork.gateware.deflection.router import Wire, changes, exchanged, wanted_sides
from knotwork.routing.deflection import exchanges
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard.score import count_mismatches, score
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_sim.traffic.packets import packet_table

WORDS = [
    "torus:x=3,y=3,directions=one,router=deflection,data_width=24",
    "mesh:x=3,y=2,router=deflection,data_width=24",
    "hypercube:n=1,router=deflection,data_width=24",
    "hypercube:n=2,router=deflection,data_width=24",
    pytest.param("petersen:router=deflection,data_width=24", marks=pytest.mark.slow),
]


def packets_of(network, traffic):
    """Packets of which some are too long, and some to no node where there is such an address."""
    packets = make_packets(network, traffic)
    if network.topology.nodes < 1 << network.topology.address_width:
        packets.destination[::7] = -1
    packets.length[3::7] = 3
    return packet_table(
        network,
        source=packets.source,
        destination=packets.destination,
        length=packets.length,
        time=packets.time,
        seed=traffic.seed,
    )


@pytest.mark.parametrize("word", WORDS)
def test_does_what_the_golden_model_does_in_the_same_clock(word):
    network = Network.from_word(word)
    count = 40 * network.topology.nodes
    traffic = Traffic(rate=0.7, packets=count, bubble=0.2, stall=0.3, seed=3)
    packets = packets_of(network, traffic)
    hardware, model = run_fabric(network, traffic, packets), run_model(network, traffic, packets)
    assert len(model.clock) == count - packets.refused.sum()
    assert hardware.rows().tolist() == model.rows().tolist()
    assert hardware.refused.tolist() == model.refused.tolist()
    assert count_mismatches(hardware, model) == 0
    assert score(network, packets, hardware).lost == 0


@pytest.mark.parametrize("word", WORDS[:2])
def test_packets_to_a_node_that_takes_nothing_go_round_until_it_does(word):
    network = Network.from_word(word)
    fabric, last = Fabric(network), network.topology.nodes - 1
    code = network.topology.address(last)
    seen = []

    async def bench(ctx):
        for node in range(3):
            ctx.set(fabric.inject[node].p, {"data": node, "destination": code, "last": 1})
            ctx.set(fabric.inject[node].valid, 1)
        await ctx.tick()  # an empty network takes them at once
        for node in range(3):
            ctx.set(fabric.inject[node].valid, 0)
        eject = fabric.eject[last]
        await ctx.tick().until(eject.valid)
        held = ctx.get(eject.p)
        for _ in range(50):
            await ctx.tick()
            assert ctx.get(eject.valid)
            assert ctx.get(eject.p) == held
        ctx.set(eject.ready, 1)
        for _ in range(50):
            if ctx.get(eject.valid):
                seen.append(ctx.get(eject.p.data))
            await ctx.tick()

    run(fabric, bench)
    assert sorted(seen) == [0, 1, 2]


def wires_of(count):
    """Wires of a module, and the module with what it makes of them."""
    m = Module()
    wires = [
        Wire(Signal(name=f"v{n}"), Signal(8, name=f"p{n}"), Signal(count)) for n in range(count)
    ]
    turn, wishes = Signal(), [wire.wish for wire in wires]
    blocks = next(iter(exchanges(count)), ())
    swaps = [changes(wanted_sides(block, wishes), turn) for block in blocks]
    outs = [Wire(*(Signal(len(value)) for value in wire)) for wire in wires]
    for out, wire in zip(outs, exchanged(m, wires, swaps), strict=True):
        m.d.comb += [mine.eq(value) for mine, value in zip(out, wire, strict=True)]
    return m, turn, wires, outs


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 8])
def test_every_packet_leaves_once_and_one_by_the_output_that_all_want(count):
    m, turn, wires, outs = wires_of(count)
    rng = np.random.default_rng(count)

    async def bench(ctx):
        for _ in range(300):
            valid = rng.integers(2, size=count)
            wishes = valid * rng.integers(count + 1, size=count)  # 0: none
            same = rng.random() < 0.5
            if same:
                wishes[wishes > 0] = 1 + rng.integers(count)
            ctx.set(turn, int(rng.integers(2)))
            for number, wire in enumerate(wires):
                ctx.set(wire.valid, int(valid[number]))
                ctx.set(wire.packet, number + 1)
                ctx.set(wire.wish, 1 << int(wishes[number]) >> 1)
            await ctx.delay(1e-9)
            found = [ctx.get(out.packet) for out in outs]
            assert sorted(found) == list(range(1, count + 1))
            assert [ctx.get(out.valid) for out in outs] == [valid[n - 1] for n in found]
            served = sum(wishes[n - 1] == place for place, n in enumerate(found, start=1))
            assert served == 1 if same and wishes.any() else served >= wishes.any()

    run(m, bench)


def networks(**keys):
    """One whose addresses are all nodes', and one where 3 is none's."""
    for x in (4, 3):
        yield Network(Torus(x=x, y=2, directions="one"), router="deflection", **keys)


@pytest.mark.parametrize("network", list(networks()), ids=lambda network: network.name)
def test_what_passes_and_what_is_refused(network):
    nodes = network.topology.nodes
    # (destination, last), and whether the router is ready: valid, ready, refused one cycle later
    table = [
        (0, 1, 0, (1, 0, 0)),
        (0, 1, 1, (1, 1, 0)),
        (1, 0, 0, (0, 1, 0)),
        (1, 0, 1, (0, 1, 0)),
        (1, 1, 1, (0, 1, 1)),
        (1, 1, 1, (1, 1, 0)),
        (3, 1, 0, (1, 0, 0) if nodes == 8 else (0, 1, 1)),
    ]
    dut = SingleBeats(network)

    async def bench(ctx):
        ctx.set(dut.i.valid, 1)
        for destination, last, ready, (valid, taken, refused) in table:
            ctx.set(dut.i.p, {"data": 5, "destination": destination, "last": last})
            ctx.set(dut.ready, ready)
            assert (ctx.get(dut.valid), ctx.get(dut.i.ready)) == (valid, taken)
            await ctx.tick()
            assert ctx.get(dut.refused) == refused
        ctx.set(dut.i.valid, 0)
        await ctx.tick()
        assert (ctx.get(dut.valid), ctx.get(dut.refused)) == (0, 0)

    run(dut, bench)


def test_numbers_count_each_destination_and_begin_anew_with_a_reset():
    network = next(networks(sequence_width=2))
    dut, line = SingleBeats(network), Signal()
    sent = [1, 1, 2, 1, 1, 2, 1, 7]
    expected = [0, 1, 0, 2, 3, 1, 0, 0]

    async def bench(ctx):
        for _ in range(2):
            clocks = 0
            ctx.set(dut.i.valid, 1)
            ctx.set(dut.ready, 1)
            ctx.set(dut.i.p, {"data": 0, "destination": 1, "last": 1})
            while not ctx.get(dut.i.ready):
                assert not ctx.get(dut.valid)
                await ctx.tick()
                clocks += 1
            assert clocks == 1 << network.topology.address_width
            for destination, number in zip(sent, expected, strict=True):
                ctx.set(dut.i.p, {"data": 0, "destination": destination, "last": 1})
                ctx.set(dut.ready, 0)
                await ctx.tick()  # what is not taken does not count
                ctx.set(dut.ready, 1)
                assert ctx.get(dut.sequence) == number
                await ctx.tick()
            ctx.set(dut.i.valid, 0)
            ctx.set(line, 1)
            await ctx.tick()
            ctx.set(line, 0)

    run(ResetInserter(line)(dut), bench)
