"""What must hold, may be assumed or should be seen: statements, also under conditions."""

# Amaranth's stubs leave out what its statements and values consist of.
# pyright: reportAttributeAccessIssue=false

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from amaranth.hdl._ast import Print, Property, Switch

from .statements import StatementLowering
from .terms import Constant, Net, Term, bitwise, invert, nets_of

_ARTICLES = {"a", "an", "the"}


@dataclass(eq=False)
class Assertion:
    """What must hold at every edge of a clock but in reset, or always.

    Members
    -------
    kind : str
        ``assert``, ``assume`` or ``cover``.
    term : Term
        Of a cover, what should be seen; else what holds, also where its conditions do not.
    message : str
        Told where it does not hold; may be empty.
    """

    term: Term
    message: str
    clk: Net | None = None
    rst: Net | None = None
    kind: str = "assert"

    @property
    def name(self) -> str:
        """Name of the wire: the rule in its message, or a word where that is empty."""
        rule = self.message.rpartition(": ")[2].partition(",")[0]
        found = re.findall(r"\w+", rule.replace("'", ""))
        words = [word for word in found if word not in _ARTICLES]
        return "_".join(words) or ("seen" if self.kind == "cover" else "holds")

    @property
    def nets(self) -> Iterator[Net]:
        """Nets that it reads."""
        yield from nets_of(self.term)
        yield from (net for net in (self.clk, self.rst) if net is not None)


def assertions(
    statements: Sequence[object],
    lowering: StatementLowering,
    *,
    clk: Net | None = None,
    rst: Net | None = None,
    when: Term = Constant(1, 1),  # noqa: B008 (frozen)
) -> Iterator[Assertion]:
    """Assertions among statements, those under conditions too."""
    for one in statements:
        if isinstance(one, Property):
            test = lowering.condition(one.test)
            kind = one.kind.value
            term = bitwise("&", [when, test]) if kind == "cover" else _implied(when, test)
            yield Assertion(term, _message(one), clk, rst, kind)
        elif isinstance(one, Print):
            raise NotImplementedError("a Print")
        elif isinstance(one, Switch) and any(_has_property(body) for _, body, _ in one.cases):
            test, rest = lowering.full_width(one.test), when
            for patterns, body, _ in one.cases:
                here = Constant(1, 1) if patterns is None else lowering.matches(test, patterns)
                inner = bitwise("&", [rest, here])
                yield from assertions(body, lowering, clk=clk, rst=rst, when=inner)
                rest = bitwise("&", [rest, invert(here)])


def merged(found: Iterable[Assertion]) -> list[Assertion]:
    """Assertions with those of one rule at one clock as one, which names them all."""
    rules: dict[object, Assertion] = {}
    for one in found:
        of_rule = one.message and one.kind != "cover"
        key = (one.kind, one.message, one.clk, one.rst) if of_rule else one
        first = rules.setdefault(key, one)
        if first is not one:
            rules[key] = replace(first, term=bitwise("&", [first.term, one.term]))
    return [*rules.values()]


def _has_property(statements: Sequence[object]) -> bool:
    return any(
        isinstance(one, (Property, Print))
        or (isinstance(one, Switch) and any(_has_property(body) for _, body, _ in one.cases))
        for one in statements
    )


def _implied(when: Term, test: Term) -> Term:
    return bitwise("|", [invert(when), test])


def _message(one: Property) -> str:
    chunks = one.message._chunks if one.message else ()
    if not all(isinstance(chunk, str) for chunk in chunks):
        raise NotImplementedError("a message with values in it")
    return "".join(map(str, chunks))
