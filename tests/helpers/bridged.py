"""A manager's bus joined to a memory's bus by bridges, as Verilog and in a simulator."""

import json
from pathlib import Path

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from helpers.simulators import FAST, SIMULATOR
from knotwork.emit.modules import Shell, module_verilog
from knotwork_sim.testbench.runner import run_tests
from knotwork_soc.emit.shells import add_bus
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES

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
