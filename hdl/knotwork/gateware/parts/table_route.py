"""Route computation by a table: minimised into gates, or loaded in service."""

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from amaranth.hdl import Cat, Const, Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Member

from ...network import Network
from ...routing import Turn
from ...routing.compiled.tables import CLASSES, UNREACHED
from .route import RouteComputation


def merged(row: np.ndarray) -> np.ndarray:
    """Row without entries below 0: they become what makes the row depend on few bits of its index.

    Where the entries that differ in a bit of the index agree wherever both are known, each gets
    what is known of the other, and the bit matters no more. Else the row is split by the bit in
    which most of them disagree.

    Parameters
    ----------
    row : ndarray
        Entries, int; those below 0 may be anything.
    """
    entries = row.tolist()
    width = max(1, (len(entries) - 1).bit_length())
    known = _mask(entry >= 0 for entry in entries)
    planes = [
        _mask(entry >= 0 and bool(entry >> bit & 1) for entry in entries)
        for bit in range(max(1, max(entries).bit_length()))
    ]
    filled = _filled(known, planes, (1 << (1 << width)) - 1, tuple(range(width)), width)
    return np.array(
        [
            sum((plane >> place & 1) << bit for bit, plane in enumerate(filled))
            for place in range(len(entries))
        ],
        np.int64,
    )


def _mask(bits: Iterable[bool]) -> int:
    """Integer of bits, the first lowest."""
    return int("".join("1" if bit else "0" for bit in bits)[::-1] or "0", 2)


def _lower(bit: int, width: int) -> int:
    """Entries whose index has 0 in a bit, as a mask of all that there are."""
    run = 1 << bit
    pattern = (1 << run) - 1
    while run < 1 << width >> 1:
        run *= 2
        pattern |= pattern << run
    return pattern


def _filled(
    known: int, planes: list[int], region: int, bits: tuple[int, ...], width: int
) -> list[int]:
    """Planes of a region with all of its entries known.

    Parameters
    ----------
    known, planes : int, list of int
        Known entries of the region, and their bits.
    region : int
        Mask of the entries.
    bits : tuple of int
        Bits of the index that differ within the region, and have not been merged.
    width : int
        Bits of the index.
    """
    if all(plane in (0, known) for plane in planes):
        return [region if plane else 0 for plane in planes]
    most, split = 0, bits[0]
    for bit in bits:
        step, low = 1 << bit, _lower(bit, width) & region
        differ = 0
        for plane in planes:
            differ |= plane ^ plane >> step
        differ &= known & known >> step & low
        if not differ:
            rest = tuple(other for other in bits if other != bit)
            both = [(plane | plane >> step) & low for plane in planes]
            halves = _filled((known | known >> step) & low, both, low, rest, width)
            return [half | half << step for half in halves]
        if differ.bit_count() > most:
            most, split = differ.bit_count(), bit
    low = _lower(split, width) & region
    rest = tuple(other for other in bits if other != split)
    parts = [
        _filled(known & half, [plane & half for plane in planes], half, rest, width)
        for half in (low, region & ~low)
    ]
    return [first | second for first, second in zip(*parts, strict=True)]


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
        Number of the turn, one more than the last for none of them; unsigned, of shape (1, labels)
        or (members, labels), see `Routing.labels`.
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
    network: Network, turns: tuple[Turn, ...], *, router: int = 0, rule_class: int | None = None
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
    wanted = _wanted(network, turns, members, rule_class=rule_class)
    # A broken packet that cannot be ejected goes on by a turn that the deadlock check knows.
    if network.has_parity and not network.router_kinds[number].node_ports:
        return RouteTable(
            "router",
            _unsigned(_with_chosen_turns(wanted), len(turns)),
            len(turns),
            members,
            True,
        )
    nodes, labels = topology.nodes, network.routing.labels
    here, there = members[:, None], np.arange(labels)[None, :]
    indices = {"destination": np.broadcast_to(there, wanted.shape)}
    is_plain = labels == nodes and topology.is_one_to_one
    if is_plain and all(topology.address(node) == node for node in range(nodes)):
        if nodes & (nodes - 1) == 0:
            indices["xor"] = here ^ there
        indices["difference"] = (there - here) % nodes
    for index, place in indices.items():
        known = wanted != _NONE
        row = np.full(labels, _NONE, np.int64)
        np.maximum.at(row, place[known], wanted[known])
        if (row[place] == wanted)[known].all():
            return RouteTable(index, _with_chosen_turns(row[None, :]), len(turns) + 1, members)
    few = wanted.size <= _MERGED
    rows = np.array([merged(row) for row in wanted]) if few else _with_chosen_turns(wanted)
    choices = len(turns) + bool((rows == len(turns)).any())
    return RouteTable("router", _unsigned(rows, choices), choices, members)


def _unsigned(rows: np.ndarray, choices: int) -> np.ndarray:
    """Rows in as few bytes as numbers up to `choices` need."""
    return rows.astype(np.min_scalar_type(choices))


def _wanted(
    network: Network, turns: tuple[Turn, ...], members: np.ndarray, *, rule_class: int | None
) -> np.ndarray:
    """Number of the turn by (member, destination), int64."""
    routing, topology = network.routing, network.topology
    lane, vc_class = divmod(turns[0].input_vc, routing.classes)
    vc_class = vc_class if rule_class is None else rule_class
    number = np.full(CLASSES * len(topology.ports), len(turns), np.int64)
    for place, turn in enumerate(turns):
        base = 0 if topology.is_local(turn.output_port) else lane * routing.classes
        number[turn.output_port * CLASSES + turn.output_vc - base] = place
    answers = routing.answer_table[members, turns[0].input_port, vc_class, :]
    return np.where(answers == UNREACHED, _NONE, number[answers])


def _with_chosen_turns(rows: np.ndarray) -> np.ndarray:
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
        self,
        network: Network,
        turns: tuple[Turn, ...],
        *,
        router: int = 0,
        rule_class: int | None = None,
    ) -> None:
        self._rows = route_table(network, turns, router=router, rule_class=rule_class)
        super().__init__(network, turns, router=router, rule_class=rule_class)

    @property
    def rows(self) -> RouteTable:
        """Table that it looks up."""
        return self._rows

    @property
    def parameters(self) -> Hashable:
        """The table: what it is looked up by, its entries, and what they stand for."""
        rows, topology = self._rows, self.network.topology
        entries = () if rows.width else tuple(rows.rows[0].tolist())
        codes = () if self._is_dense else tuple(self.network.routing.destination_codes)
        widths = (topology.address_width, len(self.turns), rows.entry_width, rows.width)
        return rows.by, entries, codes, widths, self.network.routing.labels

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
        return place if self._is_dense else self.network.routing.destination_codes[place]

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
                index = Mux(index < self.network.routing.labels, index, 0)
            m.d.comb += entry.eq(self.table.word_select(index, width))
            return
        # No `case`: Verilator would see a loop, where select and flit are one word of the buffer.
        routing = self.network.routing
        named = Signal(routing.labels, name="named")
        codes = [self.destination == code for code in routing.destination_codes]
        if is_total:
            codes[0] = ~Cat(codes[1:]).any()
        m.d.comb += named.eq(Cat(codes))
        for bit in range(width):
            column = Cat(self.table[bit::width])
            m.d.comb += entry[bit].eq((named & column).any())


@lru_cache(maxsize=4)
def _is_counted(network: Network) -> bool:
    """Whether headers name destinations by their indices."""
    return network.routing.destination_codes == list(range(network.routing.labels))


def channel_layout(network: Network) -> data.StructLayout:
    """Port of a router and class of a virtual channel: {port, class}."""
    members: dict[str, ShapeLike] = {
        "channel_class": range(network.routing.classes),
        "port": range(len(network.topology.ports)),
    }
    return data.StructLayout(members)


class LoadedRoute(RouteComputation):
    """Decides by the gates of the network's own routing, until a table is loaded.

    The table has two banks in one RAM: one in force, and one that words are written to.

    Parameters
    ----------
    network, turns, router
        As for `RouteComputation`; any table may take `turns`.
    fixed : RouteComputation or None
        Gates of the network's own routing; None where its packets do not come.

    Members
    -------
    bank : In(1)
        Which bank is in force, or with ``~loaded`` will not be written to.
    loaded : In(1)
        A table is in force.
    writes : In(1)
        Store `entry` for the address `entry_destination`.
    entry_destination : In(address_width)
        Address of a destination.
    entry : In(channel_layout)
        Where packets for it leave.
    table
        As of `fixed`, where that has one.
    write_address, read_address : Signal
        Places of the RAM where a word is written, and where the decision is read: bank and address.
    """

    bank: Signal
    loaded: Signal
    writes: Signal
    entry_destination: Signal
    entry: Signal

    def __init__(
        self,
        network: Network,
        turns: tuple[Turn, ...],
        fixed: RouteComputation | None,
        *,
        router: int,
    ) -> None:
        self._network = network
        self._fixed = fixed
        self.write_address = Signal(1 + network.topology.address_width, name="write_address")
        self.read_address = Signal.like(self.write_address, name="read_address")
        super().__init__(network, turns, router=router)

    @property
    def parameters(self) -> Hashable:
        """The network, where its turns lead, and the gates of its own routing."""
        turns = tuple((turn.output_port, turn.output_vc) for turn in self.turns)
        if self._fixed is None:
            return self._network, turns, None
        places = tuple(map(self.turns.index, self._fixed.turns))
        return self._network, turns, (type(self._fixed), self._fixed.parameters, places)

    @property
    def fixed(self) -> RouteComputation | None:
        """Gates of the network's own routing."""
        return self._fixed

    def _inputs(self) -> dict[str, Member]:
        return {
            "bank": In(1),
            "loaded": In(1),
            "writes": In(1),
            "entry_destination": In(self.network.topology.address_width),
            "entry": In(channel_layout(self.network).size),
            **({} if self._fixed is None else self._fixed._inputs()),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, topology = self.network, self.network.topology
        layout = channel_layout(network)
        depth = 2 << topology.address_width
        m.submodules.banks = banks = Memory(shape=layout.size, depth=depth, init=[])
        write, read = banks.write_port(), banks.read_port(domain="comb")
        by_gates = Signal(len(self.turns), name="select_by_gates")
        loaded = Signal(len(self.turns), name="select_by_table")
        m.d.comb += [
            self.write_address.eq(Cat(self.entry_destination, ~self.bank)),
            self.read_address.eq(Cat(self.destination, self.bank)),
            write.addr.eq(self.write_address),
            write.data.eq(self.entry),
            write.en.eq(self.writes),
            read.addr.eq(self.read_address),
            self.select.eq(Mux(self.loaded, loaded, by_gates)),
        ]
        for number, turn in enumerate(self.turns):
            out_class = turn.output_vc % network.routing.classes
            if topology.is_local(turn.output_port):
                out_class = 0
            code = layout.const({"port": turn.output_port, "channel_class": out_class})
            m.d.comb += loaded[number].eq(read.data == code.as_value())
        fixed = self._fixed
        if fixed is not None:
            m.submodules.fixed = fixed
            m.d.comb += [
                fixed.address.eq(self.address),
                fixed.destination.eq(self.destination),
                *(getattr(fixed, name).eq(getattr(self, name)) for name in fixed._inputs()),
            ]
            for number, turn in enumerate(fixed.turns):
                m.d.comb += by_gates[self.turns.index(turn)].eq(fixed.select[number])
        return m
