"""Invariants of a module's registers: random runs suggest them, induction proves them.

References
----------
C. Flanagan and K. R. M. Leino, "Houdini, an annotation assistant for ESC/Java", FME 2001.
"""

from collections.abc import Sequence

import numpy as np
from pysat.solvers import Glucose4

from .netlist import TRUE, Gates, Netlist

Clause = tuple[int, ...]
"""Disjunction of register values: register r is r + 1 where it is 1, -(r + 1) where it is 0."""


LARGE = 12_000
"""Cells from which a netlist is simulated for fewer cycles."""

CONFLICTS = 20_000
"""Conflicts after which a question counts as answered by yes; one may otherwise take hours. The
solver counts them when it restarts."""


class Cnf:
    """SAT solver of a graph; it gets the clauses of a node when it is first asked about it."""

    def __init__(self, gates: Gates) -> None:
        self.solver = Glucose4()
        self._gates, self._answer_rows = gates, {0}
        self.solver.add_clause([-1])  # node 0 is variable 1

    def satisfiable(self, assumptions: Sequence[int]) -> bool:
        """Whether all clauses can be satisfied together with these variables' values."""
        return bool(self.solver.solve(assumptions=assumptions))

    def perhaps(self, assumptions: Sequence[int]) -> bool:
        """The same, and True as well where `CONFLICTS` conflicts of the search do not tell."""
        self.solver.conf_budget(CONFLICTS)
        return self.solver.solve_limited(assumptions=assumptions) is not False

    def literal(self, literal: int) -> int:
        """Variable of a literal of the graph, negative if it is inverted."""
        stack = [literal >> 1]
        while stack:
            node = stack.pop()
            if node in self._answer_rows:
                continue
            self._answer_rows.add(node)
            a, b = self._gates.inputs_of[node]
            if (a, b) != (0, 0):
                x, y, out = _variable(a), _variable(b), node + 1
                for clause in ([-out, x], [-out, y], [out, -x, -y]):
                    self.solver.add_clause(clause)
                stack += [a >> 1, b >> 1]
        return _variable(literal)


def _variable(literal: int) -> int:
    return -(literal // 2 + 1) if literal & 1 else literal // 2 + 1


def simulate(netlist: Netlist, *, cycles: int = 400, seed: int = 1) -> np.ndarray:
    """Simulate 64 random runs at once: registers as uint64 of shape (registers, cycles).

    The runs begin after a reset as `Netlist.before_reset` says. The inputs change in every other
    cycle only, so that transfers begin and end.
    """
    rng = np.random.default_rng(seed)
    gates = Gates()
    inputs = {bit: gates.free() for bits in netlist.inputs.values() for bit in bits}
    states = [gates.free() for _ in netlist.registers]
    following = netlist.evaluate(gates, inputs, states).registers
    value = rng.integers(0, 2**64, len(gates.inputs_of), np.uint64)
    value[0] = 0
    ones = ~np.uint64(0)
    for number, kept in netlist.power_on_values.items():
        value[states[number] >> 1] = ones if kept else 0
    ands = [(n, a, b) for n, (a, b) in enumerate(gates.inputs_of) if (a, b) != (0, 0)]
    registers = np.array([literal >> 1 for literal in states], np.int64)
    reset = inputs[netlist.reset] >> 1
    samples = np.zeros((len(states), cycles), np.uint64)

    def of(literal: int) -> np.uint64:
        return value[literal >> 1] ^ (ones if literal & 1 else np.uint64(0))

    for cycle in range(-1, cycles):
        if cycle >= 0:
            samples[:, cycle] = value[registers]
        for literal in inputs.values():
            held = rng.integers(0, 2**64, dtype=np.uint64) if cycle % 2 else np.uint64(0)
            drawn = rng.integers(0, 2**64, dtype=np.uint64)
            value[literal >> 1] = value[literal >> 1] & held | drawn & ~held
        value[reset] = ones if cycle < 0 else np.uint64(cycle % 100 == 99)
        for node, a, b in ands:
            value[node] = of(a) & of(b)
        value[registers] = [of(literal) for literal in following]
    return samples


def candidates(samples: np.ndarray, groups: Sequence[str] | None = None) -> list[Clause]:
    """Clauses of one or two registers that hold in every sample; none implies another.

    With `groups`, both registers are in one group.
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


def proven(netlist: Netlist, clauses: Sequence[Clause]) -> list[Clause]:
    """Clauses that hold from the first reset on: the largest inductive subset."""
    gates = Gates()
    inputs = {bit: gates.free() for bits in netlist.inputs.values() for bit in bits}
    states = [gates.free() for _ in netlist.registers]
    cnf = Cnf(gates)
    before = netlist.before_reset(gates)
    first = netlist.evaluate(gates, inputs | {netlist.reset: TRUE}, before).registers
    clauses = [
        clause
        for clause in clauses
        if not cnf.satisfiable([-cnf.literal(part) for part in over(clause, first)])
    ]
    following = netlist.evaluate(gates, inputs, states).registers
    before = [[cnf.literal(part) for part in over(clause, states)] for clause in clauses]
    after = [[cnf.literal(part) for part in over(clause, following)] for clause in clauses]
    # Two variables per clause: that it holds before the cycle, that it is broken after it.
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
    """Clause over literals of a graph instead of registers."""
    return [literals[abs(part) - 1] ^ (part < 0) for part in clause]


def find_invariants(netlist: Netlist) -> list[Clause]:
    """Clauses of one or two registers that hold from the first reset on, whatever the inputs.

    In a network, both registers belong to one router.
    """
    cycles = 400 if len(netlist.cells) < LARGE else 100
    groups = [netlist.name(r).partition(".")[0] for r in range(len(netlist.registers))]
    return proven(netlist, candidates(simulate(netlist, cycles=cycles), groups))
