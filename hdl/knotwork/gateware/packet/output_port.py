"""Output port: allocation of its virtual channels and of its cycles, and its crossbar column."""

from amaranth.hdl import Assert, Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...untyped import Interface, View
from ..component import Component, explain
from ..layouts import flit_layout
from ..parts.matrix_arbiter import MatrixArbiter
from ..parts.parity import is_guarded, is_wrong, voted_last


class OutputPort(Component):
    """Grants an output to one front in every cycle: virtual channel and crossbar in one step.

    A flit is eligible if there is room behind its virtual channel, and if its packet holds that
    channel or no packet does. There is no multiplexer: each input has a register of its own here,
    cleared in every cycle in which it is not granted, and the output is the OR of them.

    Latency
    -------
    0 cycles from `request` to `granted`; 1 to `flit`, or 2 if `staged`.

    Parameters
    ----------
    network : Network
        Widths.
    inputs : int
        Input ports that can turn here.
    channels : int
        Virtual channels that they can take.
    shares : bool
        Others send by the same link: there are the members `any_eligible` and `open`.
    by_head : bool
        There is the member `opens`: heads need more than a credit.
    staged : bool
        The crossbar has a cycle of its own: `flits` are those of the cycle before.

    Members
    -------
    request, held, last : In(inputs)
        Of each input: its front turns here; the packet holds its virtual channel; the flit is the
        packet's last.
    channel : In(channels).array(inputs)
        One-hot: virtual channel of that flit; only where there are several.
    flits : In(flit_layout).array(inputs)
        The flits.
    room : In(channels)
        There is a place behind the virtual channel.
    opens : In(channels)
        A head may go there, if no packet holds it; only if `by_head`.
    step : In(1)
        The flit at `flit` leaves, if there is one; without it nothing may be granted.
    eligible, granted : Out(inputs)
        The flit could cross; it crosses.
    taken : Out(channels)
        A flit takes a place behind the virtual channel.
    flit : Out(flit_layout)
        Flit granted one cycle ago, two if `staged`; 0 without one.
    any_eligible : Out(1)
        A flit is eligible; only if it `shares`.
    open : In(1)
        A flit may be granted; only if it `shares`.
    """

    request: Signal
    held: Signal
    last: Signal
    channel: list[Signal]
    flits: list[View]
    room: Signal
    opens: Signal
    step: Signal
    eligible: Signal
    granted: Signal
    taken: Signal
    flit: View
    any_eligible: Signal
    open: Signal

    def __init__(
        self,
        network: Network,
        *,
        inputs: int,
        channels: int,
        shares: bool = False,
        by_head: bool = False,
        staged: bool = False,
    ) -> None:
        self._layout = flit_layout(network)
        self._inputs, self._channels = inputs, channels
        self._shares, self._by_head, self._staged = shares, by_head, staged
        super().__init__(
            {
                "request": In(inputs),
                "held": In(inputs),
                "last": In(inputs),
                "flits": In(self._layout).array(inputs),
                "room": In(channels),
                "step": In(1),
                "eligible": Out(inputs),
                "granted": Out(inputs),
                "taken": Out(channels),
                "flit": Out(self._layout),
                **({"channel": In(channels).array(inputs)} if channels > 1 else {}),
                **({"any_eligible": Out(1), "open": In(1)} if shares else {}),
                **({"opens": In(channels)} if by_head else {}),
            }
        )

    @property
    def variant(self) -> str:
        channels = f"_{self._channels}vc" if self._channels > 1 else ""
        return f"{self._inputs}way{channels}" + "_staged" * self._staged

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # Of an only channel's packets one is under way, or all heads find the same room.
        arbiter = MatrixArbiter(
            requesters=self._inputs, interleaved=self._channels > 1, gated=self._shares
        )
        m.submodules.arbiter = self.arbiter = arbiter
        if self._shares:
            m.d.comb += [self.any_eligible.eq(self.eligible.any()), arbiter.open.eq(self.open)]
        self.busy = busy = Signal(self._channels, name="busy")
        for place in range(self._inputs):
            held = self.held[place].replicate(len(busy))
            free = self.room & (~busy | held)
            if self._by_head:
                free = (self.room & held) | (self.opens & ~busy)
            may = (self._takes(place) & free).any()
            m.d.comb += [
                arbiter.able[place].eq(may),
                self.eligible[place].eq(self.request[place] & may),
            ]
        goes_on = Signal(name="goes_on")
        m.d.comb += [
            arbiter.request.eq(self.request),
            arbiter.last.eq(self.last),
            self.granted.eq(arbiter.grant),
            goes_on.eq((self.granted & ~self.last).any()),
        ]
        for vc in range(self._channels):
            goes = Cat(self.granted[n] & self._takes(n)[vc] for n in range(self._inputs))
            # One is granted if any requests: where all request one channel, that is known earlier.
            m.d.comb += self.taken[vc].eq(goes.any())
            with m.If(self.taken[vc]):
                m.d.sync += busy[vc].eq(goes_on)
        self._crossbar(m)
        return m

    def _takes(self, place: int) -> Value:
        """One-hot: virtual channel of an input's flit; there may be no other."""
        return self.channel[place] if self._channels > 1 else Const(1)

    def _crossbar(self, m: Module) -> None:
        merged: Value = Const(0, self._layout.size)
        crosses = Signal.like(self.granted, name="crosses") if self._staged else self.granted
        self.crosses = crosses
        if self._staged:
            m.d.sync += crosses.eq(self.granted)
        # At most one gate is not 0, so an OR merges them: behind these registers nothing is
        # selected, and the grant meets only the gates' inputs.
        for place in range(self._inputs):
            gate = Signal(self._layout.size, reset_less=True, name=f"gate_{place}")
            with m.If(self.step):
                m.d.sync += gate.eq(0)
                with m.If(crosses[place]):
                    m.d.sync += gate.eq(Value.cast(self.flits[place]))
            merged = merged | gate
        m.d.comb += Value.cast(self.flit).eq(merged)
        explain(Value.cast(self.flit), "No multiplexer: all gates but the granted input's are 0.")


def eject(
    m: Module, output: OutputPort, node: Interface, vcs: list[int], suffix: str, *, address: Value
) -> Signal:
    """Connect an output with a node; gives a register: whether the output holds a flit, and whose.

    A flit of virtual channel 0 may wait there for the node. Those of others are sent only if what
    they go into takes them in the next cycle: it takes all flits of a packet, and then no other.
    With parity the node sees whether a flit is wrong, or not for its `address`.
    """
    waits = Signal(len(vcs), name=f"eject{suffix}_valid")
    step: Value = node.i.ready[0]
    if len(vcs) > 1:
        step = step | ~waits[0]
    with m.If(step):
        m.d.sync += waits.eq(output.taken)
    m.d.comb += [
        Value.cast(node.i.flit).eq(Value.cast(output.flit)),
        output.step.eq(step),
    ]
    last = output.flit.last
    if is_guarded(output.flit):
        last = voted_last(output.flit)
        m.d.comb += node.i.flit.wrong.eq(is_wrong(output.flit, address))
    for place, vc in enumerate(vcs):
        room: Value = node.i.ready[vc]
        if vc > 0:
            room = room & step & ~(waits[place] & last)
            m.d.sync += Assert(
                ~waits[place] | node.i.ready[vc],
                "output port: the node must take a flit of a class above 0 at once",
            )
        m.d.comb += [node.i.valid[vc].eq(waits[place]), output.room[place].eq(room)]
    return waits
