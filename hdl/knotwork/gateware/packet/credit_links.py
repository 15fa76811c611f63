"""Links that carry credits: their signals, and what a sender knows of the buffer behind.

A flit on such a link is always taken: its sender counts the free places of the buffer behind the
link (`CreditCount`), and each flit that leaves the buffer gives a credit back.
"""

from amaranth.hdl import Assert, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...network import Network
from ..component import Component, explain
from ..layouts import flit_layout


def credit_signature(network: Network) -> wiring.Signature:
    """Channel of a link, seen from its sender.

    Members
    -------
    valid : Out(virtual_channels)
        One-hot: the virtual channel of `flit`, 0 for none. The flit is taken in the same cycle.
    flit : Out(flit_layout)
        0 without a flit.
    credit : In(virtual_channels)
        High for one cycle for each flit that has left the channel's buffer. A sender sends as many
        flits as the buffer holds, and one more for each credit.
    up : In(1)
        The link works, as its receiver says: 0 if it is broken. Only where tables are loaded.
    """
    virtual_channels = network.routing.virtual_channels
    return wiring.Signature(
        {
            "valid": Out(virtual_channels),
            "flit": Out(flit_layout(network)),
            "credit": In(virtual_channels),
            **({"up": In(1)} if network.loads_tables else {}),
        }
    )


class CreditCount(Component):
    """Counts the free places of a buffer behind a link.

    The count follows `taken` one cycle late, so that it is computed from registers alone. `room` is
    exact nevertheless: it is a register, computed from the count and from `taken` itself. Another
    register says whether the count is at least 2, so `count` only distinguishes the numbers from 2
    to `depth`, modulo a power of two.

    Latency
    -------
    1 cycle from `taken` and from `credit` to `room`.

    Parameters
    ----------
    depth : int
        Places, at least 2.
    reports_empty : bool
        Whether the sender must know when the buffer is empty.
    cycles_to_link : int
        Cycles from `taken` to `sent`, 1 or 2.
    refills : bool
        Whether credits can be lost, until `refill` restores all of them.

    Members
    -------
    taken : In(1)
        A place is taken; only with `room`.
    sent : Out(1)
        The flit is on the link.
    credit : In(1)
        A place has become free.
    room : Out(1)
        A place is free.
    all_free : Out(1)
        All places are; only with `reports_empty`.
    refill : In(1)
        All places are free, and no flit or credit is on its way; only with `refills`.
    """

    taken: Signal
    sent: Signal
    credit: Signal
    room: Signal
    all_free: Signal
    refill: Signal

    def __init__(
        self,
        *,
        depth: int,
        reports_empty: bool = False,
        cycles_to_link: int = 1,
        refills: bool = False,
    ) -> None:
        self._depth, self._reports_empty, self._cycles_to_link = (
            depth,
            reports_empty,
            cycles_to_link,
        )
        self._refills = refills
        # Amaranth's stub does not know that a member has an initial value.
        raised = Out(1, init=1)  # pyright: ignore[reportCallIssue]
        members = {"taken": In(1), "sent": Out(1), "credit": In(1), "room": raised}
        members |= {"all_free": raised} if reports_empty else {}
        super().__init__(members | ({"refill": In(1)} if refills else {}))

    @property
    def variant(self) -> str:
        return f"{self._depth}" + "_of_all" * self._reports_empty

    def elaborate(self, platform: object) -> Module:
        m = Module()
        staged = self._cycles_to_link > 1
        taken = Signal(name="taken_before") if staged else self.sent
        self.taken_before = taken
        several, every = self._counted(m, taken)
        m.d.sync += [
            taken.eq(self.taken),
            self.room.eq(Mux(self.taken, several, self.room | self.credit)),
            Assert(self.room | ~self.taken, "credits: a flit must not be sent without a credit"),
        ]
        if staged:
            m.d.sync += self.sent.eq(taken)
        if self._reports_empty:
            m.d.sync += self.all_free.eq(every & ~self.taken)
        if not self._refills:
            return m
        return ResetInserter(self.refill)(m)  # pyright: ignore[reportReturnType]: as good as one

    def _counted(self, m: Module, taken: Value) -> tuple[Value, Value]:
        """Whether at least two, and whether all places are free, but for what is taken now.

        `taken` is that of the cycle before; where it is 0, `room` is 0 if the count is 0.
        """
        depth, bits = self._depth, count_bits(self._depth)
        two = Signal(init=1)
        self.two = two
        # `two` separates 0 and 1 from the rest, so `count` may wrap: only differences matter.
        count = Signal(bits, init=depth % (1 << bits))
        self.count = count
        explain(count, "Free places, modulo a power of two; a bit turns where all below it wrap.")

        def is_at(places: int) -> Value:
            """Whether so many are free, if two are."""
            return count == places % (1 << bits)

        after_two, changes = Signal(name="after_two"), taken ^ self.credit
        if_taken, if_not = self.credit | ~is_at(2), self.credit & self.room
        m.d.comb += after_two.eq(Mux(taken, two & if_taken, two | if_not))
        m.d.sync += two.eq(after_two)
        # Up and down in one chain of XORs: a bit turns where all below it are 1 (up) or 0 (down).
        # An adder would need a second operand, chosen by `taken`.
        turns = changes
        for bit in count:
            m.d.sync += bit.eq(bit ^ turns)
            turns = turns & (bit ^ taken)
        # Two places are all of two; without `reports_empty`, nobody needs to know of all.
        if depth == 2 or not self._reports_empty:
            return after_two, after_two
        all_but_taken = Signal(init=1)
        self.all_but_taken = all_but_taken
        after_all = Signal()
        gains_last = ~taken & two & is_at(depth - 1)
        m.d.comb += after_all.eq(Mux(changes, gains_last, all_but_taken))
        m.d.sync += all_but_taken.eq(after_all)
        return after_two, after_all


def count_bits(depth: int) -> int:
    """Bits that distinguish the numbers from 2 to `depth`."""
    return (depth - 2).bit_length()
