"""A `Fabric` in Amaranth's simulator, driven as `cocotb_test` drives the Verilog."""

import numpy as np
from amaranth.hdl import Cat, Elaboratable, Module, Signal
from helpers.streams import get, put, run
from knotwork import Fabric
from knotwork.monitoring import WORD, monitored_channels, network_registers
from knotwork_sim.model.record import Record, TakenBeat
from knotwork_sim.traffic.endpoints import accepted_all, drive, make_endpoints
from knotwork_sim.traffic.packets import address_codes

MARGIN = 40
"""Cycles after the last delivery, in which nothing more may come."""


class WideFabric(Elaboratable):
    """Fabric with node i's bits of each AXI4-Stream signal at position i of a vector."""

    def __init__(self, network):
        self.fabric = fabric = Fabric(network)
        inject, eject = fabric.inject, fabric.eject
        self.inputs = {
            "s_tvalid": Cat(port.valid for port in inject),
            "s_tdata": Cat(port.p.data for port in inject),
            "s_tdest": Cat(port.p.destination for port in inject),
            "s_tlast": Cat(port.p.last for port in inject),
            "m_tready": Cat(port.ready for port in eject),
        }
        for mark in ("multicast", "broadcast"):
            if mark in inject[0].p.shape().members:
                self.inputs["s_tuser"] = Cat(port.p[mark] for port in inject)
        self.outputs = {
            "s_tready": Cat(port.ready for port in inject),
            "m_tvalid": Cat(port.valid for port in eject),
            "m_tdata": Cat(port.p.data for port in eject),
            "m_tid": Cat(port.p.source for port in eject),
            "m_tlast": Cat(port.p.last for port in eject),
            "refused": fabric.refused,
        }
        for name, value in self.outputs.items():
            setattr(self, name, Signal(len(value), name=name))
        # One signal for all inputs: the simulator works the network out after each that is set.
        self.all_inputs = Signal(sum(len(value) for value in self.inputs.values()))

    def set_inputs(self, ctx, **numbers):
        """Set all inputs at once."""
        number, shift = 0, 0
        for name, value in self.inputs.items():
            number |= numbers.get(name, 0) << shift
            shift += len(value)
        ctx.set(self.all_inputs, number)

    def elaborate(self, platform):
        m = Module()
        m.submodules.fabric = self.fabric
        m.d.comb += Cat(*self.inputs.values()).eq(self.all_inputs)
        m.d.comb += [getattr(self, name).eq(value) for name, value in self.outputs.items()]
        return m


def _field(number, place, width):
    return number >> place * width & (1 << width) - 1


class Nodes:
    """Nodes of a network, one cycle at a time; ejections are held to the rules of streams.

    `stalled` nodes take nothing, ever.
    """

    def __init__(self, network, traffic, packets, *, stalled=()):
        topology = network.topology
        self.nodes, self.address_width = topology.nodes, topology.address_width
        self.data_width = network.hardware.data_width
        self.addresses = address_codes(network, packets)
        self.packets, self.stalled = packets, list(stalled)
        self.ends = make_endpoints(packets, traffic)
        self.words = packets.words(self.data_width)
        self.beats, self.refused, self.held = [], [], {}

    def _beat(self, node):
        """Beat that a source holds out: data, destination, last, and whether it is of copies."""
        packet, beat = int(self.ends.packet[node]), int(self.ends.beat[node])
        words = self.words[self.packets.first_flit[packet] + beat]
        user = packet in self.packets.chains or bool(self.packets.broadcast[packet])
        code = int(self.addresses[packet])
        if beat:  # no one may read them any more
            code, user = code ^ (1 << self.address_width) - 1, not user
        data = sum(int(word) << 64 * place for place, word in enumerate(words))
        return data, code, int(beat == self.packets.length[packet] - 1), int(user)

    def set_inputs(self, ctx, dut, clock):
        drive(self.ends, clock)
        self.ends.taking[self.stalled] = False
        data = destination = last = user = 0
        for node in np.flatnonzero(self.ends.offered).tolist():
            beat = self._beat(node)
            data |= beat[0] << node * self.data_width
            destination |= beat[1] << node * self.address_width
            last |= beat[2] << node
            user |= beat[3] << node
        dut.set_inputs(
            ctx,
            s_tvalid=sum(1 << int(node) for node in np.flatnonzero(self.ends.offered)),
            s_tdata=data,
            s_tdest=destination,
            s_tlast=last,
            s_tuser=user,
            m_tready=sum(1 << int(node) for node in np.flatnonzero(self.ends.taking)),
        )

    def read_outputs(self, ctx, dut, clock):
        valid, data, last = ctx.get(dut.m_tvalid), ctx.get(dut.m_tdata), ctx.get(dut.m_tlast)
        source = ctx.get(dut.m_tid)
        offered = {
            node: (
                _field(source, node, self.address_width),
                last >> node & 1,
                _field(data, node, self.data_width),
            )
            for node in range(self.nodes)
            if valid >> node & 1
        }
        for node, beat in self.held.items():
            assert offered.get(node) == beat, f"node {node}: a beat changed before it was taken"
        self.held = {node: beat for node, beat in offered.items() if not self.ends.taking[node]}
        for node, (code, last_beat, payload) in offered.items():
            if self.ends.taking[node]:
                self.beats.append(TakenBeat(clock, node, code, last_beat, 0, payload))
        refused = ctx.get(dut.refused)
        self.refused += [(clock, node) for node in range(self.nodes) if refused >> node & 1]
        ready = ctx.get(dut.s_tready)
        accepted_all(
            self.ends, np.array([ready >> n & 1 for n in range(self.nodes)], np.bool_), clock
        )

    def record(self, clocks):
        """Everything noted, in the form that the golden model gives."""
        words = self.words.shape[1]
        return Record.from_beats(self.beats, self.refused, words=words, clocks=clocks)


async def nothing_else(ctx, fabric):
    """What follows a run: nothing."""


def run_fabric(network, traffic, packets, then=nothing_else, *, stalled=(), clocks=None):
    """Record of a run: to the last delivery and a margin, or for a number of cycles.

    A testbench ``then(ctx, fabric)`` follows it.
    """
    dut, nodes = WideFabric(network), Nodes(network, traffic, packets, stalled=stalled)
    flits, refusals = int(packets.due.sum()), int(packets.refused.sum())
    records = []

    async def testbench(ctx):
        clock, end = 0, clocks
        while end is None or clock < end:
            nodes.set_inputs(ctx, dut, clock)
            nodes.read_outputs(ctx, dut, clock)
            await ctx.tick()
            clock += 1
            if end is None and len(nodes.beats) >= flits and len(nodes.refused) >= refusals:
                end = clock + MARGIN
        records.append(nodes.record(clock))
        await then(ctx, dut.fabric)

    run(dut, testbench)
    return records[0]


async def bus_read(ctx, bus, address):
    """Data and response of a read."""
    await put(ctx, bus.ar, {"address": address, "prot": 0})
    answer = await get(ctx, bus.r)
    return answer.data, answer.response


async def bus_write(ctx, bus, address, data, strobe=0xF):
    """Response of a write whose data comes with its address."""
    ctx.set(bus.w.p, {"data": data, "strobe": strobe})
    ctx.set(bus.w.valid, 1)
    await put(ctx, bus.aw, {"address": address, "prot": 0})
    ctx.set(bus.w.valid, 0)
    return (await get(ctx, bus.b)).response


async def read_array(ctx, bus, array):
    """Words of an array of registers."""
    found = [await bus_read(ctx, bus, array.offset + WORD * n) for n in range(array.count)]
    assert all(response == 0 for _, response in found)
    return [data for data, _ in found]


run_monitored = run_fabric
"""Run packets through a network, and then a testbench ``then(ctx, fabric)``."""


def counts_of(network, traffic, packets):
    """What the monitor counts of a run: flits, stalls and refused packets."""
    found = {}

    async def then(ctx, fabric):
        # A count is shown so many cycles late.
        await ctx.tick().repeat(2 * len(monitored_channels(network)) + network.topology.nodes)
        for name, array in network_registers(network).arrays.items():
            found[name] = np.array(await read_array(ctx, fabric.monitor, array))

    run_monitored(network, traffic, packets, then)
    return found


def expected_flits(network, record, packets):
    """Flits of every channel by the golden model: what left by the output behind it.

    What a multicast unit sends into its router, no one counts: there it is None.
    """
    topology = network.topology
    vcs = network.virtual_channels
    crossings = record.tally.crossings.reshape(*topology.neighbours.shape, vcs)
    flits = []
    for one in monitored_channels(network):
        if one.virtual_channel is None:
            flits.append(int((record.node == one.node).sum()))
        elif one.node is not None:
            sent = (packets.source == one.node) & ~packets.refused
            lengths = packets.length[sent & (packets.virtual_channel == one.virtual_channel)]
            flits.append(None if network.has_multicast else int(lengths.sum()))
        else:
            sender, way = (int(table[one.router, one.port]) for table in topology.senders)
            flits.append(int(crossings[sender, way, one.virtual_channel]))
    return flits
