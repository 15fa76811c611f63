"""Operations of reductions that a user writes: a class each, with its gates or its Verilog module.

Installed packages bring operations by the entry-point group ``knotwork.operations``, whose entries
name an operation's class.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from inspect import getattr_static
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from .entry_points import entry_points
from .errors import ConfigurationError
from .files import read_text
from .shipped import is_shipped

GROUP = "knotwork.operations"
"""Entry-point group of operations."""

PREFIX = "user:"
"""What stands before an operation's name where keys name it."""

MOST_LATENCY = 64
"""Cycles that an operation may take."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class UserOperation:
    """Operation of a reduction that a user writes, as a subclass.

    It has a name, a latency, a function of two elements for golden model and scoreboard, and its
    gates: either `gates`, an Amaranth component, or `verilog`, a module. The module of a node of
    the tree has one for each pair of elements that it combines.

    Members
    -------
    name : str
        Lower-case identifier; keys name it ``user:<name>``.
    latency : int
        Cycles from operands to result, 0..`MOST_LATENCY`. With 1 or more, operands enter and
        results advance only in cycles in which `enable` is high.
    any_order : bool
        Whether the result is the same in whatever order elements are combined: `combine` is then
        commutative and associative. If not, a node of the tree combines its branches' elements in
        pairs, neighbours first, from its members and children in the tree's order; scoreboards
        that do not know the tree leave the data to the golden model.
    element_widths : tuple of int
        Bits of an element for which it is made; any if empty.
    verilog : str or None
        File of the Verilog module, beside the file of the class; None with `gates`.
    module : str or None
        Name of the Verilog module; that of the operation if None.
    ports : mapping of str to str
        Names of the Verilog module's ports that are not ``one``, ``other``, ``result``, ``clk``,
        ``enable`` and, where it has them, ``rst`` and ``valid``, by these names.
    """

    name: ClassVar[str]
    latency: ClassVar[int] = 0
    any_order: ClassVar[bool] = True
    element_widths: ClassVar[tuple[int, ...]] = ()
    verilog: ClassVar[str | None] = None
    module: ClassVar[str | None] = None
    ports: ClassVar[Mapping[str, str]] = {}

    @staticmethod
    def combine(one: int, other: int, width: int) -> int:
        """Element that two make, each its bits as an unsigned integer of `width` bits."""
        raise NotImplementedError

    @staticmethod
    def gates(width: int) -> Any:
        """Amaranth component of its gates, for elements of `width` bits.

        Its members are the inputs ``one`` and ``other``, the output ``result``; with a latency the
        input ``enable``; and, if it reads it, the input ``valid``: the operands are of a message.
        """
        raise NotImplementedError

    @staticmethod
    def verilog_parameters(width: int) -> Mapping[str, int]:
        """Parameters of the Verilog module for elements of `width` bits."""
        del width
        return {}

    @classmethod
    def source(cls) -> str:
        """Text of the file of its Verilog module.

        Raises
        ------
        ConfigurationError
            The file cannot be read.
        """
        assert cls.verilog is not None
        module = getattr(sys.modules.get(cls.__module__), "__file__", None)
        file = (Path(module).parent if module else Path()) / cls.verilog
        # Kept in the class, which other processes get without the file.
        if "_source" not in vars(cls) or file.is_file():
            cls._source = read_text(file, "Verilog file")
        return cls._source

    _source: ClassVar[str]


def word_of(operation: str | type[UserOperation]) -> str:
    """Operation as keys name it."""
    return operation if isinstance(operation, str) else f"{PREFIX}{operation.name}"


_KNOWN: dict[str, type[UserOperation]] = {}


def add_operation(kind: type[UserOperation], owner: str) -> None:
    """Let keys name an operation.

    Raises
    ------
    ConfigurationError
        It is not sound, or its name is that of another one; names the `owner`.
    """
    require_sound_operation(kind, owner)
    if _KNOWN.setdefault(kind.name, kind) is not kind:
        raise ConfigurationError(
            f"{owner}: must not define an operation {kind.name!r}, because another one has that "
            f"name"
        )


def find_operation(name: str) -> type[UserOperation] | None:
    """Operation of a name that a plugin or an installed package defines; None without.

    Raises
    ------
    ConfigurationError
        An installed package cannot load it.
    """
    if name not in _KNOWN:
        for entry in entry_points(group=GROUP, name=name):
            owner = f"{GROUP} of {entry.package or 'an installed package'}"
            kind = entry.load_for(owner)
            if getattr(kind, "name", None) != name:
                raise ConfigurationError(
                    f"{owner}: {entry.value} must have the name {name!r} of its entry point"
                )
            add_operation(kind, owner)
    return _KNOWN.get(name)


def known_operations() -> list[str]:
    """Names of the operations that plugins have defined, and that packages bring."""
    return sorted({*_KNOWN, *(entry.name for entry in entry_points(group=GROUP))})


def require_sound_operation(kind: object, owner: str) -> None:
    """Refuse a class that is no operation: by name, latency, and what it has as gates.

    Raises
    ------
    ConfigurationError
        Names the `owner`, the rule and the value.
    """
    if not isinstance(kind, type) or not issubclass(kind, UserOperation):
        raise ConfigurationError(f"{owner}: must name a class of UserOperation, not {kind!r}")
    if is_shipped(kind):
        raise ConfigurationError(f"{owner}: must name a subclass of UserOperation, not the class")
    name = getattr(kind, "name", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"{owner}: an operation's name must be 1 to 32 of a-z, 0-9 and _, the first of a-z, "
            f"not {name!r}"
        )
    word, latency = word_of(kind), kind.latency
    if isinstance(latency, bool) or not isinstance(latency, int):
        latency = -1
    if not 0 <= latency <= MOST_LATENCY:
        raise ConfigurationError(
            f"{word}: latency must be an integer in 0..{MOST_LATENCY}, not {kind.latency!r}"
        )
    has_gates = getattr_static(kind, "gates") is not getattr_static(UserOperation, "gates")
    if has_gates == (kind.verilog is not None):
        both = "both" if has_gates else "none"
        raise ConfigurationError(
            f"{word}: an operation must have either gates, in Amaranth, or verilog, not {both}"
        )


def require_elements(kind: type[UserOperation], width: int) -> None:
    """Refuse elements of so many bits, if the operation does not take them or combines them wrong.

    Its function is called with elements of all kinds; of a Verilog module the ports are read.

    Raises
    ------
    ConfigurationError
        Names the operation, the rule and the value.
    """
    word = word_of(kind)
    if kind.element_widths and width not in kind.element_widths:
        raise ConfigurationError(
            f"{word}: element_width must be one of "
            f"{', '.join(map(str, kind.element_widths))}, not {width}"
        )
    _require_function(kind, width)
    if kind.verilog is not None:
        _require_ports(kind, width)


@lru_cache(maxsize=64)  # networks are made again and again
def _require_function(kind: type[UserOperation], width: int) -> None:
    values = _samples(width)
    results = {pair: _combined(kind, *pair, width) for pair in product(values, values)}
    if kind.any_order:
        _require_any_order(kind, width, results)


def _samples(width: int) -> list[int]:
    """Elements at the ends of ranges, of signed numbers too, and some between."""
    most, half = (1 << width) - 1, 1 << (width - 1)
    ends = [0, 1, 2, half - 1, half, half + 1, most - 1, most]
    return [*ends, *(0x9E3779B97F4A7C15 * number >> 7 & most for number in range(1, 7))]


def _combined(kind: type[UserOperation], one: int, other: int, width: int) -> int:
    where = f"{word_of(kind)}: combine({one:#x}, {other:#x}, {width})"
    try:
        found: object = kind.combine(one, other, width)
    except Exception as error:  # it is the user's code
        fault = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
        raise ConfigurationError(f"{where} must be an element, but raised {fault}") from None
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 1 << width:
        raise ConfigurationError(
            f"{where} must be an integer in 0..{(1 << width) - 1:#x}, not {found!r}"
        )
    return found


def _require_any_order(
    kind: type[UserOperation], width: int, results: Mapping[tuple[int, int], int]
) -> None:
    rule = "must not depend on the order of elements with any_order"
    for (one, other), found in results.items():
        if found != (turned := results[other, one]):
            raise ConfigurationError(
                f"{word_of(kind)}: combine {rule}, not give {found:#x} of {one:#x} and "
                f"{other:#x}, and {turned:#x} of {other:#x} and {one:#x}"
            )
    values = sorted({one for one, _ in results})
    for one, other in results:
        for third in values:
            left = _combined(kind, results[one, other], third, width)
            right = _combined(kind, one, results[other, third], width)
            if left != right:
                raise ConfigurationError(
                    f"{word_of(kind)}: combine {rule}, not give {left:#x} or {right:#x} of "
                    f"{one:#x}, {other:#x} and {third:#x}"
                )


# Ports of the module in Verilog.

OPTIONAL = ("rst", "valid")
"""Inputs that a module need not have."""


class VerilogPort(NamedTuple):
    """Port of a Verilog module: its direction, and its bits, None where these are not known."""

    direction: str
    width: int | None


def operation_ports(kind: type[UserOperation]) -> dict[str, str]:
    """Names of the ports of an operation's Verilog module, by what they are."""
    found = verilog_ports(kind.source(), module_of(kind), {}) or {}
    needed = [*_needed(kind), *(one for one in OPTIONAL if kind.ports.get(one, one) in found)]
    return {what: kind.ports.get(what, what) for what in needed}


def module_of(kind: type[UserOperation]) -> str:
    """Name of an operation's Verilog module."""
    return kind.module or kind.name


def _needed(kind: type[UserOperation]) -> tuple[str, ...]:
    clocked = ("clk", "enable") if kind.latency else ()
    return ("one", "other", "result", *clocked)


def _require_ports(kind: type[UserOperation], width: int) -> None:
    word, module = word_of(kind), module_of(kind)
    roles = ("one", "other", "result", "clk", "enable", *OPTIONAL)
    for what in kind.ports:
        if what not in roles:
            raise ConfigurationError(
                f"{word}: ports must be named for some of {', '.join(roles)}, not for {what!r}"
            )
    found = verilog_ports(kind.source(), module, kind.verilog_parameters(width))
    if found is None:
        raise ConfigurationError(f"{word}: {kind.verilog} must have a module {module}, not none")
    pins = operation_ports(kind)
    elements = ("one", "other", "result")
    for what, name in pins.items():
        direction = "output" if what == "result" else "input"
        rule = VerilogPort(direction, width if what in elements else 1)
        port = found.get(name)
        if port is None or port.direction != rule.direction or port.width not in (rule.width, None):
            raise ConfigurationError(
                f"{word}: module {module} must have an {_port_text(rule)} {name}, not "
                f"{'none' if port is None else f'an {_port_text(port)}'}"
            )
    for name, port in found.items():
        if name not in pins.values() and port.direction != "output":
            raise ConfigurationError(
                f"{word}: module {module} must have no input but {', '.join(pins.values())}, not "
                f"{name}"
            )


def _port_text(port: VerilogPort) -> str:
    bits = "" if port.width is None else f" of {port.width} bit{'s' * (port.width != 1)}"
    return f"{port.direction}{bits}"


_COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|\(\*.*?\*\)", re.DOTALL)
_PARAMETER = re.compile(r"\b(?:parameter|localparam)\b([^;)]*)")
_VALUE = re.compile(r"(\w+)\s*=\s*([^,]+)")
_DECLARED = re.compile(
    r"\b(input|output|inout)\b\s*(?:\b(?:wire|reg|logic|signed|unsigned|var)\b\s*)*"
    r"(\[[^\]]*\])?\s*(\w+(?:\s*,\s*(?!(?:input|output|inout|parameter)\b)\w+)*)"
)
_NUMBER = re.compile(r"\b\d*'[sS]?[dD](\d+)")


def verilog_ports(
    text: str, module: str, parameters: Mapping[str, int]
) -> dict[str, VerilogPort] | None:
    """Ports of a module by name, with these parameters; None if the text has no such module."""
    plain = _COMMENTS.sub(" ", text)
    found = re.search(rf"\bmodule\s+{re.escape(module)}\b(.*?)\bendmodule\b", plain, re.DOTALL)
    if found is None:
        return None
    body, values = found[1], dict(parameters)
    for group in _PARAMETER.finditer(body):
        for name, value in _VALUE.findall(group[1]):
            number = _number(value, values)
            if name not in values and number is not None:
                values[name] = number
    ports: dict[str, VerilogPort] = {}
    for direction, bounds, names in _DECLARED.findall(body):
        for name in re.split(r"\s*,\s*", names):
            ports[name] = VerilogPort(direction, _width(bounds, values))
    return ports


def _width(bounds: str, values: Mapping[str, int]) -> int | None:
    """Bits of a range ``[high:low]``, None where it has what is not evaluated."""
    if not bounds:
        return 1
    ends = [_number(end, values) for end in bounds.strip("[]").split(":")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return abs(ends[0] - ends[1]) + 1


_OPERATORS = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one // other if other else None,
}


def _number(text: str, values: Mapping[str, int]) -> int | None:
    """Value of an expression of numbers and parameters; None of any other."""
    try:
        tree = ast.parse(_NUMBER.sub(r"\1", text).strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None

    def value(node: ast.expr) -> int | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name):
            return values.get(node.id)
        if isinstance(node, ast.BinOp) and (operator := _OPERATORS.get(type(node.op))):
            one, other = value(node.left), value(node.right)
            return None if one is None or other is None else operator(one, other)
        return None

    return value(tree)


def verilog_wrapper(
    kind: type[UserOperation], width: int, name: str, ports: Mapping[str, int]
) -> Iterator[str]:
    """Lines of a module that places an operation's, with ports of these bits."""
    pins = operation_ports(kind)
    inputs = {port: bits for port, bits in ports.items() if port != "result"}
    yield f"// Elements of {width} bits combined by {word_of(kind)}: {module_of(kind)} placed."
    yield f"module {name} ("
    for port, bits in inputs.items():
        yield f"  input {f'[{bits - 1}:0] ' if bits > 1 else ''}{port},"
    yield f"  output {f'[{width - 1}:0] ' if width > 1 else ''}result"
    yield ");"
    values = ", ".join(f".{key}({value})" for key, value in kind.verilog_parameters(width).items())
    yield f"  {module_of(kind)} {f'#({values}) ' if values else ''}operation ("
    yield ",\n".join(f"    .{pin}({what})" for what, pin in pins.items())
    yield "  );"
    yield "endmodule"
