"""Expressions as Verilog has them: of exact widths, without signs, and simplified as they are made.

Each term is exactly as wide as its value, so that none depends on the width of its context.
Verilog takes bits of nets alone; bits of other terms are taken of what these consist of.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(eq=False)
class Net:
    """Signal of a design.

    Members
    -------
    name : str
        Name in Python.
    width, init : int
        Bits; value at power-on and after a reset, or where nothing drives it.
    fields : list of (str, int, int)
        Name, lowest bit and bits of each field, outer ones before those within.
    is_reset : bool
        Whether a reset sets it, if it is a register.
    note : str
        Comment of its author, a line; may be empty.
    is_pin : bool
        Whether it was a port of a component that stands in the module around it.
    is_kept : bool
        Whether synthesis is to leave it as it is.
    """

    name: str
    width: int
    init: int = 0
    fields: list[tuple[str, int, int]] = field(default_factory=list)
    is_reset: bool = True
    note: str = ""
    is_pin: bool = False
    is_kept: bool = False


@dataclass(frozen=True)
class Term:
    """Expression of `width` bits."""

    width: int

    @property
    def parts(self) -> "tuple[Term, ...]":
        """Terms that it consists of."""
        return ()


@dataclass(frozen=True)
class Constant(Term):
    """Known value."""

    value: int

    @property
    def is_ones(self) -> bool:
        """Whether all bits are 1."""
        return self.value == (1 << self.width) - 1


@dataclass(frozen=True)
class Bits(Term):
    """Bits of a net, from `low` on."""

    net: Net
    low: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether these are all bits of the net."""
        return self.width == self.net.width


@dataclass(frozen=True)
class Indexed(Term):
    """Bits of a net, from a place on that another term gives."""

    net: Net
    offset: Term

    @property
    def parts(self) -> tuple[Term, ...]:
        return (self.offset,)


@dataclass(frozen=True)
class Joined(Term):
    """Concatenation, its lowest part first."""

    pieces: tuple[Term, ...]

    @property
    def parts(self) -> tuple[Term, ...]:
        return self.pieces


@dataclass(frozen=True)
class Repeated(Term):
    """The same term several times."""

    piece: Term

    @property
    def parts(self) -> tuple[Term, ...]:
        return (self.piece,)


@dataclass(frozen=True)
class Operation(Term):
    """Operator of Verilog; ``r|`` and its like reduce a vector, ``?`` chooses."""

    operator: str
    operands: tuple[Term, ...]

    @property
    def parts(self) -> tuple[Term, ...]:
        return self.operands


def constant(width: int, value: int) -> Constant:
    """Constant of the low bits of a number."""
    return Constant(width, value & ((1 << width) - 1))


def nets_of(term: Term) -> Iterator[Net]:
    """Nets that a term reads."""
    if isinstance(term, (Bits, Indexed)):
        yield term.net
    for part in term.parts:
        yield from nets_of(part)


def bits_of(term: Term) -> Iterator[Bits]:
    """Bits of nets that a term reads at fixed places."""
    if isinstance(term, Bits):
        yield term
    for part in term.parts:
        yield from bits_of(part)


def indexed_in(term: Term) -> Iterator[Net]:
    """Nets of which a term reads bits at a place that another term computes."""
    if isinstance(term, Indexed):
        yield term.net
    for part in term.parts:
        yield from indexed_in(part)


def joined(parts: Sequence[Term]) -> Term:
    """Concatenation, lowest part first."""
    found: list[Term] = []
    for part in parts:
        for piece in part.parts if isinstance(part, Joined) else (part,):
            merged = _merged(found[-1], piece) if found else None
            if merged is not None:
                found[-1] = merged
            elif piece.width:
                found.append(piece)
    if not found:
        return Constant(0, 0)
    if len(found) == 1:
        return found[0]
    return Joined(sum(piece.width for piece in found), tuple(found))


def _merged(low: Term, high: Term) -> Term | None:
    """Two neighbours as one term, if there is one."""
    if not low.width or not high.width:
        return low if low.width else high
    width = low.width + high.width
    if isinstance(low, Constant) and isinstance(high, Constant):
        return Constant(width, low.value | high.value << low.width)
    if isinstance(low, Bits) and isinstance(high, Bits):  # noqa: SIM102
        if low.net is high.net and low.low + low.width == high.low:
            return Bits(width, low.net, low.low)
    if isinstance(low, Operation) and isinstance(high, Operation):  # noqa: SIM102
        if low.operator == high.operator == "~":
            bits = _merged(low.operands[0], high.operands[0])
            if isinstance(bits, Bits):
                return invert(bits)
    piece = low.piece if isinstance(low, Repeated) else low
    other = high.piece if isinstance(high, Repeated) else high
    if piece == other and not isinstance(piece, Constant):
        return Repeated(width, piece)
    return None


def repeated(piece: Term, count: int) -> Term:
    """A term several times."""
    return joined([piece] * count)


def bitwise(operator: str, operands: Sequence[Term]) -> Term:
    """Bitwise ``&``, ``|`` or ``^`` of terms of one width."""
    width = operands[0].width
    found: list[Term] = []
    fixed = (1 << width) - 1 if operator == "&" else 0
    for operand in operands:
        same = isinstance(operand, Operation) and operand.operator == operator
        for one in operand.parts if same else (operand,):
            if isinstance(one, Constant):
                value = one.value
                fixed = {"&": fixed & value, "|": fixed | value, "^": fixed ^ value}[operator]
            elif operator == "^" or one not in found:
                found.append(one)
    known = Constant(width, fixed)
    if not found or (operator == "&" and fixed == 0) or (operator == "|" and known.is_ones):
        return known
    if operator == "^" and known.is_ones:
        return invert(bitwise(operator, found))
    if fixed != (0 if operator != "&" else (1 << width) - 1):
        found.append(known)
    return found[0] if len(found) == 1 else Operation(width, operator, tuple(found))


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def invert(term: Term) -> Term:
    """Bitwise not."""
    if isinstance(term, Constant):
        return constant(term.width, ~term.value)
    if isinstance(term, Operation):
        if term.operator == "~":
            return term.operands[0]
        if term.operator in _OPPOSITE:
            return Operation(1, _OPPOSITE[term.operator], term.operands)
    return Operation(term.width, "~", (term,))


def reduced(operator: str, term: Term) -> Term:
    """All bits of a term joined by ``&``, ``|`` or ``^``."""
    if term.width == 1:
        return term
    if isinstance(term, Constant) or not term.width:
        value = term.value if isinstance(term, Constant) else 0
        ones = value.bit_count()
        return Constant(1, {"&": ones == term.width, "|": ones > 0, "^": ones & 1}[operator])
    if isinstance(term, Joined):
        return bitwise(operator, [reduced(operator, piece) for piece in term.pieces])
    if isinstance(term, Repeated) and operator != "^":
        return reduced(operator, term.piece)
    return Operation(1, f"r{operator}", (term,))


def chosen(  # noqa: PLR0911 (a simplification each)
    condition: Term, yes: Term, no: Term
) -> Term:
    """One of two terms."""
    if isinstance(condition, Constant):
        return yes if condition.value else no
    if yes == no:
        return yes
    if isinstance(condition, Operation) and condition.operator == "~":
        return chosen(condition.operands[0], no, yes)
    if yes.width == 1:
        if isinstance(yes, Constant):
            if yes.value:
                return bitwise("|", [condition, no])
            return bitwise("&", [invert(condition), no])
        if isinstance(no, Constant):
            if no.value:
                return bitwise("|", [invert(condition), yes])
            return bitwise("&", [condition, yes])
    return Operation(yes.width, "?", (condition, yes, no))


def compared(operator: str, left: Term, right: Term) -> Term:
    """Comparison of two terms of one width."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        a, b = left.value, right.value
        found = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
        return Constant(1, found[operator])
    if left.width == 0:
        return Constant(1, operator in {"==", "<=", ">="})
    if isinstance(right, Constant):  # what holds of all values, or of none
        always = {(">=", 0): True, ("<", 0): False}
        always |= {("<=", (1 << left.width) - 1): True, (">", (1 << left.width) - 1): False}
        if (operator, right.value) in always:
            return Constant(1, always[operator, right.value])
    known = isinstance(left, Constant) or isinstance(right, Constant)
    if left.width == 1 and known and operator in {"==", "!="}:
        odd = bitwise("^", [left, right])
        return invert(odd) if operator == "==" else odd
    return Operation(1, operator, (left, right))


def added(operator: str, left: Term, right: Term) -> Term:
    """Sum, difference or product, as wide as its operands."""
    if isinstance(right, Constant) and right.value == 0 and operator != "*":
        return left
    if isinstance(left, Constant) and left.value == 0 and operator == "+":
        return right
    if isinstance(left, Constant) and isinstance(right, Constant):
        a, b = left.value, right.value
        return constant(left.width, {"+": a + b, "-": a - b, "*": a * b}[operator])
    return Operation(left.width, operator, (left, right))


def extended(term: Term, width: int, *, signed: bool) -> Term:
    """A term with copies of its sign, or zeros, before it."""
    if term.width >= width:
        return term
    if isinstance(term, Constant):
        value = term.value
        if signed and term.width and value >> (term.width - 1):
            value -= 1 << term.width
        return constant(width, value)
    if not signed:
        return joined([term, Constant(width - term.width, 0)])
    if not isinstance(term, Bits):
        raise NotImplementedError("the sign of an expression")
    sign = Bits(1, term.net, term.low + term.width - 1)
    return joined([term, repeated(sign, width - term.width)])


MakeNet = Callable[[Term], Net]
"""Makes a net that a term drives."""


def take(  # noqa: PLR0911 (a kind each)
    term: Term, low: int, width: int, make_net: MakeNet
) -> Term:
    """Some bits of a term; a net is made of arithmetic whose high bits are taken."""
    if width == term.width:
        return term
    match term:
        case Constant():
            return constant(width, term.value >> low)
        case Bits():
            return Bits(width, term.net, term.low + low)
        case Joined():
            return _of_pieces(term.pieces, low, width, make_net)
        case Repeated():
            count = term.width // term.piece.width
            if term.piece.width == 1:
                return repeated(term.piece, width)
            return _of_pieces((term.piece,) * count, low, width, make_net)
        case Operation(operator="&" | "|" | "^"):
            cut = [take(one, low, width, make_net) for one in term.operands]
            return bitwise(term.operator, cut)
        case Operation(operator="~"):
            return invert(take(term.operands[0], low, width, make_net))
        case Operation(operator="?"):
            condition, yes, no = term.operands
            return chosen(
                condition, take(yes, low, width, make_net), take(no, low, width, make_net)
            )
        case Operation(operator="+" | "-" | "*") if low == 0:
            left, right = (take(one, 0, width, make_net) for one in term.operands)
            return added(term.operator, left, right)
        case Operation(operator="<<") if low == 0:
            value, amount = term.operands
            return Operation(width, "<<", (take(value, 0, width, make_net), amount))
    return Bits(width, make_net(term), low)


def _of_pieces(pieces: tuple[Term, ...], low: int, width: int, make_net: MakeNet) -> Term:
    found, place = [], 0
    for piece in pieces:
        first, last = max(low - place, 0), min(low + width - place, piece.width)
        if first < last:
            found.append(take(piece, first, last - first, make_net))
        place += piece.width
    return joined(found)


def needs_net(term: Term, low: int, width: int) -> bool:
    """Whether `take` would make a net."""
    made: list[Term] = []

    def make_net(found: Term) -> Net:
        made.append(found)
        return Net("none", found.width)

    take(term, low, width, make_net)
    return bool(made)


def replaced(term: Term, values: Mapping[Net, Term], make_net: MakeNet) -> Term:
    """A term in which other terms stand for some nets."""

    def again(part: Term) -> Term:
        return replaced(part, values, make_net)

    match term:
        case Bits() if term.net in values:
            return again(take(values[term.net], term.low, term.width, make_net))
        case Indexed():
            net = term.net
            while net in values:
                value = values[net]
                if not isinstance(value, Bits) or not value.is_complete:
                    net = make_net(value)
                    break
                net = value.net
            return Indexed(term.width, net, again(term.offset))
        case Joined():
            return joined([again(piece) for piece in term.pieces])
        case Repeated():
            return repeated(again(term.piece), term.width // term.piece.width)
        case Operation():
            return with_operands(term, tuple(again(one) for one in term.operands))
    return term


def with_operands(  # noqa: PLR0911 (an operator each)
    term: Operation, operands: tuple[Term, ...]
) -> Term:
    """An operation on other operands, simplified."""
    match term.operator:
        case "&" | "|" | "^":
            return bitwise(term.operator, operands)
        case "~":
            return invert(operands[0])
        case "?":
            return chosen(*operands)
        case "r&" | "r|" | "r^":
            return reduced(term.operator[1], operands[0])
        case "+" | "-" | "*":
            return added(term.operator, *operands)
        case "==" | "!=" | "<" | "<=" | ">" | ">=":
            return compared(term.operator, *operands)
    return Operation(term.width, term.operator, operands)
