"""Combinational statements as one expression for each net that they drive."""

from collections.abc import Collection

from .slices import MakeNet, replaced, take
from .statements import Branch, Case, Set, Statements
from .terms import (
    Bits,
    Constant,
    Joined,
    Net,
    Repeated,
    Term,
    bits_of,
    chosen,
    indexed_in,
    joined,
    nets_of,
)
from .values import Lowering

_TERNARIES = 3
"""Most assignments under conditions that make an expression instead of a function."""


def is_expression(statements: Statements, registers: Collection[Net]) -> bool:
    """Whether statements become an expression, and not a function.

    Short ones are. So are those that ask for registers alone, as the outputs of state machines:
    most are set in one or two of the states.
    """
    return sets(statements) <= _TERNARIES or _tests_only(statements, registers)


def _tests_only(statements: Statements, nets: Collection[Net]) -> bool:
    """Whether there is a `Case`, and every one has a test of these nets alone."""
    tests = [one.test for one in statements if isinstance(one, Case)]
    return bool(tests) and all(net in nets for test in tests for net in nets_of(test))


def sets(statements: Statements) -> int:
    """Assignments under conditions; many for what no expression can tell."""
    count = 0
    for one in statements:
        match one:
            case Set():
                count += 1000 if one.offset is not None else 0
            case Case():
                count += 1000
            case Branch():
                for _, body in one.ways:
                    count += sum(isinstance(inner, Set) for inner in body) + sets(body)
    return count


def value_of(statements: Statements, net: Net, start: Term, lowering: Lowering) -> Term:
    """What combinational statements give a net that is `start` without them."""

    def condition(one: Branch | Case, values: Term | tuple[Constant, ...] | None) -> Term | None:
        if isinstance(values, tuple):
            assert isinstance(one, Case), "only a case has constants"
            texts = tuple(f"{each.value:0{each.width}b}" for each in values)
            return lowering.matches(one.test, texts)
        return values

    def after(body: Statements, now: Term) -> Term:
        for one in body:
            if isinstance(one, Set):
                if one.offset is not None:
                    raise NotImplementedError("a chosen part of what is partly a register")
                high = one.low + one.term.width
                low_part = lowering.take(now, 0, one.low)
                now = joined([low_part, one.term, lowering.take(now, high, net.width - high)])
            else:
                rest = now
                if isinstance(one, Case) and one.ways[-1][0] is None:
                    rest = after(one.ways[-1][1], now)
                found = rest
                for values, inner in reversed(one.ways):
                    way, when = after(inner, now), condition(one, values)
                    if isinstance(one, Case) and way == rest:
                        continue  # its values are no other way's
                    found = way if when is None else chosen(when, way, found)
                now = found
        return now

    return after(statements, start)


def without_itself(net: Net, term: Term, make_net: MakeNet) -> Term:
    """What drives a net, without those bits of the net in it that other wires drive.

    A field may depend on another one of its net. Simulators that see the net as one take that for
    a loop, and evaluate it again and again. Where more than wires drives such bits, the term stays:
    it would be written twice.
    """
    own = {bits for bits in bits_of(term) if bits.net is net}
    if not own or net in indexed_in(term):
        return term
    for bits in own:
        driver = take(term, bits.low, bits.width, make_net)
        if not _is_plain(driver) or net in nets_of(driver):
            return term
    return replaced(term, {net: term}, make_net)


def _is_plain(term: Term) -> bool:
    """Whether a term is wires alone."""
    return isinstance(term, (Bits, Constant, Joined, Repeated)) and all(map(_is_plain, term.parts))
