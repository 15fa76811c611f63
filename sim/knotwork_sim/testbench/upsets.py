"""Single-event upsets: a bit of a flit flips where a network with parity stores it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cocotb.handle import ArrayObject, HierarchyObject
from cocotb.triggers import FallingEdge
from knotwork.errors import ConfigurationError

from ..scoreboard.network_facts import SentPacket
from .checker import missed_upset
from .network_testbench import NetworkTestbench

_BUFFER = "buffer"
"""Name of every instance that stores flits."""


async def upset(
    testbench: NetworkTestbench,
    packet: SentPacket,
    *,
    bit: int = 0,
    hop: int = 0,
    within: int = 1000,
) -> SentPacket:
    """Flip a bit of a packet's first beat in a buffer; from then on expect the packet so, marked.

    No other packet in flight may begin with the same data.

    Parameters
    ----------
    testbench : NetworkTestbench
        Testbench of a network with ``parity=yes``.
    packet : SentPacket
        What its `send` returned.
    bit : int
        Bit of `tdata`, 0 the lowest.
    hop : int
        Buffer on the packet's way in which the bit flips, 0 the first.
    within : int
        Cycles in which the packet must come there.

    Returns
    -------
    SentPacket
        The packet as it is expected now: with the flipped bit, and `tuser` 1.

    Raises
    ------
    ConfigurationError
        A network without parity, or what is no bit of its data.
    Mismatch
        The packet does not come to so many buffers.
    """
    network, data = testbench.network, packet.data(0)
    if not network.has_parity:
        raise ConfigurationError(
            f"{network.name}: an upset must be used with parity=yes, not without"
        )
    if not 0 <= bit < network.hardware.data_width:
        raise ConfigurationError(
            f"{network.name}: a bit must be in 0..{network.hardware.data_width - 1}, not {bit}"
        )
    mask, passed = (1 << network.hardware.data_width) - 1, []
    places = list(buffers(testbench.ports.scope))
    for _ in range(within):
        # In the middle of a cycle the oldest flit of each buffer is there to be read at its end.
        await FallingEdge(testbench.ports.clock)
        for place in places:
            if place in passed or "1" not in str(place.shows.value):
                continue
            flit = int(place.flit.value)
            if flit & mask == data:
                passed.append(place)
                if len(passed) > hop:
                    place.flip(flit, bit, mask)
                    return testbench.checker.note_upset(packet, bit, testbench.watcher.seen)
    raise missed_upset(testbench.scoreboard, packet, hop, testbench.cycle)


@dataclass(frozen=True, eq=False)
class Buffer:
    """Buffer of flits.

    Parameters
    ----------
    shows : handle
        Not 0 while there is a flit to read.
    flit : handle
        That flit.
    words : list of handle
        Where flits may be stored.
    is_ram : bool
        Whether nothing else is stored there. A RAM may be without bits that its router knows.
    """

    shows: Any
    flit: Any
    words: list[Any]
    is_ram: bool

    @classmethod
    def at(cls, part: Any) -> "Buffer":
        """Buffer of one channel, or that of all channels of an input, whose flits have a RAM."""
        words: list[Any]
        inside = {child._name: child for child in part}
        if "ram" in inside:
            return cls(part.nonempty, part.flit, list(part.ram), is_ram=True)
        words = []
        for name, child in inside.items():
            if not name.startswith(("i_", "o_")):  # wires
                words += list(child) if isinstance(child, ArrayObject) else [child]
        return cls(part.o_valid, part.o_payload, words, is_ram=False)

    def flip(self, flit: int, bit: int, data: int) -> None:
        """Flip a bit of a flit wherever it is stored, old copies included.

        The data, its bits in the mask `data`, tell which word of a RAM it is.
        """
        known = data if self.is_ram else -1
        width = len(self.flit)
        for word in self.words:
            text = str(word.value)
            if (self.is_ram or len(text) == width) and text.strip("01") == "":
                stored = int(text, 2)
                if stored & known == flit & known:
                    word.value = stored ^ 1 << bit


def buffers(scope: Any) -> Iterator[Buffer]:
    """Buffers below a scope."""
    for part in scope:
        if isinstance(part, HierarchyObject):
            if part._name == _BUFFER:
                yield Buffer.at(part)
            else:
                yield from buffers(part)
