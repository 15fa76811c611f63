"""Bufferless routers: of any direct network, and the smaller one of one-way rings."""

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ...routing.deflection import Deflection, Exchange, exchanges
from ...untyped import View
from ..parts.crossbar import one_hot_mux
from ..parts.factors import product_topology
from .node import BufferlessRouter, Ejection, SingleBeats, packet_layout, preference, selected


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
    moves, blocks = Cat(down[0], up[1]), Cat(down[1] & second_wins, up[0] & ~second_wins)
    return (moves & ~blocks).any()


def joins(came: Sides, own: Sides, places: Value) -> Value:
    """Whether the node's packet changes wires with one that came; that one wins.

    Parameters
    ----------
    came, own : Sides
        What the packets that came want, and what the node's packet wants on either wire.
    places : Value
        The wire that the node's packet takes, a bit for each.
    """
    moves, blocks = Cat(own.down[0], own.up[1]), Cat(came.down[1], came.up[0])
    return (places & moves & ~blocks).any()


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


class _Time(NamedTuple):
    """Phase and turn of a cycle.

    Members
    -------
    now : Signal
        Cycles since the reset.
    phase, turn : Value
        Number of the phase, modulo 2, and address whose turn it is.
    """

    now: Signal
    phase: Value
    turn: Value


class _Arrivals(NamedTuple):
    """Packets that came by the links in a cycle, a bit for each link.

    Members
    -------
    present, homes : Signal
        There is a packet; it is for the node.
    firsts : Signal
        It goes before all others here.
    marks : Signal
        It is old, and to the address whose turn it is: it goes first at the next router.
    ends : Signal
        It is the one for the node that is ejected, if the node has room.
    wishes : list of Signal
        Of each packet, the output that it wants, one-hot.
    claimed : Signal
        Outputs that some packet wants.
    """

    present: Signal
    homes: Signal
    firsts: Signal
    marks: Signal
    ends: Signal
    wishes: list[Signal]
    claimed: Signal


class _Entry(NamedTuple):
    """The node's packet in a cycle.

    Members
    -------
    packet : View
        The packet.
    enters : Signal
        It enters.
    place : Signal
        Wire that it takes, one-hot: the lowest without a packet.
    wish : Signal
        Output that it wants, one-hot; 0 if it does not enter.
    ends : Signal
        It enters, and is for the node itself.
    """

    packet: View
    enters: Signal
    place: Signal
    wish: Signal
    ends: Signal


class DeflectionRouter(BufferlessRouter):
    """Router that forwards every packet two cycles after it arrived.

    The first stage chooses a packet for the node, computes the routes, and lets the node's packet
    in. That takes a wire of a link that brings no packet, and waits until no other packet wants the
    same output. In the second stage, the node takes the packet chosen, if it has room. The others
    go through rounds of blocks of two wires, which exchange them, to the outputs. The winner of a
    block leaves by the side that it wants. Where there are old packets to the address whose turn it
    is, only they want an output.

    Latency
    -------
    2 cycles from link to link, from `inject` to a link, and from a link or `inject` to `eject`.

    Parameters
    ----------
    network : Network
        Parameters; the gates of the routing's base compute routes.
    kind : RouterKind
        Connected ports, and the turns from the node.

    Members
    -------
    address, inject, eject, refused, i, o
        See `router_signature`.

    References
    ----------
    As `routing.deflection.Deflection`, which shows that every packet arrives, and
    `routing.exchanges`.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        time = _time(m, self)
        self.now = time.now
        arrivals = self._arrivals(m, time)
        node, injector = self.from_node(m, phase=time.phase, first=Const(0))
        entry = self._entry(m, arrivals, node, injector)
        wires, first_round, ends = self._between(m, time, arrivals, entry)

        ejection = Ejection(m, self.eject)
        ended: View = Signal(packet_layout(self.network))
        leaves = Signal(len(wires))
        m.d.comb += [
            ended.eq(one_hot_mux(list(ends), [wire.packet for wire in wires])),
            leaves.eq(ends & ejection.room.replicate(len(wires))),
        ]
        ejection.give(leaves.any(), ended)
        stay = [wire._replace(valid=wire.valid & ~leaves[n]) for n, wire in enumerate(wires)]
        for name, out, wire in zip(
            self.link_names, self.o, exchanged(m, stay, first_round), strict=True
        ):
            payload = Signal(packet_layout(self.network), reset_less=True, name=f"to_{name}")
            m.d.sync += [out.valid.eq(wire.valid), payload.eq(wire.packet)]
            m.d.comb += out.packet.eq(payload)
        return m

    def _arrivals(self, m: Module, time: _Time) -> _Arrivals:
        """Routes, and the packet that is ejected: of those that go first, or of all, the lowest."""
        names = ("present", "homes", "firsts", "marks", "ends", "claimed")
        present, homes, firsts, marks, ends, claimed = (
            Signal(len(self.i), name=name) for name in names
        )
        wishes = []
        for number, (name, link) in enumerate(zip(self.link_names, self.i, strict=True)):
            wish = Signal(len(self.i), name=f"wish_{name}")
            home, ports = preference(m, self, name, link.packet.destination)
            old = link.valid & (link.packet.phase != time.phase)
            m.d.comb += [
                present[number].eq(link.valid),
                homes[number].eq(link.valid & home),
                firsts[number].eq(link.valid & link.packet.first),
                marks[number].eq(old & (link.packet.destination == time.turn)),
                wish.eq(ports & link.valid.replicate(len(wish))),
            ]
            wishes.append(wish)
        first_homes, served = (Signal(len(self.i), name=name) for name in ("first_homes", "served"))
        m.d.comb += [
            first_homes.eq(homes & firsts),
            served.eq(Mux(first_homes.any(), first_homes, homes)),
            ends.eq(_lowest(served)),
            claimed.eq(Cat(Cat(column).any() for column in zip(*wishes, strict=True))),
        ]
        return _Arrivals(present, homes, firsts, marks, ends, wishes, claimed)

    def _entry(self, m: Module, arrivals: _Arrivals, node: View, injector: SingleBeats) -> _Entry:
        home, ports = preference(m, self, "local", node.destination)
        place, goes_out, wish = (
            Signal(len(self.i), name=name) for name in ("place", "goes_out", "wish_local")
        )
        goes_home, enters, ends = (
            Signal(name=name) for name in ("goes_home", "enters", "ends_own")
        )
        is_open = Signal(name="is_open")
        m.d.comb += [
            is_open.eq(~arrivals.present.all()),
            place.eq(_lowest(~arrivals.present)),
            goes_out.eq(ports & ~arrivals.claimed & is_open.replicate(len(place))),
            goes_home.eq(home & ~arrivals.homes.any() & is_open),
            injector.ready.eq(goes_out.any() | goes_home),
            enters.eq(injector.valid & injector.ready),
            wish.eq(goes_out & injector.valid.replicate(len(place))),
            ends.eq(goes_home & injector.valid),
        ]
        return _Entry(node, enters, place, wish, ends)

    def _between(
        self, m: Module, time: _Time, arrivals: _Arrivals, entry: _Entry
    ) -> tuple[list[Wire], list[Value], Value]:
        """Registers between the stages: wires, swaps of the first round, and who is ejected.

        Where a packet goes first, the others want no output.
        """
        count, layout = len(self.i), packet_layout(self.network)
        names = ("eager", "held_ends", "held_ends_own")
        eager, ends, own_ends = (Signal(count, name=name) for name in names)
        own_wish = Signal(count, name="eager_local")
        any_first = arrivals.firsts.any()
        m.d.comb += [
            eager.eq(arrivals.firsts | (~any_first).replicate(count)),
            own_wish.eq(entry.wish & (~any_first).replicate(count)),
        ]
        m.d.sync += [
            ends.eq(arrivals.ends),
            own_ends.eq(entry.place & entry.ends.replicate(count)),
        ]
        wires, wishes = [], []
        for number, (name, link) in enumerate(zip(self.link_names, self.i, strict=True)):
            came, held_wish = (Signal(count, name=f"{word}_{name}") for word in ("eager", "held"))
            valid = Signal(name=f"valid_{name}")
            kept: View = Signal(layout, reset_less=True, name=f"kept_{name}")
            place = entry.place[number]
            m.d.comb += came.eq(arrivals.wishes[number] & eager[number].replicate(count))
            m.d.sync += [
                valid.eq(link.valid | (place & entry.enters)),
                held_wish.eq(came | (own_wish & place.replicate(count))),
                kept.eq(selected(layout, link.valid, link.packet, entry.packet)),
                kept.first.eq(arrivals.marks[number]),
            ]
            wires.append(Wire(valid, kept.as_value(), held_wish))
            wishes.append(came)
        first_round = []
        for number, block in enumerate(next(iter(exchanges(count)), ())):
            places = Cat(entry.place[wire] for wire in block.wires)
            came, own = (wanted_sides(block, of) for of in (wishes, [own_wish] * count))
            held = Signal(name=f"swap_0_{number}")
            swaps = changes(came, time.now[block.count_bit]) | joins(came, own, places)
            m.d.sync += held.eq(swaps)
            first_round.append(held)
        return wires, first_round, ends | own_ends


def _time(m: Module, router: DeflectionRouter) -> _Time:
    width = router.network.topology.address_width
    low = Deflection.of(router.network.routing).turn_clocks.bit_length() - 1
    now = Signal(low + width + 1, name="now")
    m.d.sync += now.eq(now + 1)
    return _Time(now, now[-1], now[low:-1])


def _lowest(bits: Value) -> Value:
    """Lowest bit that is set, alone."""
    return Cat(bits[k] & ~bits[:k].any() for k in range(len(bits)))


class RingDeflectionRouter(BufferlessRouter):
    """Router on a one-way row and a one-way column.

    A packet from the row stays in the row or, in its destination's column, turns into the column. A
    packet from the column stays in the column, unless a packet turns in: then it goes round the
    row. The node's packet enters if the port that it wants is free. A packet that enters the column
    at its destination is ejected through the column's multiplexer, if the node has room.

    A packet in a column is already in its destination's column, so the column's links and
    multiplexers do not carry the position in the row.

    Latency
    -------
    1 cycle from link to link, from `inject` to a link, and from a link or `inject` to `eject`.

    Parameters
    ----------
    network : Network
        Parameters.
    kind : RouterKind
        All routers of the network.

    Members
    -------
    address, inject, eject, refused, i, o
        See `router_signature`; the row comes first.

    References
    ----------
    As `routing.deflection.RingDeflection`, which shows that every packet arrives.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        layout = packet_layout(self.network)
        bits = product_topology(self.network).factors[0].width
        own_column, own_row = self.address[:bits], self.address[bits:]
        row, column_valid = self.i[0], self.i[1].valid
        node, injector = self.from_node(m)

        # Both multiplexers select by registers first and by `turns` last: two LUT4s per bit each.
        turns = Signal(name="turns")
        along_taken = Signal(name="along_taken")
        down_taken = Signal(name="down_taken")
        wants_column = Signal(name="wants_column")
        m.d.comb += [
            turns.eq(row.valid & (row.packet.destination[:bits] == own_column)),
            along_taken.eq(row.valid & (~turns | column_valid)),
            down_taken.eq(turns | column_valid),
            wants_column.eq(node.destination[:bits] == own_column),
            injector.ready.eq(Mux(wants_column, ~down_taken, ~along_taken)),
        ]
        enters = injector.valid & injector.ready
        side = selected(layout, column_valid, self.i[1].packet, node)
        ahead = selected(layout, row.valid, row.packet, node)
        along: View = Signal(layout)
        down: View = Signal(layout)
        going_down, ends = Signal(name="going_down"), Signal(name="ends")
        ejection = Ejection(m, self.eject)
        m.d.comb += [
            along.eq(selected(layout, turns, side, ahead)),
            # A packet from the column, or one that turns, is in its destination's column.
            along.destination[:bits].eq(
                Mux(along_taken, row.packet.destination[:bits], node.destination[:bits])
            ),
            down.eq(selected(layout, turns, row.packet, side)),
            going_down.eq(down_taken | (enters & wants_column)),
            ends.eq((down.destination[bits:] == own_row) & ejection.room),
        ]
        ejection.give(going_down & ends, down)
        kept = [Signal(layout, reset_less=True, name=f"kept_{way}") for way in ("along", "down")]
        m.d.sync += [
            self.o[0].valid.eq(along_taken | (enters & ~wants_column)),
            self.o[1].valid.eq(going_down & ~ends),
            kept[0].eq(along),
            kept[1].eq(down),
        ]
        m.d.comb += [
            self.o[0].packet.eq(kept[0]),
            self.o[1].packet.eq(kept[1]),
            self.o[1].packet.destination[:bits].eq(own_column),
        ]
        return m
