"""Round-robin arbiters: of an output's virtual channel, and of the switch."""

from amaranth.hdl import Assert, Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ..component import Component


def next_after(request: Value, last: Value) -> Value:
    """One-hot: the first bit of `request` after the one-hot `last`, in cyclic order.

    A bit is granted if no bit before it is requested. Which bits are before it depends on `last`
    alone, so a request passes only one AND-OR.
    """
    count = len(request)
    grants = []
    for bit in range(count):
        before = []
        for other in range(count):
            if other != bit:
                # `other` comes first if `last` lies in other's predecessors back to `bit`.
                lasts = [(bit + step) % count for step in range((other - bit) % count)]
                before.append(request[other] & Cat(last[place] for place in lasts).any())
        grants.append(request[bit] & ~Cat(before).any())
    return Cat(grants)


def is_one_hot_or_zero(value: Value) -> Value:
    """Whether at most one bit is set."""
    pairs = [value[i] & value[:i].any() for i in range(1, len(value))]
    return ~Cat(pairs).any()


class RoundRobinArbiter(Component):
    """State of a round-robin arbiter: the requester served last, and whether it continues."""

    request: Signal
    grant: Signal
    taken: Signal
    tail: Signal

    def __init__(self, *, requesters: int) -> None:
        if requesters < 1:
            raise ValueError(f"requesters must be at least 1, not {requesters!r}")
        self._requesters = requesters
        super().__init__(
            {
                "request": In(requesters),
                "grant": Out(requesters),
                "taken": In(1),
                "tail": In(1),
            }
        )

    @property
    def variant(self) -> str:
        return f"{self._requesters}way"

    @property
    def requesters(self) -> int:
        """Number of requesters."""
        return self._requesters

    def _state(self, m: Module) -> tuple[Signal, Signal]:
        """Requester served last, one-hot (after a reset the highest, so 0 comes next), and hold."""
        last = Signal(self._requesters, init=1 << (self._requesters - 1))
        hold = Signal()
        self.last, self.hold = last, hold
        m.d.sync += Assert(is_one_hot_or_zero(self.grant), "arbiter: grant must be one-hot")
        return last, hold


class ChannelArbiter(RoundRobinArbiter):
    """Gives an output's virtual channel to one packet at a time, round robin.

    The channel belongs to the granted requester from its first grant until its tail is taken,
    whether or not it has a flit in every cycle.

    Latency
    -------
    0 cycles from `request` to `grant`.

    Parameters
    ----------
    requesters : int
        Inputs that can ask, at least 1.

    Members
    -------
    request : In(requesters)
        Requesters that have a flit for this channel.
    grant : Out(requesters)
        One-hot: requester whose flit may cross; 0 where the owner has none.
    taken : In(1)
        The granted flit crosses in this cycle.
    tail : In(1)
        The granted flit is its packet's last.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        last, hold = self._state(m)
        m.d.comb += self.grant.eq(Mux(hold, self.request & last, next_after(self.request, last)))
        with m.If(self.grant.any()):
            m.d.sync += [last.eq(self.grant), hold.eq(~(self.taken & self.tail))]
        return m


class SwitchArbiter(RoundRobinArbiter):
    """Offers one side of the crossbar, cycle by cycle, to one of several virtual channels.

    It stays with a packet while that packet moves: a requester that crossed in the last cycle, and
    not with its tail, is granted again if it requests again. Otherwise round robin starts after the
    last requester that crossed.

    Latency
    -------
    0 cycles from `request` to `grant`.

    Parameters
    ----------
    requesters : int
        Virtual channels that can ask, at least 1.

    Members
    -------
    request : In(requesters)
        Channels whose flit could cross in this cycle.
    grant : Out(requesters)
        One-hot.
    taken : In(1)
        The granted flit crosses in this cycle.
    tail : In(1)
        The granted flit is its packet's last.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        last, hold = self._state(m)
        stays = hold & (self.request & last).any()
        m.d.comb += self.grant.eq(Mux(stays, last, next_after(self.request, last)))
        m.d.sync += hold.eq(self.taken & ~self.tail)
        with m.If(self.taken):
            m.d.sync += last.eq(self.grant)
        return m
