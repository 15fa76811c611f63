"""Kinds of parameters: their ranges, how text is read and how values are displayed."""

import re
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from ..wording import fraction, parse_integer, parse_real


class Kind:
    """Values that a parameter may have: `rule` in words, `accepts` decides, `parse` reads text."""

    rule: str
    words: tuple[str, ...] = ()
    """Words that it can be; empty where it can be others."""
    is_resolved = False
    """Whether texts name what is elsewhere, a file or a plugin, which takes their place at once."""

    def accepts(self, value: object) -> bool:
        """Whether `value` obeys the rule."""
        raise NotImplementedError

    def parse(self, text: str) -> object:
        """Value that `text` spells; `ValueError` where it spells none."""
        raise NotImplementedError

    def read(self, value: object) -> object:
        """Value of user input: text is parsed, anything else is taken as it is."""
        return self.parse(value) if isinstance(value, str) else value

    def display(self, value: object) -> object:
        """Value as answers and files show it: a number, a word or a list of them."""
        return value

    def name_part(self, value: object) -> object:
        """Value as a part of a network's name."""
        return self.display(value)


@dataclass(frozen=True)
class Integer(Kind):
    """Integer in ``low..high``."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"an integer in {self.low}..{self.high}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is an integer in the range."""
        return (
            isinstance(value, int)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> int:
        """Integer in decimal."""
        return parse_integer(text)


@dataclass(frozen=True)
class Integers(Kind):
    """List of integers in ``low..high``, written ``4,4,2``; a tuple."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"integers in {self.low}..{self.high} separated by commas"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of integers in the range, at least one."""
        one = Integer(self.low, self.high)
        return isinstance(value, tuple) and value != () and all(map(one.accepts, value))

    def parse(self, text: str) -> tuple[int, ...]:
        """Integers in decimal."""
        return tuple(parse_integer(entry.strip()) for entry in text.split(","))

    def read(self, value: object) -> object:
        """As for all kinds; a list, as in a TOML file, becomes a tuple."""
        return tuple(value) if isinstance(value, list) else super().read(value)


@dataclass(frozen=True)
class Real(Kind):
    """Real number in ``low..high``."""

    low: float
    high: float

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"a number in {self.low:g}..{self.high:g}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a number in the range."""
        return (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        )

    def parse(self, text: str) -> float:
        """Floating-point number."""
        return parse_real(text)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Words, in order."""
        return "one of " + ", ".join(self.words)

    def accepts(self, value: object) -> bool:
        """Whether `value` is one of the words."""
        return value in self.words

    def parse(self, text: str) -> str:
        """Word itself."""
        return text


@dataclass(frozen=True)
class Mix(Choice):
    """One of a few words, or several with their shares: ``uniform:0.7,hotspot:0.3``."""

    @property
    def rule(self) -> str:
        """Words, in order, and the form of a mix."""
        return f"{super().rule}, or several with shares as {self.example}"

    @property
    def example(self) -> str:
        """Mix of the first words."""
        return ",".join(f"{word}:{share}" for word, share in zip(self.words, (3, 1), strict=False))

    def accepts(self, value: object) -> bool:
        """Whether `value` is a word, or a mix of distinct ones."""
        return super().accepts(value) or (isinstance(value, str) and self._is_mix(value))

    def _is_mix(self, text: str) -> bool:
        parts = shares(text)
        words = [word for word, _ in parts]
        return (
            ":" in text
            and len(set(words)) == len(words)
            and set(words) <= set(self.words)
            and all(0 < share < float("inf") for _, share in parts)
        )


def shares(text: str) -> tuple[tuple[str, float], ...]:
    """Words of a mix and their shares, as written; a share that is no number is 0.

    A word alone has share 1.
    """
    found = []
    for part in text.split(","):
        word, colon, share = part.partition(":")
        try:
            found.append((word, parse_real(share) if colon else 1.0))
        except ValueError:
            found.append((word, 0.0))
    return tuple(found)


@dataclass(frozen=True)
class Span(Kind):
    """Range of integers, written ``4`` or ``1-8``; a pair (first, last)."""

    low: int
    high: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"an integer or a range FIRST-LAST in {self.low}..{self.high}"

    def accepts(self, value: object) -> bool:
        """Whether `value` is an ordered pair within the bounds."""
        return (
            isinstance(value, tuple)
            and len(value) == 2
            and all(isinstance(end, int) for end in value)
            and self.low <= value[0] <= value[1] <= self.high
        )

    def parse(self, text: str) -> tuple[int, int]:
        """Pair of ends, both the same for a single number."""
        first, dash, last = text.partition("-")
        return parse_integer(first), parse_integer(last if dash else first)


@dataclass(frozen=True)
class Text(Kind):
    """Any word; its user checks it."""

    rule: str = "a word"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a word at all."""
        return isinstance(value, str) and value != ""

    def parse(self, text: str) -> str:
        """Text itself."""
        return text


@dataclass(frozen=True)
class FromFile(Kind):
    """Content of a file; its class reads the file by `read`, and displays itself as text.

    It has a `digest`, which stands for it in names, and `to_dict` gives it as JSON values, from
    which `from_dict` makes it again. `content` is the class, or names its module and
    itself, ``package.module:Class``, so that a list of keys does not import it.
    """

    rule: str
    content: Any
    is_resolved = True

    @property
    def content_class(self) -> Any:
        """Class of the content."""
        return resolve_name(self.content) if isinstance(self.content, str) else self.content

    def accepts(self, value: object) -> bool:
        """Whether `value` has been read, or made in Python."""
        return isinstance(value, self.content_class)

    def parse(self, text: str) -> object:
        """Content of the file that `text` names."""
        return self.content_class.read(Path(text))

    def read(self, value: object) -> object:
        """As for all kinds; a path in Python is read too."""
        return super().read(str(value) if isinstance(value, PathLike) else value)

    def display(self, value: object) -> str:
        """Text of the content."""
        return str(value)

    def name_part(self, value: Any) -> str:
        """Beginning of the content's digest."""
        return value.digest[:8]


@dataclass(frozen=True)
class YesNo(Kind):
    """Truth value, written ``yes`` or ``no``."""

    rule: str = "one of yes, no"
    words: tuple[str, ...] = ("yes", "no")

    def accepts(self, value: object) -> bool:
        """Whether `value` is a truth value."""
        return isinstance(value, bool)

    def parse(self, text: str) -> bool:
        """Truth value of a word."""
        if text not in _TRUTH:
            raise ValueError(text)
        return _TRUTH[text]

    def display(self, value: object) -> str:
        """Word for a truth value."""
        return "yes" if value else "no"


_TRUTH = {"yes": True, "no": False}

YES_NO = YesNo()


@dataclass(frozen=True)
class Reals(Kind):
    """List of real numbers in ``low..high``, written ``0.9,0.05``, not all 0; a tuple."""

    low: float
    high: float

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return f"numbers in {self.low:g}..{self.high:g} separated by commas, not all 0"

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of numbers in the range, one of them above 0."""
        one = Real(self.low, self.high)
        return isinstance(value, tuple) and all(map(one.accepts, value)) and any(value)

    def parse(self, text: str) -> tuple[float, ...]:
        """Floating-point numbers; that of a single one has no comma."""
        return tuple(parse_real(entry.strip()) for entry in text.split(","))

    def read(self, value: object) -> object:
        """As for all kinds; a list, as in a TOML file, becomes a tuple."""
        return tuple(value) if isinstance(value, list) else super().read(value)


@dataclass(frozen=True)
class Fractions(Kind):
    """List of fractions above 0 and at most 1, written ``1,1/100``; a tuple."""

    finest: int
    """Largest denominator."""

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range in words."""
        return (
            f"fractions above 0 and up to 1, with denominators of at most {self.finest}, separated "
            "by commas"
        )

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of such fractions, at least one."""
        return (
            isinstance(value, tuple)
            and value != ()
            and all(isinstance(entry, Fraction) for entry in value)
            and all(0 < entry <= 1 and entry.denominator <= self.finest for entry in value)
        )

    def parse(self, text: str) -> tuple[Fraction, ...]:
        """Fractions ``a/b``, or decimal numbers."""
        value = tuple(fraction(entry.strip()) for entry in text.split(","))
        if not self.accepts(value):
            raise ValueError(text)
        return value

    def read(self, value: object) -> object:
        """As for all kinds; numbers in a list or tuple become fractions."""
        if isinstance(value, list | tuple):
            numbers = (int, float, str, Fraction)
            if all(isinstance(entry, numbers) for entry in value):
                return self.parse(",".join(map(str, value)))
        return super().read(value)

    def display(self, value: Any) -> str:
        """Fractions as users write them."""
        return ",".join(map(str, value))

    def name_part(self, value: Any) -> str:
        """The same without strokes."""
        return self.display(value).replace("/", "in").replace(",", "_")


_WORDS = """
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle
    checker class clocking cmos config const constraint context continue cover covergroup
    coverpoint cross deassign default defparam design disable dist do edge else end endcase
    endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface
    endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable
    endtask enum event eventually expect export extends extern final first_match for force foreach
    forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins
    illegal_bins implements implies import incdir include initial inout input inside instance int
    integer interconnect interface intersect join join_any join_none large let liblist library
    local localparam logic longint macromodule matches medium modport module nand negedge nettype
    new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter
    pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real
    realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1
    s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
    showcancelled signed small soft solve specify specparam static string strong strong0 strong1
    struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout
    time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef
    union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
    wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
    """

KEYWORDS = frozenset(_WORDS.split())
"""Reserved words of IEEE Std 1800-2017 (annex B), those of Verilog among them."""

TAKEN = ("selftest", "std", "testbench", "top", "TOP")
"""Modules that Knotwork and its tools place around a network, and a package that all have."""

LONGEST = 128
"""Characters that a name may have: file systems take 255, and files' names go on behind it."""


@dataclass(frozen=True)
class Identifier(Kind):
    """Name that is neither a keyword nor `taken`: by default, of a Verilog module."""

    taken: tuple[str, ...] = TAKEN

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Characters, and what it may not be."""
        return (
            f"an identifier of at most {LONGEST} letters, digits and _, not a Verilog keyword and "
            f"not {', '.join(self.taken[:-1])} or {self.taken[-1]}"
        )

    def accepts(self, value: object) -> bool:
        """Whether `value` is an identifier that is free."""
        return (
            isinstance(value, str)
            and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is not None
            and len(value) <= LONGEST
            and value not in KEYWORDS
            and value not in self.taken
        )

    def parse(self, text: str) -> str:
        """Text itself."""
        return text


IDENTIFIER = Identifier()

PORT_NAME = Identifier(taken=("config", "monitor"))
"""Kind of what names a node in its ports; a network has ports of its own of these names."""
