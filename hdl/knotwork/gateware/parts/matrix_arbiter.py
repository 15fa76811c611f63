"""Matrix arbiter: the least recently served goes first; a packet stays first until its tail."""

from itertools import combinations

from amaranth.hdl import Assert, Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ..component import Component, explain
from .arbiter import is_one_hot_or_zero


class MatrixArbiter(Component):
    """Grants the first of its requesters, by an order that each grant changes.

    One bit per pair of requesters says which of them comes first. A requester goes behind all
    others when the tail of its packet is granted, and before all others when another flit is: so a
    packet is not interrupted while it can move, and no packet is passed over for ever.

    Where packets are not interleaved, a packet under way comes first, and only it can be served;
    between packets either all requesters can be served or none. So the first requester is chosen
    without `able`, which arrives later in the cycle, and is granted if it is able.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    requesters : int
        At least 1; after a reset they come first to last.
    interleaved : bool
        Others can be served between the flits of a packet. Without it the first requester must be
        able, if any is.
    gated : bool
        There is a member `open`.

    Members
    -------
    request : In(requesters)
        Who requests.
    able : In(requesters)
        Who of them can be served: it may come later in the cycle than `request`.
    last : In(requesters)
        The flit of that requester is its packet's last.
    grant : Out(requesters)
        One-hot; 0 if nobody requests.
    open : In(1)
        Without it nobody is granted; only if `gated`.

    References
    ----------
    W. J. Dally, B. Towles: Principles and Practices of Interconnection Networks, section 18.5
    (matrix arbiter).
    """

    request: Signal
    able: Signal
    last: Signal
    grant: Signal
    open: Signal

    def __init__(self, *, requesters: int, interleaved: bool = True, gated: bool = False) -> None:
        self._requesters = requesters
        self._interleaved = interleaved
        self._gated = gated
        members = {name: In(requesters) for name in ("request", "able", "last")}
        members |= {"grant": Out(requesters)}
        super().__init__(members | ({"open": In(1)} if gated else {}))

    @property
    def variant(self) -> str:
        return f"{self._requesters}way" + "_interleaved" * self._interleaved

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.first = first = self._order(m)
        for one in range(self._requesters):
            others = [other for other in range(self._requesters) if other != one]
            # The order meets `request` before the late `able` does.
            ahead = {other: self.request[other] & first[other, one] for other in others}
            if self._interleaved:
                ahead = {other: comes & self.able[other] for other, comes in ahead.items()}
            granted = self.request[one] & self.able[one] & ~Cat(ahead.values()).any()
            m.d.comb += self.grant[one].eq(granted & self.open if self._gated else granted)
        some = (self.request & self.able).any()
        some = some & self.open if self._gated else some
        m.d.sync += Assert(
            is_one_hot_or_zero(self.grant) & (self.grant.any() == some),
            "matrix arbiter: one requester must be first",
        )
        return m

    def _order(self, m: Module) -> dict[tuple[int, int], Value]:
        """Whether the first of two requesters comes before the second, and what grants change."""
        # A bit per pair instead of a pointer: a grant is one AND over its rivals, where round robin
        # must rotate the requests, choose the first, and rotate back.
        first: dict[tuple[int, int], Value] = {}
        goes_on = Signal(name="goes_on")
        if not self._interleaved:
            m.d.comb += goes_on.eq((self.grant & ~self.last).any())
        for one, other in combinations(range(self._requesters), 2):
            bit = Signal(name=f"first_{one}_{other}", init=1)
            if not first:
                explain(
                    bit,
                    "Bit i_j: requester i is before j. The end of a packet sends one behind all.",
                )
            first[one, other], first[other, one] = bit, ~bit
            if self._interleaved:
                # What is known of all grants would come late here: a bit waits for its pair's.
                rises = self.grant[one] & ~self.last[one] | self.grant[other] & self.last[other]
                m.d.sync += bit.eq(rises | (bit & ~self.grant[one] & ~self.grant[other]))
            else:
                with m.If(self.grant[one] | self.grant[other]):
                    m.d.sync += bit.eq(Mux(self.grant[one], goes_on, ~goes_on))
        return first
