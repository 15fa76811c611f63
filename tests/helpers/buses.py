"""Buses in simulators: bursts of AXI4, memories, and buses joined by wires or by bridges."""

import json
from pathlib import Path
from random import Random

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from helpers.emitted import FAST, SIMULATOR
from helpers.streams import get, put
from knotwork.emit.modules import Shell, module_verilog
from knotwork_sim.testbench.runner import run_tests
from knotwork_soc.emit.shells import add_bus
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS, Burst, axi4_signature
from knotwork_soc.gateware.buses.decoder import RegionOfNode
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES
from knotwork_soc.gateware.buses.initiator_port import InitiatorPort
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES
from knotwork_soc.gateware.buses.target_port import TargetPort

PLAIN = {"id": 0, "size": 2, "burst": Burst.INCR, "prot": 0, "lock": 0, "cache": 0, "qos": 0}


def burst(address, beats=1, **fields):
    """Address of an incrementing burst of words, unless its fields say otherwise."""
    return PLAIN | {"address": address, "length": beats - 1} | fields


def beats(data, strobe=0xF):
    """Beats of a write burst."""
    return [
        {"data": word, "strobe": strobe, "last": number == len(data) - 1}
        for number, word in enumerate(data)
    ]


class Memory:
    """Memory that answers in order; a channel rests in the share `stall` of the cycles.

    `is_alive` says whether it does anything in a cycle, by its number; what it offers stays.
    `response` is the outcome of a beat, by its address.
    """

    def __init__(self, bus, *, stall=0.0, seed=1, is_alive=lambda _: True, response=lambda _: 0):
        self.bus, self.stall, self.dice = bus, stall, Random(f"memory {seed}")
        self.is_alive, self.response = is_alive, response
        self.bytes = {}
        self.writes, self.beats, self.reads = [], [], []
        self.cycle = self.given = 0
        self.locks = set()

    def process(self, aw, w, b, ar, r):
        """Testbench for the background."""
        taken = [("aw", aw), ("w", w), ("ar", ar)]

        async def testbench(ctx):
            answers, beats = [], []
            offered = {}
            while True:
                alive = self.is_alive(self.cycle)
                for _, channel in taken:
                    ctx.set(channel.ready, alive and self.dice.random() >= self.stall)
                if alive:
                    self._finish(answers, beats)
                for name, channel, waiting in (("b", b, answers), ("r", r, beats)):
                    rests = name in offered or not alive or self.dice.random() < self.stall
                    if waiting and not rests:
                        offered[name] = waiting.pop(0)
                        ctx.set(channel.p, offered[name])
                    ctx.set(channel.valid, name in offered)
                _, _, *seen = await ctx.tick().sample(
                    *(bit for _, one in taken for bit in (one.valid & one.ready, one.p)),
                    b.valid & b.ready,
                    r.valid & r.ready,
                )
                for place, queue in enumerate((self.writes, self.beats, self.reads)):
                    if seen[2 * place]:
                        queue.append(seen[2 * place + 1])
                for name, done in zip("br", seen[6:], strict=True):
                    if done:
                        del offered[name]
                        self.given += 1
                self.cycle += 1

        return testbench

    def _finish(self, answers, beats):
        """Do what has come whole."""
        if self.writes and len(self.beats) > self.writes[0].length:
            request, worst = self.writes.pop(0), 0
            for number in range(request.length + 1):
                beat = self.beats.pop(0)
                assert beat.last == (number == request.length), "WLAST must mark the last beat"
                worst = max(worst, self._write(request, number, beat))
            self.locks.add(request.lock)
            assert request.id == 0
            answers.append({"id": 0, "response": worst})
        if self.reads:
            request = self.reads.pop(0)
            self.locks.add(request.lock)
            beats += [self._read(request, number) for number in range(request.length + 1)]

    def _lane(self, request, number):
        """Address of the bus's word in which a beat of an INCR burst lies."""
        aligned = request.address >> request.size << request.size
        address = aligned + (number << request.size) if number else request.address
        return address // self.bus.data_bytes * self.bus.data_bytes

    def _write(self, request, number, beat):
        word = self._lane(request, number)
        for lane in range(self.bus.data_bytes):
            if beat.strobe >> lane & 1:
                self.bytes[word + lane] = beat.data >> 8 * lane & 0xFF
        return self.response(word)

    def _read(self, request, number):
        word = self._lane(request, number)
        value = sum(
            self.bytes.get(word + lane, 0) << 8 * lane for lane in range(self.bus.data_bytes)
        )
        last = number == request.length
        return {"id": 0, "data": value, "response": self.response(word), "last": last}


async def write(ctx, axi, address, data, *, name=0, size=2, strobe=None, **more):
    """Write words by an INCR burst; its response and identifier."""
    length = len(data) - 1
    fields = {"id": name, "address": address, "length": length, "size": size, "burst": 1}
    await put(ctx, axi.aw, fields | more)
    for number, word in enumerate(data):
        strobes = (1 << len(axi.w.p.strobe)) - 1 if strobe is None else strobe
        await put(ctx, axi.w, {"data": word, "strobe": strobes, "last": number == length})
    answer = await get(ctx, axi.b)
    return answer.response, answer.id


async def read(ctx, axi, address, count, *, name=0, size=2, **more):
    """Read words by an INCR burst; its beats."""
    fields = {"id": name, "address": address, "length": count - 1, "size": size, "burst": 1}
    await put(ctx, axi.ar, fields | more)
    beats = [await get(ctx, axi.r) for _ in range(count)]
    assert [bool(beat.last) for beat in beats] == [False] * (count - 1) + [True]
    assert {beat.id for beat in beats} == {name}
    return [(beat.data, beat.response) for beat in beats]


INITIATOR, TARGET = 2, 1
"""Addresses of their nodes."""


class BusPair(wiring.Component):
    """`manager` to `memory`.

    With parity, a flit whose bit in `flips` is high is wrong in its lowest bit; bit 0 is of
    requests, bit 1 of responses. Nothing goes a way whose bit in `held` is high.
    """

    def __init__(self, bus, *, size, flit_width=36, has_parity=False):
        axi4, self.has_parity = axi4_signature(bus), has_parity
        self.widths = {"bus": bus, "flit_width": flit_width, "address_width": 2}
        self.widths["has_parity"] = has_parity
        self.regions = [RegionOfNode(0, size, TARGET)]
        ways = {"flips": In(2), "held": In(2), "offered": Out(2), "taken": Out(2)}
        super().__init__({"manager": In(axi4), "memory": Out(axi4), "silent": Out(2)} | ways)

    def elaborate(self, platform):
        m = Module()
        m.submodules.initiator = initiator = InitiatorPort(**self.widths, regions=self.regions)
        m.submodules.target = target = TargetPort(**self.widths)
        wiring.connect(m, wiring.flipped(self.manager), initiator.axi)
        wiring.connect(m, target.axi, wiring.flipped(self.memory))
        m.d.comb += self.silent.eq(target.silent)
        ends = ((initiator, target, INITIATOR), (target, initiator, TARGET))
        for way, (sender, receiver, node) in enumerate(ends):
            goes = ~self.held[way]
            m.d.comb += [
                receiver.eject.valid.eq(sender.inject.valid & goes),
                receiver.eject.p.data.eq(sender.inject.p.data ^ self.flips[way]),
                receiver.eject.p.last.eq(sender.inject.p.last),
                receiver.eject.p.source.eq(node),
                sender.inject.ready.eq(receiver.eject.ready & goes),
                self.offered[way].eq(receiver.eject.valid),
                self.taken[way].eq(receiver.eject.valid & receiver.eject.ready),
            ]
            if self.has_parity:
                marked = Signal(name=f"marked_{way}")
                m.d.comb += receiver.eject.p.wrong.eq(self.flips[way] | marked)
                with m.If(self.taken[way]):
                    m.d.sync += marked.eq(receiver.eject.p.wrong & ~receiver.eject.p.last)
        return m


PROGRAMS = Path(__file__).parents[1] / "cocotb"


class Bridged(wiring.Component):
    """Bridges from one kind of bus over AXI4 to another; AXI4 needs none."""

    def __init__(self, *, bus, kinds, **keys):
        self._bus, self._kinds, self._keys = bus, kinds, keys
        initiator, target = (BUS_KINDS[kind].signature(bus) for kind in kinds)
        super().__init__({"initiator": In(initiator), "target": Out(target)})

    def elaborate(self, platform):
        m = Module()
        last = wiring.flipped(self.initiator)
        initiator, target = self._kinds
        if initiator in INITIATOR_BRIDGES:
            m.submodules.first = first = INITIATOR_BRIDGES[initiator](bus=self._bus, **self._keys)
            wiring.connect(m, last, getattr(first, initiator))
            last = first.axi4
        if target in TARGET_BRIDGES:
            m.submodules.second = second = TARGET_BRIDGES[target](bus=self._bus)
            wiring.connect(m, last, second.axi4)
            last = getattr(second, target)
        wiring.connect(m, last, wiring.flipped(self.target))
        return m


def bridged_verilog(bus, kinds, **keys):
    """Verilog of it, top ``bridged``, the prefixes of the two buses, and the inputs' names."""
    component = Bridged(bus=bus, kinds=kinds, **keys)
    shell = Shell(component)
    first, second = (BUS_KINDS[kind] for kind in kinds)
    prefixes = first.initiator_prefix, second.target_prefix
    add_bus(shell, prefixes[0], first, bus, component.initiator, from_manager=True)
    add_bus(shell, prefixes[1], second, bus, component.target, from_manager=False)
    return module_verilog(shell, "bridged"), prefixes, list(shell.widths[0])


def simulate(monkeypatch, folder, bus, kinds, *, edit=lambda text: text, **traffic):
    """Exit status of the testbench on bridges, their Verilog changed by `edit`."""
    verilog, prefixes, inputs = bridged_verilog(bus, kinds)
    (folder / "bridged.v").write_text(edit(verilog))
    file = folder / "bridged.v"
    return drive(monkeypatch, file, kinds, prefixes=prefixes, inputs=inputs, **traffic)


def drive(
    monkeypatch,
    file,
    kinds,
    *,
    prefixes,
    inputs,
    transfers=40,
    stalls=0.3,
    outside=False,
    clocks=None,
):
    """Exit status of the testbench on a file, whose top has its name, with buses of these kinds.

    With `outside`, Wishbone's manager and memory are those of cocotbext-wishbone. `clocks` are
    periods in ps, by what ends the names of a clock and its reset; 10 ns of ``clk`` if unnamed.
    """
    environment = {
        "BRIDGE_CLOCKS": json.dumps(clocks or {"": 10_000}),
        "BRIDGE_KINDS": json.dumps(kinds),
        "BRIDGE_PREFIXES": json.dumps(prefixes),
        "BRIDGE_INPUTS": json.dumps(inputs),
        "BRIDGE_TRANSFERS": str(transfers),
        "BRIDGE_STALLS": str(stalls),
        "COCOTB_LOG_LEVEL": "ERROR",
    }
    if outside:
        environment["BRIDGE_OUTSIDE"] = "yes"
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(PROGRAMS)
    return run_tests(
        sources=[file],
        top=file.stem,
        tests="bridge_testbench",
        arguments=[SIMULATOR, "--seed", "1"],
        build_args=FAST,
    )
