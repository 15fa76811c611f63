"""Statements of several lines: concatenations, and the words of memories at power-on."""

from collections.abc import Iterator

from .parts import Memory
from .printing import Names, Printer, lines, literal
from .slices import needs_net, take
from .terms import Joined, Net, Term

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
