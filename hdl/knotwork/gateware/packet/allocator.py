"""Allocation of an output port: virtual channels to packets, cycles to virtual channels."""

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...routing import Turn
from ..parts.arbiter import ChannelArbiter, RegisteredChannelArbiter, SwitchArbiter
from ..parts.crossbar import is_smaller_steered, steering


class OutputAllocator(wiring.Component):
    """Grants each virtual channel of an output to a packet, and offers the output to one of them.

    Latency
    -------
    0 cycles from `request` to `granted` and `offer`; for a packet's first flit 1 if `registered`.

    Parameters
    ----------
    turns : tuple of Turn
        Turns to this output, in the order of the members' bits.
    virtual_channels : int
        Width of `ready`.
    branching : bool
        Packets may ask while another flit is shown.
    registered : bool
        Grants are registers: a new packet is granted its channel one cycle after it asks.
    plain : bool
        A granted flit crosses as soon as there is room: no input can decline.

    Members
    -------
    request : In(len(turns))
        The input has a flit that takes this turn.
    tail : In(1)
        The flit that crosses is its packet's last.
    ready : In(virtual_channels)
        Channels with room behind the output.
    granted : Out(len(turns))
        Turns whose flit holds its channel in this cycle; does not depend on `ready`.
    offer : Out(len(turns))
        One-hot: the granted flit that may cross, if its input lets it.
    crosses : In(len(turns))
        Which offer was accepted.
    free : Out(len(channels))
        Which channels no packet holds, in the order of `channels`.
    present : In(len(turns))
        The flit is shown in this cycle; only with `branching` or `registered`.
    could : Out(len(turns))
        The turn is granted, and there is room behind the output; only with `branching`.
    owns : Out(len(turns))
        Turns whose packet holds its channel, whether or not it has a flit; only if `registered`.
    steering : Out(lines)
        Select lines of a `steered_mux` over the turns, for `owns`; only if it `steers`.
    """

    request: Signal
    tail: Signal
    ready: Signal
    granted: Signal
    offer: Signal
    crosses: Signal
    free: Signal
    present: Signal
    could: Signal
    owns: Signal
    steering: Signal

    def __init__(
        self,
        turns: tuple[Turn, ...],
        *,
        virtual_channels: int,
        branching: bool = False,
        registered: bool = False,
        plain: bool = False,
    ) -> None:
        self._turns, self._branching = turns, branching
        self._registered, self._plain = registered, plain
        count = len(turns)
        members = {
            "request": In(count),
            "tail": In(1),
            "ready": In(virtual_channels),
            "granted": Out(count),
            "offer": Out(count),
            "crosses": In(count),
            "free": Out(len(self.channels)),
        }
        if branching or registered:
            members["present"] = In(count)
        if branching:
            members["could"] = Out(count)
        if registered:
            members["owns"] = Out(count)
        if self.steers:
            members["steering"] = Out(len(steering(Signal(count))))
        super().__init__(members)

    @property
    def channels(self) -> list[int]:
        """Virtual channels that turns lead to, rising."""
        return sorted({turn.output_vc for turn in self._turns})

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in the order of the members' bits."""
        return self._turns

    @property
    def steers(self) -> bool:
        """Whether the crossbar's column is a `steered_mux`; its lines have to be registers."""
        return self._registered and self._plain and is_smaller_steered(len(self._turns))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        channels = self.channels
        can_cross = Signal(len(channels))
        for number, vc in enumerate(channels):
            places = [p for p, turn in enumerate(self._turns) if turn.output_vc == vc]
            arbiter = _arbiter(len(places), registered=self._registered, steers=self.steers)
            m.submodules[f"arbiter_vc{vc}"] = arbiter
            shown: Value = arbiter.grant
            if self._branching or self._registered:
                shown = arbiter.grant & Cat(self.present[p] for p in places)
            if self._branching:
                could = shown & self.ready[vc].replicate(len(places))
                m.d.comb += Cat(self.could[p] for p in places).eq(could)
            if isinstance(arbiter, RegisteredChannelArbiter):
                if self.steers:
                    m.d.comb += self.steering.eq(arbiter.steering)
                m.d.comb += Cat(self.owns[p] for p in places).eq(arbiter.grant)
            granted = shown if self._registered else arbiter.grant
            m.d.comb += [
                arbiter.request.eq(Cat(self.request[p] for p in places)),
                Cat(self.granted[p] for p in places).eq(granted),
                can_cross[number].eq(shown.any() & self.ready[vc]),
                arbiter.taken.eq(
                    can_cross[number] if self._plain else Cat(self.crosses[p] for p in places).any()
                ),
                arbiter.tail.eq(self.tail),
                self.free[number].eq(arbiter.free),
            ]
        chosen: Value = self.ready[channels[0]]  # a granted flit may cross if there is room
        if len(channels) > 1:
            m.submodules.switch = switch = SwitchArbiter(requesters=len(channels))
            m.d.comb += [
                switch.request.eq(can_cross),
                switch.taken.eq(self.crosses.any()),
                switch.tail.eq(self.tail),
            ]
            chosen = switch.grant
        for place, turn in enumerate(self._turns):
            holds: Value = self.granted[place]
            if self._branching:
                holds = holds & self.present[place]
            elif self._plain and self._registered:
                holds = self.owns[place]  # offered even to a branch whose flit is not shown
            m.d.comb += self.offer[place].eq(holds & chosen[channels.index(turn.output_vc)])
        return m


def _arbiter(
    requesters: int, *, registered: bool, steers: bool
) -> ChannelArbiter | RegisteredChannelArbiter:
    """Arbiter of a virtual channel of an output."""
    if registered:
        return RegisteredChannelArbiter(requesters=requesters, steers=steers)
    return ChannelArbiter(requesters=requesters)


class InputAllocator(wiring.Component):
    """Accepts one of the offers to the virtual channels of an input port.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    channels : int
        Virtual channels of the input; a single one accepts every offer.

    Members
    -------
    offered : In(channels)
        Channels whose flit was offered its output.
    last : In(channels)
        That flit is its packet's last.
    accepted : Out(channels)
        One-hot: the channel whose flit crosses.
    """

    offered: Signal
    last: Signal
    accepted: Signal

    def __init__(self, *, channels: int) -> None:
        self._channels = channels
        super().__init__({"offered": In(channels), "last": In(channels), "accepted": Out(channels)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._channels == 1:
            m.d.comb += self.accepted.eq(self.offered)
            return m
        m.submodules.switch = switch = SwitchArbiter(requesters=self._channels)
        m.d.comb += [
            switch.request.eq(self.offered),
            self.accepted.eq(switch.grant),
            switch.taken.eq(switch.grant.any()),
            switch.tail.eq((switch.grant & self.last).any()),
        ]
        return m
