"""Monitors and their parts: registers over their bus, and what they say of networks."""

import json
import re
import subprocess
from random import Random

import pytest
from amaranth.hdl import Fragment, Module
from amaranth.sim import Simulator
from helpers.emitted import lint, module_ports, verilog_of
from helpers.streams import assign, consume, produce, refusal, run, watch
from helpers.wide import bus_read, bus_write, read_array, run_monitored
from knotwork import Fabric, Network
from knotwork.emit import EmittedNetwork
from knotwork.emit.modules import Shell, module_verilog
from knotwork.emit.verilog import lint_waivers
from knotwork.gateware.monitor import (
    EventCounters,
    Monitor,
    RegisterAccess,
    Watchdog,
    make_monitor,
    monitor_members,
)
from knotwork.monitoring import SINGLE, network_probes, network_registers, waiting_chains
from knotwork.tools import find_tool
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets
from knotwork_soc.parameters import BusParameters

OKAY, SLVERR = 0, 2


def test_registers_tell_what_the_monitor_is_and_how_it_stands():
    dut = Monitor(channels=5, nodes=2, turns=40, counters=True, watchdog=30)
    at = dut.registers.registers
    found = {}

    async def testbench(ctx):
        for name, address in at.items():
            found[name] = await bus_read(ctx, dut.bus, address)
        assert await bus_write(ctx, dut.bus, at["bound"], 10) == OKAY
        found["new bound"] = await bus_read(ctx, dut.bus, at["bound"])
        assign(ctx, dut, waits=0b10010, wants=1 << 39 | 3)
        await ctx.tick().until(dut.alarm)
        found["alarm"] = await bus_read(ctx, dut.bus, at["status"])
        for name in ("stuck", "waits", "wants"):
            array = dut.registers.arrays[name]
            found[f"array {name}"] = await read_array(ctx, dut.bus, array)
        ctx.set(dut.waits, 0)
        assert await bus_write(ctx, dut.bus, at["control"], 0b10) == OKAY
        found["rearmed"] = await bus_read(ctx, dut.bus, at["status"])

    run(dut, testbench, background=[watch(dut.bus.r), watch(dut.bus.b)])
    assert found.pop("cycles")[0] > 10
    assert found == {
        "identity": (0x4B4E4F31, OKAY),
        "channels": (5, OKAY),
        "nodes": (2, OKAY),
        "turns": (40, OKAY),
        "control": (0, OKAY),
        "status": (0, OKAY),
        "bound": (30, OKAY),
        "new bound": (10, OKAY),
        "alarm": (1, OKAY),
        "array stuck": [0b10010],
        "array waits": [0b10010],
        "array wants": [3, 1 << 7],
        "rearmed": (0, OKAY),
    }


def test_counters_are_read_and_cleared():
    dut = Monitor(channels=3, nodes=2, turns=1)
    arrays, at = dut.registers.arrays, dut.registers.registers
    found = []

    async def testbench(ctx):
        assign(ctx, dut, flits=0b101, waits=0b010, refused=0b10)
        await ctx.tick().repeat(25)
        for member in (dut.flits, dut.waits, dut.refused):
            ctx.set(member, 0)
        await ctx.tick().repeat(2 * 3 + 2)
        for _ in range(2):
            found.append([await read_array(ctx, dut.bus, one) for one in arrays.values()])
            await bus_write(ctx, dut.bus, at["control"], 1)
            await ctx.tick().repeat(2 * 3 + 2)

    run(dut, testbench)
    assert list(arrays) == ["flits", "stalls", "refused"]
    assert found == [[[25, 0, 25], [0, 25, 0], [0, 25]], [[0, 0, 0], [0, 0, 0], [0, 0]]]


@pytest.mark.parametrize("counters, watchdog", [(True, 0), (False, 9), (True, 9)])
def test_addresses_that_are_none_are_answered_with_an_error(counters, watchdog):
    dut = Monitor(channels=3, nodes=2, turns=4, counters=counters, watchdog=watchdog)
    map_ = dut.registers
    known = set(map_.registers.values())
    for array in map_.arrays.values():
        known |= {array.offset + 4 * n for n in range(array.count)}
    writable = {"control", "bound"} if watchdog else {"control"}

    async def testbench(ctx):
        for address in range(0, 1 << map_.page_width + 4, 4):
            expected = OKAY if address in known else SLVERR
            assert (await bus_read(ctx, dut.bus, address))[1] == expected, address
        for address in range(0, 1 << map_.page_width + 4, 4):
            may = address in {map_.registers[name] for name in writable}
            assert await bus_write(ctx, dut.bus, address, 0) == (OKAY if may else SLVERR)
        bound = map_.registers["bound"]
        assert await bus_write(ctx, dut.bus, bound, 0, strobe=0b0111) == SLVERR

    run(dut, testbench)
    assert list(map_.registers) == list(SINGLE)


def test_a_stalled_node_is_told_with_the_chain_behind_it():
    network = Network.from_word("mesh:x=3,y=2,data_width=8,buffer_depth=2,watchdog=40")
    rows = [(0, 0, 5, 12), (0, 1, 5, 3)]
    traffic = Traffic(traffic="replay", replay=rows)
    packets = make_packets(network, traffic)
    arrays, told = network_registers(network).arrays, []

    async def then(ctx, fabric):
        assert ctx.get(fabric.alarm)
        words = {name: await read_array(ctx, fabric.monitor, one) for name, one in arrays.items()}
        told.extend(waiting_chains(network, **words))

    run_monitored(network, traffic, packets, then, stalled=[5], clocks=150)
    # The packet of node 1 is ahead and fits behind router 2 (x=2, y=0); that of node 0, 12 flits
    # long, fills the buffers behind it, back to its node.
    (chain,) = told
    assert [one.router for one in chain.channels] == [0, 1, 2, 5, 5]
    assert [one.node for one in chain.channels] == [0, None, None, None, 5]
    assert chain.end == "the node, whose tready is low"
    labels = [network.topology.router_label(router) for router in (0, 1, 2, 5)]
    first, *_, last, end = str(chain).split("\n  waits for ")
    assert first.startswith(f"from node {network.topology.label(0)} into router {labels[0]} by ")
    assert last == f"to node {network.topology.label(5)}"
    assert end == chain.end


WORDS = [
    "mesh:x=2,y=2,data_width=8,counters=yes,watchdog=100",
    "wk:w=3,levels=1,data_width=8,watchdog=100",
    "hypercube:n=2,multicast=yes,data_width=8,counters=yes,pipeline=2",
    "mesh:x=3,y=1,nodes_per_router=2,data_width=8,counters=yes",
    "mesh:x=2,y=2,classes=2,data_width=8,counters=yes,pipeline=3,buffer_depth=2",
    "mesh:x=2,y=2,tables=loaded,data_width=8,counters=yes,watchdog=9",
]


@pytest.mark.parametrize("word", WORDS)
def test_the_verilog_with_a_monitor_is_clean(word, tmp_path):
    network, text = verilog_of(word)
    file, waivers = tmp_path / f"{network.name}.v", tmp_path / "network.vlt"
    file.write_text(text)
    waivers.write_text(lint_waivers(network))
    assert lint(file, waivers, top=network.name) == ""
    ports = module_ports(text, network.name)
    assert ports["s_axil_monitor_araddr"] == ("input", 12)
    assert ports["s_axil_monitor_rdata"] == ("output", 32)
    assert ports["s_axil_monitor_bready"] == ("input", 1)
    assert ports["alarm"] == ("output", 1)


def test_the_monitor_has_the_networks_widths():
    network = Network.from_word(WORDS[0])
    monitor, widths = make_monitor(network), network_probes(network)
    found = [len(signal) for signal in (monitor.flits, monitor.waits, monitor.wants)]
    assert found == [widths.channels, widths.channels, widths.turns]
    assert len(monitor.refused) == 4
    assert list(monitor_members(network)) == ["monitor", "alarm"]
    Simulator(monitor)


def test_the_emitted_network_has_the_members_of_the_fabric():
    network = Network.from_word(WORDS[0])
    emitted, fabric = EmittedNetwork(network), Fabric(network)
    assert emitted.signature == fabric.signature
    Simulator(fabric)
    Fragment.get(emitted, None).prepare()


def test_a_network_without_a_monitor_is_as_it_was():
    _, text = verilog_of("mesh:x=2,y=2,data_width=8")
    assert "probe" not in text
    assert "monitor" not in text


def test_every_request_is_answered_once_in_order():
    dut, dice = RegisterAccess(bus=BusParameters(address_width=12, data_width=32)), Random(2)
    words = [dice.randrange(64) for _ in range(60)]
    writes = [(dice.randrange(64), dice.getrandbits(32), dice.choice([15, 15, 7])) for _ in words]
    reads, answers, written = [], [], []

    async def registers(ctx):
        async for _, _, writes, data, word in ctx.tick().sample(
            dut.writes, dut.data, dut.write_word
        ):
            if writes:
                written.append((word, data))

    m, bus = Module(), dut.bus
    m.submodules.dut = dut
    # Word n holds 5 n and may be read if n is odd, and be written if n is even.
    m.d.comb += [
        dut.value.eq(5 * dut.read_word),
        dut.readable.eq(dut.read_word[0]),
        dut.writable.eq(~dut.write_word[0]),
    ]
    run(
        m,
        produce(bus.ar, [{"address": 4 * n, "prot": 0} for n in words], seed=1),
        produce(bus.aw, [{"address": 4 * n, "prot": 0} for n, _, _ in writes], seed=2),
        produce(bus.w, [{"data": d, "strobe": s} for _, d, s in writes], seed=3),
        consume(bus.r, reads, len(words), seed=4),
        consume(bus.b, answers, len(writes), seed=5),
        background=[registers, watch(bus.r), watch(bus.b)],
    )
    assert [(one.data, one.response) for one in reads] == [
        (5 * n, 0) if n % 2 else (0, 2) for n in words
    ]
    good = [(n, d) for n, d, s in writes if n % 2 == 0 and s == 15]
    assert written == good
    assert [one.response for one in answers] == [
        0 if n % 2 == 0 and s == 15 else 2 for n, _, s in writes
    ]


@pytest.mark.parametrize("events", [2, 5, 8, 17])
@pytest.mark.parametrize("often", [0.3, 1.0])
def test_every_event_is_counted_once(events, often):
    dut, dice = EventCounters(events=events, width=12), Random(events)

    async def testbench(ctx):
        expected = [0] * events
        for cycle in range(6 * events + 11):
            cleared = cycle == 3 * events + 2
            now = [dice.random() < often for _ in range(events)]
            ctx.set(dut.event, sum(1 << n for n, happens in enumerate(now) if happens))
            ctx.set(dut.clear, cleared)
            await ctx.tick()
            expected = [0 if cleared else e + n for e, n in zip(expected, now, strict=True)]
        ctx.set(dut.event, 0)
        await ctx.tick().repeat(events)
        assert not ctx.get(dut.clearing)
        for number in range(events):
            ctx.set(dut.index, number)
            assert ctx.get(dut.count) == expected[number]

    run(dut, testbench)


def test_a_count_goes_round():
    dut = EventCounters(events=2, width=4)

    async def testbench(ctx):
        ctx.set(dut.event, 1)
        await ctx.tick().repeat(21)
        ctx.set(dut.event, 0)
        await ctx.tick().repeat(2)
        assert ctx.get(dut.count) == 21 % 16

    run(dut, testbench)


def test_counts_are_not_valid_while_they_are_cleared():
    dut = EventCounters(events=6)

    async def testbench(ctx):
        for _ in range(2):
            for _ in range(6):
                assert ctx.get(dut.clearing)
                await ctx.tick()
            assert not ctx.get(dut.clearing)
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)

    run(dut, testbench)


def test_one_event_is_refused():
    text = refusal(ValueError, lambda: EventCounters(events=1))
    assert re.fullmatch("events must be at least 2, not 1", text)


@pytest.mark.slow
def test_many_events_are_synthesised(tmp_path):
    """Yosys goes through a chain of choices step by step, and its stack is limited."""
    dut = EventCounters(events=180)
    shell = Shell(dut)
    for name in ("event", "clear", "index"):
        shell.input(name, getattr(dut, name))
    for name in ("clearing", "count"):
        shell.output(name, getattr(dut, name))
    (tmp_path / "counters.v").write_text(module_verilog(shell, "counters"))
    script = "read_verilog counters.v; synth_ecp5 -top counters -json counters.json"
    subprocess.run([find_tool("yosys"), "-q", "-p", script], cwd=tmp_path, check=True, timeout=600)
    cells = json.loads((tmp_path / "counters.json").read_text())["modules"]["counters"]["cells"]
    kinds = [cell["type"] for cell in cells.values()]
    # 8 bits per event until its visit, the number of the visited one, and whether all is fresh.
    assert kinds.count("TRELLIS_FF") == 180 * 8 + 8 + 1
    assert kinds.count("TRELLIS_DPR16X4") == 2 * 12 * 8  # two readers of 180 words of 32 bits


@pytest.mark.parametrize("bound", [1, 2, 7, 20])
def test_a_channel_is_found_between_one_bound_and_two(bound):
    for start in range(bound + 2):
        dut = Watchdog(channels=3, turns=4)

        async def testbench(ctx, start=start, dut=dut):
            ctx.set(dut.bound, bound)
            for _ in range(start):
                await ctx.tick()
            ctx.set(dut.waits, 0b010)
            waited = 0
            while not ctx.get(dut.alarm):
                await ctx.tick()
                waited += 1
            assert bound <= waited <= 2 * bound
            assert ctx.get(dut.stuck) == 0b010

        run(dut, testbench)


def test_channels_that_pause_are_not_found():
    dut, dice, bound = Watchdog(channels=4, turns=1), Random(1), 12

    async def testbench(ctx):
        ctx.set(dut.bound, bound)
        waited = [0] * 4
        for _ in range(2000):
            waits = [dice.random() < 0.85 and n < bound - 1 for n in waited]
            waited = [n + 1 if w else 0 for n, w in zip(waited, waits, strict=True)]
            ctx.set(dut.waits, sum(1 << n for n, w in enumerate(waits) if w))
            await ctx.tick()
            assert not ctx.get(dut.alarm)

    run(dut, testbench)


def test_what_was_found_stays_until_it_is_rearmed():
    dut = Watchdog(channels=2, turns=3)

    async def testbench(ctx):
        assign(ctx, dut, bound=5, wants=0b101, waits=0b01)
        await ctx.tick().until(dut.alarm)
        assign(ctx, dut, waits=0b10, wants=0b010)
        await ctx.tick().repeat(30)
        found = [ctx.get(bits) for bits in (dut.stuck, dut.waiting, dut.wanted)]
        assert found == [0b01, 0b01, 0b101]
        ctx.set(dut.rearm, 1)
        await ctx.tick()
        ctx.set(dut.rearm, 0)
        await ctx.tick().until(dut.alarm)
        found = [ctx.get(bits) for bits in (dut.stuck, dut.waiting, dut.wanted)]
        assert found == [0b10, 0b10, 0b010]

    run(dut, testbench)


def test_no_bound_finds_nothing_and_a_new_one_begins_at_once():
    dut = Watchdog(channels=1, turns=1)

    async def testbench(ctx):
        ctx.set(dut.waits, 1)
        await ctx.tick().repeat(200)
        assert not ctx.get(dut.alarm)
        assign(ctx, dut, bound=9, restart=1)
        await ctx.tick()
        ctx.set(dut.restart, 0)
        await ctx.tick().repeat(8)
        assert not ctx.get(dut.alarm)
        await ctx.tick()
        assert ctx.get(dut.alarm)

    run(dut, testbench)
