"""Netlists that Yosys makes of Verilog: of a module, of a network, of a router and its proofs."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from knotwork.formal import FACTS, Part, part_facts, router_facts
from knotwork.network import Network

from .mutants import (
    INPUT,
    READ,
    Mutant,
    module_of,
    module_verilog,
    run_yosys,
    switched_network,
    switches,
)
from .netlist import Netlist

_TO_GATES = """
{drop}
memory_map
techmap
dfflegalize -cell $_DFF_P_ 01
techmap
opt_clean
write_json out.json
"""

_DROP_CHECKS = "delete t:$check t:$print t:$assert t:$cover t:$assume t:$scopeinfo"

_FREE = frozenset({"$anyseq", "$anyconst", "$cover", "$assert", "$scopeinfo"})
"""Cells without a function; the bits that they drive may have any value."""


def make_netlist(verilog: str, name: str, mutants: Sequence[Mutant]) -> Netlist:
    """Netlist of a module with mutants."""
    return _read(verilog, name, READ.format(name=name) + switches(mutants))


def make_network_netlist(network: Network, name: str, mutants: Sequence[Mutant]) -> Netlist:
    """Netlist of a whole network in which all routers of one kind are the same mutant."""
    verilog = switched_network(network, name, mutants)[f"{network.name}.v"]
    return _read(verilog, network.name, READ.format(name=network.name))


def make_netlist_with_facts(network: Network, name: str) -> Netlist:
    """Netlist of a module without mutants, together with what its proofs say of it."""
    module, verilog = module_of(network, name), module_verilog(network, name)
    if isinstance(module, Part):
        rtlil = part_facts(network, module, verilog)
    else:
        rtlil = router_facts(network, module, verilog)
    return _read(rtlil, FACTS, "read_rtlil module.v\n", drop="")


def _read(verilog: str, name: str, script: str, drop: str = _DROP_CHECKS) -> Netlist:
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        run_yosys(script + _TO_GATES.format(drop=drop), work)
        read = json.loads((work / "out.json").read_text(encoding="utf-8"))
    return read_netlist(read["modules"][name])


def read_netlist(module: dict) -> Netlist:
    """Netlist of a module in Yosys' JSON."""
    ports = {way: {} for way in ("input", "output")}
    for port, facts in module["ports"].items():
        ports[facts["direction"]][port] = facts["bits"]
    ports["input"].pop("clk", None)
    named = _names(module)
    initial = _initial(module)
    registers, begins, names, gates, facts = [], [], [], {}, []
    for name, cell in module["cells"].items():
        pins = {pin: bits[0] for pin, bits in cell["connections"].items()}
        # Every unknown constant becomes a separate free bit.
        unknown = [pin for pin, bit in pins.items() if bit == "x"]
        pins |= {pin: f"x{len(registers) + len(gates)}{pin}" for pin in unknown}
        if cell["type"] == "$_DFF_P_":
            registers.append((pins["Q"], pins["D"]))
            begins.append(initial.get(pins["Q"]))
            names.append({name} | named.get(pins["Q"], set()))
        elif cell["type"] == "$assume":
            facts.append((pins["A"], pins["EN"]))
        elif cell["type"] not in _FREE:
            if "Y" not in pins or len(cell["connections"]["Y"]) > 1:
                raise ValueError(f"a cell must be a gate or a register, not {cell['type']}")
            out = pins.pop("Y")
            gates[out] = (cell["type"], pins, out)
    given = {bit for bits in ports["input"].values() for bit in bits}
    given |= {"0", "1", *gates, *(output for output, _ in registers)}
    read = {bit for _, pins, _ in gates.values() for bit in pins.values()}
    read |= {bit for _, bit in registers} | {b for bits in ports["output"].values() for b in bits}
    read |= {bit for fact in facts for bit in fact}
    return Netlist(
        inputs={port: bits for port, bits in ports["input"].items() if port != INPUT},
        outputs=ports["output"],
        registers=registers,
        initial=begins,
        names=names,
        cells=_sorted(gates),
        chooser=ports["input"].get(INPUT, []),
        undriven=sorted(read - given, key=str),
        facts=facts,
    )


def _initial(module: dict) -> dict[int, int]:
    """Values of bits at power-on, where the Verilog gives one."""
    found: dict[int, int] = {}
    for net in module["netnames"].values():
        values = net.get("attributes", {}).get("init", "")
        for bit, value in zip(net["bits"], reversed(values), strict=False):
            if value in "01":
                found[bit] = int(value)
    return found


def _names(module: dict) -> dict[int, set[str]]:
    """Names that the source gives to bits."""
    named: dict[int, set[str]] = {}
    for name, net in module["netnames"].items():
        for place, bit in enumerate(net["bits"]):
            named.setdefault(bit, set()).add(f"{name}[{place}]")
    return named


def _sorted(gates: dict) -> list:
    """Cells, each after those that it reads."""
    order, state = [], {}
    for start in gates:
        stack = [start]
        while stack:
            out = stack[-1]
            if state.get(out) == 2 or out not in gates:
                stack.pop()
                continue
            if state.get(out) == 1:
                state[out] = 2
                order.append(gates[out])
                stack.pop()
                continue
            state[out] = 1
            waiting = [bit for bit in gates[out][1].values() if bit in gates]
            if any(state.get(bit) == 1 for bit in waiting):
                raise ValueError("a module's gates must have no loop")
            stack += [bit for bit in waiting if bit not in state]
    return order
