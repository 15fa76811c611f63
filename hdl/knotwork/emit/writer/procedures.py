"""Procedural blocks of a module: registers, choices of many ways, assertions."""

from collections.abc import Callable, Iterator

from .aliases import Aliases
from .parts import Domain, Part
from .printing import BREAK, Names, Printer, bounds, field_with, lines, literal, selection
from .statements import Branch, Case, Set, Statements, only
from .terms import Bits, Net, Term


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
                case Branch(ways=((condition, body), *_)) if self._holds(condition):
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
        if len(one.ways) == 1 and len(one.ways[0][1]) == 1:
            (condition, body), inner = one.ways[0], one.ways[0][1][0]
            assert condition is not None
            if isinstance(inner, Set):
                text = f"{self._target(inner)} {self._arrow}{BREAK}{self._text(inner.term)};"
                yield lines(f"if ({self._text(condition)}){BREAK}{text}", column)
                return
        for place, (condition, body) in enumerate(one.ways):
            last = place == len(one.ways) - 1
            head = "begin" if condition is None else f"if ({self._text(condition)}) begin"
            yield lines(f"{word}{head}", column)
            yield from self.lines(body, column + 2)
            word = "end else "
            if last:
                yield f"{space}end"

    def _case(self, one: Case, column: int) -> Iterator[str]:
        space = " " * column
        yield lines(f"case ({self._text(one.test)})", column)
        for values, body in one.ways:
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
        if all(values is not None for values, _ in one.ways):
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
