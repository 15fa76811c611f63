"""A module as gates and registers, with a mutant chosen by a constant; for proofs."""

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from knotwork.formal import FACTS, router_facts
from knotwork.network import Network

from .netlist import INPUT, READ, Mutant, module_verilog, run_yosys, switched_network, switches

FALSE, TRUE = 0, 1

_GATES = """
{drop}
memory_map
techmap
dfflegalize -cell $_DFF_P_ 01
techmap
opt_clean
write_json out.json
"""


_DROP_CHECKS = "delete t:$check t:$print t:$assert t:$cover t:$assume t:$scopeinfo"


class Gates:
    """And-inverter graph: a literal is 2 * node + 1 if inverted; equal ands are one node.

    Nodes are numbered from 1 on, each after those that it reads; literal 0 is false.
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
        """Literal of the disjunction; false of none."""
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


_FREE = frozenset({"$anyseq", "$anyconst", "$cover", "$assert", "$scopeinfo"})
"""Cells without a function: what they drive may have any value."""


def _gate(gates: Gates, kind: str, pins: Mapping[str, int]) -> int:
    """Output of a cell of Yosys' fine-grained library."""
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


class Clock(NamedTuple):
    """Literals of one clock of a circuit.

    Members
    -------
    outputs, registers : list of int
        The outputs' values, and the registers' in the next clock.
    facts : list of int
        What is known: each is true.
    """

    outputs: list[int]
    registers: list[int]
    facts: list[int]


@dataclass(frozen=True)
class Circuit:
    """Gates of a module between its registers.

    Members
    -------
    inputs, outputs : dict
        Bits of each port by name, clock left out; ``INPUT`` is not among the inputs.
    registers : list of (int, int)
        Bit at the output, bit at the input.
    initial : list of int or None
        Values of the registers at power-on; None where the Verilog gives none.
    names : list of set of str
        Of the registers: of the cell, and of the wire, which may have several.
    cells : list of (str, dict, int)
        Kind, bits of the inputs by pin, bit of the output; each after those that it reads.
    chooser : list of int
        Bits of `INPUT`.
    undriven : list of int or str
        Bits of any value, another in each clock: what a memory gives outside its addresses.
    facts : list of (int or str, int or str)
        Bits that say what is known, and in which clocks.
    """

    inputs: dict[str, list[int]]
    outputs: dict[str, list[int]]
    registers: list[tuple[int, int]]
    initial: list[int | None]
    names: list[set[str]]
    cells: list[tuple[str, dict[str, int | str], int]]
    chooser: list[int]
    undriven: list[int | str]
    facts: list[tuple[int | str, int | str]]

    def name(self, register: int) -> str:
        """Name of a register, for a reader."""
        return min(self.names[register], key=lambda name: (name.startswith("$"), len(name), name))

    @property
    def reset(self) -> int:
        """Bit of the reset."""
        return self.inputs["rst"][0]

    @cached_property
    def kept(self) -> dict[int, int]:
        """Values at power-on of the registers that a reset leaves alone: of memories."""
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
        """Literals of the registers at power-on: those that a reset sets may have any value."""
        states = [gates.free() for _ in self.registers]
        return [self.kept.get(number, literal) for number, literal in enumerate(states)]

    def evaluate(
        self, gates: Gates, inputs: Mapping[int, int], states: Sequence[int], mutant: int = 0
    ) -> Clock:
        """Literals of the outputs, of the registers' next values and of what is known.

        Parameters
        ----------
        inputs : mapping of int to int
            Literal of each bit of an input.
        states : sequence of int
            Literals of the registers.
        mutant : int
            Number of the mutant, 0 for none.
        """
        value: dict[int | str, int] = {"0": FALSE, "1": TRUE, **inputs}
        value |= {bit: gates.free() for bit in self.undriven}
        value |= {bit: mutant >> place & 1 for place, bit in enumerate(self.chooser)}
        for (bit, _), literal in zip(self.registers, states, strict=True):
            value[bit] = literal
        for kind, pins, out in self.cells:
            value[out] = _gate(gates, kind, {pin: value[bit] for pin, bit in pins.items()})
        return Clock(
            [value[bit] for bits in self.outputs.values() for bit in bits],
            [value[bit] for _, bit in self.registers],
            [gates.either(value[when] ^ 1, value[bit]) for bit, when in self.facts],
        )


def make_circuit(verilog: str, name: str, mutants: Sequence[Mutant]) -> Circuit:
    """Circuit of a module with mutants in it."""
    return _read(verilog, name, READ.format(name=name) + switches(mutants))


def make_network_circuit(network: Network, name: str, mutants: Sequence[Mutant]) -> Circuit:
    """Circuit of a whole network in which all routers of a kind are the same mutant."""
    verilog = switched_network(network, name, mutants)[f"{network.name}.v"]
    return _read(verilog, network.name, READ.format(name=network.name))


def make_known_circuit(network: Network, name: str) -> Circuit:
    """Circuit of a network's router without mutants, but with what its proofs say of it."""
    kind = next(kind for kind in network.router_kinds if kind.name == name)
    rtlil = router_facts(network, kind, module_verilog(network, name))
    return _read(rtlil, FACTS, "read_rtlil module.v\n", drop="")


def _read(verilog: str, name: str, script: str, drop: str = _DROP_CHECKS) -> Circuit:
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        work = Path(folder)
        (work / "module.v").write_text(verilog, encoding="utf-8")
        run_yosys(script + _GATES.format(drop=drop), work)
        read = json.loads((work / "out.json").read_text(encoding="utf-8"))
    return read_circuit(read["modules"][name])


def read_circuit(module: dict) -> Circuit:
    """Circuit of a module in Yosys' JSON."""
    ports = {way: {} for way in ("input", "output")}
    for port, facts in module["ports"].items():
        ports[facts["direction"]][port] = facts["bits"]
    ports["input"].pop("clk", None)
    named = _names(module)
    initial = _initial(module)
    registers, begins, names, gates, facts = [], [], [], {}, []
    for name, cell in module["cells"].items():
        pins = {pin: bits[0] for pin, bits in cell["connections"].items()}
        # Each unknown constant is a bit of its own.
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
    return Circuit(
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
    """Values of bits at power-on, where one is given."""
    found: dict[int, int] = {}
    for net in module["netnames"].values():
        values = net.get("attributes", {}).get("init", "")
        for bit, value in zip(net["bits"], reversed(values), strict=False):
            if value in "01":
                found[bit] = int(value)
    return found


def _names(module: dict) -> dict[int, set[str]]:
    """Names of bits: what the source calls them, where it does."""
    named: dict[int, set[str]] = {}
    for name, net in module["netnames"].items():
        for place, bit in enumerate(net["bits"]):
            named.setdefault(bit, set()).add(f"{name}[{place}]")
    return named


def _sorted(gates: dict) -> list:
    """Cells in an order in which each comes after those that it reads."""
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
