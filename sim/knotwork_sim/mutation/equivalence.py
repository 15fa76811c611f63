"""Proofs that a mutant is no fault: no input can ever make its outputs differ.

Mutant and original are reset in any one state, but that memories have what the Verilog gives them,
and get the same inputs. Registers are assumed equal in a clock and shown to be equal in the next;
those where that fails are let go, each copy with a value of its own. If the outputs are equal
whatever these are, they are equal for ever.

References
----------
C. A. J. van Eijk, "Sequential equivalence checking based on structural similarities", IEEE Trans.
CAD 19(7), 2000.
"""

from collections.abc import Sequence
from typing import NamedTuple

from .circuit import FALSE, TRUE, Circuit, Gates
from .invariants import Clause, Cnf, over


class Answer(NamedTuple):
    """Outcome of a proof.

    Members
    -------
    equivalent : bool
        Whether no input can show the mutant.
    reason : str
        Why, or where it may be seen.
    """

    equivalent: bool
    reason: str


def prove(circuit: Circuit, mutant: int, invariants: Sequence[Clause] = ()) -> Answer:
    """Try to prove that a mutant's outputs are always those of the original.

    Parameters
    ----------
    mutant : int
        Its number.
    invariants : sequence of Clause
        What holds of the original's registers in every clock.
    """
    equal = _equal_after_reset(circuit, mutant)
    while True:
        wrong, output = _step(circuit, mutant, invariants, equal)
        if output:
            return Answer(False, f"may show at {output}")
        if not wrong:
            break
        equal -= wrong
    loose = [circuit.names[r] for r in range(len(circuit.registers)) if r not in equal]
    if not loose:
        why = "no register and no output depends on it"
    else:
        why = f"no output depends on what differs: {', '.join(loose[:3])}"
        why += f" and {len(loose) - 3} more" if len(loose) > 3 else ""
    return Answer(True, why + (" (by invariants)" if invariants else ""))


def _equal_after_reset(circuit: Circuit, mutant: int) -> set[int]:
    """Registers that are equal after the first reset."""
    gates = Gates()
    inputs = {bit: gates.free() for bits in circuit.inputs.values() for bit in bits}
    inputs[circuit.reset] = TRUE
    states = circuit.before_reset(gates)
    _, one = circuit.evaluate(gates, inputs, states, 0)
    _, other = circuit.evaluate(gates, inputs, states, mutant)
    cnf = Cnf(gates)
    return {r for r in range(len(states)) if not _may_differ(cnf, gates, one[r], other[r])}


def _step(
    circuit: Circuit, mutant: int, invariants: Sequence[Clause], equal: set[int]
) -> tuple[set[int], str]:
    """Registers that may differ after a clock though `equal` did not, and an output that may."""
    gates = Gates()
    inputs = {bit: gates.free() for bits in circuit.inputs.values() for bit in bits}
    states = [gates.free() for _ in circuit.registers]
    others = [s if r in equal else gates.free() for r, s in enumerate(states)]
    seen, following = circuit.evaluate(gates, inputs, states, 0)
    seen_there, following_there = circuit.evaluate(gates, inputs, others, mutant)
    cnf = Cnf(gates)
    for clause in invariants:
        cnf.solver.add_clause([cnf.literal(part) for part in over(clause, states)])

    names = [
        f"{port}[{place}]" for port, bits in circuit.outputs.items() for place in range(len(bits))
    ]
    for name, a, b in zip(names, seen, seen_there, strict=True):
        if _may_differ(cnf, gates, a, b):
            return set(), name
    return {r for r in equal if _may_differ(cnf, gates, following[r], following_there[r])}, ""


def _may_differ(cnf: Cnf, gates: Gates, a: int, b: int) -> bool:
    difference = gates.differ(a, b)
    return difference != FALSE and cnf.satisfiable([cnf.literal(difference)])
