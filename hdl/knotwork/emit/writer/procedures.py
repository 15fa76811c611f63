"""Procedural blocks of a module: registers, choices of many ways, assertions."""

from collections.abc import Callable, Iterator

from .aliases import Aliases
from .parts import Domain, Part
from .printing import BREAK, Names, Printer, lines, literal
from .statements import Branch, Case, Set, Statements, only
from .terms import Bits, Constant, Net, Term


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
    """

    def __init__(
        self, part: Part, printer: Printer, aliases: Aliases, name: Callable[[Net], str]
    ) -> None:
        self._part, self._printer, self._aliases, self._name = part, printer, aliases, name

    def _text(self, term: Term) -> str:
        return self._printer.text(self._aliases.term(term))

    def blocks(self) -> Iterator[str]:
        """Combinational blocks, then those at the clock edge."""
        for net, statements in self._part.blocks.items():
            yield "  always @* begin"
            first = statements[0]
            if not (isinstance(first, Set) and first.is_whole):
                yield f"    {self._name(net)} = {literal(net.width, net.init)};"
            yield from self._statements(statements, 4, "=")
            yield "  end"
        for domain in self._part.domains.values():
            yield from self._at_edge(domain)

    def _at_edge(self, domain: Domain) -> Iterator[str]:
        if not domain.registers:
            return
        registers, edge = domain.registers, f"posedge {self._clock(domain.clk)}"
        rst = "" if domain.rst is None else self._clock(domain.rst)
        has_reset = rst not in ("", literal(1, 0))
        reset = {net for net in registers if net.is_reset and has_reset}
        if reset:
            also = f" or posedge {rst}" if domain.is_asynchronous else ""
            yield f"  always @({edge}{also})"
            yield f"    if ({rst}) begin"
            for net in registers:
                if net in reset:
                    yield f"      {self._name(net)} <= {literal(net.width, net.init)};"
            yield "    end else begin"
            yield from self._statements(only(domain.statements, reset), 6, "<=")
            yield "    end"
        rest = set(registers) - reset
        if rest:
            yield f"  always @({edge}) begin"
            yield from self._statements(only(domain.statements, rest), 4, "<=")
            yield "  end"

    def _clock(self, net: Net) -> str:
        """Name of a clock or a reset: the one net that it is, so that all edges are at once."""
        return self._text(Bits(1, net))

    def _statements(self, statements: Statements, column: int, arrow: str) -> Iterator[str]:
        for one in statements:
            match one:
                case Set():
                    text = f"{self._target(one)} {arrow}{BREAK}{self._text(one.term)};"
                    yield lines(text, column)
                case Branch(ways=((condition, body), *_)) if self._holds(condition):
                    yield from self._statements(body, column, arrow)
                case Branch():
                    yield from self._branch(one, column, arrow)
                case Case():
                    yield from self._case(one, column, arrow)

    def _holds(self, condition: Term | None) -> bool:
        """Whether a condition always holds here."""
        return condition is not None and self._aliases.term(condition) == Constant(1, 1)

    def _target(self, one: Set) -> str:
        name, width = self._name(one.net), one.term.width
        if one.offset is not None:
            place = self._text(one.offset).replace(BREAK, " ")
            return f"{name}[{place}]" if width == 1 else f"{name}[{place} +: {width}]"
        if one.is_whole:
            return name
        return f"{name}[{one.low}]" if width == 1 else f"{name}[{one.low + width - 1}:{one.low}]"

    def _branch(self, one: Branch, column: int, arrow: str) -> Iterator[str]:
        word, space = "", " " * column
        if len(one.ways) == 1 and len(one.ways[0][1]) == 1:
            (condition, body), inner = one.ways[0], one.ways[0][1][0]
            assert condition is not None
            if isinstance(inner, Set):
                text = f"{self._target(inner)} {arrow}{BREAK}{self._text(inner.term)};"
                yield lines(f"if ({self._text(condition)}){BREAK}{text}", column)
                return
        for place, (condition, body) in enumerate(one.ways):
            last = place == len(one.ways) - 1
            head = "begin" if condition is None else f"if ({self._text(condition)}) begin"
            yield lines(f"{word}{head}", column)
            yield from self._statements(body, column + 2, arrow)
            word = "end else "
            if last:
                yield f"{space}end"

    def _case(self, one: Case, column: int, arrow: str) -> Iterator[str]:
        space = " " * column
        yield lines(f"case ({self._text(one.test)})", column)
        for values, body in one.ways:
            label = "default"
            if values is not None:
                label = f",{BREAK}".join(literal(value.width, value.value) for value in values)
            if not values and values is not None:
                continue
            inner = [*self._statements(body, column + 4, arrow)]
            if len(inner) == 1 and "\n" not in inner[0] and BREAK not in label:
                yield f"{space}  {label}: {inner[0].strip()}"
                continue
            yield lines(f"{label}: begin", column + 2)
            yield from inner
            yield f"{space}  end"
        if all(values is not None for values, _ in one.ways):
            yield f"{space}  default: ;"
        yield f"{space}endcase"

    def assertions(self, names: Names) -> list[str]:
        """What simulators check, and synthesis does not see."""
        if not self._part.assertions:
            return []
        found = ["`ifndef SYNTHESIS"]
        for assertion in self._part.assertions:
            name = names.take("seen" if assertion.kind == "cover" else "holds")
            edge = "*"
            if assertion.clk is not None:
                edge = f"(posedge {self._clock(assertion.clk)})"
            found.append(lines(f"wire {name} ={BREAK}{self._text(assertion.term)};"))
            found.append(f"  always @{edge} begin")
            if assertion.kind == "assert" and assertion.message:
                found.append(f'    if (!{name}) $display("{_quoted(assertion.message)}");')
            found += [f"    {assertion.kind} ({name});", "  end"]
        return [*found, "`endif"]


def _quoted(message: str) -> str:
    """A message within a format of Verilog's."""
    for sign, written in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("\n", "\\n")):
        message = message.replace(sign, written)
    return message
