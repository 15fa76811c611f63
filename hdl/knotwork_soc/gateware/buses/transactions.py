"""Transactions of an initiator that are under way, in the order of their answers."""

from amaranth.hdl import Array, Assert, Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component

from ...parameters import BusParameters
from .guards import SilenceTimer
from .packets import EPOCH_WIDTH, number_width, tag_width


def lost_after(bus: BusParameters) -> int:
    """Cycles without any answer after which those that are owed count as lost."""
    return 16 * (bus.timeout + bus.burst)


class Transactions(Component):
    """Numbers the transactions of one direction that are under way at an initiator.

    It lets none begin whose identifier another has that goes elsewhere: a target answers in order,
    so answers with one identifier come in the order of their requests.

    With parity packets may be lost. One transaction of each identifier is then under way at a time,
    so that no answer can stand for one before it. Where no answer comes for `lost_after` cycles,
    those that are owed are `lost`: none begins until each was answered by the initiator itself, and
    a late answer is not `wanted`.

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
    has_parity : bool
        Whether packets may be lost.

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
    length : In(8)
        That of the transaction that would begin; this and all that follows only with parity.
    arrives : In(1)
        An answer with the tag `arrived` is taken; only while `wanted`.
    arrived : In(tag_width)
        Tag of an answer that has come.
    wanted : Out(1)
        Whether a transaction waits for the answer `arrived`.
    lost : Out(1)
        Transactions are lost; `lost_number`, `lost_id` and `lost_length` are of one of them.
    forgets : In(1)
        This lost transaction waits for no answer any more; only while `lost`.
    frees : In(1)
        With `forgets`: it has also ended.

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
    length: Signal
    arrives: Signal
    arrived: Signal
    wanted: Signal
    lost: Signal
    lost_number: Signal
    lost_id: Signal
    lost_length: Signal
    forgets: Signal
    frees: Signal

    def __init__(self, *, bus: BusParameters, address_width: int, has_parity: bool = False) -> None:
        self._bus, self._has_parity = bus, has_parity
        row = {"id": bus.id_width, "node": address_width, "is_local": 1}
        self._row = data.StructLayout(row | ({"length": 8} if has_parity else {}))
        tag = unsigned(tag_width(bus, has_parity=has_parity))
        number = number_width(bus)
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
            | (
                {
                    "length": In(8),
                    "arrives": In(1),
                    "arrived": In(tag),
                    "wanted": Out(1),
                    "lost": Out(1),
                    "lost_number": Out(number),
                    "lost_id": Out(bus.id_width),
                    "lost_length": Out(8),
                    "forgets": In(1),
                    "frees": In(1),
                }
                if has_parity
                else {}
            )
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = self._bus.outstanding
        used, conflicts = Signal(count, name="used"), Signal(count, name="conflicts")
        rows = [Signal(self._row, name=f"row_{number}", reset_less=True) for number in range(count)]
        self.used, self.rows = used, rows
        bits = number_width(self._bus)
        tag: Value = Const(0, bits)
        for number in reversed(range(count)):
            row = rows[number]
            elsewhere = (row.node != self.node) | (row.is_local != self.is_local)
            if self._has_parity:  # of an identifier, one at a time
                elsewhere = Const(1)
            m.d.comb += conflicts[number].eq(used[number] & (row.id == self.id) & elsewhere)
            tag = Mux(used[number], tag, number)
        lost, epoch = self._losses(m, tag, used, rows)
        fields = [self.id, self.node, self.is_local, *([self.length] if self._has_parity else [])]
        m.d.comb += [
            self.tag.eq(Cat(tag, epoch)),
            self.free.eq(~used.all() & ~conflicts.any() & ~lost),
            self.ended_id.eq(Array(row.id for row in rows)[self.ended[:bits]]),
        ]
        for number, row in enumerate(rows):
            with m.If(self.ends & (self.ended[:bits] == number)):
                m.d.sync += used[number].eq(0)
            with m.If(self.begins & (self.tag[:bits] == number)):
                m.d.sync += [used[number].eq(1), row.eq(Cat(*fields))]
        wrong = self.begins & ~self.free
        m.d.sync += Assert(~wrong, "transactions: none must begin that is not free to")
        return m

    def _losses(
        self, m: Module, number: Value, used: Signal, rows: list[data.View]
    ) -> tuple[Value, Value]:
        """Whether transactions are lost, and the epoch; which are owed an answer is kept here."""
        if not self._has_parity:
            return Const(0), Const(0, 0)
        bits, count = number_width(self._bus), self._bus.outstanding
        owed, epoch = Signal(count, name="owed"), Signal(EPOCH_WIDTH, name="epoch")
        was_lost = Signal(name="was_lost")
        m.submodules.timer = timer = SilenceTimer(timeout=lost_after(self._bus))
        wanted = Array(owed)[self.arrived[:bits]] & (self.arrived[bits:] == epoch)
        lost: Value = Const(0, bits)
        for each in reversed(range(count)):
            lost = Mux(owed[each], each, lost)
        m.d.comb += [
            timer.waits.eq(owed.any() & ~self.arrives & ~self.lost),
            timer.over.eq(~owed.any()),
            # The epoch is another from the first cycle of a loss on.
            self.wanted.eq(wanted & ~self.lost),
            self.lost.eq(timer.silent & owed.any()),
            self.lost_number.eq(lost),
            self.lost_id.eq(Array(row.id for row in rows)[lost]),
            self.lost_length.eq(Array(row.length for row in rows)[lost]),
        ]
        m.d.sync += was_lost.eq(self.lost)
        with m.If(self.lost & ~was_lost):
            m.d.sync += epoch.eq(epoch + 1)
        for each in range(count):
            with m.If(self.arrives & (self.arrived[:bits] == each)):
                m.d.sync += owed[each].eq(0)
            with m.If(self.forgets & (self.lost_number == each)):
                m.d.sync += owed[each].eq(0)
            with m.If(self.forgets & self.frees & (self.lost_number == each)):
                m.d.sync += used[each].eq(0)
            with m.If(self.begins & ~self.is_local & (number == each)):
                m.d.sync += owed[each].eq(1)
        return self.lost, epoch
