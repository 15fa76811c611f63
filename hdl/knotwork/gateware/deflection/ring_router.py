"""Bufferless router of one-way rings: two multiplexers, and a register at each output."""

from amaranth.hdl import Module, Mux, Signal

from ...untyped import View
from ..parts.factors import product_topology
from .layouts import packet_layout
from .node import BufferlessRouter, Ejection, selected


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
