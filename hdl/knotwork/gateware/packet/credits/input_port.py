"""Input port: the buffers of its virtual channels, and the flit at its front."""

from amaranth.hdl import Assert, Module, Mux, Signal, Value

from ...parts.arbiter import is_one_hot_or_zero, next_after
from .buffers import GuardedBuffer
from .front import Front, OneHotRegister
from .front_port import FrontPort
from .port_buffer import PortBuffer, told_last


class InputPort(FrontPort):
    """Buffers of an input port's virtual channels, and the flit at its front.

    The front is a register with the turn of one channel's head: the outputs see nothing else of the
    port. When its flit leaves, the next of its channel follows, or after a tail the head of another
    channel, in turn. A flit that cannot move gives its place to another channel's head. A flit that
    arrives is at the front in the next cycle if no other waits.

    Latency
    -------
    1 cycle from `arrives` to `turn`; 0 from there to `flit`.

    Parameters
    ----------
    network, kind, port
        As for `PortBuffer`.

    Members
    -------
    address, arrives, i, full, flit
        As of `PortBuffer`; `flit` is the one at the front.
    left : Out(len(channels))
        A flit left the channel's buffer in the cycle before.
    turn : Out(len(outputs))
        One-hot: output that the front's flit turns to; 0 without one.
    channel : Out(len(output_vcs))
        One-hot: virtual channel that it takes there; not valid for the local output.
    held : Out(1)
        Its packet holds that virtual channel already.
    last : Out(1)
        It is its packet's last.
    eligible : In(1)
        The flit could cross in this cycle, if no other wanted its output.
    granted : In(1)
        It crosses; only with `eligible`.
    """

    def _make_buffer(self, port: int) -> PortBuffer:
        make = GuardedBuffer if self._network.has_parity else PortBuffer
        return make(self._network, self._kind, port)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.buffer = buffer = self._buffer
        shown = OneHotRegister.made(m, len(self.arrives), "shown")
        leaves = shown.value & self.granted.replicate(len(self.arrives))
        m.d.comb += [
            buffer.address.eq(self.address),
            buffer.arrives.eq(self.arrives),
            Value.cast(buffer.i).eq(Value.cast(self.i)),
            buffer.shown.eq(shown.value),
            buffer.leaves.eq(leaves),
            self.full.eq(buffer.full),
            Value.cast(self.flit).eq(Value.cast(buffer.flit)),
            *told_last(buffer, self.last),
        ]
        m.d.sync += self.left.eq(buffer.leaves)
        holds = self._holds(m, leaves)
        if len(self.arrives) == 1:  # The front's packet is that of the only channel.
            m.d.comb += self.held.eq(holds)
        self._front(m, shown, holds)
        self._stage(m)
        return m

    def _front(self, m: Module, shown: OneHotRegister, holds: Value) -> None:
        """Register with the flit that the outputs see, and what comes next."""
        here, arrives, count, buffer = shown.value, self.arrives, len(self.arrives), self._buffer
        follows, others = Signal(name="follows"), Signal(count, name="others")
        occupied, other = Signal(name="occupied"), Signal(name="other")
        stays, load = Signal(name="stays"), Signal(name="load")
        eligible = self._may_change(occupied)
        m.d.comb += [
            follows.eq((here & buffer.more).any()),
            others.eq(next_after(buffer.some & ~here, here)),
            buffer.asked.eq(asked_channel(here, others)),
            other.eq(others.any()),
            occupied.eq(buffer.some.any()),
            # When the front changes, an eligible flit was granted.
            stays.eq(eligible & follows & ~(self.last & other)),
            load.eq(self.granted | (~eligible & (other | ~occupied))),
        ]
        same = self._encoding.of_entry(buffer.behind, here, ~self.last)
        held = (others & holds).any()
        new = self._encoding.of_entry(buffer.other, others, held)
        arriving = Front(buffer.arriving, arrives, self.i.last, self._continues(m))
        self._show(m, shown, load, (stays, other), (same, new, arriving))
        m.d.sync += Assert(
            (self.turn.any() == occupied) & is_one_hot_or_zero(self.turn),
            "input port: the front must have one turn if it has a flit",
        )

    def _show(
        self,
        m: Module,
        shown: OneHotRegister,
        load: Value,
        chosen: tuple[Value, Value],
        fronts: tuple[Front, Front, Front],
    ) -> None:
        """Load the registers with the first or second front if it is chosen, or with the third."""
        takes = OneHotRegister.made(m, len(self.channel), "takes")
        m.d.comb += self.channel.eq(takes.value)
        registers = [self.turn, takes.register, shown.register, self.last]
        if len(self.arrives) > 1:
            registers.append(self.held)

        def stored(front: Front) -> list[Value]:
            turn, channel = self._encoding.turn(front), self._encoding.output_channel(front)
            came_by = shown.stored(front.channel)
            return [turn, takes.stored(channel), came_by, front.last, front.held][: len(registers)]

        with m.If(load):
            for register, *after in zip(registers, *map(stored, fronts), strict=True):
                m.d.sync += register.eq(
                    Mux(chosen[0], after[0], Mux(chosen[1], after[1], after[2]))
                )


def asked_channel(here: Value, others: Value) -> Value:
    """Channel whose head may come to the front next, one-hot; with two it is known early."""
    return ~here if len(here) == len(("here", "other")) else others
