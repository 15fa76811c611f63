"""What always holds of a module's registers: found by random runs, kept where induction proves it.

References
----------
C. Flanagan and K. R. M. Leino, "Houdini, an annotation assistant for ESC/Java", FME 2001.
"""

from collections.abc import Sequence

import numpy as np
from pysat.solvers import Glucose4

from .gates import TRUE, Circuit, Gates

Clause = tuple[int, ...]
"""Registers of which one at least has a value: number + 1 for 1, its negative for 0."""


LARGE = 12_000
"""Gates from which a circuit is run for fewer clocks."""


class Cnf:
    """Solver that is told of a graph's nodes as far as it is asked about them."""

    def __init__(self, gates: Gates) -> None:
        self.solver = Glucose4()
        self._gates, self._told = gates, {0}
        self.solver.add_clause([-1])  # node 0 is variable 1

    def satisfiable(self, assumptions: Sequence[int]) -> bool:
        """Whether all that was told can be, with these variables' values."""
        return bool(self.solver.solve(assumptions=assumptions))

    def literal(self, literal: int) -> int:
        """Variable of a literal of the graph, negative where it is inverted."""
        stack = [literal >> 1]
        while stack:
            node = stack.pop()
            if node in self._told:
                continue
            self._told.add(node)
            a, b = self._gates.inputs_of[node]
            if (a, b) != (0, 0):
                x, y, out = _variable(a), _variable(b), node + 1
                for clause in ([-out, x], [-out, y], [out, -x, -y]):
                    self.solver.add_clause(clause)
                stack += [a >> 1, b >> 1]
        return _variable(literal)


def _variable(literal: int) -> int:
    return -(literal // 2 + 1) if literal & 1 else literal // 2 + 1


def simulate(circuit: Circuit, *, clocks: int = 400, seed: int = 1) -> np.ndarray:
    """Values of the registers in 64 random runs at a time: uint64 of shape (registers, clocks).

    The runs begin after a reset as `Circuit.before_reset` says. In half of the clocks the inputs
    stay as they were, so that things get under way and end.
    """
    rng = np.random.default_rng(seed)
    gates = Gates()
    inputs = {bit: gates.free() for bits in circuit.inputs.values() for bit in bits}
    states = [gates.free() for _ in circuit.registers]
    following = circuit.evaluate(gates, inputs, states).registers
    value = rng.integers(0, 2**64, len(gates.inputs_of), np.uint64)
    value[0] = 0
    ones = ~np.uint64(0)
    for number, kept in circuit.kept.items():
        value[states[number] >> 1] = ones if kept else 0
    ands = [(n, a, b) for n, (a, b) in enumerate(gates.inputs_of) if (a, b) != (0, 0)]
    registers = np.array([literal >> 1 for literal in states], np.int64)
    reset = inputs[circuit.reset] >> 1
    samples = np.zeros((len(states), clocks), np.uint64)

    def of(literal: int) -> np.uint64:
        return value[literal >> 1] ^ (ones if literal & 1 else np.uint64(0))

    for clock in range(-1, clocks):
        if clock >= 0:
            samples[:, clock] = value[registers]
        for literal in inputs.values():
            held = rng.integers(0, 2**64, dtype=np.uint64) if clock % 2 else np.uint64(0)
            drawn = rng.integers(0, 2**64, dtype=np.uint64)
            value[literal >> 1] = value[literal >> 1] & held | drawn & ~held
        value[reset] = ones if clock < 0 else np.uint64(clock % 100 == 99)
        for node, a, b in ands:
            value[node] = of(a) & of(b)
        value[registers] = [of(literal) for literal in following]
    return samples


def candidates(samples: np.ndarray, groups: Sequence[str] | None = None) -> list[Clause]:
    """Clauses of one or two registers that no sample breaks; none that another one implies.

    Both registers are of one group, where groups are named.
    """
    ones, zeros = samples, ~samples
    ever = np.stack([zeros.any(axis=1), ones.any(axis=1)], axis=1)
    found: list[Clause] = [(-(r + 1),) for r in np.nonzero(~ever[:, 1])[0].tolist()]
    found += [(r + 1,) for r in np.nonzero(~ever[:, 0])[0].tolist()]
    free = np.nonzero(ever.all(axis=1))[0]
    group = np.array(groups if groups is not None else [""] * len(samples))
    for place, r in enumerate(free.tolist()):
        others = free[place + 1 :]
        others = others[group[others] == group[r]]
        for sign, mine in ((1, zeros[r]), (-1, ones[r])):
            for other_sign, theirs in ((1, zeros), (-1, ones)):
                never = ~(theirs[others] & mine).any(axis=1)
                found += [(sign * (r + 1), other_sign * (o + 1)) for o in others[never].tolist()]
    return found


def proven(circuit: Circuit, clauses: Sequence[Clause]) -> list[Clause]:
    """Clauses that hold from the first reset on: those of a set that each clock hands on."""
    gates = Gates()
    inputs = {bit: gates.free() for bits in circuit.inputs.values() for bit in bits}
    states = [gates.free() for _ in circuit.registers]
    cnf = Cnf(gates)
    before = circuit.before_reset(gates)
    first = circuit.evaluate(gates, inputs | {circuit.reset: TRUE}, before).registers
    clauses = [
        clause
        for clause in clauses
        if not cnf.satisfiable([-cnf.literal(part) for part in over(clause, first)])
    ]
    following = circuit.evaluate(gates, inputs, states).registers
    before = [[cnf.literal(part) for part in over(clause, states)] for clause in clauses]
    after = [[cnf.literal(part) for part in over(clause, following)] for clause in clauses]
    # Two variables a clause: that it holds before, that it is broken after.
    top = len(gates.inputs_of) + 1
    chosen = [top + 1 + 2 * place for place in range(len(clauses))]
    for select, now, later in zip(chosen, before, after, strict=True):
        cnf.solver.add_clause([-select, *now])
        for part in later:
            cnf.solver.add_clause([-(select + 1), -part])
    kept, act = set(range(len(clauses))), top + 2 * len(clauses)
    while kept:
        act += 1
        cnf.solver.add_clause([-act, *(chosen[place] + 1 for place in kept)])
        if not cnf.satisfiable([act, *(chosen[place] for place in kept)]):
            break
        model = set(cnf.solver.get_model() or [])
        kept -= {place for place in kept if not model.intersection(after[place])}
        cnf.solver.add_clause([-act])
    return [clauses[place] for place in sorted(kept)]


def over(clause: Clause, literals: Sequence[int]) -> list[int]:
    """Clause over literals of a graph in the place of registers."""
    return [literals[abs(part) - 1] ^ (part < 0) for part in clause]


def find_invariants(circuit: Circuit) -> list[Clause]:
    """Clauses of one or two registers that hold from the first reset on, whatever the inputs.

    In a network, both are of one router.
    """
    clocks = 400 if len(circuit.cells) < LARGE else 100
    groups = [circuit.name(r).partition(".")[0] for r in range(len(circuit.registers))]
    return proven(circuit, candidates(simulate(circuit, clocks=clocks), groups))
