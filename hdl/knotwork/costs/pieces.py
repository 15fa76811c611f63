"""Pieces of routers and their sizes: crossbars, multiplexers, memories, decisions of routes."""

import math
from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

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


SAMPLED_DESTINATIONS = 1024
"""Destinations for which a rule is evaluated; in larger networks those are a sample."""


def decision_nodes(outcomes: np.ndarray) -> int:
    """Nodes of a binary decision diagram: fewest of two orders of the address bits.

    Parameters
    ----------
    outcomes : ndarray
        Outcome by address, int64 of a power of two of entries; -1 where any outcome is right.

    References
    ----------
    R. E. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", IEEE Transactions on
    Computers C-35, 1986.
    """
    bits = len(outcomes).bit_length() - 1
    turned = outcomes.reshape((2,) * bits).transpose(range(bits)[::-1]).reshape(-1)
    return min(_nodes(outcomes), _nodes(turned))


def _nodes(outcomes: np.ndarray) -> int:
    made: dict[tuple[int, object, object], tuple[str, int]] = {}
    met: dict[bytes, object] = {}

    def node(part: np.ndarray) -> object:
        """Leaf, node or, where any outcome is right, None."""
        known = part[part >= 0]
        if len(known) == 0:
            return None
        if (known == known[0]).all():
            return int(known[0])
        key = part.tobytes()
        if key not in met:
            low, high = (node(half) for half in np.split(part, 2))
            if low is None or high is None or low == high:
                met[key] = high if low is None else low
            else:
                met[key] = made.setdefault((len(part), low, high), ("node", len(made)))
        return met[key]

    node(outcomes)
    return len(made)


def route_nodes(network: Network, kind: RouterKind) -> int:
    """Nodes of the decision diagrams of all route computations of a packet router.

    A diagram gives the turn of a packet from one input channel by its destination's address.
    Destinations whose packets do not come there may have any.
    """
    classes = {place: place[1] for place in _turns(network, kind)}
    return _diagrams(network, kind, classes)


def other_way_nodes(network: Network, kind: RouterKind) -> int:
    """Nodes of the decision diagrams of the other ways of blocked packets.

    Packets that have escaped have no others, and `route_nodes` counts their ways.
    """
    escape, total = network.routing.escape_class, 0
    for way in network.routing.other_ways:
        classes = {
            place: way
            for place, outputs in _turns(network, kind).items()
            if escape is not None
            and place[1] < escape
            and any(number >= escape for _, number in outputs)
        }
        total += _diagrams(network, kind, classes)
    return total


_Place = tuple[int, int]  # port and class of its virtual channels


def _turns(network: Network, kind: RouterKind) -> dict[_Place, set[_Place]]:
    """Outputs to which packets to one node turn, by input."""
    classes = network.routing.classes
    outputs: dict[_Place, set[_Place]] = {}
    for turn in kind.unicast_turns:
        output = _output(kind, turn.output_port, turn.output_vc % classes)
        outputs.setdefault((turn.input_port, turn.input_vc % classes), set()).add(output)
    return outputs


def _diagrams(network: Network, kind: RouterKind, classes: Mapping[_Place, int]) -> int:
    """Nodes of the diagrams of some inputs; `classes` has the class of each."""
    routing, topology = network.routing, network.topology
    step = -(-topology.nodes // SAMPLED_DESTINATIONS)
    destinations = range(0, topology.nodes, step)
    addresses = [topology.address(node) for node in destinations]
    parameters, rule, turns = routing.parameters, routing.rule, _turns(network, kind)
    total = 0
    for place, channel_class in classes.items():
        leaving = turns[place]
        if len(leaving) == 1:
            continue
        number = {output: at for at, output in enumerate(sorted(leaving))}
        outcomes = np.full(1 << topology.address_width, -1)
        for node, address in zip(destinations, addresses, strict=True):
            answer = rule(parameters, kind.router, place[0], channel_class, node)
            outcomes[address] = number.get(_output(kind, int(answer[0]), int(answer[1])), -1)
        total += decision_nodes(outcomes)
    return total * routing.lanes


def _output(kind: RouterKind, port: int, channel_class: int) -> tuple[int, int]:
    """Output port and class; all classes to a node are one."""
    return port, -1 if port in kind.node_ports else channel_class
