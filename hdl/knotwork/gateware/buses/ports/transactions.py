"""Transactions under way: their identifiers, their order, their number."""

from amaranth.hdl import Array, Assert, Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ....system.bus import BusParameters
from ..packets.layouts import tag_width


class Transactions(wiring.Component):
    """Numbers the transactions of one direction that are under way at an initiator.

    It lets none begin whose identifier another has that goes elsewhere: a target answers in order,
    so answers with one identifier come in the order of their requests.

    Latency
    -------
    0 cycles from `id` and `node` to `free`; a transaction counts from the cycle after `begins` to
    that of `ends`.

    Parameters
    ----------
    bus : BusParameters
        `outstanding` and `id_width`.
    address_width : int
        Bits of a node's address.

    Members
    -------
    id, node : In
        Identifier and node of the transaction that would begin.
    is_local : In(1)
        It goes to no node.
    free : Out(1)
        It may begin.
    tag : Out(tag_width)
        Number that it then gets.
    begins : In(1)
        It begins; only while `free`.
    ends : In(1)
        The transaction `ended` ends.
    ended : In(tag_width)
        Its number.
    ended_id : Out(id_width)
        Its identifier.

    References
    ----------
    IHI 0022, A5.3 and A6: transactions with one identifier are answered in order.
    """

    id: Signal
    node: Signal
    is_local: Signal
    free: Signal
    tag: Signal
    begins: Signal
    ends: Signal
    ended: Signal
    ended_id: Signal

    def __init__(self, *, bus: BusParameters, address_width: int) -> None:
        self._bus = bus
        self._row = data.StructLayout({"id": bus.id_width, "node": address_width, "is_local": 1})
        tag = unsigned(tag_width(bus))
        super().__init__(
            {
                "id": In(bus.id_width),
                "node": In(address_width),
                "is_local": In(1),
                "free": Out(1),
                "tag": Out(tag),
                "begins": In(1),
                "ends": In(1),
                "ended": In(tag),
                "ended_id": Out(bus.id_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = self._bus.outstanding
        used, conflicts = Signal(count, name="used"), Signal(count, name="conflicts")
        rows = [Signal(self._row, name=f"row_{number}", reset_less=True) for number in range(count)]
        tag: Value = Const(0, len(self.tag))
        for number in reversed(range(count)):
            row = rows[number]
            elsewhere = (row.node != self.node) | (row.is_local != self.is_local)
            m.d.comb += conflicts[number].eq(used[number] & (row.id == self.id) & elsewhere)
            tag = Mux(used[number], tag, number)
        m.d.comb += [
            self.tag.eq(tag),
            self.free.eq(~used.all() & ~conflicts.any()),
            self.ended_id.eq(Array(row.id for row in rows)[self.ended]),
        ]
        for number, row in enumerate(rows):
            with m.If(self.ends & (self.ended == number)):
                m.d.sync += used[number].eq(0)
            with m.If(self.begins & (self.tag == number)):
                m.d.sync += [used[number].eq(1), row.eq(Cat(self.id, self.node, self.is_local))]
        wrong = self.begins & ~self.free
        m.d.sync += Assert(~wrong, "transactions: none must begin that is not free to")
        return m
