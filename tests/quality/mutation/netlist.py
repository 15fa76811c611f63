"""A module as gates and registers, read from Yosys, with a mutant chosen by a constant."""

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

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

FALSE, TRUE = 0, 1


class Gates:
    """And-inverter graph in which equal gates are one node.

    A literal is 2 * node, plus 1 if inverted; literal 0 is false. Nodes are numbered from 1 on,
    each after the nodes that it reads.
    """

    def __init__(self) -> None:
        self.inputs_of: list[tuple[int, int]] = [(0, 0)]  # (0, 0) for a free node
        self._known: dict[tuple[int, int], int] = {}

    def free(self) -> int:
        """Literal of a new free variable."""
        self.inputs_of.append((0, 0))
        return 2 * (len(self.inputs_of) - 1)

    def both(self, a: int, b: int) -> int:
        """Literal of ``a and b``."""
        if a > b:
            a, b = b, a
        if a == FALSE or a == b ^ 1:
            return FALSE
        if a in (TRUE, b):
            return b
        if (a, b) not in self._known:
            self.inputs_of.append((a, b))
            self._known[a, b] = 2 * (len(self.inputs_of) - 1)
        return self._known[a, b]

    def either(self, a: int, b: int) -> int:
        """Literal of ``a or b``."""
        return self.both(a ^ 1, b ^ 1) ^ 1

    def any(self, literals: Iterable[int]) -> int:
        """Literal of the disjunction; false if there are none."""
        found = FALSE
        for literal in literals:
            found = self.either(found, literal)
        return found

    def choice(self, select: int, one: int, other: int) -> int:
        """Literal of ``one if select else other``."""
        if one == other:
            return one
        return self.either(self.both(select, one), self.both(select ^ 1, other))

    def differ(self, a: int, b: int) -> int:
        """Literal of ``a != b``."""
        return self.choice(a, b ^ 1, b)


def cell_output(gates: Gates, kind: str, pins: Mapping[str, int]) -> int:
    """Literal of the output of a cell of Yosys' fine-grained library."""
    a, b, s = (pins.get(pin, FALSE) for pin in "ABS")
    simple = {
        "$_BUF_": lambda: a,
        "$_NOT_": lambda: a ^ 1,
        "$_AND_": lambda: gates.both(a, b),
        "$_NAND_": lambda: gates.both(a, b) ^ 1,
        "$_OR_": lambda: gates.either(a, b),
        "$_NOR_": lambda: gates.either(a, b) ^ 1,
        "$_XOR_": lambda: gates.differ(a, b),
        "$_XNOR_": lambda: gates.differ(a, b) ^ 1,
        "$_ANDNOT_": lambda: gates.both(a, b ^ 1),
        "$_ORNOT_": lambda: gates.either(a, b ^ 1),
        "$_MUX_": lambda: gates.choice(s, b, a),
    }
    return simple[kind]()


class Cycle(NamedTuple):
    """Literals of a netlist in one cycle."""

    # The outputs' values, and the registers' in the next cycle.
    outputs: list[int]
    registers: list[int]
    facts: list[int]  # literals that are known to be true


@dataclass(frozen=True)
class Netlist:
    """Gates of a module, and its registers."""

    # Bits of each port by name, without the clock and `mutants.INPUT`.
    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]
    registers: list[tuple[int, int]]  # bit at the output, bit at the input
    initial: list[int | None]  # values of the registers at power-on; None if the Verilog gives none
    names: list[set[str]]  # names of each register: the cell's, and all those of its wire
    # Kind, bits of the inputs by pin, bit of the output; each after the cells that it reads.
    cells: list[tuple[str, dict[str, int | str], int]]
    chooser: list[int]  # bits of `mutants.INPUT`
    # Bits that may have another value in every cycle, as a memory gives outside its addresses.
    undriven: list[int | str]
    # Bits that are known to be true, and bits that say in which cycles.
    facts: list[tuple[int | str, int | str]]

    def name(self, register: int) -> str:
        """Name of a register, for a reader."""
        return min(self.names[register], key=lambda name: (name.startswith("$"), len(name), name))

    @property
    def reset(self) -> int:
        """Bit of the reset."""
        return self.inputs["rst"][0]

    @cached_property
    def power_on_values(self) -> dict[int, int]:
        """Values at power-on of the registers that a reset does not set: those of memories."""
        gates = Gates()
        inputs = {bit: gates.free() for bits in self.inputs.values() for bit in bits}
        states = [gates.free() for _ in self.registers]
        reset = self.evaluate(gates, inputs | {self.reset: TRUE}, states).registers
        return {
            number: value
            for number, (value, after) in enumerate(zip(self.initial, reset, strict=True))
            if value is not None and after not in {FALSE, TRUE}
        }

    def before_reset(self, gates: Gates) -> list[int]:
        """Literals of the registers at power-on; those that a reset sets may have any value."""
        states = [gates.free() for _ in self.registers]
        return [self.power_on_values.get(number, literal) for number, literal in enumerate(states)]

    def evaluate(
        self, gates: Gates, inputs: Mapping[int, int], states: Sequence[int], mutant: int = 0
    ) -> Cycle:
        """Literals of the outputs, of the registers' next values and of the facts.

        `mutant` is the number of the mutant, 0 for none.
        """
        value: dict[int | str, int] = {"0": FALSE, "1": TRUE, **inputs}
        value |= {bit: gates.free() for bit in self.undriven}
        value |= {bit: mutant >> place & 1 for place, bit in enumerate(self.chooser)}
        for (bit, _), literal in zip(self.registers, states, strict=True):
            value[bit] = literal
        for kind, pins, out in self.cells:
            value[out] = cell_output(gates, kind, {pin: value[bit] for pin, bit in pins.items()})
        return Cycle(
            [value[bit] for bits in self.outputs.values() for bit in bits],
            [value[bit] for _, bit in self.registers],
            [gates.either(value[when] ^ 1, value[bit]) for bit, when in self.facts],
        )


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
