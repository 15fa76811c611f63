"""What is in the buffer of an input channel where packets branch, by what came and went."""

from typing import TYPE_CHECKING, Any

from amaranth.hdl import Const, Mux, Signal, Value

from ..observed.channel import header_of

if TYPE_CHECKING:
    from .channel import BranchingInput


class Front:
    """The packet at the head, of which a broadcast stays until its last branch is through.

    Members
    -------
    started : Signal
        It is a broadcast, and was shown before.
    left : Signal
        Its turns that are not through.
    gone : list of Signal
        By turn, how many of its flits have left.
    ended : Signal
        Some turn is through.
    end : Signal
        Place of its last flit, if some turn is through.
    opened : Signal
        A packet to one node is on its way out.
    header : Signal
        Header of the flit that was shown last.
    choice : Choice
        Turns and labels of a flit with this header.
    index : Signal
        Place of the flit shown, or of the next to be.
    finishes : Signal
        The last turn gets through in this clock.
    freed : Signal
        Flits that leave the buffer with this clock.
    """

    def __init__(self, bench: Any, channel: "BranchingInput") -> None:
        m, count, flit = bench.m, len(channel.turns), channel.head
        name, is_copy, crosses = channel.name, flit.broadcast, channel.crosses
        self.started = channel.register(1, "started")
        self.left = channel.register(count, "left")
        self.gone = [channel.register(range(channel.depth + 1), f"gone{n}") for n in range(count)]
        self.ended = channel.register(1, "ended")
        self.end = channel.register(range(channel.depth), "end")
        self.opened = channel.register(1, "opened")
        self.header = channel.register(len(header_of(flit)), "header")
        self.choice = channel.choice_of(self.header, "front")
        self.index = bench.named(channel.place(channel.pointer("_shown")), f"index_{name}")
        fresh = Mux(is_copy, channel.shown_turns, 0)
        wanted = bench.named(Mux(self.started, self.left, fresh), f"wanted_{name}")
        tails = crosses & flit.last.replicate(count)
        rest = bench.named(wanted & ~tails, f"rest_{name}")
        self.finishes = bench.named(wanted.any() & ~rest.any(), f"finishes_{name}")
        alone = crosses.any() & ~is_copy
        freed = Mux(self.finishes, self.index + 1, alone)
        self.freed = bench.named(freed, f"freed_{name}")
        m.d.sync += [
            self.started.eq(rest.any()),
            self.left.eq(rest),
            self.ended.eq(~self.finishes & (self.ended | (tails.any() & is_copy))),
        ]
        with m.If(~self.ended):
            m.d.sync += self.end.eq(self.index)
        for gone, goes in zip(self.gone, crosses, strict=True):
            m.d.sync += gone.eq(Mux(self.finishes, 0, gone + (goes & is_copy)))
        with m.If(channel.seen):
            m.d.sync += self.header.eq(header_of(flit))
        with m.If(crosses.any()):
            m.d.sync += self.opened.eq(~is_copy & ~flit.last)


class Incoming:
    """Packet that comes.

    Members
    -------
    open, header : Signal
        Its last flit has not come yet; its header.
    count : Signal
        Flits of it that came, if it is a broadcast.
    """

    def __init__(self, bench: Any, channel: "BranchingInput") -> None:
        m, flit = bench.m, channel.incoming_flit
        self.open = channel.register(1, "in_open")
        self.header = channel.register(len(header_of(flit)), "in_header")
        self.count = channel.register(range(channel.longest + 1), "count")
        with m.If(channel.arrives):
            counts = flit.broadcast & ~flit.last
            m.d.sync += [
                self.open.eq(~flit.last),
                self.header.eq(header_of(flit)),
                self.count.eq(Mux(counts, self.count + 1, 0)),
            ]
        with m.If(channel.cancel):
            m.d.sync += [self.open.eq(0), self.count.eq(0)]


class Contents:
    """Flits in the buffer.

    Members
    -------
    level, tail : Signal
        Flits inside; and up to the last one that ends a packet.
    visible : Signal
        Flits that can be shown: at the local input a broadcast's when it is there as a whole.
    later : Signal
        Flits that are left of those now inside, after this clock.
    """

    def __init__(self, bench: Any, channel: "BranchingInput") -> None:
        m, name, freed, flit = bench.m, channel.name, channel.front.freed, channel.incoming_flit
        bits = range(channel.depth + 2)
        self.level, self.tail = channel.register(bits, "level"), channel.register(bits, "tail")
        hidden: Value = Const(0)
        if channel.is_local:
            hidden = channel.incoming.open & channel.incoming.header[-1]
        self.visible: Signal = bench.named(Mux(hidden, self.tail, self.level), f"visible_{name}")
        kept = bench.named(Mux(channel.cancel, self.tail, self.level) - freed, f"kept_{name}")
        self.later = kept[: len(self.level)]
        level = bench.named(self.later + channel.arrives, f"after_{name}")
        tail = Mux(self.tail > freed, self.tail - freed, 0)
        ends = channel.arrives & flit.last
        m.d.sync += [self.level.eq(level), self.tail.eq(Mux(ends, level, tail))]
