"""Inputs of packet routers: their turns, the tables among these, and what is known of a header.

Some bits of the addresses in a flit follow from the router's own address: they are not stored.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data

from ...network import Network, RouterKind
from ...routing import Turn
from ...routing.walks.headers import HeaderBits
from ..parts.draws import WRITTEN, written_table
from ..parts.network_routes import route_computation
from ..parts.route import RouteComputation, input_turns
from ..parts.table_route import LoadedRoute, RouteTable, TableRoute, route_table
from ..router_class import address_constant, node_suffix
from .classes import known_class_bits


class OtherWay(NamedTuple):
    """One of `Routing.other_ways`, as the inputs of a router have it.

    Members
    -------
    rule_class : int
        What stands for a flit's class where the rule is called for it.
    name : str
        Beginning of its gates' and its selects' names: ``way1``, ...; ``escape`` for the last.
    """

    rule_class: int
    name: str

    @property
    def is_escape(self) -> bool:
        """Whether it leads into the escape classes."""
        return self.name == "escape"

    def select_name(self, vc: int) -> str:
        """Member of a port or a buffer that selects this way of a virtual channel's flits."""
        return f"{self.name}_vc{vc}"

    def pin(self, network: Network, port: int, vc: int) -> str:
        """Name of the router's input for the table of an input's ways."""
        return f"{self.name}s_{network.topology.ports[port]}_vc{vc}"


class UnicastTurns(NamedTuple):
    """Turns of packets to one node from an input.

    Members
    -------
    turns : tuple of Turn
        Those that routes take.
    escapes : tuple of Turn
        Those by which blocked packets escape, into the escape classes.
    has_escaped : bool
        Whether the packets have escaped already.
    """

    turns: tuple[Turn, ...]
    escapes: tuple[Turn, ...]
    has_escaped: bool

    def of_way(self, way: OtherWay) -> tuple[Turn, ...]:
        """Turns of another way of the packets; none where they can have but one."""
        if way.is_escape or not self.escapes:
            return self.escapes
        return self.turns


def other_ways(network: Network) -> list[OtherWay]:
    """Ways of a blocked head beside its first, in the order in which it requests them."""
    *nearer, escape = network.routing.other_ways or (None,)
    found = [OtherWay(number, f"way{place}") for place, number in enumerate(nearer, start=1)]
    return [] if escape is None else [*found, OtherWay(escape, "escape")]


def input_unicast_turns(network: Network, kind: RouterKind, port: int, vc: int) -> UnicastTurns:
    """Turns of packets to one node from an input of a router."""
    classes, escape_class = network.routing.classes, network.routing.escape_class

    def is_escape(turn: Turn) -> bool:
        if network.topology.is_local(turn.output_port):
            return False
        return escape_class is not None and turn.output_vc % classes >= escape_class

    unicast = input_turns(kind, port, vc)
    inside = escape_class is not None and vc % classes >= escape_class
    escapes = () if inside else tuple(turn for turn in unicast if is_escape(turn))
    first = tuple(turn for turn in unicast if turn not in escapes)
    return UnicastTurns(first, escapes, has_escaped=inside)


def select_name(vc: int) -> str:
    """Member of a port or a buffer that selects the turn of a virtual channel's flits."""
    return f"select_vc{vc}"


def select_turns(network: Network, kind: RouterKind, port: int, vc: int) -> tuple[Turn, ...]:
    """Turns of packets to one node by an input channel; with loaded tables any turn."""
    if network.loads_tables:
        return tuple(turn for turn in kind.turns if (turn.input_port, turn.input_vc) == (port, vc))
    return input_unicast_turns(network, kind, port, vc).turns


def known_port_bits(network: Network, kind: RouterKind, port: int) -> HeaderBits:
    """What every router of a kind knows of the flits that come by a port: it is not stored."""
    return known_class_bits(network, kind, network.known_header(kind, port))


def ejecting_turns(kind: RouterKind, port: int) -> dict[int, Turn]:
    """Turns of broadcasts that are ejected to one node and go no further, by virtual channel."""
    turns = [turn for turn in kind.broadcast_turns if turn.input_port == port]
    return {turn.input_vc: turn for turn in turns if not kind.branches(port, turn.input_vc)}


@lru_cache(maxsize=8)
def router_tables(network: Network, kind: RouterKind) -> dict[str, RouteTable]:
    """Tables that each router of a kind has of its own, by the name of the input that takes it."""
    tables = {}
    for port in kind.ports:
        for vc in kind.input_vcs(port):
            unicast = input_unicast_turns(network, kind, port, vc)
            ways = [(route_pin(network, port, vc), unicast.turns, unicast.has_escaped, None)]
            ways += [
                (way.pin(network, port, vc), unicast.of_way(way), way.is_escape, way.rule_class)
                for way in other_ways(network)
            ]
            for name, turns, escape, rule_class in ways:
                if turns and issubclass(route_computation(network, escape=escape), TableRoute):
                    table = route_table(network, turns, router=kind.router, rule_class=rule_class)
                    tables |= {name: table} if table.width else {}
    return tables


def fixed_computation(route: RouteComputation | None) -> RouteComputation | None:
    """Route computation of the network's own routing; beside a table that is loaded too."""
    return route.fixed if isinstance(route, LoadedRoute) else route


def route_pin(network: Network, port: int, vc: int) -> str:
    """Name of the router's input for the table of an input's routes."""
    return f"routes_{network.topology.ports[port]}_vc{vc}"


def address_pins(network: Network, kind: RouterKind) -> dict[str, int]:
    """Bits of a router's inputs for its own address, and for its nodes' where they have others."""
    width = network.topology.address_width
    own = {f"address{node_suffix(network, port)}": width for port in kind.node_ports}
    return {"address": width} | own


def router_numbers(network: Network) -> range:
    """Range of a router's number: of a bit in a network of one too, or Verilog has no such port."""
    return range(max(network.topology.routers, 2))


def constants(network: Network, router: int) -> dict[str, Const]:
    """Constant inputs of a router: addresses, its number, and tables of its own.

    Among these is the one of `parts.draws.WrittenTable`.
    """
    topology, kind = network.topology, network.router_kinds[network.router_number[router]]
    pins = address_constant(network, router)
    if topology.local_ports > 1:
        for port in kind.node_ports:
            code = topology.address(int(topology.local_nodes[router, port]))
            pins[f"address{node_suffix(network, port)}"] = Const(code, topology.address_width)
    if network.loads_tables:
        pins["number"] = Const(router, router_numbers(network))
    written = written_table(network.routing)
    if written is not None and kind.node_ports:
        pins[WRITTEN] = written.constant(router)
    tables = router_tables(network, kind)
    return pins | {name: table.constant(router) for name, table in tables.items()}


def stored_layout(flit: data.StructLayout, known: HeaderBits) -> data.StructLayout:
    """Flit without the bits that are known: what an input port stores, as `carried` gives it.

    What is left of the addresses is one field then, so that it is called the same at all ports.
    """
    if known == HeaderBits():
        return flit
    widths: dict[str, int] = {}
    for name, field in flit:
        width = Value.cast(Signal(field.shape)).shape().width - known.of(name).mask.bit_count()
        role = "header" if name in HeaderBits._fields else name
        widths[role] = widths.get(role, 0) + width
    return data.StructLayout(widths)


def carried(flit: data.View, known: HeaderBits, *, separate: Collection[str] = ()) -> Value:
    """Bits of a flit that do not follow from the router's address, in the order of its layout.

    Without the fields that are `separate`.
    """
    parts = []
    for name, _ in flit.shape():
        if name not in separate:
            field, mask = Value.cast(flit[name]), known.of(name).mask
            parts += [field[low:end] for low, end, is_known in _runs(mask, field) if not is_known]
    return Cat(parts)


def completed(
    flit: data.View,
    known: HeaderBits,
    address: Value,
    bits: Value | None = None,
    *,
    separate: Mapping[str, Value] | None = None,
) -> Value:
    """Flit whose known bits are made of a router's address.

    Parameters
    ----------
    flit : View
        Gives the layout, and the other bits.
    known : HeaderBits
        Which bits are known.
    address : Value
        The router's own.
    bits : Value, optional
        The other bits, as `carried` gives them.
    separate : mapping, optional
        Fields that `bits` is without.
    """
    parts: list[Value] = []
    separate, place = separate or {}, 0
    for name, _ in flit.shape():
        if name in separate:
            parts.append(separate[name])
            continue
        field, (same, inverted) = Value.cast(flit[name]), known.of(name)
        for low, end, is_known in _runs(same | inverted, field):
            if is_known:
                parts += [address[bit] ^ (inverted >> bit & 1) for bit in range(low, end)]
            elif bits is None:
                parts.append(field[low:end])
            else:
                parts.append(bits[place : place + end - low])
                place += end - low
    return Cat(parts)


def _runs(mask: int, field: Value) -> Iterator[tuple[int, int, bool]]:
    """Neighbouring bits of a field that are alike in a mask: first, end, and whether it has them.

    A slice per bit of a wide field would have Amaranth walk the field once for each of its bits.
    """
    low, width = 0, len(field)
    while low < width:
        end, is_set = low + 1, bool(mask >> low & 1)
        while end < width and bool(mask >> end & 1) == is_set:
            end += 1
        yield low, end, is_set
        low = end


def input_route(network: Network, kind: RouterKind, port: int, vc: int) -> RouteComputation | None:
    """Gates that choose the turns of an input channel's packets to one node."""
    unicast = input_unicast_turns(network, kind, port, vc)
    fixed = gates_between(network, kind, unicast.turns, escape=unicast.has_escaped)
    if network.loads_tables:
        turns = select_turns(network, kind, port, vc)
        return LoadedRoute(network, turns, fixed, router=kind.router)
    return fixed


def gates_between(
    network: Network,
    kind: RouterKind,
    turns: tuple[Turn, ...],
    *,
    escape: bool,
    rule_class: int | None = None,
) -> RouteComputation | None:
    """Gates that choose between turns, as the rule does; None without one."""
    make = route_computation(network, escape=escape)
    return make(network, turns, rule_class=rule_class, router=kind.router) if turns else None


def other_gates(
    network: Network, kind: RouterKind, way: OtherWay, turns: tuple[Turn, ...]
) -> RouteComputation | None:
    """Gates that choose between the turns of another way; None without one."""
    return gates_between(network, kind, turns, escape=way.is_escape, rule_class=way.rule_class)


CELL_BITS = 4
"""Width of a cell of distributed RAM."""


def separate_fields(network: Network, stored: data.StructLayout) -> tuple[str, ...]:
    """Fields that a RAM of flits is without: the mark of a tail, where that saves a cell.

    Not with parity, which is of the flit as it arrived.
    """
    return ("last",) if stored.size % CELL_BITS == 1 and not network.has_parity else ()


Selects: TypeAlias = list[tuple[int, Value]]
"""Positions in `output_classes`, and for each a value that selects it."""


def assign_selected(m: Module, selected: Signal, selects: Selects) -> None:
    """Assign a bit per output class, of values that select them; several may select one."""
    found: dict[int, list[Value]] = {}
    for place, select in selects:
        found.setdefault(place, []).append(select)
    for place, values in found.items():
        m.d.comb += selected[place].eq(values[0] if len(values) == 1 else Cat(values).any())
