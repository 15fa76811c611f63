"""Front of an input port with copies: what may come next, and the ways that packets have left."""

from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ....untyped import Statement, View
from ...parts.crossbar import one_hot_mux
from .copy_buffer import CopyBuffer
from .port_buffer import Way


class NextFlit(NamedTuple):
    """What may come to the front.

    Members
    -------
    way : Value
        Ways by which it may leave at once.
    ways : Value
        All that its packet has yet to take.
    channel : Value
        One-hot: the channel by which it came.
    last, held : Value
        It is its packet's last; its copy's head has left already.
    """

    way: Value
    ways: Value
    channel: Value
    last: Value
    held: Value

    @classmethod
    def made(cls, ways: Value, channel: Value, last: Value, held: Value) -> "NextFlit":
        """Flit of which the ways are known: all of a packet's only flit, otherwise the highest."""
        single = last & ~held
        way = Cat(ways[n] & (single | ~ways[n + 1 :].any()) for n in range(len(ways)))
        return cls(way, ways, channel, last, held)

    @classmethod
    def coming(cls, buffer: CopyBuffer, begun: Value, held: Value) -> "NextFlit":
        """Flit that can be read in the next cycle and could not before.

        Its packet has `begun` to leave by these ways, if its copy's head has.
        """
        first = Mux(buffer.seen.any(), buffer.arriving, 0)
        ways = Mux(held & begun.any(), begun, first)
        return cls.made(ways, buffer.seen, buffer.arriving_last, held)


class Rests(NamedTuple):
    """Ways that the packets at the heads of the channels have yet to take.

    Members
    -------
    registers : dict of int to Signal
        By place of a channel whose packets are copied, a bit for each way; 0 before the packet at
        its head was shown.
    """

    registers: dict[int, Signal]

    @classmethod
    def made(cls, places: list[int], ways: int) -> "Rests":
        """Registers of some channels, ``rest_0``."""
        return cls({place: Signal(ways, name=f"rest_{place}") for place in places})

    def of(self, chosen: Value) -> Value:
        """Ways left to the packet of a channel that is chosen, one-hot; 0 of one without copies."""
        merged: Value = Const(0)
        for place, rest in self.registers.items():
            merged = merged | (rest & chosen[place].replicate(len(rest)))
        return merged

    def take(self, m: Module, chosen: Value, taken: Value) -> None:
        """Take ways from the packets of the chosen channels."""
        for place, rest in self.registers.items():
            with m.If(chosen[place]):
                m.d.sync += rest.eq(rest & ~taken)

    def begin(self, m: Module, comes: Value, flit: NextFlit) -> None:
        """Note the ways of a packet, if its flit comes to the front."""
        for place, rest in self.registers.items():
            with m.If(comes & flit.channel[place]):
                m.d.sync += rest.eq(flit.ways)


def relabelled(flit: View, label: Value) -> Value:
    """Flit with a label, the lowest bits of its destination."""
    parts = {name: Value.cast(flit[name]) for name, _ in flit.shape()}
    parts["destination"] = Cat(label, parts["destination"][len(label) :])
    return Cat(parts.values())


def labels_by_output(
    labels: list[Signal], buffer: CopyBuffer, way: Value, ways_to: list[list[int]]
) -> list[Statement]:
    """Assign the label of the flit shown by each output, of the ways that lead there."""
    found: list[Statement] = []
    for label, ways in zip(labels, ways_to, strict=True):
        # Where copies take but one of several ways, that one's label is right on all.
        copied = [n for n in ways if n in buffer.labelled]
        numbers = copied if len(copied) == 1 else ways
        chosen = [way[n] for n in numbers]
        found.append(label.eq(one_hot_mux(chosen, [buffer.labels[n] for n in numbers])))
    return found


def numbers_by_output(ways: list[Way], outputs: list[int]) -> list[list[int]]:
    """By output port, the numbers of the ways that lead there."""
    return [[n for n, way in enumerate(ways) if way.output == port] for port in outputs]
