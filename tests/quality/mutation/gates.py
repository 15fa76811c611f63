"""And-inverter graphs: the logic that proofs about mutants are about."""

from collections.abc import Iterable, Mapping

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
