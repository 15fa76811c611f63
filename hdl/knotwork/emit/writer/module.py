"""Text of one module."""

from collections.abc import Iterator

from .aliases import Aliases, refuse
from .crossings import Ports
from .parts import Memory, Part
from .pieces import field_lines, initial_words, piece_lines
from .printing import (
    BREAK,
    WIDTH,
    Field,
    Names,
    Printer,
    bounds,
    field_with,
    lines,
    literal,
    pin_lines,
    selection,
)
from .procedures import Procedures
from .slices import take
from .terms import Bits, Joined, Net, Term


class ModuleText:
    """Verilog of a module.

    Parameters
    ----------
    part : Part
        Module.
    ports : dict of Part to Ports
        Ports of it and of those within.
    name : callable
        Name of the module of a part.
    """

    def __init__(self, part: Part, ports: dict[Part, Ports], module_names: dict[Part, str]) -> None:
        self._part, self._ports, self._modules = part, ports, module_names
        self._own = ports[part]
        self._aliases = Aliases(part, ports)
        self._read = self._nets_read()
        self._names = Names()
        self._fields: dict[Bits, str] = {}
        self._printer, self._plain = Printer(self._bits), Printer(self._plain_bits)
        self._net_names = self._named()

    def text(self, comment: str) -> str:
        """The whole module."""
        body = [*self._assignments(), *self._instances(), *self._memories()]
        names = self._names
        procedures = Procedures(self._part, self._printer, self._aliases, self._net, names)
        body += procedures.blocks()
        body += procedures.assertions()
        parts = [self._head(), *self._declarations()]
        return comment + "\n".join([*parts, *body, "endmodule", ""])

    # Names

    @property
    def net_names(self) -> dict[Net, str]:
        """Names of the nets that it has."""
        return self._net_names

    @property
    def instance_names(self) -> dict[Part, str]:
        """Names of the modules within."""
        return self._instance_names

    @property
    def memory_names(self) -> dict[Memory, str]:
        """Names of the memories."""
        return self._memory_names

    def _nets_read(self) -> set[Net]:
        """Nets that something reads: the module, one within, or what it is placed in."""
        inner = (net for child in self._part.children for net in self._ports[child].inputs)
        return {*self._part.reads(), *inner, *self._own.outputs}

    def _is_open(self, child: Part, net: Net) -> bool:
        """Whether a port of a module that is placed is left open: nothing reads it here."""
        return bool(child.module) and not child.pins[net].comes_in and net not in self._read

    def _named(self) -> dict[Net, str]:
        part, found = self._part, {}
        for net in self._own.ways:
            found[net] = self._names.take(net.name)
        self._instance_names = {child: self._names.take(child.path[-1]) for child in part.children}
        self._memory_names = {memory: self._names.take(memory.name) for memory in part.memories}
        for child in part.children:
            for net in self._ports[child].ways:
                if self._is_open(child, net):
                    continue
                if net not in found and not self._aliases.is_gone(net):
                    found[net] = self._names.take(f"{child.path[-1]}_{net.name}")
        for net in part.drives():
            if net not in found and not self._aliases.is_gone(net):
                found[net] = self._names.take(net.name)
        return found

    def _net(self, net: Net) -> str:
        return self._net_names[net]

    def _bits(self, bits: Bits) -> str:
        """Bits of a net, as a field where they are one."""
        field = field_with(bits)
        name = self._field(field) if field.name else self._net(bits.net)
        return name + field.selection_of(bits)

    def _field(self, field: Field) -> str:
        if field.bits not in self._fields:
            name = self._names.take(f"{self._net(field.bits.net)}_{field.name}")
            self._fields[field.bits] = name
        return self._fields[field.bits]

    # Text

    def _head(self) -> str:
        registers = self._part.registers
        ports = []
        for net, comes_in in self._own.ways.items():
            way = "input" if comes_in else "output"
            kind = "reg " if net in registers else ""
            init = f" = {literal(net.width, net.init)}" if net in registers else ""
            note = f"  // {net.note}\n" if net.note and net in registers else ""
            ports.append(f"{note}  {way} {kind}{bounds(net.width)}{self._net(net)}{init}")
        head = f"module {self._modules[self._part]} (\n"
        return head + ",\n".join(ports) + "\n);"

    def _declarations(self) -> Iterator[str]:
        for net, name in self._net_names.items():
            if net in self._own.ways:
                continue
            if net in self._part.registers:
                if net.note:
                    yield f"  // {net.note}"
                init = literal(net.width, net.init)
                told = "".join(
                    f'(* {key} = "{value}" *) ' for key, value in self._part.attributes.items()
                )
                yield f"  {told}reg {bounds(net.width)}{name} = {init};"
            else:
                yield f"  wire {bounds(net.width)}{name};"
        for bits, name in self._fields.items():
            whole = self._net(bits.net) + selection(bits.low, bits.width)
            yield f"  wire {bounds(bits.width)}{name} = {whole};"
        for memory, name in self._memory_names.items():
            yield f"  reg {bounds(memory.width)}{name} [0:{len(memory.words) - 1}];"

    def _assignments(self) -> Iterator[str]:
        for net, term in self._aliases.assigned.items():
            if net.note:
                yield f"  // {net.note}"
            fields = () if self._is_short(net, term) else self._piece_lines(net, term)
            if fields:
                yield f"  assign {self._net(net)} = {{"
                yield from fields
                yield "  };"
            else:
                text = f"assign {self._net(net)} ={BREAK}{self._text(term)};"
                yield lines(text)

    def _is_short(self, net: Net, term: Term) -> bool:
        """Whether an assignment takes one line, of bits by their places."""
        return len(f"  assign {self._net(net)} = {self._plain.text(term)};") <= WIDTH

    def _text(self, term: Term) -> str:
        """A term; a concatenation of bits of which some are no field, by their places."""
        pieces = term.pieces if isinstance(term, Joined) else ()
        wires = [piece for piece in pieces if isinstance(piece, Bits)]
        if len(wires) == len(pieces) and not all(map(_is_field, wires)):
            return self._plain.text(term)
        return self._printer.text(term)

    def _plain_bits(self, bits: Bits) -> str:
        """Bits of a net by their places."""
        return self._net(bits.net) + ("" if bits.is_complete else selection(bits.low, bits.width))

    def _piece_lines(self, net: Net, term: Term) -> list[str]:
        return field_lines(net, term, self._printer) or piece_lines(term, self._printer)

    def _instances(self) -> Iterator[str]:
        for child in self._part.children:
            yield f"  {self._modules[child]} {self._instance_names[child]} ("
            connected = {}
            names = {} if child.module else port_names(self._ports[child])
            for net in self._ports[child].ways:
                name = child.pins[net].name if child.module else names[net]
                is_open = self._is_open(child, net)
                connected[name] = "" if is_open else self._text(self._aliases.pin(net))
            yield pin_lines(connected)
            yield "  );"

    def _memories(self) -> Iterator[str]:
        for memory, name in self._memory_names.items():
            yield from initial_words(memory, name, self._names)
            for writer in memory.writers:
                address, data, enable = map(self._aliases.term, writer.terms)
                size = memory.width // enable.width
                for number in range(enable.width):
                    here, bits = take(enable, number, 1, refuse), ""
                    if enable.width > 1:
                        bits = selection(number * size, size)
                    value = take(data, number * size, size, refuse)
                    yield f"  always @(posedge {self._net(self._aliases.target(writer.clk))})"
                    target = f"{name}[{self._place(address)}]{bits}"
                    yield f"    if ({self._printer.text(here).replace(BREAK, ' ')})"
                    yield lines(f"{target} <={BREAK}{self._printer.text(value)};", 6)
            for data, address in memory.readers:
                target = self._net(self._aliases.target(data))
                yield f"  assign {target} = {name}[{self._place(self._aliases.term(address))}];"

    def _place(self, address: Term) -> str:
        """A word's number; that of a memory's only word is 0."""
        return self._printer.text(address).replace(BREAK, " ") if address.width else "0"


def _is_field(bits: Bits) -> bool:
    """Whether these are a field of their net, or all of it."""
    return field_with(bits).bits.width == bits.width


def port_names(ports: Ports) -> dict[Net, str]:
    """Names of the ports in their own module."""
    names = Names()
    return {net: names.take(net.name) for net in ports.ways}
