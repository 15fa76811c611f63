"""Bits of terms: Verilog takes bits of nets alone, so they are taken of what a term consists of."""

from collections.abc import Callable, Mapping

from .terms import (
    Bits,
    Constant,
    Indexed,
    Joined,
    Net,
    Operation,
    Repeated,
    Term,
    added,
    bitwise,
    chosen,
    compared,
    constant,
    invert,
    joined,
    reduced,
    repeated,
)

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
