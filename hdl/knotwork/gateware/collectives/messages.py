"""Layouts of collectives' messages: beats at the nodes' ports, flits on the tree, headers."""

from collections.abc import Callable

from amaranth.hdl import Array, Cat, Const, Mux, Value
from amaranth.lib import data

from ...routing.collectives import KIND_BITS, MessageFormat, Operation

OPERATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "sum": lambda one, other: one + other,
    "min": lambda one, other: Mux(one < other, one, other),
    "max": lambda one, other: Mux(one < other, other, one),
    "and": lambda one, other: one & other,
    "or": lambda one, other: one | other,
    "xor": lambda one, other: one ^ other,
}
"""Gates of each operation, of two elements; for signed ones these are signed."""


def header_layout(form: MessageFormat) -> data.StructLayout:
    """First flit of a message, in its lowest bits: what it is, and the node that it names."""
    return data.StructLayout(
        {"kind": KIND_BITS, "operation": form.operation_bits, "root": form.root_bits}
    )


def flit_layout(form: MessageFormat) -> data.StructLayout:
    """Flit on the tree: `part` ends a member's part, `fault` marks a message from there on."""
    return data.StructLayout({"data": form.width, "last": 1, "part": 1, "fault": 1})


def sent_layout(form: MessageFormat) -> data.StructLayout:
    """Beat from a node; `header` is read on a message's first beat.

    In a scatter `part` is the last beat of a member's part.
    """
    return data.StructLayout(
        {"data": form.width, "last": 1, "part": 1, "header": header_layout(form)}
    )


def received_layout(form: MessageFormat) -> data.StructLayout:
    """Beat to a node; `header` is on every beat, and `fault` is final on the last.

    In the answer to a gather `part` is the last beat of a member's part.
    """
    return data.StructLayout(
        {"data": form.width, "last": 1, "part": 1, "fault": 1, "header": header_layout(form)}
    )


def view_header(form: MessageFormat, flit: data.View) -> data.View:
    """Header in a flit's data."""
    return data.View(header_layout(form), flit.data[: form.header_bits])


def combine(form: MessageFormat, operation: Value, one: Value, other: Value) -> Value:
    """Beats of two messages as one, by the operation at a place; 0 by one of a user's."""
    results = [
        Const(0, form.width) if each.name not in OPERATIONS else _combine_beats(each, one, other)
        for each in form.operations
    ]
    return results[0] if len(results) == 1 else Array(results)[operation]


def _combine_beats(operation: Operation, one: Value, other: Value) -> Value:
    """Beats as one, element by element."""
    bits = operation.element_width
    elements = []
    for low in range(0, len(one), bits):
        pair = [beat[low : low + bits] for beat in (one, other)]
        if operation.signed:
            pair = [element.as_signed() for element in pair]
        elements.append(OPERATIONS[operation.name](*pair)[:bits])
    return Cat(elements)
