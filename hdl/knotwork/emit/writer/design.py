"""A design as modules: what drives each net, and what nothing reads left out."""

# Amaranth's stubs leave out what its statements and values consist of.
# pyright: reportAttributeAccessIssue=false

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from amaranth.hdl import Fragment, Module, Shape, Signal
from amaranth.hdl._ast import Property, Switch
from amaranth.hdl._mem import MemoryInstance

from .statements import StatementLowering, Statements, driven, moved, only, read, sets, value_of
from .terms import Bits, Constant, Net, Term, constant, nets_of
from .values import Nets

_TERNARIES = 3
"""Most assignments under conditions that make an expression instead of a block."""


@dataclass(eq=False)
class Assertion:
    """What must hold: at every clock edge, or always."""

    term: Term
    message: str
    is_clocked: bool


@dataclass(eq=False)
class Memory:
    """Words, with ports: for each reader its net and address, for each writer what it writes."""

    name: str
    width: int
    words: list[int]
    readers: list[tuple[Net, Term]] = field(default_factory=list)
    writers: list[tuple[Term, Term, Term]] = field(default_factory=list)
    """Address, data, enable."""


@dataclass(eq=False)
class Part:
    """One module.

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
    blocks : dict of Net to statements
        Nets that a combinational block drives.
    registers : set of Net
        Nets that `clocked` drives.
    made : dict of Net to Term
        Nets that only this module has, for expressions of which others take bits.
    """

    path: tuple[str, ...]
    component: object
    is_of_owner: bool = False
    clk: Net | None = None
    rst: Net | None = None
    assigned: dict[Net, Term] = field(default_factory=dict)
    blocks: dict[Net, Statements] = field(default_factory=dict)
    clocked: Statements = ()
    registers: dict[Net, None] = field(default_factory=dict)
    assertions: list[Assertion] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    children: "list[Part]" = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether it does nothing."""
        return not (self.children or self.assertions or [*self.drives()])

    def all(self) -> "Iterator[Part]":
        """It and all parts within, those within first."""
        for child in self.children:
            yield from child.all()
        yield self

    def sources(self, net: Net) -> Iterator[Net]:
        """Nets that a net of this module's depends on."""
        if net in self.assigned:
            yield from nets_of(self.assigned[net])
        elif net in self.blocks:
            yield from read(self.blocks[net])
        elif net in self.registers:
            yield from read(only(self.clocked, {net}))
            yield from (one for one in (self.clk, self.rst) if one is not None)
        for memory in self.memories:
            for data, address in memory.readers:
                if data is net:
                    yield from nets_of(address)
                    for writer in memory.writers:
                        yield from (one for term in writer for one in nets_of(term))
                        assert self.clk is not None
                        yield self.clk

    def drives(self) -> Iterator[Net]:
        """Nets that this module itself drives."""
        yield from (*self.assigned, *self.blocks, *self.registers)
        yield from (data for memory in self.memories for data, _ in memory.readers)

    def reads(self) -> Iterator[Net]:
        """Nets that this module itself reads."""
        for net in self.drives():
            yield from self.sources(net)
        for assertion in self.assertions:
            yield from nets_of(assertion.term)
            if assertion.is_clocked and self.clk is not None:
                yield self.clk


class Reader:
    """Modules of a fragment that was prepared."""

    def __init__(self) -> None:
        self.nets = Nets()

    def part(self, fragment: Fragment, path: tuple[str, ...], owner: object = None) -> Part:
        """Module of a fragment, which belongs to the component `owner` if it is none itself."""
        first = (fragment.origins or (None,))[0]
        part = Part(path, owner if isinstance(first, (Module, type(None))) else first)
        part.is_of_owner = part.component is owner and owner is not None

        made: dict[Term, Net] = {}

        def make_net(term: Term) -> Net:
            if term not in made:
                made[term] = net = Net(_name(term), term.width)
                part.assigned[net] = term
            return made[term]

        lowering = StatementLowering(self.nets, make_net)
        if fragment.statements.keys() - {"comb", "sync"}:
            raise NotImplementedError("a second clock domain, in Verilog")
        domain = fragment.domains.get("sync")
        if domain is not None:
            part.clk, part.rst = self.nets.of(domain.clk), self.nets.of(domain.rst)
        part.clocked = lowering.statements(fragment.statements.get("sync", ()))
        self._combinational(part, fragment, lowering)
        part.registers = dict.fromkeys(driven(part.clocked))
        for name, statements in fragment.statements.items():
            part.assertions += _assertions(statements, lowering, is_clocked=name != "comb")
        for inner, name, _ in fragment.subfragments:
            assert name is not None
            if isinstance(inner, MemoryInstance):
                part.memories.append(self._memory(inner, name, lowering))
            elif not type(inner).__name__.startswith("Require"):
                part.children.append(self.part(inner, (*path, name), part.component))
        return part

    def _combinational(self, part: Part, fragment: Fragment, lowering: StatementLowering) -> None:
        statements = lowering.statements(fragment.statements.get("comb", ()))
        registers = {*driven(part.clocked)}
        by_net: dict[Net, list[int]] = {}
        for place, one in enumerate(statements):
            for net in dict.fromkeys(driven((one,))):
                by_net.setdefault(net, []).append(place)
        for net, places in by_net.items():
            own = only(tuple(statements[place] for place in places), {net})
            start: Term = constant(net.width, net.init)
            if net in registers:
                # Some bits are a register: it is a net of its own.
                kept = replace(net, name=f"{net.name}_kept")
                part.clocked = moved(part.clocked, net, kept)
                start = Bits(net.width, kept)
            if net in registers or sets(own) <= _TERNARIES:
                part.assigned[net] = value_of(own, net, start, lowering)
            else:
                part.blocks[net] = own

    def _memory(self, found: MemoryInstance, name: str, lowering: StatementLowering) -> Memory:
        data = found._data
        width = Shape.cast(data.shape).width
        memory = Memory(name, width, [_word(word) for word in data._init._raw])
        for port in found._read_ports:
            if port._domain != "comb":
                raise NotImplementedError("memories that are read at a clock edge, in Verilog")
            memory.readers.append((self.nets.of(_signal(port._data)), lowering.whole(port._addr)))
        for port in found._write_ports:
            if len(port._en) != 1:
                raise NotImplementedError("memories that are written in part, in Verilog")
            address, data, enable = map(lowering.whole, (port._addr, port._data, port._en))
            memory.writers.append((address, data, enable))
        return memory


def _word(raw: object) -> int:
    return int(raw)  # pyright: ignore[reportArgumentType]


def _signal(value: object) -> Signal:
    if not isinstance(value, Signal):
        raise NotImplementedError(f"memory read into {value!r} in Verilog")
    return value


_NAMES = {
    "+": "sum",
    "-": "difference",
    "*": "product",
    ">>": "shifted",
    "%": "remainder",
    "/": "quotient",
    "<<": "shifted",
}


def _name(term: Term) -> str:
    return _NAMES.get(getattr(term, "operator", ""), "value")


def _assertions(
    statements: Sequence[object], lowering: StatementLowering, *, is_clocked: bool
) -> Iterator[Assertion]:
    for one in statements:
        if isinstance(one, Property):
            text = "".join(one.message._chunks) if one.message else ""
            yield Assertion(lowering.condition(one.test), text, is_clocked)
        elif isinstance(one, Switch):
            for _, body, _ in one.cases:
                if any(isinstance(inner, (Property, Switch)) for inner in body):
                    inner = [*_assertions(body, lowering, is_clocked=is_clocked)]
                    if inner:
                        raise NotImplementedError("assertions under conditions, in Verilog")


def fix_undriven(top: Part, inputs: Sequence[Net], outputs: Sequence[Net]) -> None:
    """Give what nothing drives its initial value."""
    driven_nets = {*inputs, *(net for part in top.all() for net in part.drives())}
    for net in outputs:
        if net not in driven_nets:
            top.assigned[net] = Constant(net.width, net.init)
    for part in top.all():
        for net in dict.fromkeys(part.reads()):
            if net not in driven_nets and net not in part.assigned:
                part.assigned[net] = Constant(net.width, net.init)


def prune(top: Part, outputs: Sequence[Net]) -> None:
    """Leave out what neither an output nor an assertion depends on."""
    parts = [*top.all()]
    where = {net: part for part in parts for net in part.drives()}
    waiting = [*outputs]
    for part in parts:
        for assertion in part.assertions:
            waiting += nets_of(assertion.term)
    live: set[Net] = set()
    while waiting:
        net = waiting.pop()
        if net not in live:
            live.add(net)
            if net in where:
                waiting += where[net].sources(net)
    for part in parts:
        part.assigned = {net: term for net, term in part.assigned.items() if net in live}
        part.blocks = {net: body for net, body in part.blocks.items() if net in live}
        part.registers = {net: None for net in part.registers if net in live}
        part.clocked = only(part.clocked, set(part.registers))
        for memory in part.memories:
            memory.readers = [one for one in memory.readers if one[0] in live]
        part.memories = [memory for memory in part.memories if memory.readers]
        part.children = [child for child in part.children if not child.is_empty]
