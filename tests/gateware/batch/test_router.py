"""Batches in Amaranth's own simulator; tests/sim compares the Verilog in every cycle."""

import re

import pytest
from helpers.streams import put, run
from knotwork import CubeConnectedCycles, Fabric, Hypercube, Network
from knotwork.emit.modules import router_verilog
from knotwork.gateware.batch.layouts import entry_layout

PLACES = Network(CubeConnectedCycles(n=4), routing="lc2")


def simulate(network, bench):
    """Run a bench on the network, with its table loaded by which nothing is exchanged at first."""
    fabric = Fabric(network)
    n = network.topology.n

    async def testbench(ctx):
        for number in range(n):
            entry = {"entry": {"jump": 1, "buddy": n}, "last": number == n - 1}
            await put(ctx, fabric.config, entry)
        await bench(ctx, fabric)

    run(fabric, testbench)


async def send(ctx, fabric, node, beats, destination):
    """Give a packet; other beats than the first name another destination."""
    for number, beat in enumerate(beats):
        target = destination if number == 0 else ~destination & 3
        last = number == len(beats) - 1
        flit = {"data": beat, "destination": target, "last": last}
        await put(ctx, fabric.inject[node], flit)


@pytest.mark.parametrize(
    ("topology", "routing"), [(CubeConnectedCycles(n=2), "lc2"), (Hypercube(n=2), "lc1")]
)
@pytest.mark.parametrize("sequencer", ["central", "distributed"])
def test_a_beat_that_is_not_taken_stays(topology, routing, sequencer):
    network = Network(topology, routing=routing, sequencer=sequencer, words=2, data_width=8)

    async def bench(ctx, fabric):
        for node in range(4):
            await send(ctx, fabric, node, [16 * node + 1, 16 * node + 2], node ^ 3)
        for _ in range(network.routing.steps * 2 + 2):
            await ctx.tick()
        for wait in (0, 1, 5):  # a beat, another, and nothing
            for node, stream in enumerate(fabric.eject):
                assert not ctx.get(fabric.inject[node].ready) or wait == 5
                shown = ctx.get(stream.valid), ctx.get(stream.payload)
                for _ in range(wait + 1):
                    assert (ctx.get(stream.valid), ctx.get(stream.payload)) == shown
                    await ctx.tick()
                if wait == 5:
                    assert not ctx.get(stream.valid)
                    continue
                assert ctx.get(stream.p.data) == 16 * (node ^ 3) + 1 + wait
                assert ctx.get(stream.p.source) == node ^ 3
                assert ctx.get(stream.p.last) == wait
                ctx.set(stream.ready, 1)
                await ctx.tick()
                ctx.set(stream.ready, 0)
        assert ctx.get(fabric.status) == 0

    simulate(network, bench)


def test_flags_last_until_the_next_packet():
    network = Network(CubeConnectedCycles(n=2), routing="lc2", data_width=8)

    async def bench(ctx, fabric):
        for node, target in enumerate([1, 1, 2, 3]):  # two packets for node 1, none for node 0
            await send(ctx, fabric, node, [node], target)
        for stream in fabric.eject:
            ctx.set(stream.ready, 1)
        for _ in range(network.routing.steps + 5):
            await ctx.tick()
        assert ctx.get(fabric.status) & 1
        wrong = ctx.get(fabric.status)
        await send(ctx, fabric, 3, [3], 3)
        assert ctx.get(fabric.status) == wrong  # node 3's were clear
        for node in range(3):
            await send(ctx, fabric, node, [node], node)
        assert ctx.get(fabric.status) == 0

    simulate(network, bench)


def test_places_are_modules_of_their_own():
    roles = [kind.role for kind in PLACES.router_kinds]
    assert roles == [f"router_place{place}" for place in range(4)]
    assert [len(kind.ports) for kind in PLACES.router_kinds] == [4, 4, 3, 3]
    assert PLACES.router_number.tolist() == [0, 1, 2, 3] * 4


@pytest.mark.parametrize(
    ("word", "jump", "buddy"),
    [
        ("hypercube:n=5,routing=lc1", "[4:0]", "[14:0]"),
        ("ccc:n=5,routing=lc2,control=entry", "", "[2:0]"),
        ("ccc:n=5,routing=lc2", "[4:0]", "[14:0]"),
    ],
)
def test_registers_are_called_as_in_the_paper(word, jump, buddy):
    """Registers `jump` and `buddy`; a buddy in 0..5 has three bits."""
    network = Network.from_word(word)
    for kind in network.router_kinds:
        found = re.findall(r"^  reg (\[\S+\] )?(jump|buddy) =", router_verilog(network, kind), re.M)
        lateral = "L" in [network.topology.ports[port] for port in kind.ports]
        has = lateral or network.topology.name == "hypercube"
        assert [width.strip() for width, _ in found] == ([jump, buddy] if has else [])
        assert [name for _, name in found] == (["jump", "buddy"] if has else [])


def test_an_exchange_has_the_ports_of_the_paper_and_says_that_it_shifts():
    verilog = router_verilog(PLACES, PLACES.router_kinds[0])
    head = verilog.split("module ccc_n4_lc2_router_place0_cycle_exchange (")[1].split(");")[0]
    wires = set(re.findall(r"\b([io]_\w+?)_(?:message|request)\b", head))
    assert wires == {f"{way}_{port}" for way in "io" for port in "FBL"}
    assert "// Jump and buddy shift registers of all dimensions" in verilog
    entry = Network.from_word("ccc:n=4,routing=lc2,control=entry")
    assert "shift register" not in router_verilog(entry, entry.router_kinds[0])


def test_an_entry_is_jump_above_buddy():
    assert entry_layout(PLACES).size == 1 + 3
    assert entry_layout(PLACES).const({"jump": 1, "buddy": 4}).as_bits() == 0b1100


def test_nothing_moves_without_a_table():
    """Every node takes one packet and keeps it."""
    network = Network(CubeConnectedCycles(n=2), routing="lc2", data_width=8)
    fabric = Fabric(network)

    async def bench(ctx):
        for node in (0, 1, 2, 3):
            await send(ctx, fabric, node, [node], node)
        assert not any(ctx.get(stream.ready) for stream in fabric.inject)
        assert ctx.get(fabric.status) == 16
        for _ in range(40):
            await ctx.tick()
            assert not any(ctx.get(stream.valid) for stream in fabric.eject)

    run(fabric, bench)
