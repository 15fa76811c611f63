"""Amaranth's values as terms: exact widths, signs worked out."""

# Amaranth's stubs leave out what its statements and values consist of.
# pyright: reportAttributeAccessIssue=false

import re

from amaranth.hdl import Const, Signal, Value
from amaranth.hdl._ast import Concat, Format, Operator, Part, Shape, SignalDict, Slice, SwitchValue

from ...gateware.component import NOTE
from .terms import (
    Bits,
    Constant,
    Indexed,
    MakeNet,
    Net,
    Operation,
    Term,
    added,
    bitwise,
    chosen,
    compared,
    constant,
    extended,
    invert,
    joined,
    reduced,
    take,
)

_PLACES = 6
"""Most bits of the amount by which a signed value is moved."""


class Nets:
    """Nets of a design, one for each of its signals."""

    def __init__(self) -> None:
        self._nets = SignalDict()

    def of(self, signal: Signal) -> Net:
        """Net of a signal."""
        if signal not in self._nets:
            mask = (1 << len(signal)) - 1
            fields = [*_fields(signal._format, "", 0)]
            self._nets[signal] = Net(
                signal_name(signal),
                len(signal),
                signal.init & mask,
                fields,
                not signal.reset_less,
                str(signal.attrs.get(NOTE, "")),
                is_kept="keep" in signal.attrs,
            )
        return self._nets[signal]

    @property
    def signals(self) -> dict[Net, Signal]:
        """Signal of each net."""
        return {net: signal for signal, net in self._nets.items()}

    def join(self, port: Signal, signal: Signal) -> None:
        """Let a signal be the port of the top that it is connected to."""
        self._nets[port] = net = self.of(signal)
        net.name = signal_name(port)


def signal_name(signal: Signal) -> str:
    """Name of a signal's net; Amaranth joins those of a member's parts by two underscores."""
    return re.sub("__+", "_", signal.name.replace("$", ""))


def _fields(form: object, prefix: str, low: int):
    if isinstance(form, Format.Struct):
        for name, inner in form._fields.items():
            value = _value_of(inner)
            if value is None:
                continue
            start = _start(value)
            whole = f"{prefix}_{name}" if prefix else name
            if len(value):
                yield whole, start, len(value)
                yield from _fields(inner, whole, start)


def _value_of(form: object) -> Value | None:
    """Value that a format shows."""
    if isinstance(form, (Format.Struct, Format.Enum, Format.Array)):
        return getattr(form, "_value", None)
    if isinstance(form, Format):
        values = [chunk[0] for chunk in form._chunks if not isinstance(chunk, str)]
        return values[0] if len(values) == 1 else None
    return None


def _start(value: Value) -> int:
    """First bit of a value in the signal that it is a slice of."""
    low = 0
    while not isinstance(value, Signal):
        if isinstance(value, Slice):
            low += value.start
            value = value.value
        elif isinstance(value, Operator):
            (value,) = value.operands
        else:
            break
    return low


class Lowering:
    """Values of one module as terms.

    Parameters
    ----------
    nets : Nets
        Nets of the design.
    make_net : callable
        Makes a net of the module for a term.
    """

    def __init__(self, nets: Nets, make_net: MakeNet) -> None:
        self._nets = nets
        self._make_net = make_net

    def take(self, term: Term, low: int, width: int) -> Term:
        """Some bits of a term."""
        return take(term, low, width, self._make_net)

    def full_width(self, value: Value) -> Term:
        """A value, with all its bits."""
        return self.term(value, len(value))

    def term(self, value: Value, width: int) -> Term:
        """The low bits of a value, or its bits and copies of its sign before them."""
        shape = value.shape()
        low = self._low(value, min(width, shape.width))
        if low.width < width and shape.signed and not isinstance(low, (Constant, Bits)):
            low = Bits(low.width, self._make_net(low))
        return extended(low, width, signed=shape.signed)

    def condition(self, value: Value) -> Term:
        """Whether a value is not 0."""
        return reduced("|", self.full_width(value))

    def _low(  # noqa: PLR0911 (a kind each)
        self, value: Value, width: int
    ) -> Term:
        """Low bits of a value."""
        match value:
            case Const():
                return constant(width, value.value)
            case Signal():
                return Bits(width, self._nets.of(value)) if width else Constant(0, 0)
            case Slice():
                return self.take(self.full_width(value.value), value.start, width)
            case Concat():
                return self.take(joined([self.full_width(p) for p in value.parts]), 0, width)
            case SwitchValue():
                return self._switch(value, width)
            case Part():
                return self._part(value, width)
            case Operator():
                return self._operator(value.operator, value.operands, width)
        raise NotImplementedError(f"a value of {type(value).__name__}")

    def _operator(  # noqa: PLR0911 (an operator each)
        self, operator: str, operands: tuple[Value, ...], width: int
    ) -> Term:
        if operator in {"u", "s", "+"} and len(operands) == 1:
            return self.term(operands[0], width)
        match operator:
            case "~":
                return invert(self.term(operands[0], width))
            case "-" if len(operands) == 1:
                return added("-", Constant(width, 0), self.term(operands[0], width))
            case "b" | "r|":
                return self.condition(operands[0])
            case "r&" | "r^":
                return reduced(operator[1], self.full_width(operands[0]))
            case "&" | "|" | "^":
                return bitwise(operator, [self.term(one, width) for one in operands])
            case "+" | "-" | "*":
                return added(operator, *(self.term(one, width) for one in operands))
            case "==" | "!=" | "<" | "<=" | ">" | ">=":
                return self._compared(operator, *operands)
            case "<<" | ">>":
                return self._shifted(operator, operands[0], operands[1], width)
            case "%" | "//" if not any(one.shape().signed for one in operands):
                left, right = operands
                if operator == "%" and isinstance(right, Const) and right.value.bit_count() == 1:
                    low = min(width, right.value.bit_length() - 1)
                    return extended(self.term(left, low), width, signed=False)
                wide = max(len(one) for one in operands)
                found = _divided(operator, *(self.term(one, wide) for one in operands))
                return self.take(found, 0, min(width, wide))
        raise NotImplementedError(f"operator {operator} of signed values")

    def _compared(self, operator: str, left: Value, right: Value) -> Term:
        shape = Shape._unify([left.shape(), right.shape()])
        terms = [self.term(one, shape.width) for one in (left, right)]
        if shape.signed and operator not in {"==", "!="}:
            sign = Constant(shape.width, 1 << (shape.width - 1))
            terms = [bitwise("^", [one, sign]) for one in terms]
        return compared(operator, *terms)

    def _shifted(self, operator: str, value: Value, amount: Value, width: int) -> Term:
        if operator == "<<":
            if isinstance(amount, Const):
                zeros = Constant(amount.value, 0)
                return self.take(joined([zeros, self.full_width(value)]), 0, width)
            return Operation(width, "<<", (self.term(value, width), self.full_width(amount)))
        full = self.full_width(value)
        if isinstance(amount, Const):
            rest = max(full.width - amount.value, 0)
            high = self.take(full, full.width - rest, rest) if rest else Constant(0, 0)
            is_signed = value.shape().signed
            if is_signed and width > rest and not isinstance(high, (Bits, Constant)):
                high = Bits(rest, self._make_net(high))
            return self.take(extended(high, max(width, rest), signed=is_signed), 0, width)
        if value.shape().signed:
            if len(amount) > _PLACES:
                raise NotImplementedError("a signed value moved right by so wide an amount")
            full = self.term(value, full.width + (1 << len(amount)) - 1)
        return self.take(Operation(full.width, ">>", (full, self.full_width(amount))), 0, width)

    def _part(self, value: Part, width: int) -> Term:
        offset = self.full_width(value.offset)
        last = ((1 << offset.width) - 1) * value.stride + value.width
        full = self.term(value.value, max(len(value.value), last))
        if value.stride != 1:
            bits = last.bit_length()
            wide = extended(offset, bits, signed=False)
            offset = self.take(added("*", wide, Constant(bits, value.stride)), 0, bits)
            if not value.stride & (value.stride - 1):
                zeros = Constant(value.stride.bit_length() - 1, 0)
                offset = joined([zeros, self.full_width(value.offset)])
        if not offset.width:
            return self.take(full, 0, width)
        if not isinstance(full, Bits) or not full.is_complete:
            full = Bits(full.width, self._make_net(full))
        return Indexed(width, full.net, offset)

    def _switch(self, value: SwitchValue, width: int) -> Term:
        test = self.full_width(value.test)
        cases = [(patterns, self.term(case, width)) for patterns, case in value.cases]
        found: Term = Constant(width, 0)
        for patterns, case in reversed(cases):
            found = case if patterns is None else chosen(self.matches(test, patterns), case, found)
        return found

    def matches(self, test: Term, patterns: tuple[str, ...]) -> Term:
        """Whether a term is as one of some patterns says, the highest bit first."""
        found: list[Term] = []
        for pattern in patterns:
            fixed = [n for n, bit in enumerate(reversed(pattern)) if bit != "-"]
            bits = joined([self.take(test, n, 1) for n in fixed])
            value = int("".join(bit for bit in pattern if bit != "-") or "0", 2)
            found.append(compared("==", bits, Constant(bits.width, value)))
        return bitwise("|", found) if found else Constant(1, 0)


def _divided(operator: str, left: Term, right: Term) -> Term:
    """Quotient or remainder; of a division by 0, which Verilog leaves open, it is 0."""
    zero = Constant(left.width, 0)
    found: Term = Operation(left.width, "%" if operator == "%" else "/", (left, right))
    return chosen(compared("==", right, zero), zero, found)
