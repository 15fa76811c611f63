"""Text of a Verilog module: ports, declarations, assignments, processes, instances."""

from collections.abc import Callable, Iterator

from .crossings import Ports
from .parts import Domain, Memory, Part
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
from .statements import Branch, Case, Set, Statements, only
from .terms import Bits, Constant, Joined, Net, Repeated, Term, needs_net, replaced, take

_PIECES = 3
"""Most parts of a concatenation that stands at a pin."""


class Aliases:
    """What stands for each net of a module.

    Parameters
    ----------
    part : Part
        Module.
    ports : dict of Part to Ports
        Ports of it and of those within.

    Members
    -------
    assigned : dict of Net to Term
        Nets that an expression drives, without those that are gone.
    """

    def __init__(self, part: Part, ports: dict[Part, Ports]) -> None:
        self._part = part
        here = ports[part].directions
        self._values: dict[Net, Term] = {}
        self._below = {net for child in part.children for net in ports[child].directions}
        driven_below = {net for child in part.children for net in ports[child].outputs}
        driven_below |= {data for memory in part.memories for data, _ in memory.readers}
        # A place within a net can be chosen, one within a constant cannot.
        chosen = {*part.indexed()}
        for net, term in part.assigned.items():
            if isinstance(term, Bits) and term.is_complete and net in here:
                source = term.net
                if source in driven_below and source not in here and source not in self._values:
                    # An output that is what a module within drives: the wire has its name.
                    self._values[source] = Bits(net.width, net)
                    continue
            is_slice = net.is_pin and isinstance(term, Bits)
            if net not in here and net not in chosen and (is_slice or self._is_plain(term)):
                self._values[net] = term
        self._simplify()

    @staticmethod
    def _is_plain(term: Term) -> bool:
        return isinstance(term, Constant) or (isinstance(term, Bits) and term.is_complete)

    def _simplify(self) -> None:
        self.assigned: dict[Net, Term] = {}
        for net, term in self._part.assigned.items():
            if net in self._values or self._values_of_output(net, term):
                continue
            self.assigned[net] = self.term(term)
        self._inline()

    def _values_of_output(self, net: Net, term: Term) -> bool:
        """Whether the net is an output whose name its only driver has taken."""
        if not isinstance(term, Bits) or term.net not in self._values:
            return False
        value = self._values[term.net]
        return isinstance(value, Bits) and value.net is net and term.is_complete

    def _inline(self) -> None:
        """Short terms stand at the pins that alone read them."""
        read = set(self._part.reads())
        for net, term in [*self.assigned.items()]:
            if net in self._below and net not in read and _is_short(term):
                self._values[net] = term
                del self.assigned[net]

    def is_gone(self, net: Net) -> bool:
        """Whether something else stands for a net."""
        return net in self._values

    def term(self, term: Term) -> Term:
        """A term without nets that are gone."""
        return replaced(term, self._values, refuse)

    def pin(self, net: Net) -> Term:
        """What is connected to a port of a module within."""
        return self.term(Bits(net.width, net))

    def target(self, net: Net) -> Net:
        """The net that is driven where the module drives this one."""
        term = self.pin(net)
        assert isinstance(term, Bits)
        return term.net


def _is_short(term: Term) -> bool:
    if isinstance(term, (Bits, Constant)):
        return True
    if isinstance(term, Repeated):
        return _is_short(term.piece)
    return (
        isinstance(term, Joined)
        and len(term.pieces) <= _PIECES
        and all(_is_short(one) for one in term.pieces)
    )


def refuse(term: Term) -> Net:
    """Make no net: what is taken bits of here has bits of its own."""
    raise NotImplementedError(f"bits of {term!r}")


_LONG = 80
"""Columns of a concatenation that stands on lines of its own."""


def field_lines(net: Net, term: Term, printer: Printer) -> list[str]:
    """A concatenation as a line per field; none where it does not fill fields."""
    outer, place = [], 0
    for name, low, width in net.fields:
        if low == place:
            outer.append((name, low, width))
            place += width
    if not isinstance(term, Joined) or place != net.width:
        return []
    if any(needs_net(term, low, width) for _, low, width in outer):
        return []
    found = []
    for name, low, width in reversed(outer):
        piece = take(term, low, width, _no_net)
        comma = "," if low else ""
        found.append(lines(f"{printer.text(piece)}{comma}  // {name}", 4))
    return found


def piece_lines(term: Term, printer: Printer) -> list[str]:
    """A long concatenation as a line per piece; none for any other term."""
    if not isinstance(term, Joined) or len(printer.text(term)) < _LONG:
        return []
    pieces = [printer.text(piece) for piece in reversed(term.pieces)]
    commas = [","] * (len(pieces) - 1) + [""]
    return [lines(f"{text}{comma}", 4) for text, comma in zip(pieces, commas, strict=True)]


def _no_net(term: Term) -> Net:
    raise AssertionError(f"{term!r} has no bits of its own")


def initial_words(memory: Memory, name: str, names: Names) -> Iterator[str]:
    """Words at power-on: in a loop where all are equal."""
    if len(set(memory.words)) == 1:
        word = names.take(f"{name}_word")
        yield f"  integer {word};"
        yield "  initial"
        yield f"    for ({word} = 0; {word} < {len(memory.words)}; {word} = {word} + 1)"
        yield f"      {name}[{word}] = {literal(memory.width, memory.words[0])};"
        return
    yield "  initial begin"
    for number, value in enumerate(memory.words):
        yield f"    {name}[{number}] = {literal(memory.width, value)};"
    yield "  end"


class StatementText:
    """Text of statements.

    Parameters
    ----------
    text : callable
        Text of a term, with places where its line may be broken.
    name : callable
        Name of a net that they drive.
    arrow : str
        ``=`` or ``<=``.
    """

    def __init__(self, text: Callable[[Term], str], name: Callable[[Net], str], arrow: str) -> None:
        self._text, self._name, self._arrow = text, name, arrow

    def lines(self, statements: Statements, column: int) -> Iterator[str]:
        """Lines from a column on."""
        for one in statements:
            match one:
                case Set():
                    text = f"{self._target(one)} {self._arrow}{BREAK}{self._text(one.term)};"
                    yield lines(text, column)
                case Branch(arms=((condition, body), *_)) if self._holds(condition):
                    yield from self.lines(body, column)
                case Branch():
                    yield from self._branch(one, column)
                case Case():
                    yield from self._case(one, column)

    def _holds(self, condition: Term | None) -> bool:
        """Whether a condition always holds here."""
        return condition is not None and self._text(condition) == literal(1, 1)

    def _target(self, one: Set) -> str:
        name, width = self._name(one.net), one.term.width
        if one.offset is not None:
            place = self._text(one.offset).replace(BREAK, " ")
            return f"{name}[{place}]" if width == 1 else f"{name}[{place} +: {width}]"
        if one.is_complete:
            return name
        return name + selection(one.low, width)

    def _branch(self, one: Branch, column: int) -> Iterator[str]:
        word, space = "", " " * column
        if len(one.arms) == 1 and len(one.arms[0][1]) == 1:
            (condition, body), inner = one.arms[0], one.arms[0][1][0]
            assert condition is not None
            if isinstance(inner, Set):
                text = f"{self._target(inner)} {self._arrow}{BREAK}{self._text(inner.term)};"
                yield lines(f"if ({self._text(condition)}){BREAK}{text}", column)
                return
        for place, (condition, body) in enumerate(one.arms):
            last = place == len(one.arms) - 1
            head = "begin" if condition is None else f"if ({self._text(condition)}) begin"
            yield lines(f"{word}{head}", column)
            yield from self.lines(body, column + 2)
            word = "end else "
            if last:
                yield f"{space}end"

    def _case(self, one: Case, column: int) -> Iterator[str]:
        space = " " * column
        yield lines(f"case ({self._text(one.test)})", column)
        for values, body in one.arms:
            label = "default"
            if values is not None:
                label = f",{BREAK}".join(literal(value.width, value.value) for value in values)
            if not values and values is not None:
                continue
            inner = [*self.lines(body, column + 4)]
            if len(inner) == 1 and "\n" not in inner[0] and BREAK not in label:
                yield f"{space}  {label}: {inner[0].strip()}"
                continue
            yield lines(f"{label}: begin", column + 2)
            yield from inner
            yield f"{space}  end"
        if all(values is not None for values, _ in one.arms):
            yield f"{space}  default: ;"
        yield f"{space}endcase"


class Procedures:
    """Text of the blocks of a module.

    Parameters
    ----------
    part : Part
        Module.
    printer : Printer
        Text of terms.
    aliases : Aliases
        What stands for nets.
    name : callable
        Name of a net.
    names : Names
        Identifiers of the module.
    """

    def __init__(
        self,
        part: Part,
        printer: Printer,
        aliases: Aliases,
        name: Callable[[Net], str],
        names: Names,
    ) -> None:
        self._part, self._printer, self._aliases, self._name = part, printer, aliases, name
        self._names = names

    def _text(self, term: Term) -> str:
        return self._printer.text(self._aliases.term(term))

    def blocks(self) -> Iterator[str]:
        """Combinational choices, then blocks at the clock edge."""
        for net, statements in self._part.choices.items():
            yield from self._function(net, statements)
        for domain in self._part.domains.values():
            yield from self._at_edge(domain)

    def _function(self, net: Net, statements: Statements) -> Iterator[str]:
        """A choice as a function of what it reads, and the net that is its value.

        An ``always @*`` runs when what it reads changes. Constants and registers that keep their
        initial values never do, so that a simulator would show x. An ``assign`` has its value from
        time 0 on. It is evaluated when an argument changes: all that is read must be one.
        """
        result = self._names.take(f"{self._name(net)}_of")
        inner = self._names.within()
        arguments: dict[str, tuple[str, int]] = {}

        def argument(bits: Bits) -> str:
            field = field_with(bits)
            text = self._text(field.bits)
            if text not in arguments:
                label = text if text.isidentifier() else f"{bits.net.name}_{field.name}"
                arguments[text] = inner.take(f"arg_{label.rstrip('_')}"), field.bits.width
            return arguments[text][0] + field.selection_of(bits)

        written = StatementText(Printer(argument).text, {net: result}.__getitem__, "=")
        body = [*written.lines(statements, 6)]
        first = statements[0]
        if not (isinstance(first, Set) and first.is_complete):
            body.insert(0, f"      {result} = {literal(net.width, net.init)};")
        inputs = [f"input {bounds(width)}{name}" for name, width in arguments.values()]
        yield "  // A function: an always @* runs when an input changes, and constants never do."
        yield lines(f"function {bounds(net.width)}{result}({f',{BREAK}'.join(inputs)});")
        yield from ["    begin", *body, "    end", "  endfunction"]
        values = f",{BREAK}".join(arguments)
        yield lines(f"assign {self._name(net)} ={BREAK}{result}({values});")

    def _at_edge(self, domain: Domain) -> Iterator[str]:
        if not domain.registers:
            return
        clocked = StatementText(self._text, self._name, "<=")
        registers, edge = domain.registers, f"posedge {self._clock(domain.clk)}"
        rst = self._reset(domain.rst)
        reset = {net for net in registers if net.is_reset and rst}
        if reset:
            also = f" or posedge {rst}" if domain.is_asynchronous else ""
            yield f"  always @({edge}{also})"
            yield f"    if ({rst}) begin"
            for net in registers:
                if net in reset:
                    yield f"      {self._name(net)} <= {literal(net.width, net.init)};"
            yield "    end else begin"
            yield from clocked.lines(only(domain.statements, reset), 6)
            yield "    end"
        rest = set(registers) - reset
        if rest:
            yield f"  always @({edge}) begin"
            yield from clocked.lines(only(domain.statements, rest), 4)
            yield "  end"

    def _clock(self, net: Net) -> str:
        """Name of a clock or a reset: the one net that it is, so that all edges are at once."""
        return self._text(Bits(1, net))

    def _reset(self, net: Net | None) -> str:
        """Name of a reset; none where there is none, or it never comes."""
        name = "" if net is None else self._clock(net)
        return "" if name == literal(1, 0) else name

    def assertions(self) -> list[str]:
        """What simulators check but in reset, when inputs may be x; synthesis does not see it."""
        if not self._part.assertions:
            return []
        found = ["`ifndef SYNTHESIS"]
        for assertion in self._part.assertions:
            name = self._names.take(assertion.name)
            event, rst = "_comb", self._reset(assertion.rst)
            if assertion.clk is not None:
                event = f" @(posedge {self._clock(assertion.clk)})"
            guard = f" if (!{rst})" if rst else ""
            found.append(lines(f"wire {name} ={BREAK}{self._text(assertion.term)};"))
            found.append(f"  always{event}{guard} begin")
            if assertion.kind == "assert" and assertion.message:
                found.append(f'    if (!{name}) $display("{_quoted(assertion.message)}");')
            found += [f"    {assertion.kind} ({name});", "  end"]
        return [*found, "`endif"]


def _quoted(message: str) -> str:
    """A message within a format of Verilog's."""
    for sign, written in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("\n", "\\n")):
        message = message.replace(sign, written)
    return message


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
        for net in self._own.directions:
            found[net] = self._names.take(net.name)
        self._instance_names = {child: self._names.take(child.path[-1]) for child in part.children}
        self._memory_names = {memory: self._names.take(memory.name) for memory in part.memories}
        for child in part.children:
            for net in self._ports[child].directions:
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
        for net, comes_in in self._own.directions.items():
            direction = "input" if comes_in else "output"
            kind = "reg " if net in registers else ""
            init = f" = {literal(net.width, net.init)}" if net in registers else ""
            note = f"  // {net.note}\n" if net.note and net in registers else ""
            ports.append(f"{note}  {direction} {kind}{bounds(net.width)}{self._net(net)}{init}")
        head = f"module {self._modules[self._part]} (\n"
        return head + ",\n".join(ports) + "\n);"

    def _declarations(self) -> Iterator[str]:
        for net, name in self._net_names.items():
            if net in self._own.directions:
                continue
            if net in self._part.registers:
                if net.note:
                    yield f"  // {net.note}"
                init = literal(net.width, net.init)
                attributes = "".join(
                    f'(* {key} = "{value}" *) ' for key, value in self._part.attributes.items()
                )
                yield f"  {attributes}reg {bounds(net.width)}{name} = {init};"
            else:
                attribute = "(* keep *) " if net.is_kept else ""
                yield f"  {attribute}wire {bounds(net.width)}{name};"
        for bits, name in self._fields.items():
            whole = self._net(bits.net) + selection(bits.low, bits.width)
            yield f"  wire {bounds(bits.width)}{name} = {whole};"
        for memory, name in self._memory_names.items():
            yield f"  reg {bounds(memory.width)}{name} [0:{len(memory.words) - 1}];"

    def _assignments(self) -> Iterator[str]:
        for net, term in self._aliases.assigned.items():
            if net.note:
                yield f"  // {net.note}"
            fields = ()
            if not self._is_short(net, term):
                fields = field_lines(net, term, self._printer) or piece_lines(term, self._printer)
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

    def _instances(self) -> Iterator[str]:
        for child in self._part.children:
            yield f"  {self._modules[child]} {self._instance_names[child]} ("
            connected = {}
            names = {} if child.module else port_names(self._ports[child])
            for net in self._ports[child].directions:
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
    return {net: names.take(net.name) for net in ports.directions}
