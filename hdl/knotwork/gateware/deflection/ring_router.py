"""Router of rings that lead one way: two multiplexers, and a register at each output."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal

from ..parts.factors import product_topology
from .layouts import packet_layout
from .node import BufferlessRouter, Ejection, selected


class RingDeflectionRouter(BufferlessRouter):
    """Router with a row and a column that lead one way.

    What comes by the row goes on there or, in its destination's column, turns into the column. What
    comes by the column goes on there, or along the row where another turns in. The node's packet
    enters where the port that it wants is free. What goes into the column here and is at its end is
    ejected if the node has room, over the column's multiplexer.

    A packet in a column is in its destination's: the column's links and multiplexers do not carry
    the row's position.

    Latency
    -------
    1 clock from link to link, from `inject` to a link, and from a link or `inject` to `eject`.

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

        # Both multiplexers look at `turns` last and at registers before: two LUT4s a bit each.
        turns, along_taken, down_taken, wants_column = Signal(), Signal(), Signal(), Signal()
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
        along: Any = Signal(layout)
        down: Any = Signal(layout)
        going_down, ends = Signal(), Signal()
        ejection = Ejection(m, self.eject)
        m.d.comb += [
            along.eq(selected(layout, turns, side, ahead)),
            # What came by the column wants this one, as does what turns.
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
