"""Amaranth's statements as Verilog's procedural blocks, or as one expression for each net."""

# Amaranth's stubs leave out what its statements and values consist of.
# pyright: reportAttributeAccessIssue=false

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from amaranth.hdl import Const, Signal, Value
from amaranth.hdl._ast import Assign, Concat, Operator, Part, Slice, Switch, SwitchValue

from .terms import (
    Bits,
    Constant,
    Joined,
    MakeNet,
    Net,
    Repeated,
    Term,
    bits_of,
    chosen,
    indexed_in,
    joined,
    nets_of,
    replaced,
    take,
)
from .values import Lowering, Nets


@dataclass(frozen=True)
class Set:
    """Assignment to bits of a net; from `offset` on if that is not None."""

    net: Net
    low: int
    term: Term
    offset: Term | None = None

    @property
    def is_complete(self) -> bool:
        """Whether it sets all bits of its net."""
        return self.offset is None and self.term.width == self.net.width


@dataclass(frozen=True)
class Branch:
    """The statements after the first condition that holds; a last one of None always does."""

    arms: "tuple[tuple[Term | None, Statements], ...]"


@dataclass(frozen=True)
class Case:
    """The statements after the value that a term has; after None, those for all others."""

    test: Term
    arms: "tuple[tuple[tuple[Constant, ...] | None, Statements], ...]"


Statements = tuple[Set | Branch | Case, ...]

_CASES = 3
"""Ways from which on a choice by one term's values is a `case`."""


class StatementLowering(Lowering):
    """Statements of one module; as `Lowering`."""

    def __init__(self, nets: Nets, make_net) -> None:
        super().__init__(nets, make_net)
        self._of = nets.of

    def statements(self, found: Sequence[object]) -> Statements:
        """Statements but assertions."""
        lowered: list[Set | Branch | Case] = []
        for one in found:
            if isinstance(one, Assign):
                lowered += self._set(one.lhs, self.term(one.rhs, len(one.lhs)))
            elif isinstance(one, Switch):
                lowered += self._choice(one)
        return tuple(lowered)

    def _choice(self, one: Switch) -> Statements:
        test = self.full_width(one.test)
        cases = [(patterns, self.statements(body)) for patterns, body, _ in one.cases]
        named = [patterns for patterns, _ in cases if patterns is not None]
        exact = all("-" not in pattern for patterns in named for pattern in patterns)
        if exact and len(named) >= _CASES and test.width > 1:
            arms = [
                (
                    None
                    if patterns is None
                    else tuple(Constant(test.width, int(p, 2)) for p in patterns),
                    body,
                )
                for patterns, body in cases
            ]
            return (Case(test, tuple(arms)),)
        chain: list[tuple[Term | None, Statements]] = []
        for patterns, body in cases:
            condition = None if patterns is None else self.matches(test, patterns)
            if condition == Constant(1, 0):
                continue
            if condition is None or condition == Constant(1, 1):
                chain.append((None, body))
                break
            chain.append((condition, body))
        while chain and not chain[-1][1]:
            chain.pop()
        if chain and chain[0][0] is None:
            return chain[0][1]
        return (Branch(tuple(chain)),) if chain else ()

    def _set(self, target: Value, term: Term) -> Statements:
        """Assignment of a term as wide as its target."""
        match target:
            case Concat():
                found, place = [], 0
                for part in target.parts:
                    found += self._set(part, self.take(term, place, len(part)))
                    place += len(part)
                return tuple(found)
            case Operator(operator="u" | "s"):
                return self._set(target.operands[0], term)
            case SwitchValue():
                return self._choice_of_targets(target, term)
            case Slice(value=Part() | SwitchValue() | Operator()):
                inner = target.value
                return self._set(_sliced(inner, target.start, target.stop), term)
            case Part() if target.stride != 1 or not isinstance(target.value, Signal):
                return self._set(_spelled(target), term)
        found, place = [], 0
        for net, low, width, offset in self._targets(target):
            found.append(Set(net, low, self.take(term, place, width), offset))
            place += width
        return tuple(found)

    def _choice_of_targets(self, target: SwitchValue, term: Term) -> Statements:
        test, chain = self.full_width(target.test), []
        for patterns, inner in target.cases:
            condition = None if patterns is None else self.matches(test, patterns)
            width = min(len(inner), term.width)
            body = self._set(inner[:width], self.take(term, 0, width))
            chain.append((condition, body))
            if condition is None:
                break
        return (Branch(tuple(chain)),) if chain else ()

    def _targets(self, target: Value) -> Iterator[tuple[Net, int, int, Term | None]]:
        """Bits that an assignment goes to: net, lowest bit, bits, and where they begin."""
        match target:
            case Signal():
                if len(target):
                    yield self._of(target), 0, len(target), None
            case Concat():
                for part in target.parts:
                    yield from self._targets(part)
            case Operator(operator="u" | "s"):
                yield from self._targets(target.operands[0])
            case Slice():
                yield from self._of_slice(target)
            case Part(value=Signal(), stride=1):
                yield self._of(target.value), 0, target.width, self.full_width(target.offset)
            case Const() if not len(target):
                pass
            case _:
                raise NotImplementedError(f"an assignment to {type(target).__name__}")

    def _of_slice(self, target: Slice) -> Iterator[tuple[Net, int, int, Term | None]]:
        place = 0
        for net, low, width, offset in self._targets(target.value):
            if offset is not None:
                raise NotImplementedError("an assignment to bits of a chosen part")
            first, last = max(target.start - place, 0), min(target.stop - place, width)
            if first < last:
                yield net, low + first, last - first, None
            place += width


def _spelled(target: Part) -> SwitchValue:
    """A part of a value as a choice of slices; none where it begins behind the last bit."""
    last = min(1 << len(target.offset), -(-len(target.value) // target.stride))
    slices = {k: target.value[k * target.stride :][: target.width] for k in range(last)}
    return SwitchValue(target.offset, slices.items())


def _sliced(target: Value, start: int, stop: int) -> Value:
    """Bits of what is assigned to, a choice of bits where that is a choice."""
    match target:
        case Part():
            return _sliced(_spelled(target), start, stop)
        case Operator():
            return target.operands[0][start:stop]
        case SwitchValue():
            arms = [(patterns, inner[start:stop]) for patterns, inner in target.cases]
            return SwitchValue(target.test, arms)
    return target[start:stop]


def driven(statements: Statements) -> Iterator[Net]:
    """Nets that statements drive."""
    for one in statements:
        if isinstance(one, Set):
            yield one.net
        else:
            for _, body in one.arms:
                yield from driven(body)


def terms_of(statements: Statements) -> Iterator[Term]:
    """Terms in statements."""
    for one in statements:
        match one:
            case Set():
                yield one.term
                if one.offset is not None:
                    yield one.offset
            case Branch():
                for condition, body in one.arms:
                    if condition is not None:
                        yield condition
                    yield from terms_of(body)
            case Case():
                yield one.test
                for _, body in one.arms:
                    yield from terms_of(body)


def read(statements: Statements) -> Iterator[Net]:
    """Nets that statements read."""
    for term in terms_of(statements):
        yield from nets_of(term)


def only(statements: Statements, nets: "set[Net] | frozenset[Net]") -> Statements:
    """The statements that drive some nets."""
    found: list[Set | Branch | Case] = []
    for one in statements:
        match one:
            case Set():
                if one.net in nets:
                    found.append(one)
            case Branch():
                arms = [(condition, only(body, nets)) for condition, body in one.arms]
                while arms and not arms[-1][1]:
                    arms.pop()
                if arms:
                    found.append(Branch(tuple(arms)))
            case Case():
                cases = tuple((values, only(body, nets)) for values, body in one.arms)
                if any(body for _, body in cases):
                    found.append(Case(one.test, cases))
    return tuple(found)


def moved(statements: Statements, net: Net, other: Net) -> Statements:
    """The same statements, which drive another net instead of one."""
    found: list[Set | Branch | Case] = []
    for one in statements:
        if isinstance(one, Set):
            found.append(replace(one, net=other) if one.net is net else one)
        elif isinstance(one, Branch):
            arms = [(condition, moved(body, net, other)) for condition, body in one.arms]
            found.append(Branch(tuple(arms)))
        else:
            cases = [(values, moved(body, net, other)) for values, body in one.arms]
            found.append(Case(one.test, tuple(cases)))
    return tuple(found)


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
                for _, body in one.arms:
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
                if isinstance(one, Case) and one.arms[-1][0] is None:
                    rest = after(one.arms[-1][1], now)
                found = rest
                for values, inner in reversed(one.arms):
                    value, when = after(inner, now), condition(one, values)
                    if isinstance(one, Case) and value == rest:
                        continue  # its values are no other arm's
                    found = value if when is None else chosen(when, value, found)
                now = found
        return now

    return after(statements, start)


def without_itself(net: Net, term: Term, make_net: MakeNet) -> Term:
    """What drives a net, without those bits of the net in it that other wires drive.

    A field may depend on another one of its net. Simulators that see the net as one take that for
    a loop, and evaluate it again and again. Where more than wires drives such bits, the term stays:
    it would be written twice.
    """
    read_bits = {bits for bits in bits_of(term) if bits.net is net}
    if not read_bits or net in indexed_in(term):
        return term
    for bits in read_bits:
        driver = take(term, bits.low, bits.width, make_net)
        if not _is_plain(driver) or net in nets_of(driver):
            return term
    return replaced(term, {net: term}, make_net)


def _is_plain(term: Term) -> bool:
    """Whether a term is wires alone."""
    return isinstance(term, (Bits, Constant, Joined, Repeated)) and all(map(_is_plain, term.parts))
