"""Adapters of streams that are measured, each with the floor of what its job needs."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from amaranth.lib import data
from knotwork.gateware.packet.classes import Regulator
from knotwork_soc import Payload
from knotwork_soc.emit.shells import stream_verilog
from knotwork_soc.gateware.adapters import (
    ClockWatch,
    Crossing,
    Ejection,
    EventCrossing,
    Injection,
    LinkResets,
    MesochronousCrossing,
    NodeAdapter,
)
from knotwork_soc.gateware.adapters.crossings import SLOTS

from .wrapped_router import pins

FLIT, ADDRESS = 32, 4
"""Bits of a flit's data, and of a node's address."""
INTO, OUT = {"destination": ADDRESS}, {"source": ADDRESS}
WORDS, RAM_BITS = 8, 4
"""Words of a crossing; bits of a word of a cell of RAM."""
_POINTER = WORDS.bit_length()
_TIMEOUT = 1024

_WITHIN = 1
"""Whether a packet has begun: its first beat alone has the header."""


def payload(*widths: int, keep: bool = False) -> Payload:
    """Payload of flits of 32 bits that serves nodes of these widths."""
    return Payload.of(FLIT, widths, keep=keep)


def crossed(bits: int) -> tuple[int, int]:
    """Flip-flops and cells of RAM of a crossing of so many bits.

    Both pointers count, in binary for the memory and in Gray code for the other side, whose highest
    bits are the same; two registers take each there; two end a reset. What is read at the other
    clock has a register.
    """
    return 2 * (2 * _POINTER - 1) + 2 * 2 * _POINTER + 2 + bits, -(-bits // RAM_BITS)


def crossed_in_phase(bits: int) -> tuple[int, int]:
    """Flip-flops and cells of RAM of a mesochronous crossing of so many bits.

    Each of two rings has its turn and its slots, two registers for the mark and one for that of
    before, a place, and both outcomes. Places are counted that are free, owed and held, and where
    to write and to read; two registers tell that both rings are ready.
    """
    ring = SLOTS.bit_length() + SLOTS + 2 + 1 + SLOTS.bit_length() + 2
    return 2 * ring + 3 * _POINTER + 2 * (_POINTER - 1) + 2, -(-bits // RAM_BITS)


_FLITS = FLIT + 1 + ADDRESS
_RESETS = 1 + 1 + 2 + 2 + 4 + 1 + 3 + 1 + 1
"""A request and its answer, two registers each way, four to end, a count of 4, both outcomes."""
_WATCH = 1 + 2 + 2 + _TIMEOUT.bit_length() + 1
_EVENTS = 6 * 5 - 1 + 1
"""A count, its Gray code, two registers, a count of what was told; a pulse."""
_GUARDS = (_FLITS + 4) + (4 + ADDRESS) + 2
"""A flit that is whole, and what is open, ended and dropped; the source of a packet that ends."""


def _clocked(make: Callable[[], Any], name: str) -> str:
    """Verilog with both clocks the same, so that its frequency is that of both sides."""
    text = stream_verilog(make(), f"{name}_inner")
    ports = pins(text, f"{name}_inner")
    if not any(port.name == "node_clk" for port in ports):
        return stream_verilog(make(), name)
    own = [port for port in ports if not port.name.startswith("node_")]
    heads = ["input clk", "input rst"]
    heads += [f"{one.way} [{one.width - 1}:0] {one.name}" for one in own]
    joins = [f".{one.name}({one.name})" for one in own]
    joins += [".clk(clk)", ".rst(rst)", ".node_clk(clk)", ".node_rst(rst)"]
    lines = ",\n".join(f"  {head}" for head in heads)
    return (
        f"{text}module {name} (\n{lines}\n);\n  {name}_inner it({', '.join(joins)});\nendmodule\n"
    )


def _sum(*parts: tuple[int, int]) -> tuple[int, int]:
    flip_flops, cells = (sum(each) for each in zip(*parts, strict=True))
    return flip_flops, cells


_PAIR_TOTAL = _sum(crossed(_FLITS), crossed(_FLITS), (_RESETS + _WATCH + _EVENTS + _GUARDS, 0))

BUILDERS: Mapping[str, tuple[Callable[[], Any], tuple[int, int]]] = {
    # Three pieces that wait, their number, the header.
    "injection_8": (
        lambda: Injection(width=8, payload=payload(8), header=INTO),
        (24 + 2 + ADDRESS + _WITHIN, 0),
    ),
    "ejection_8": (lambda: Ejection(width=8, payload=payload(8), header=OUT), (2, 0)),
    "injection_128": (lambda: Injection(width=128, payload=payload(128), header=INTO), (2, 0)),
    # Three flits that wait, and their number.
    "ejection_128": (
        lambda: Ejection(width=128, payload=payload(128), header=OUT),
        (96 + 2, 0),
    ),
    # Whether a packet was broken, and that it was.
    "injection_keep": (
        lambda: Injection(width=32, payload=payload(32, keep=True), header=INTO),
        (2, 0),
    ),
    "ejection_keep": (
        lambda: Ejection(width=32, payload=payload(32, keep=True), header=OUT),
        (0, 0),
    ),
    "crossing": (
        lambda: Crossing(shape=_FLITS, depth=WORDS, i_domain="node", o_domain="sync"),
        crossed(_FLITS),
    ),
    "mesochronous_crossing": (
        lambda: MesochronousCrossing(shape=_FLITS, depth=WORDS, i_domain="node", o_domain="sync"),
        crossed_in_phase(_FLITS),
    ),
    "event_crossing": (lambda: EventCrossing(i_domain="sync", o_domain="node"), (_EVENTS, 0)),
    "link_resets": (LinkResets, (_RESETS, 0)),
    "clock_watch": (lambda: ClockWatch(timeout=_TIMEOUT), (_WATCH, 0)),
    # What is missing of 80 parts of tokens, and whether a packet has begun.
    "regulator": (
        lambda: Regulator(
            data.StructLayout({"data": FLIT, "last": 1}), rate=Fraction(1, 20), burst=4
        ),
        (7 + 1, 0),
    ),
    "own_clock": (
        lambda: NodeAdapter(
            width=32,
            payload=payload(32),
            inject_header=INTO,
            eject_header=OUT,
            domain="node",
            timeout=_TIMEOUT,
        ),
        _PAIR_TOTAL,
    ),
}
"""Adapters and their floors, flip-flops and cells of RAM, by name."""


def verilog(name: str) -> Callable[[str], str]:
    """What writes an adapter as modules, its own last, by the name of that."""
    return lambda module: _clocked(BUILDERS[name][0], module)
