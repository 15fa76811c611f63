"""Route computation for any rule: a table of its answers.

Where routers decide alike, one table serves all: by the destination, or by its difference from the
router's own address. Else each router gets a table of its own as a constant input. So routers of a
kind are one module in either case.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Member

from ...network import Network
from ...routing import Turn
from ...routing.compiled.tables import CLASSES, UNREACHED
from .dont_cares import merged
from .route import RouteComputation

_NONE = -1  # no packet comes
_MERGED = 2**17  # entries of all routers up to which those that nothing asks for are chosen well
_RUNS = 4  # as many entries as runs of equal ones from which on these are compared with bounds


class RouteTable(NamedTuple):
    """Turns of one input by router and destination.

    Members
    -------
    by : str
        ``destination``, ``xor`` or ``difference`` where one row serves all routers; else
        ``router``.
    rows : ndarray
        Number of the turn, one more than the last for none of them; unsigned, of shape (1, nodes)
        or (members, nodes).
    choices : int
        Numbers that there are.
    members : ndarray
        Routers that have the rows.
    is_total : bool
        A router's own table has a turn of that router for every address, also one of no node.
    """

    by: str
    rows: np.ndarray
    choices: int
    members: np.ndarray
    is_total: bool = False

    @property
    def entry_width(self) -> int:
        """Bits of an entry in a router's own table."""
        return max(1, (self.choices - 1).bit_length())

    @property
    def width(self) -> int:
        """Bits of a router's own table; 0 where one serves all."""
        return self.entry_width * self.rows.shape[1] if self.by == "router" else 0

    def constant(self, router: int) -> Const:
        """Table of a router, the first destination lowest."""
        row = self.rows[np.searchsorted(self.members, router)]
        bits = row[:, None] >> np.arange(self.entry_width, dtype=row.dtype) & 1
        packed = np.packbits(bits.astype(np.uint8), bitorder="little")
        return Const(int.from_bytes(packed.tobytes(), "little"), self.width)


def route_table(
    network: Network, turns: tuple[Turn, ...], *, router: int = 0, escape: bool = False
) -> RouteTable:
    """Table for an input of the routers that are one module with `router`.

    Raises
    ------
    ConfigurationError
        The network is too large for a table.
    """
    topology = network.topology
    number = network.router_number[router]
    members = np.nonzero(network.router_number == number)[0]
    wanted = _wanted(network, turns, members, escape=escape)
    # A broken packet that cannot be ejected goes on by a turn that the deadlock check knows.
    if network.has_parity and not network.router_kinds[number].node_ports:
        return RouteTable(
            "router", _unsigned(_filled(wanted), len(turns)), len(turns), members, True
        )
    nodes = topology.nodes
    here, there = members[:, None], np.arange(nodes)[None, :]
    indices = {"destination": np.broadcast_to(there, wanted.shape)}
    if topology.is_one_to_one and all(topology.address(node) == node for node in range(nodes)):
        if nodes & (nodes - 1) == 0:
            indices["xor"] = here ^ there
        indices["difference"] = (there - here) % nodes
    for index, place in indices.items():
        known = wanted != _NONE
        row = np.full(nodes, _NONE, np.int64)
        np.maximum.at(row, place[known], wanted[known])
        if (row[place] == wanted)[known].all():
            return RouteTable(index, _filled(row[None, :]), len(turns) + 1, members)
    few = wanted.size <= _MERGED
    rows = np.array([merged(row) for row in wanted]) if few else _filled(wanted)
    choices = len(turns) + bool((rows == len(turns)).any())
    return RouteTable("router", _unsigned(rows, choices), choices, members)


def _unsigned(rows: np.ndarray, choices: int) -> np.ndarray:
    """Rows in as few bytes as numbers up to `choices` need."""
    return rows.astype(np.min_scalar_type(choices))


def _wanted(
    network: Network, turns: tuple[Turn, ...], members: np.ndarray, *, escape: bool
) -> np.ndarray:
    """Number of the turn by (member, destination), int64."""
    routing, topology = network.routing, network.topology
    lane, vc_class = divmod(turns[0].input_vc, routing.classes)
    if escape and routing.escape_class is not None:
        vc_class = routing.escape_class
    number = np.full(CLASSES * len(topology.ports), len(turns), np.int64)
    for place, turn in enumerate(turns):
        base = 0 if topology.is_local(turn.output_port) else lane * routing.classes
        number[turn.output_port * CLASSES + turn.output_vc - base] = place
    answers = routing.answer_table[members, turns[0].input_port, vc_class, :]
    return np.where(answers == UNREACHED, _NONE, number[answers])


def _filled(rows: np.ndarray) -> np.ndarray:
    """Rows in which an entry that nothing asks for is the one before it: so there are few runs."""
    filled = rows.copy()
    for row in filled:
        known = np.nonzero(row != _NONE)[0]
        if len(known) == 0:
            row[:] = 0
            continue
        last = np.maximum.accumulate(np.where(row != _NONE, np.arange(len(row)), -1))
        row[:] = row[np.where(last < 0, known[0], last)]
    return filled


class TableRoute(RouteComputation):
    """Any routing's rule as a table of its answers, for routings that bring no gates.

    Members
    -------
    table : In(width)
        The router's own table, constant; only where the routers' tables differ.
    """

    table: Signal

    def __init__(
        self, network: Network, turns: tuple[Turn, ...], *, router: int = 0, escape: bool = False
    ) -> None:
        self._rows = route_table(network, turns, router=router, escape=escape)
        super().__init__(network, turns, router=router, escape=escape)

    @property
    def rows(self) -> RouteTable:
        """Table that it looks up."""
        return self._rows

    @property
    def parameters(self) -> Hashable:
        """The table: what it is looked up by, its entries, and what they stand for."""
        rows, topology = self._rows, self.network.topology
        entries = () if rows.width else tuple(rows.rows[0].tolist())
        codes = () if self._is_dense else tuple(map(topology.address, range(topology.nodes)))
        widths = (topology.address_width, len(self.turns), rows.entry_width, rows.width)
        return rows.by, entries, codes, widths, topology.nodes

    def _inputs(self) -> dict[str, Member]:
        return {"table": In(self._rows.width)} if self._rows.width else {}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._rows.width:
            entry = Signal(self._rows.entry_width)
            self._look_up(m, entry)
            m.d.comb += self.select.eq(Cat(entry == turn for turn in range(len(self.turns))))
            return m
        row = self._rows.rows[0].tolist()
        bits = [1 << code if code < len(self.turns) else 0 for code in row]
        starts = [0] + [place for place in range(1, len(bits)) if bits[place] != bits[place - 1]]
        index = self._index(m)
        if len(starts) * _RUNS <= len(bits) and self._is_dense:
            m.d.comb += self.select.eq(self._between(index, bits, starts))
            return m
        with m.Switch(index):
            for code in dict.fromkeys(bits):
                places = [place for place, other in enumerate(bits) if other == code]
                with m.Case(*(self._code(place) for place in places)):
                    m.d.comb += self.select.eq(code)
        return m

    @property
    def _is_dense(self) -> bool:
        """Whether the index counts nodes."""
        return self._rows.by != "destination" or _is_counted(self.network)

    def _code(self, place: int) -> int:
        """Value of the index for an entry."""
        return place if self._is_dense else self.network.topology.address(place)

    def _index(self, m: Module) -> Value:
        """What the entries of the common row stand for."""
        if self._rows.by == "destination":
            return self.destination
        width = self.network.topology.address_width
        if self._rows.by == "xor":
            return self.destination ^ self.address
        ahead, index = Signal(width + 1, name="ahead"), Signal(width, name="index")
        m.d.comb += [
            ahead.eq(self.destination - self.address),
            index.eq(Mux(ahead[-1], ahead + self.network.topology.nodes, ahead)),
        ]
        return index

    def _between(self, index: Value, bits: list[int], starts: list[int]) -> Value:
        """Entry of a row of a few runs: which of them the index is in, by halves."""
        if len(starts) == 1:
            return Const(bits[starts[0]], len(self.turns))
        half = len(starts) // 2
        low, high = starts[:half], starts[half:]
        first, second = (self._between(index, bits, part) for part in (low, high))
        return Mux(index < high[0], first, second)

    def _look_up(self, m: Module, entry: Signal) -> None:
        """Read the entry of the destination from the router's own table."""
        width, is_total = self._rows.entry_width, self._rows.is_total
        if _is_counted(self.network):
            index: Value = self.destination
            if is_total:
                index = Mux(index < self.network.topology.nodes, index, 0)
            m.d.comb += entry.eq(self.table.word_select(index, width))
            return
        # No `case`: Verilator would see a loop, where select and flit are one word of the buffer.
        topology = self.network.topology
        named = Signal(topology.nodes, name="named")
        codes = [self.destination == topology.address(node) for node in range(topology.nodes)]
        if is_total:
            codes[0] = ~Cat(codes[1:]).any()
        m.d.comb += named.eq(Cat(codes))
        for bit in range(width):
            column = Cat(self.table[bit::width])
            m.d.comb += entry[bit].eq((named & column).any())


@lru_cache(maxsize=4)
def _is_counted(network: Network) -> bool:
    """Whether the nodes' addresses are their indices."""
    return all(network.topology.address(node) == node for node in range(network.topology.nodes))
