"""Second stage of a bufferless router: packets change wires, block by block."""

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ...routing.exchanges import Exchange, exchanges


class Wire(NamedTuple):
    """What a wire between the blocks holds.

    Members
    -------
    valid : Value
        There is a packet.
    packet : Value
        That packet.
    wish : Value
        The output that it wants, one-hot; 0 for none, and where there is no packet.
    """

    valid: Value
    packet: Value
    wish: Value


class Sides(NamedTuple):
    """What the packets of a block want of it, a bit for each of its two wires.

    Members
    -------
    up, down : Value
        The packet must leave by the first wire, or by the second, to reach its output.
    """

    up: Value
    down: Value


def wanted_sides(block: Exchange, wishes: Sequence[Value]) -> Sides:
    """Sides that the packets of a block want, of which these are the wishes by wire."""
    up, down = (
        Cat(Cat(wishes[wire][output] for output in side).any() for wire in block.wires)
        for side in block.sides
    )
    return Sides(up, down)


def changes(sides: Sides, second_wins: Value) -> Value:
    """Whether packets change wires, if the second one wins or the first one does."""
    up, down = sides
    asks, bars = Cat(down[0], up[1]), Cat(down[1] & second_wins, up[0] & ~second_wins)
    return (asks & ~bars).any()


def joins(came: Sides, own: Sides, places: Value) -> Value:
    """Whether the node's packet changes wires with one that came; that one wins.

    Parameters
    ----------
    came, own : Sides
        What the packets that came want, and what the node's packet wants on either wire.
    places : Value
        The wire that the node's packet takes, a bit for each.
    """
    asks, bars = Cat(own.down[0], own.up[1]), Cat(came.down[1], came.up[0])
    return (places & asks & ~bars).any()


def exchanged(m: Module, wires: Sequence[Wire], first_round: Sequence[Value]) -> list[Wire]:
    """Wires after all rounds.

    In a block, the winner leaves by the side that it wants, the other packet by the other side.

    Parameters
    ----------
    m : Module
        Router.
    wires : sequence of Wire
        Before the first round.
    first_round : sequence of Value
        Whether packets change wires in the blocks of the first round.
    """
    wires = list(wires)
    for number, blocks in enumerate(exchanges(len(wires))):
        for place, block in enumerate(blocks):
            if block.winner is None:
                swap = first_round[place]
            else:
                sides = wanted_sides(block, [wire.wish for wire in wires])
                swap = Signal(name=f"swap_{number}_{place}")
                m.d.comb += swap.eq(changes(sides, Const(block.winner)))
            first, second = (wires[wire] for wire in block.wires)
            for wire, (stays, comes) in zip(
                block.wires, [(first, second), (second, first)], strict=True
            ):
                wires[wire] = _either(m, f"{number}_{wire}", swap, stays, comes)
    return wires


def _either(m: Module, name: str, swap: Value, stays: Wire, comes: Wire) -> Wire:
    """Wire after a block."""
    found = []
    for field, straight, other in zip(Wire._fields, stays, comes, strict=True):
        value = Signal(len(straight), name=f"{field}_{name}")
        m.d.comb += value.eq(Mux(swap, other, straight))
        found.append(value)
    return Wire(*found)
