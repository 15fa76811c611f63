"""Branches of a broadcast in one buffer: where each reads, and which flit is shown next."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..parts.arbiter import next_after
from ..parts.crossbar import one_hot_mux


class BranchReader(wiring.Component):
    """One read position per branch, over a buffer that shows one flit at a time.

    A branch that crosses advances. When no branch at the flit shown could cross, or those that
    crossed are finished, the buffer turns to the next branch that waits elsewhere, round robin from
    the first branch.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    branches : int
        Branches that a packet can have.
    depth : int
        Positions of the buffer.

    Members
    -------
    valid, broadcast, last : In(1)
        A flit is shown; it belongs to a broadcast; it is its packet's last.
    chosen : In(branches)
        Branches of the broadcast whose flit is shown.
    shown, following : In(range(depth))
        Position of the flit shown, or of the next to be shown; and the one behind that flit.
    crosses : In(branches)
        Branches by which the flit shown crosses in this cycle.
    moved : In(1)
        The flit shown crosses by some turn, of a broadcast or of a unicast.
    could : In(1)
        On some turn the flit shown has its output and room behind it.
    restart : In(1)
        A packet begins at `following`.
    wanted : Out(branches)
        Branches that are not finished.
    present : Out(branches)
        Those of them whose next flit is shown.
    advance : Out(1)
        The flit shown is finished.
    finish : Out(1)
        That flit was the last of the last branch.
    jump : Out(1)
        Turn to `target`.
    target : Out(range(depth))
        Position of the branch that is next.
    """

    valid: Signal
    broadcast: Signal
    last: Signal
    chosen: Signal
    shown: Signal
    following: Signal
    crosses: Signal
    moved: Signal
    could: Signal
    restart: Signal
    wanted: Signal
    present: Signal
    advance: Signal
    finish: Signal
    jump: Signal
    target: Signal

    def __init__(self, *, branches: int, depth: int) -> None:
        self._branches = branches
        position = range(depth)
        single_in = ("valid", "broadcast", "last", "moved", "could", "restart")
        super().__init__(
            {
                **{name: In(1) for name in single_in},
                **{name: In(branches) for name in ("chosen", "crosses")},
                **{name: In(position) for name in ("shown", "following")},
                **{name: Out(branches) for name in ("wanted", "present")},
                **{name: Out(1) for name in ("advance", "finish", "jump")},
                "target": Out(position),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = self._branches
        in_packet = Signal()  # a branch of a packet shown earlier is unfinished
        pending, here, rest = (Signal(count, name=name) for name in ("pending", "here", "rest"))
        positions = [Signal.like(self.shown, name=f"position_{k}") for k in range(count)]
        broadcast = self.broadcast & self.valid
        m.d.comb += [
            self.wanted.eq(Mux(in_packet, pending, Mux(self.broadcast, self.chosen, 0))),
            rest.eq(self.wanted & ~(self.crosses & self.last.replicate(count))),
            here.eq(Cat(position == self.shown for position in positions)),
            self.present.eq(self.wanted & here & self.valid.replicate(count)),
            self.finish.eq(self.moved & broadcast & self.last & ~rest.any()),
            self.advance.eq(self.moved & (~broadcast | ~self.last | self.finish)),
        ]
        for position, crosses in zip(positions, self.crosses, strict=True):
            with m.If(crosses | self.restart):
                m.d.sync += position.eq(self.following)
        m.d.sync += [
            pending.eq(Mux(self.finish, 0, rest)),
            in_packet.eq(~self.finish & rest.any()),
        ]
        elsewhere, target = Signal(count, name="elsewhere"), Signal(count, name="target")
        stuck = self.moved | ~self.could
        m.d.comb += [
            elsewhere.eq(pending & ~here),
            self.jump.eq(~self.advance & stuck & elsewhere.any()),
            target.eq(elsewhere),
            self.target.eq(one_hot_mux(list(target), positions)),
        ]
        if count > 2:  # of two, only one can be elsewhere
            highest = 1 << (count - 1)
            turned_last = Signal(count, init=highest)
            m.d.comb += target.eq(next_after(elsewhere, turned_last))
            with m.If(self.jump):
                m.d.sync += turned_last.eq(target)
            with m.If(self.finish):
                m.d.sync += turned_last.eq(highest)
        return m
