"""What sources and routers draw, and what sources write into headers: `routing.draws` in gates."""

from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Member

from ...network import Network
from ...routing import Routing
from ...routing.draws import ADDRESS_BITS, SHIFTS, STATE_BITS, first_state
from ...untyped import Statement
from ..component import Component, explain
from .table_route import merged

_MERGED = 2**17  # entries of all routers up to which those of no node are chosen well


def state_after(state: Value) -> Value:
    """State behind another one: `routing.draws.next_state`."""
    after = state
    for shift, is_left in zip(SHIFTS, (True, False, True), strict=True):
        after = after ^ (after << shift if is_left else after >> shift)[:STATE_BITS]
    return after


def number_of(state: Value, draws: int) -> Value:
    """Number that a state stands for, 0..draws - 1: `routing.draws.drawn`."""
    bits = [bit for bit in range(draws.bit_length()) if draws >> bit & 1]
    return sum((state << bit for bit in bits), Const(0, 1))[STATE_BITS:]


class WrittenTable:
    """What the nodes of a router write into headers, by destination and number drawn.

    Parameters
    ----------
    routing : Routing
        One with `Routing.written`.
    """

    def __init__(self, routing: Routing) -> None:
        self._routing = routing

    @cached_property
    def _codes(self) -> np.ndarray:
        """Address of each node, int64."""
        topology = self._routing.topology
        return np.array([topology.address(node) for node in range(topology.nodes)])

    @cached_property
    def ignored(self) -> int:
        """Lowest bits of a destination's address that do not matter: they tell a router's nodes."""
        routers, bits = self._routing.topology.node_ports_table[0], 0
        while bits < self._routing.topology.address_width:
            pairs = np.unique(np.stack([self._codes >> bits + 1, routers]), axis=1)
            if len(np.unique(pairs[0])) < pairs.shape[1]:
                break
            bits += 1
        return bits

    @property
    def number_bits(self) -> int:
        """Bits of a number that is drawn."""
        return (self._routing.draws - 1).bit_length()

    @property
    def places(self) -> int:
        """Entries of a router's table."""
        bits = self._routing.topology.address_width - self.ignored
        return 1 << bits + self.number_bits

    @property
    def width(self) -> int:
        """Bits of a router's table."""
        return self.places * self._routing.draw_width

    def constant(self, router: int) -> Const:
        """Table of a router, the first entry lowest."""
        routing, topology = self._routing, self._routing.topology
        row = np.full((self.places >> self.number_bits, 1 << self.number_bits), -1, np.int64)
        ends = topology.node_ports_table[0]
        codes = routing.draw_codes[routing.written_numbers[router][ends]]
        row[self._codes >> self.ignored, : routing.draws] = codes
        row = row.ravel()
        few = self.places * topology.routers <= _MERGED
        row = merged(row) if few else np.maximum(row, 0)
        bits = row[:, None] >> np.arange(routing.draw_width) & 1
        packed = np.packbits(bits.astype(np.uint8), bitorder="little")
        return Const(int.from_bytes(packed.tobytes(), "little"), self.width)

    def look_up(self, table: Value, destination: Value, number: Value) -> Value:
        """Entry of a router's table."""
        index = Cat(number[: self.number_bits], destination[self.ignored :])
        return table.word_select(index, self._routing.draw_width)


@lru_cache(maxsize=8)
def written_table(routing: Routing) -> WrittenTable | None:
    """Table of what nodes write; None where that is what they draw."""
    table = None if routing.written is None else WrittenTable(routing)
    return table if table is not None and table.width else None


WRITTEN = "written"
"""Constant input of a router with nodes, and of what serves them: its `WrittenTable`, if any."""


def node_constants(network: Network) -> dict[str, Member]:
    """Constant inputs of what serves a node: its address, and what is written for it."""
    members: dict[str, Member] = {"address": In(network.topology.address_width)}
    table = written_table(network.routing)
    return members if table is None else members | {WRITTEN: In(table.width)}


def written_alike(inner: Any, outer: Component) -> list[Statement]:
    """Assignment of a component's table to one in it, where they have one."""
    if WRITTEN not in outer.signature.members:
        return []
    return [getattr(inner, WRITTEN).eq(getattr(outer, WRITTEN))]


def constants_alike(inner: Any, outer: Any) -> list[Statement]:
    """Assignments of a component's `node_constants` to those of one in it."""
    return [inner.address.eq(outer.address), *written_alike(inner, outer)]


class ServedNode(Protocol):
    """What has `node_constants`; for type checkers."""

    address: Signal


def draw(
    m: Module, routing: Routing, node: ServedNode, destination: Value, steps: Value
) -> tuple[Signal, Value]:
    """Generator of a node, and what the header of a packet has of the number that is drawn.

    Parameters
    ----------
    m : Module
        Module that has the generator.
    routing : Routing
        Says between how many numbers to draw; where there is one, nothing is added.
    node : Component
        Has the node's constants, see `node_constants`.
    destination : Value
        The packet's.
    steps : Value
        A packet ends in this cycle: the next one draws anew.
    """
    if routing.draws == 1:
        return Signal(0), Const(0, 0)
    kept, state = Signal(STATE_BITS, name="generator"), Signal(STATE_BITS, name="state")
    explain(kept, "The state XORed with its first one: so it begins as 0 at every node.")
    address = node.address[:ADDRESS_BITS]
    width = len(address)
    first = address.replicate(-(-STATE_BITS // width))[:STATE_BITS] ^ first_state(0, width)
    m.d.comb += state.eq(kept ^ first)
    with m.If(steps):
        m.d.sync += kept.eq(state_after(state) ^ first)
    number = number_of(state, routing.draws)
    table = written_table(routing)
    if table is not None:
        return kept, table.look_up(getattr(node, WRITTEN), destination, number)
    codes = routing.draw_codes.tolist()
    if codes == list(range(len(codes))):
        return kept, number[: routing.draw_width]
    return kept, Array(Const(code, routing.draw_width) for code in codes)[number]
