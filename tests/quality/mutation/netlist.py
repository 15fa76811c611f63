"""A module as gates and registers, with a mutant chosen by a constant; for proofs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .gates import FALSE, TRUE, Gates, cell_output


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
