"""Sizes of the pieces that routers of every class have, as lookup tables of four inputs."""

import math
from collections.abc import Iterable, Mapping
from functools import cached_property

from ..network import Network, RouterKind

Sizes = Mapping[str, float]
"""Sizes of the pieces of a module, by the name of the piece."""

RAM_WIDTH, RAM_DEPTH = 4, 16
"""Bits and entries of a cell of distributed RAM."""


def mux_luts(inputs: int) -> int:
    """Lookup tables of a one-hot multiplexer of one bit.

    Two inputs with their selects fill a table; another one joins every three of them, or two and
    one more input with its select.
    """
    return -(-(2 * inputs - 1) // 3) if inputs > 1 else 0


def ram_cells(bits: int, depth: int) -> int:
    """Cells of distributed RAM of a memory."""
    return -(-bits // RAM_WIDTH) * -(-depth // RAM_DEPTH)


def pointer_bits(depth: int) -> int:
    """Bits of a pointer into a buffer in RAM; 0 where it is of registers."""
    return math.ceil(math.log2(depth)) if depth > 2 else 0


def over_one(counts: Iterable[int], power: int = 1) -> int:
    """Sum of powers of those counts that are a choice: more than one."""
    return sum(count**power for count in counts if count > 1)


def added(several: Iterable[Sizes]) -> Sizes:
    """Sum of sizes of pieces, by name."""
    total: dict[str, float] = {}
    for sizes in several:
        for name, size in sizes.items():
            total[name] = total.get(name, 0) + size
    return total


class Crossbar:
    """Counts of a kind of router: its inputs, its outputs and who turns to them.

    Parameters
    ----------
    network : Network
        Addresses and what routers know of them.
    kind : RouterKind
        Ports and turns.

    Members
    -------
    inputs, outputs : list of (int, int)
        Port and virtual channel of those that turns use, rising.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self.network, self.kind = network, kind
        self.inputs = sorted({(turn.input_port, turn.input_vc) for turn in kind.turns})
        self.outputs = sorted({(turn.output_port, turn.output_vc) for turn in kind.turns})

    @cached_property
    def input_channels(self) -> dict[int, int]:
        """Virtual channels of each input port."""
        return {port: len(self.kind.input_vcs(port)) for port, _ in self.inputs}

    @cached_property
    def output_channels(self) -> dict[int, int]:
        """Virtual channels of each output port."""
        return {port: len(self.kind.output_vcs(port)) for port, _ in self.outputs}

    @cached_property
    def senders(self) -> dict[int, set[int]]:
        """Input ports that can turn to each output port."""
        found: dict[int, set[int]] = {}
        for turn in self.kind.turns:
            found.setdefault(turn.output_port, set()).add(turn.input_port)
        return found

    @cached_property
    def fans(self) -> dict[int, int]:
        """Number of `senders`."""
        return {port: len(senders) for port, senders in self.senders.items()}

    @cached_property
    def requesters(self) -> list[int]:
        """Input channels that can turn to each output channel."""
        turns = self.kind.turns
        return [
            len({(t.input_port, t.input_vc) for t in turns if (t.output_port, t.output_vc) == out})
            for out in self.outputs
        ]

    @cached_property
    def choices(self) -> dict[tuple[int, int], int]:
        """Turns of each input channel."""
        return {
            place: sum((turn.input_port, turn.input_vc) == place for turn in self.kind.turns)
            for place in self.inputs
        }

    @cached_property
    def branches(self) -> list[int]:
        """Turns of the copies of broadcasts from those input channels where packets branch."""
        counts = [len(self.kind.branches(port, vc)) for port, vc in self.inputs]
        return [count for count in counts if count]

    def known_bits(self, port: int, *, leaving: bool = False) -> int:
        """Address bits of flits at a port that follow from the router's own; none at a node's."""
        if port in self.kind.node_ports:
            return 0
        known = self.network.known_header(self.kind, port, leaving=leaving)
        return known.destination.mask.bit_count() + known.source.mask.bit_count()
