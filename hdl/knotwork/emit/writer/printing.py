"""Terms, lines and identifiers of Verilog as text."""

import re
from collections.abc import Callable, Collection, Mapping
from textwrap import indent
from typing import NamedTuple

from ...parameters.kinds import KEYWORDS
from .terms import Bits, Constant, Indexed, Joined, Operation, Repeated, Term

BREAK = "\x01"
"""Where a line may be broken: a space otherwise."""

WIDTH = 100
"""Columns of a line where it can be broken."""

_PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "?": 1,
}  # fmt: skip
_UNARY = 12


def literal(width: int, value: int) -> str:
    """Constant with its width."""
    if width <= 4:
        return f"{width}'b{value:0{width}b}"
    return f"{width}'h{value:x}" if value > 9 else f"{width}'d{value}"


class Printer:
    """Text of terms.

    Parameters
    ----------
    bits : callable
        Text of bits of a net.
    """

    def __init__(self, bits: Callable[[Bits], str]) -> None:
        self._bits = bits

    def text(self, term: Term) -> str:
        """A term, with places where its line may be broken."""
        return self._with(term)[0]

    def _with(self, term: Term) -> tuple[str, int]:  # noqa: PLR0911 (a kind each)
        """Text, and how tightly it holds together."""
        match term:
            case Constant():
                return literal(term.width, term.value), _UNARY + 1
            case Bits():
                return self._bits(term), _UNARY + 1
            case Indexed():
                name = self._bits(Bits(term.net.width, term.net))
                place = self.text(term.offset)
                if term.width == 1:
                    return f"{name}[{place}]", _UNARY + 1
                return f"{name}[{place} +: {term.width}]", _UNARY + 1
            case Repeated():
                count = term.width // term.piece.width
                return f"{{{count}{{{self.text(term.piece)}}}}}", _UNARY + 1
            case Joined():
                inner = f",{BREAK}".join(self.text(piece) for piece in reversed(term.pieces))
                return f"{{{inner}}}", _UNARY + 1
            case Operation():
                return self._operation(term)
        raise TypeError(f"no text of {term!r}")

    def _operation(self, term: Operation) -> tuple[str, int]:
        operator, operands = term.operator, term.operands
        if operator[0] == "r":
            return f"{operator[1]}{self._within(operands[0], _UNARY + 1)}", _UNARY
        if operator == "~":
            inner = operands[0]
            if isinstance(inner, Operation) and inner.operator[0] == "r":
                return f"~{self.text(inner)}", _UNARY
            return f"~{self._within(inner, _UNARY + 1)}", _UNARY
        if operator == "?":
            condition, yes = (self._within(one, 2) for one in operands[:2])
            no = self._within(operands[2], 1)
            return f"{condition} ? {yes} :{BREAK}{no}", 1
        # Mixed operators have parentheses, whatever binds tighter: nobody remembers the rules.
        tight = max(_PRECEDENCE.values()) + 1
        inner = [self._within(one, tight) for one in operands]
        return f" {operator}{BREAK}".join(inner), _PRECEDENCE[operator]

    def _within(self, term: Term, least: int) -> str:
        text, tight = self._with(term)
        return text if tight >= least else f"({text})"


def lines(text: str, column: int = 2, more: int = 4) -> str:
    """A statement on as many lines as it needs, from a column on."""
    found, line = [], ""
    for word in text.split(BREAK):
        room = WIDTH - column - (more if found else 0)
        if line and len(line) + 1 + len(word) > room:
            found.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    found.append(line)
    rest = "\n".join(found[1:])
    return indent(found[0], " " * column) + (
        "\n" + indent(rest, " " * (column + more)) if rest else ""
    )


def pin_lines(connected: Mapping[str, str]) -> str:
    """Connections of an instance: what each port is connected to, as many as fit on a line."""
    return lines(f",{BREAK}".join(f".{name}({text})" for name, text in connected.items()), 4, 0)


def bounds(width: int) -> str:
    """Range of a declaration."""
    return f"[{width - 1}:0] " if width > 1 else ""


def selection(low: int, width: int) -> str:
    """What stands behind a net whose bits are taken."""
    return f"[{low}]" if width == 1 else f"[{low + width - 1}:{low}]"


class Field(NamedTuple):
    """Bits of a net that have a name; that of the whole net is empty here."""

    name: str
    bits: Bits

    def selection_of(self, bits: Bits) -> str:
        """What stands behind its name where bits of it are meant."""
        if bits.width == self.bits.width:
            return ""
        return selection(bits.low - self.bits.low, bits.width)


def field_with(bits: Bits) -> Field:
    """The smallest field that has these bits."""
    net, low, high = bits.net, bits.low, bits.low + bits.width
    fields = [Field("", Bits(net.width, net))]
    if not bits.is_complete:
        fields += [
            Field(name, Bits(width, net, start))
            for name, start, width in net.fields
            if start <= low and high <= start + width
        ]
    return min(fields, key=lambda one: (one.bits.width, one.name == ""))


class Names:
    """Identifiers of one module: none twice, none a keyword."""

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._taken = {*taken}

    def within(self) -> "Names":
        """Those of a function: none hides one of the module's."""
        return Names(self._taken)

    def take(self, name: str) -> str:
        """An identifier for a name: itself, or with a number behind it if it is taken."""
        name = identifier(name)
        found, number = name, 2
        while found in self._taken:
            found, number = f"{name}_{number}", number + 1
        self._taken.add(found)
        return found


def identifier(name: str) -> str:
    """Identifier for any name."""
    plain = re.sub(r"\W", "_", name.replace("$", "")) or "value"
    if plain[0].isdigit():
        plain = f"_{plain}"
    return f"{plain}_" if plain in KEYWORDS else plain
