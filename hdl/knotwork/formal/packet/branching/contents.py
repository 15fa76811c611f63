"""What is in the buffer of an input channel where packets branch, by what came and went."""

from amaranth.hdl import Const, Mux, Signal, Value

from ...harness import Harness
from ..observed.channel import header_of
from .ports import BranchingPorts


class Front:
    """Packet at the head; a broadcast stays there until its last branch has finished.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    ports : BranchingPorts
        Ports of the channel.

    Members
    -------
    started : Signal
        It is a broadcast that was shown before.
    left : Signal
        Its turns that have not finished.
    gone : list of Signal
        By turn, how many of its flits have left.
    ended : Signal
        Some turn has finished.
    end : Signal
        Place of its last flit, if some turn has finished.
    opened : Signal
        A packet to one node is on its way out.
    header : Signal
        Header of the flit that was shown last.
    choice : Choice
        Turns and labels of a flit with this header.
    index : Signal
        Place of the flit shown, or of the next to be.
    finishes : Signal
        The last turn finishes in this cycle.
    freed : Signal
        Flits that leave the buffer at the end of this cycle.
    """

    def __init__(self, harness: Harness, ports: BranchingPorts) -> None:
        m, count, flit = harness.m, len(ports.turns), ports.shown
        name, is_copy, crosses = ports.name, flit.broadcast, ports.crosses
        memory = ports.memory
        self.started = ports.register(1, "started")
        self.left = ports.register(count, "left")
        self.gone = [ports.register(range(memory.depth + 1), f"gone{n}") for n in range(count)]
        self.ended = ports.register(1, "ended")
        self.end = ports.register(range(memory.depth), "end")
        self.opened = ports.register(1, "opened")
        self.header = ports.register(len(header_of(flit)), "header")
        self.choice = ports.choice_of(self.header, "front")
        self.index = harness.named(memory.place(memory.pointer("_shown")), f"index_{name}")
        fresh = Mux(is_copy, ports.shown_turns, 0)
        wanted = harness.named(Mux(self.started, self.left, fresh), f"wanted_{name}")
        tails = crosses & flit.last.replicate(count)
        rest = harness.named(wanted & ~tails, f"rest_{name}")
        self.finishes = harness.named(wanted.any() & ~rest.any(), f"finishes_{name}")
        alone = crosses.any() & ~is_copy
        freed = Mux(self.finishes, self.index + 1, alone)
        self.freed = harness.named(freed, f"freed_{name}")
        m.d.sync += [
            self.started.eq(rest.any()),
            self.left.eq(rest),
            self.ended.eq(~self.finishes & (self.ended | (tails.any() & is_copy))),
        ]
        with m.If(~self.ended):
            m.d.sync += self.end.eq(self.index)
        for gone, goes in zip(self.gone, crosses, strict=True):
            m.d.sync += gone.eq(Mux(self.finishes, 0, gone + (goes & is_copy)))
        with m.If(ports.valid):
            m.d.sync += self.header.eq(header_of(flit))
        with m.If(crosses.any()):
            m.d.sync += self.opened.eq(~is_copy & ~flit.last)


class Incoming:
    """Packet that comes in.

    Parameters
    ----------
    harness, ports
        As of `Front`.

    Members
    -------
    open, header : Signal
        Its last flit has not come yet; its header.
    count : Signal
        Flits of it that came, if it is a broadcast.
    """

    def __init__(self, harness: Harness, ports: BranchingPorts) -> None:
        m, flit = harness.m, ports.incoming_flit
        self.open = ports.register(1, "in_open")
        self.header = ports.register(len(header_of(flit)), "in_header")
        self.count = ports.register(range(ports.longest + 1), "count")
        with m.If(ports.arrives):
            counts = flit.broadcast & ~flit.last
            m.d.sync += [
                self.open.eq(~flit.last),
                self.header.eq(header_of(flit)),
                self.count.eq(Mux(counts, self.count + 1, 0)),
            ]
        with m.If(ports.cancel):
            m.d.sync += [self.open.eq(0), self.count.eq(0)]


class Contents:
    """Flits in the buffer.

    Parameters
    ----------
    harness, ports
        As of `Front`.
    front, incoming : Front, Incoming
        Packets at the head and at the tail.

    Members
    -------
    level, tail : Signal
        Flits inside; flits up to and including the last one that ends a packet.
    visible : Signal
        Flits that can be shown; at the local input, those of a broadcast only once it is whole.
    later : Signal
        Flits inside now that remain after this cycle.
    """

    def __init__(
        self, harness: Harness, ports: BranchingPorts, front: Front, incoming: Incoming
    ) -> None:
        m, name, freed, flit = harness.m, ports.name, front.freed, ports.incoming_flit
        bits = range(ports.memory.depth + 2)
        self.level, self.tail = ports.register(bits, "level"), ports.register(bits, "tail")
        hidden: Value = Const(0)
        if ports.is_local:
            hidden = incoming.open & incoming.header[-1]
        self.visible: Signal = harness.named(Mux(hidden, self.tail, self.level), f"visible_{name}")
        kept = harness.named(Mux(ports.cancel, self.tail, self.level) - freed, f"kept_{name}")
        self.later = kept[: len(self.level)]
        level = harness.named(self.later + ports.arrives, f"after_{name}")
        tail = Mux(self.tail > freed, self.tail - freed, 0)
        ends = ports.arrives & flit.last
        m.d.sync += [self.level.eq(level), self.tail.eq(Mux(ends, level, tail))]
