"""A design as modules, from the fragments that Amaranth makes of it."""

# Amaranth's stubs leave out what its statements and values consist of.
# pyright: reportAttributeAccessIssue=false

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from amaranth.hdl import (
    ClockDomain,
    EnableInserter,
    Fragment,
    Instance,
    Module,
    ResetInserter,
    Shape,
    Signal,
)
from amaranth.hdl._ir import IOBufferInstance
from amaranth.hdl._mem import MemoryInstance
from amaranth.lib.cdc import AsyncFFSynchronizer, FFSynchronizer

from ...errors import ConfigurationError
from ...gateware.component import Component
from .parts import Domain, Memory, Part, Pin, Writer, assertions, merged
from .statements import (
    Branch,
    Set,
    StatementLowering,
    driven,
    is_expression,
    only,
    value_of,
    without_itself,
)
from .terms import (
    Bits,
    MakeNet,
    Net,
    Term,
    bitwise,
    chosen,
    compared,
    constant,
    joined,
)
from .values import Nets


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
        # Amaranth keeps the domains that nothing within defines as a set, in any order.
        for name, domain in sorted(fragment.domains.items(), key=_sync_first):
            part.domains[name] = one = self._domain(domain)
            one.statements = lowering.statements(fragment.statements.get(name, ()))
        if isinstance(part.component, (FFSynchronizer, AsyncFFSynchronizer)):
            part.attributes = {"ASYNC_REG": "TRUE"}
        self._combinational(part, fragment, lowering, make_net)
        for one in part.domains.values():
            one.registers = dict.fromkeys(driven(one.statements))
        for name, statements in fragment.statements.items():
            one = part.domains.get(name)  # none if combinational
            clk, rst = (None, None) if one is None else (one.clk, one.rst)
            part.assertions += assertions(statements, lowering, clk=clk, rst=rst)
        part.assertions = merged(part.assertions)
        for inner, name, _ in fragment.subfragments:
            if type(inner).__name__.startswith("Require"):  # what it requires is checked
                continue
            assert name is not None
            _require_complete(inner)
            if isinstance(inner, MemoryInstance):
                part.memories.append(self._memory(inner, name, part, lowering))
            elif isinstance(inner, Instance) and _component(inner) is not None:
                part.children.append(self._place(inner, (*path, name), part.domains))
            elif isinstance(inner, (Instance, IOBufferInstance)):
                raise NotImplementedError(f"{type(inner).__name__} {name}")
            else:
                part.children.append(self.part(inner, (*path, name), part.component))
        return part

    def _place(self, found: Instance, path: tuple[str, ...], domains: Mapping[str, Domain]) -> Part:
        """Place of a component's module that is written elsewhere."""
        part = Part(path, _component(found), module=found.type)
        for name, (value, way) in found.ports.items():
            part.pins[self.nets.of(_signal(value))] = Pin(name, way == "i")
        resets = [domain.rst for domain in domains.values() if domain.is_asynchronous]
        pins = [part.pins[rst].name for rst in resets if rst in part.pins]
        # A reset is named for its domain, that of "sync" alone not.
        part.asynchronous = frozenset(
            pin.removesuffix("rst").removesuffix("_") or "sync" for pin in pins
        )
        return part

    def _domain(self, domain: ClockDomain) -> Domain:
        if domain.clk_edge != "pos":
            raise NotImplementedError(f"a falling edge, of clock {domain.name}")
        rst = None if domain.rst is None else self.nets.of(domain.rst)
        return Domain(self.nets.of(domain.clk), rst, domain.async_reset)

    def _combinational(
        self, part: Part, fragment: Fragment, lowering: StatementLowering, make_net: MakeNet
    ) -> None:
        statements = lowering.statements(fragment.statements.get("comb", ()))
        registers = {net for one in part.domains.values() for net in driven(one.statements)}
        by_net: dict[Net, list[int]] = {}
        for place, one in enumerate(statements):
            for net in dict.fromkeys(driven((one,))):
                by_net.setdefault(net, []).append(place)
        for net, places in by_net.items():
            driving = only(tuple(statements[place] for place in places), {net})
            start: Term = constant(net.width, net.init)
            if net in registers:
                # Some bits are a register: it is a net of its own.
                kept = replace(net, name=f"{net.name}_kept")
                part.move(net, kept)
                start = Bits(net.width, kept)
            if net in registers or is_expression(driving, registers):
                value = value_of(driving, net, start, lowering)
                part.assigned[net] = without_itself(net, value, make_net)
            else:
                part.choices[net] = driving

    def _memory(
        self, found: MemoryInstance, name: str, part: Part, lowering: StatementLowering
    ) -> Memory:
        data = found._data
        width = Shape.cast(data.shape).width
        memory = Memory(name, width, [_word(word) for word in data._init._raw])
        if not width * len(memory.words):
            raise NotImplementedError(f"memory {name} without words")
        self._name_ports(name, "write", found._write_ports)
        self._name_ports(name, "read", found._read_ports)
        for port in found._write_ports:
            address, value, enable = map(lowering.full_width, (port._addr, port._data, port._en))
            clk = part.domains[port._domain].clk
            memory.writers.append(Writer(address, value, enable, clk))
        for port in found._read_ports:
            net, address = self.nets.of(_signal(port._data)), lowering.full_width(port._addr)
            if port._domain == "comb":
                memory.readers.append((net, address))
                continue
            now = Net(f"{net.name}_now", width)
            memory.readers.append((now, address))
            term: Term = Bits(width, now)
            for number in port._transparent_for:
                term = _written(memory.writers[number], address, term, lowering)
            # No reset sets it, and what is read first is 0.
            net.is_reset, net.init = False, 0
            domain = part.domains[port._domain]
            domain.registers[net] = None
            domain.statements += (Branch(((lowering.condition(port._en), (Set(net, 0, term),)),)),)
        return memory

    def _name_ports(self, memory: str, verb: str, ports: Sequence[object]) -> None:
        """Name the signals of a memory's ports for it: Amaranth names them ``signature``."""
        for number, port in enumerate(ports):
            prefix = f"{memory}_{verb}{number}" if len(ports) > 1 else f"{memory}_{verb}"
            for what, field in _PORT_FIELDS.items():
                value = getattr(port, field)
                if isinstance(value, Signal):
                    self.nets.of(value).name = f"{prefix}_{what}"


_PORT_FIELDS = {"address": "_addr", "data": "_data", "enable": "_en"}


def _written(writer: Writer, address: Term, kept: Term, lowering: StatementLowering) -> Term:
    """A word as a writer leaves it in this clock cycle."""
    place, value, enable = writer.terms
    size = kept.width // enable.width
    same = compared("==", place, address)
    found: list[Term] = []
    for low in range(0, kept.width, size):
        here = bitwise("&", [lowering.take(enable, low // size, 1), same])
        new, old = (lowering.take(one, low, size) for one in (value, kept))
        found.append(chosen(here, new, old))
    return joined(found)


def _word(raw: object) -> int:
    return int(raw)  # pyright: ignore[reportArgumentType]


def _sync_first(named: tuple[str, object]) -> tuple[bool, str]:
    """Order of clock domains."""
    return named[0] != "sync", named[0]


def _signal(value: object) -> Signal:
    if not isinstance(value, Signal):
        raise NotImplementedError(f"a memory that is read into {value!r}")
    return value


def _require_complete(fragment: Fragment) -> None:
    """Refuse what would gate the registers of modules that are written elsewhere."""
    gates = (EnableInserter, ResetInserter)
    transforms = (
        one for made in fragment.origins or () for one in getattr(made, "_transforms_", ())
    )
    found = next((one for one in transforms if isinstance(one, gates)), None)
    if found is not None and (placed := next(_placed(fragment), None)) is not None:
        component = type(_component(placed)).__name__
        raise NotImplementedError(f"{type(found).__name__} around a {component}")


def _placed(fragment: Fragment) -> Iterator[Instance]:
    """Modules in a fragment that are written elsewhere."""
    if isinstance(fragment, Instance):
        yield from [fragment] if _component(fragment) is not None else []
    for inner, *_ in fragment.subfragments:
        yield from _placed(inner)


def _component(found: Instance) -> Component | None:
    """What a library placed; one at another clock is within what renames the clock."""
    return next((one for one in found.origins or () if isinstance(one, Component)), None)


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
