"""Input channels of a packet router as proofs observe them: packets, flits and gates."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...gateware.layouts import label_width
from ...gateware.packet.inputs import input_unicast_turns, other_ways, route_pin
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...gateware.parts.buffer import TAPS
from ...gateware.parts.network_routes import branch_computation, route_computation
from ...gateware.parts.table_route import TableRoute
from ...gateware.router_class import node_suffix
from ...network import Network, RouterKind
from ...routing import Turn
from ..harness import Harness


@cache
def pointer_order(depth: int) -> list[int]:
    """Places of a memory of `depth` words in the order of their use, from 0 on.

    A power of two goes by a shift register of maximum length, with 0 put in beside 1 0...0; other
    depths count.
    """
    bits = (depth - 1).bit_length()
    if depth != 1 << bits or bits not in TAPS:
        return list(range(depth))
    order = [0]
    while len(order) < depth:
        last = order[-1]
        parity = sum(last >> tap & 1 for tap in TAPS[bits]) & 1
        taken = parity ^ (last & ((1 << (bits - 1)) - 1) == 0)
        order.append((last << 1 | taken) & (depth - 1))
    return order


def skid_path(network: Network, port: int) -> str:
    """Path of the skid buffer of the node at a port; it is the marker's where there is parity."""
    inside = "marker.skid" if network.has_parity else "skid"
    return f"node_interface{node_suffix(network, port)}.{inside}"


def is_guarded(flit: data.View) -> bool:
    """Whether flits have parity."""
    return "wrong" in flit.shape().members


def voted_last(flit: data.View) -> Value:
    """Whether a flit is its packet's last, by two of its three marks."""
    if not is_guarded(flit):
        return flit.last
    marks = Cat(flit.last, flit.last_copies)
    return Cat(marks == value for value in (0b011, 0b101, 0b110, 0b111)).any()


def has_broken_header(flit: data.View) -> Value:
    """Whether the parity of a flit's addresses, and of the mark of a broadcast, is wrong."""
    names = ("destination", "source", "broadcast", "header_parity")
    return Cat(flit[name] for name in names if name in flit.shape().members).xor()


def is_wrong(flit: data.View, address: Value) -> Value:
    """Whether a flit that is ejected is broken, or another node's."""
    members = flit.shape().members
    names = ("data", "chain", "lost", "data_parity")
    has_broken_data = Cat(flit[name] for name in names if name in members).xor()
    is_other = flit.destination[: len(address)] != address
    if "broadcast" in members:
        is_other &= ~flit.broadcast
    return has_broken_data | has_broken_header(flit) | is_other


class PassingPacket(NamedTuple):
    """Position of a stream of flits in its packet.

    Members
    -------
    open : Value
        The last flit that passed was not the tail of its packet.
    turn, header : Value
        Turn and header of that flit.
    """

    open: Value
    turn: Value
    header: Value


class NodePacket(NamedTuple):
    """Packet that the node sends into an input channel, beat by beat.

    Members
    -------
    under_way : Value
        Some of its beats have entered the channel, and its last has not.
    destination, source : Value
        Its addresses.
    is_broadcast : Value
        The packet is a broadcast.
    beats : Value
        Beats of it that were taken, counted up to the longest broadcast.
    cancels : Value
        The beat that is offered makes the broadcast too long.
    """

    under_way: Value
    destination: Value
    source: Value
    is_broadcast: Value
    beats: Value
    cancels: Value


def header_of(flit: data.View) -> Value:
    """What all flits of a packet share: the destination; where packets branch, all but the data.

    With parity they share nothing: any bit of one may be wrong.
    """
    if is_guarded(flit):
        return Const(0, 1)
    if "broadcast" not in flit.shape().members:
        return Value.cast(flit.destination)
    return Cat(flit.destination, flit.source, flit.broadcast)


def channel_name(network: Network, port: int, vc: int) -> str:
    """Name of an input channel in Verilog and in properties, ``local_vc0``."""
    return f"{network.topology.ports[port]}_vc{vc}"


class InputChannel(ABC):
    """One virtual channel of an input port, with its buffer: packets come and leave one by one.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    port, vc : int
        Input port and virtual channel.

    Members
    -------
    name : str
        As of `channel_name`.
    is_local : bool
        A node sends into it.
    turns : tuple of Turn
        Turns of its flits, by the bits of `turn` in an entry.
    ways : int
        Ways of a flit; `turn` in an entry has those bits for each of them, the first way lowest.
    depth : int
        Flits that the buffer holds.
    offered, arrives : Signal
        A flit is offered to the buffer; the buffer takes it.
    valid : Signal
        The buffer shows a flit.
    """

    offered: Signal
    arrives: Signal
    valid: Signal

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        self._harness = harness
        self.port, self.vc = port, vc
        self.is_local = port in kind.node_ports
        self.name = channel_name(network, port, vc)
        self.turns = tuple(t for t in kind.turns if (t.input_port, t.input_vc) == (port, vc))
        self.depth = network.depth_at(kind.router, port)
        self.ways = 1

    @property
    @abstractmethod
    def entry(self) -> data.View:
        """Flit that is offered, and its turns."""

    @property
    @abstractmethod
    def front_flit(self) -> data.View:
        """Flit that the buffer shows."""

    @property
    @abstractmethod
    def leaves(self) -> Value:
        """Whether the flit that is shown leaves the router."""

    @property
    @abstractmethod
    def front_turn(self) -> Value:
        """Turn of the flit that is shown, a bit each."""

    @property
    def is_routed(self) -> Value:
        """Whether the turns of what is offered are those of its own header."""
        return Const(1)

    @abstractmethod
    def is_legal(self) -> Value:
        """Whether the routing can bring here what is offered."""

    def may_take(self, turn: Value) -> Value:
        """Whether an entry may have this `turn`."""
        return turn.any() & is_one_hot_or_zero(turn)

    def turn_by(self, ways: Sequence[Turn]) -> int:
        """`turn` of an entry whose flit has these ways; where it has no others, the first again."""
        numbers = [self.turns.index(turn) for turn in ways]
        numbers += numbers[:1] * (self.ways - len(ways))
        return sum(1 << way * len(self.turns) + number for way, number in enumerate(numbers))

    @property
    def labels(self) -> Sequence[Value]:
        """By turn, the label with which a copy of the flit that is offered leaves; none without."""
        return ()

    def continues(self) -> Value:
        """Whether what is offered continues its packet, or begins one."""
        packet, entry = self.incoming, self.entry
        alike = (packet.turn == entry.turn) & (packet.header == header_of(entry.flit))
        return ~self.offered | ~packet.open | alike

    def requests(self, turn: Turn) -> Value:
        """Whether the packet that is shown asks for the output of this turn."""
        return self.valid & self.front_turn[self.turns.index(turn)]

    def leaves_by(self, turn: Turn) -> Value:
        """Whether the flit that is shown leaves by this turn."""
        return self.leaves & self.front_turn[self.turns.index(turn)]

    def departing(self, turn: Turn) -> PassingPacket:
        """Packet on its way out by this turn."""
        packet = self.outgoing
        takes = packet.turn[self.turns.index(turn)]
        return PassingPacket(packet.open & takes, takes, packet.header)

    def entering(self, node: NodePacket) -> Sequence[Value]:
        """What must hold of the packet that enters, so that it is the one that the node sends."""
        packet = self.incoming
        return [
            ~packet.open | (packet.turn == self.entry.turn),
            packet.open == node.under_way,
            *self._entering_header(node),
        ]

    def _entering_header(self, node: NodePacket) -> Sequence[Value]:
        """What must hold of the header of the packet that enters."""
        packet = self.incoming
        return [~packet.open | (packet.header == node.destination), self.continues()]

    def leaving(self) -> Sequence[Value]:
        """What must hold of the turns by which a packet is on its way out."""
        packet = self.outgoing
        return [~packet.open | (packet.turn.any() & is_one_hot_or_zero(packet.turn))]

    @cached_property
    def incoming(self) -> PassingPacket:
        """Packet that comes in."""
        return self._passing("in", self.arrives, *self._arrival)

    @property
    def _arrival(self) -> tuple[data.View, Value]:
        """Flit that comes, and its turns."""
        return self.entry.flit, self.entry.turn

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet that leaves."""
        return self._passing("out", self.leaves, self.front_flit, self.front_turn)

    def _passing(
        self, name: str, passes: Value, flit: data.View, flit_turn: Value
    ) -> PassingPacket:
        harness, header = self._harness, header_of(flit)
        found = PassingPacket(
            open_ := harness.register(1, f"{name}_open_{self.name}"),
            turn := harness.register(len(flit_turn), f"{name}_turn_{self.name}"),
            header,
        )
        with harness.m.If(passes):
            harness.m.d.sync += [open_.eq(~flit.last), turn.eq(flit_turn)]
        if isinstance(header, Const):  # flits share none: a register could have any value
            return found
        kept = harness.register(len(header), f"{name}_header_{self.name}")
        with harness.m.If(passes):
            harness.m.d.sync += kept.eq(header)
        return found._replace(header=kept)


class Token:
    """Any one flit on its way through a buffer.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    channel : InputChannel
        Channel of the buffer.
    slot : Value
        Place where the flit that comes is written.
    level : Value
        Flits in the buffer.
    leaves : Value
        The first of them leaves it.

    Members
    -------
    inside : Signal
        It is there.
    ahead : Signal
        Flits before it.
    slot : Signal
        Place where it was written.
    expected : View
        The flit and its turns when it came.
    first : Signal
        It is the head of its packet.
    """

    def __init__(
        self, harness: Harness, channel: InputChannel, *, slot: Value, level: Value, leaves: Value
    ) -> None:
        m, name, entry = harness.m, channel.name, channel.entry
        self.inside = harness.register(1, f"inside_{name}")
        self.ahead = harness.register(range(channel.depth), f"ahead_{name}")
        self.slot = harness.register(len(slot), f"slot_{name}")
        self.expected = harness.record(entry.shape(), f"expected_{name}")
        self.first = harness.register(1, f"first_{name}")
        comes = harness.named(~self.inside & channel.arrives & harness.any_value(), f"comes_{name}")
        with m.If(comes):
            m.d.sync += [
                self.inside.eq(1),
                self.ahead.eq(level - leaves),
                self.slot.eq(slot),
                self.expected.eq(entry),
                self.first.eq(~channel.incoming.open),
            ]
        with m.Elif(self.inside & leaves):
            m.d.sync += [self.inside.eq(self.ahead != 0), self.ahead.eq(self.ahead - 1)]


_Route = tuple[tuple[Turn, ...], bool, int | None, str]
"""Turns between which gates choose, whether they escape, the rule's class, pin of a table."""


class Choice(NamedTuple):
    """Turns that the gates choose for a flit.

    Members
    -------
    turns : Signal
        Its turns, a bit each, one way after the other.
    labels : list of Value
        By turn, the label with which a copy leaves; a unicast keeps the bits of its destination.
    """

    turns: Signal
    labels: list[Value]


class Gates:
    """The gates of one input channel, as the router's module has them.

    The proofs hold the Verilog to this reference; `route` and `branches` hold the reference to the
    routing's rule.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    channel : InputChannel
        Input channel.

    Members
    -------
    ways : int
        Ways of a flit; one where packets have no others than the first.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, channel: InputChannel
    ) -> None:
        self._harness, self._network, self._kind = harness, network, kind
        self._name, self._turns = channel.name, channel.turns
        unicast = input_unicast_turns(network, kind, channel.port, channel.vc)
        place = channel.port, channel.vc
        self._routes = [(unicast.turns, unicast.has_escaped, None, route_pin(network, *place))]
        self._routes += [
            (unicast.of_way(way), way.is_escape, way.rule_class, way.pin(network, *place))
            for way in (other_ways(network) if unicast.escapes else ())
        ]
        self.ways = len(self._routes)
        self._branches = kind.branches(channel.port, channel.vc)
        copied = [t for t in kind.broadcast_turns if (t.input_port, t.input_vc) == place]
        self._ejected = () if self._branches else tuple(copied)

    def of(self, flit: data.View, name: str) -> Choice:
        """Choice for a flit; `name` makes this copy of the gates unique."""
        harness, bits = self._harness, label_width(self._network)
        name = f"{name}_{self._name}"
        copy = flit.broadcast if self._branches or self._ejected else 0
        destination = Value.cast(flit.destination)
        labels = dict.fromkeys(self._turns, destination[:bits])
        selects, *others = (self._selects(route, destination, name) for route in self._routes)
        for ones in selects.values():
            ones[:] = [select & ~Value.cast(copy) for select in ones]
        if self._branches:
            branches = branch_computation(self._network)
            branch = branches(self._network, self._branches, router=self._kind.router)
            harness.m.submodules[f"branch_{name}"] = branch
            harness.m.d.comb += [
                branch.address.eq(harness.port("address")),
                branch.source.eq(flit.source),
                branch.label.eq(destination[:bits]),
            ]
            for number, turn in enumerate(self._branches):
                selects[turn].append(branch.select[number] & copy)
                labels[turn] = Mux(copy, branch.labels[number], labels[turn])
        for turn in self._ejected:
            selects[turn].append(Value.cast(copy))
        first, *further = (
            harness.named(Cat(Cat(ones).any() for ones in one.values()), f"way{number}_{name}")
            for number, one in enumerate((selects, *others))
        )
        # A packet that has no other way takes its first one instead.
        ways = Cat(first, *(Mux(way.any(), way, first) for way in further))
        return Choice(
            harness.named(ways, f"turns_{name}"),
            [harness.named(label, f"label_{name}") for label in labels.values()],
        )

    def _selects(self, route: _Route, destination: Value, name: str) -> dict[Turn, list[Value]]:
        """By turn of the channel, what selects it as a way of a packet to one node."""
        turns, escape, rule_class, pin = route
        found: dict[Turn, list[Value]] = {turn: [] for turn in self._turns}
        if not turns:
            return found
        make = route_computation(self._network, escape=escape)
        gates = make(self._network, turns, rule_class=rule_class, router=self._kind.router)
        m = self._harness.m
        m.submodules[f"{pin}_{name}"] = gates
        m.d.comb += [
            gates.address.eq(self._harness.port("address")),
            gates.destination.eq(destination),
        ]
        if isinstance(gates, TableRoute) and gates.rows.width:
            m.d.comb += gates.table.eq(self._harness.port(pin))
        for turn, select in zip(turns, gates.select, strict=True):
            found[turn].append(select)
        return found
