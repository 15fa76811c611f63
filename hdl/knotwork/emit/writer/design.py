"""A design as modules: what drives each net, and what nothing reads left out."""

# Amaranth's stubs leave out what its statements and values consist of.
# pyright: reportAttributeAccessIssue=false

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from amaranth.hdl import Fragment, Instance, Module, Shape, Signal
from amaranth.hdl._ir import IOBufferInstance
from amaranth.hdl._mem import MemoryInstance

from ...errors import ConfigurationError
from .assertions import Assertion, assertions
from .expressions import is_expression, value_of
from .statements import (
    Branch,
    Set,
    StatementLowering,
    Statements,
    driven,
    moved,
    only,
    read,
    terms_of,
)
from .terms import (
    Bits,
    Net,
    Term,
    bitwise,
    chosen,
    compared,
    constant,
    indexed_in,
    joined,
    nets_of,
)
from .values import Nets


@dataclass(eq=False)
class Memory:
    """Words with ports; a port that reads at a clock edge is a reader and a register."""

    name: str
    width: int
    words: list[int]
    readers: list[tuple[Net, Term]] = field(default_factory=list)
    """What is read, and its address."""
    writers: list[tuple[Term, Term, Term]] = field(default_factory=list)
    """Address, data, an enable per part of a word."""


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

    def indexed(self) -> Iterator[Net]:
        """Nets of which this module itself takes bits from a place on that a term tells."""
        terms = [*self.assigned.values(), *(one.term for one in self.assertions)]
        for statements in (self.clocked, *self.blocks.values()):
            terms += terms_of(statements)
        for memory in self.memories:
            terms += [address for _, address in memory.readers]
            terms += [term for writer in memory.writers for term in writer]
        for term in terms:
            yield from indexed_in(term)


class Reader:
    """Modules of a fragment that was prepared."""

    def __init__(self, top: str = "top") -> None:
        self.nets = Nets()
        self._top = top

    def part(self, fragment: Fragment, path: tuple[str, ...], owner: object = None) -> Part:
        """Module of a fragment, which belongs to the component `owner` if it is none itself.

        Raises
        ------
        ConfigurationError
            It has what is not written as Verilog.
        """
        try:
            return self._part(fragment, path, owner)
        except NotImplementedError as error:
            place = ".".join([self._top, *path])
            rule = "gateware must have only what can be written as Verilog"
            raise ConfigurationError(f"{place}: {rule}, not {error}") from None

    def _part(self, fragment: Fragment, path: tuple[str, ...], owner: object) -> Part:
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
        for name in fragment.statements.keys() - {"comb"}:
            _check_domain(name, "registers")
        domain = fragment.domains.get("sync")
        if domain is not None:
            if domain.clk_edge != "pos" or domain.async_reset:
                raise NotImplementedError("a clock's falling edge or an asynchronous reset")
            part.clk = self.nets.of(domain.clk)
            part.rst = None if domain.rst is None else self.nets.of(domain.rst)
        part.clocked = lowering.statements(fragment.statements.get("sync", ()))
        self._combinational(part, fragment, lowering)
        part.registers = dict.fromkeys(driven(part.clocked))
        for name, statements in fragment.statements.items():
            part.assertions += assertions(statements, lowering, is_clocked=name != "comb")
        for inner, name, _ in fragment.subfragments:
            assert name is not None
            if isinstance(inner, MemoryInstance):
                part.memories.append(self._memory(inner, name, part, lowering))
            elif isinstance(inner, (Instance, IOBufferInstance)):
                raise NotImplementedError(f"{type(inner).__name__} {name}")
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
            if net in registers or is_expression(own, registers):
                part.assigned[net] = value_of(own, net, start, lowering)
            else:
                part.blocks[net] = own

    def _memory(
        self, found: MemoryInstance, name: str, part: Part, lowering: StatementLowering
    ) -> Memory:
        data = found._data
        width = Shape.cast(data.shape).width
        memory = Memory(name, width, [_word(word) for word in data._init._raw])
        if not width * len(memory.words):
            raise NotImplementedError(f"memory {name} without words")
        for port in found._write_ports:
            _check_domain(port._domain, "a memory")
            address, value, enable = map(lowering.whole, (port._addr, port._data, port._en))
            memory.writers.append((address, value, enable))
        for port in found._read_ports:
            net, address = self.nets.of(_signal(port._data)), lowering.whole(port._addr)
            if port._domain == "comb":
                memory.readers.append((net, address))
                continue
            _check_domain(port._domain, "a memory")
            now = Net(f"{name}_now", width)
            memory.readers.append((now, address))
            term: Term = Bits(width, now)
            for number in port._transparent_for:
                term = _written(memory.writers[number], address, term, lowering)
            # No reset sets it, and what is read first is 0.
            net.is_reset, net.init = False, 0
            part.registers[net] = None
            part.clocked += (Branch(((lowering.condition(port._en), (Set(net, 0, term),)),)),)
        return memory


def _written(
    writer: tuple[Term, Term, Term], address: Term, kept: Term, lowering: StatementLowering
) -> Term:
    """A word as a writer leaves it in this clock cycle."""
    place, value, enable = writer
    size = kept.width // enable.width
    same = compared("==", place, address)
    found: list[Term] = []
    for low in range(0, kept.width, size):
        here = bitwise("&", [lowering.take(enable, low // size, 1), same])
        new, old = (lowering.take(one, low, size) for one in (value, kept))
        found.append(chosen(here, new, old))
    return joined(found)


def _check_domain(name: str, what: str) -> None:
    if name != "sync":
        raise NotImplementedError(f"{what} in clock domain {name}")


def _word(raw: object) -> int:
    return int(raw)  # pyright: ignore[reportArgumentType]


def _signal(value: object) -> Signal:
    if not isinstance(value, Signal):
        raise NotImplementedError(f"a memory that is read into {value!r}")
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
