"""Parts of a design: what drives each net, at which clock, and what is asserted of it."""

# Amaranth's stubs leave out what its statements and values consist of.
# pyright: reportAttributeAccessIssue=false

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from amaranth.hdl._ast import Print, Property, Switch

from .statements import StatementLowering, Statements, moved, only, read, terms_of
from .terms import Constant, Net, Term, bitwise, indexed_in, invert, nets_of

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
        Reported where it does not hold; may be empty.
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
            operands = ("&", [when, test]) if kind == "cover" else ("|", [invert(when), test])
            term = bitwise(*operands)
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


def _message(one: Property) -> str:
    chunks = one.message._chunks if one.message else ()
    if not all(isinstance(chunk, str) for chunk in chunks):
        raise NotImplementedError("a message with values in it")
    return "".join(map(str, chunks))


class Writer(NamedTuple):
    """Port that writes a memory: an enable per part of a word, at a clock's edge."""

    address: Term
    data: Term
    enable: Term
    clk: Net

    @property
    def terms(self) -> tuple[Term, ...]:
        """What it reads beside the clock."""
        return self.address, self.data, self.enable


@dataclass(eq=False)
class Domain:
    """Registers of one clock.

    Members
    -------
    is_asynchronous : bool
        The reset does not wait for the clock.
    registers : dict of Net to None
        Nets that the statements drive.
    """

    clk: Net
    rst: Net | None
    is_asynchronous: bool = False
    statements: Statements = ()
    registers: dict[Net, None] = field(default_factory=dict)

    @property
    def nets(self) -> list[Net]:
        """Clock and reset."""
        return [self.clk] if self.rst is None else [self.clk, self.rst]

    def sources(self, net: Net) -> Iterator[Net]:
        """Nets that a register depends on."""
        yield from read(only(self.statements, {net}))
        yield from self.nets


@dataclass(eq=False)
class Memory:
    """Words with ports; a port that reads at a clock edge is a reader and a register."""

    name: str
    width: int
    words: list[int]
    readers: list[tuple[Net, Term]] = field(default_factory=list)
    """What is read, and its address."""
    writers: list[Writer] = field(default_factory=list)


class Pin(NamedTuple):
    """Port of a module that is placed: its name there, and whether it comes in."""

    name: str
    comes_in: bool


@dataclass(eq=False)
class Part:
    """One module, or the place of one that is written elsewhere.

    Members
    -------
    path : tuple of str
        Names of the instances from the top to it.
    component : object
        What was elaborated to it.
    is_of_owner : bool
        It is no component, but part of one.
    assigned : dict of Net to Term
        Nets that an expression drives.
    choices : dict of Net to statements
        Nets that combinational statements drive, which become functions.
    domains : dict of str to Domain
        Registers by clock domain.
    attributes : dict of str to str
        Attributes of its registers, for the tools that know them.
    module : str
        Name of the module that is placed here; empty if it is written here.
    pins : dict of Net to Pin
        What its ports are connected to.
    asynchronous : frozenset of str
        Its clock domains whose reset does not wait for the clock here.
    """

    path: tuple[str, ...]
    component: object
    is_of_owner: bool = False
    assigned: dict[Net, Term] = field(default_factory=dict)
    choices: dict[Net, Statements] = field(default_factory=dict)
    domains: dict[str, Domain] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    children: "list[Part]" = field(default_factory=list)
    module: str = ""
    pins: dict[Net, Pin] = field(default_factory=dict)
    asynchronous: frozenset[str] = frozenset()

    @property
    def registers(self) -> dict[Net, None]:
        """Registers of all clocks."""
        return {net: None for one in self.domains.values() for net in one.registers}

    @property
    def clocks(self) -> list[Net]:
        """Clocks and resets."""
        return [net for one in self.domains.values() for net in one.nets]

    def move(self, net: Net, other: Net) -> None:
        """Let another net be the register that one was."""
        for one in self.domains.values():
            one.statements = moved(one.statements, net, other)

    @property
    def is_empty(self) -> bool:
        """Whether it does nothing."""
        return not (self.children or self.assertions or [*self.drives()])

    @property
    def is_expressions(self) -> bool:
        """Whether it is expressions alone, which stand as well where they are read.

        A component that dissolves may place others.
        """
        contents = (self.module, self.assertions, self.choices, self.memories)
        dissolves = getattr(self.component, "dissolves", False)
        within = [one for one in self.children if not (dissolves and one.module)]
        return not any(contents) and not within and not self.registers

    def merge(self, other: "Part") -> None:
        """Take over what another part, of expressions alone, assigns and places."""
        self.assigned |= other.assigned
        self.children.remove(other)
        for child in other.children:
            child.path = (*self.path, f"{other.path[-1]}_{child.path[-1]}")
            self.children.append(child)

    def all(self) -> "Iterator[Part]":
        """It and all parts within, those within first."""
        for child in self.children:
            yield from child.all()
        yield self

    def sources(self, net: Net) -> Iterator[Net]:
        """Nets that a net of this module's depends on."""
        if net in self.pins:
            yield from self._taken()
        elif net in self.assigned:
            yield from nets_of(self.assigned[net])
        elif net in self.choices:
            yield from read(self.choices[net])
        for domain in self.domains.values():
            if net in domain.registers:
                yield from domain.sources(net)
        for memory in self.memories:
            for data, address in memory.readers:
                if data is net:
                    yield from nets_of(address)
                    for writer in memory.writers:
                        yield from (one for term in writer.terms for one in nets_of(term))
                        yield writer.clk

    def drives(self) -> Iterator[Net]:
        """Nets that this module itself drives."""
        yield from (net for net, pin in self.pins.items() if not pin.comes_in)
        yield from (*self.assigned, *self.choices, *self.registers)
        yield from (data for memory in self.memories for data, _ in memory.readers)

    def reads(self) -> Iterator[Net]:
        """Nets that this module itself reads."""
        yield from self._taken()
        for net in self.drives():
            yield from self.sources(net)
        for assertion in self.assertions:
            yield from assertion.nets

    def _taken(self) -> Iterator[Net]:
        """Nets that come into a module that is placed."""
        yield from (net for net, pin in self.pins.items() if pin.comes_in)

    def indexed(self) -> Iterator[Net]:
        """Nets of which this module itself takes bits from a place on that a term gives."""
        terms = [*self.assigned.values(), *(one.term for one in self.assertions)]
        clocked = [one.statements for one in self.domains.values()]
        for statements in (*clocked, *self.choices.values()):
            terms += terms_of(statements)
        for memory in self.memories:
            terms += [address for _, address in memory.readers]
            terms += [term for writer in memory.writers for term in writer.terms]
        for term in terms:
            yield from indexed_in(term)
