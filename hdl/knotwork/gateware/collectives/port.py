"""Ports of a member: what it starts becomes a message of the tree, and answers become beats."""

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import Collective, MessageFormat
from ...untyped import View
from ..component import Component
from ..parts.buffer import TAPS, following, shifts
from .messages import flit_layout, header_layout, received_layout, sent_layout, view_header


class Shows(enum.Enum, shape=2):
    """What stands where a header has its root: a beat's data, or in a header one of these nodes."""

    BEAT = 0
    ROOT = 1
    NONE = 2
    SENDER = 3


class CollectiveSender(Component):
    """Puts a header before a node's beats.

    A barrier is its header alone; its beats are dropped. A message of an unknown kind or
    operation, or with a root that is no member, is taken whole and dropped.

    Latency
    -------
    The header 1 cycle, the first beat 2 cycles; then a beat per cycle.

    Parameters
    ----------
    form : MessageFormat
        Widths.

    Members
    -------
    node : In(form.root_bits)
        The node's index; constant.
    members : In(form.nodes)
        Nodes of the group, a bit each; constant.
    i : In(stream of sent_layout(form))
        Beats from the node.
    o : Out(stream of flit_layout(form))
        Messages.
    refused : Out(1)
        High for a cycle for each message that is dropped.
    """

    node: Signal
    members: Signal
    i: stream.Interface
    o: stream.Interface
    refused: Signal

    def __init__(self, form: MessageFormat) -> None:
        self._form = form
        super().__init__(
            {
                "node": In(form.root_bits),
                "members": In(form.nodes),
                "i": In(stream.Signature(sent_layout(form))),
                "o": Out(stream.Signature(flit_layout(form))),
                "refused": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, out = self._form, self.o
        beat: View = self.i.p
        # With this code the node and the beat's data meet in one gate.
        self.shows = shows = Signal(Shows, name="shows", init=Shows.NONE)
        # The beat is offered, or before it the header; it is dropped.
        self.offers, self.drops = Signal(name="offers"), Signal(name="drops")
        offers, drops = self.offers, self.drops
        kind, checks = beat.header.kind, self.i.valid & ~offers & ~drops
        names_root = (kind == Collective.REDUCE) | (kind == Collective.GATHER)
        reduces = (kind == Collective.REDUCE) | (kind == Collective.ALL_REDUCE)
        is_unknown = Signal(name="is_unknown")
        is_member = self.members.bit_select(beat.header.root, 1)
        # Above the header's bits the first beat's may stand: nobody reads them.
        header = view_header(form, out.p)
        data: View = view_header(form, beat)
        is_beat = Signal(name="is_beat")
        # In the order of `Shows`.
        roots = Array([data.root, beat.header.root, Const(0, form.root_bits), self.node])
        m.d.comb += [
            is_beat.eq(shows == Shows.BEAT),
            is_unknown.eq(
                (kind > max(Collective)) | self._no_operation(reduces) | (names_root & ~is_member)
            ),
            header.kind.eq(Mux(is_beat, data.kind, kind)),
            header.operation.eq(
                Mux(is_beat, data.operation, Mux(reduces, Value.cast(beat.header.operation), 0))
            ),
            header.root.eq(roots[Value.cast(shows)]),
            out.p.data[form.header_bits :].eq(beat.data[form.header_bits :]),
            # Of headers a barrier's is alone.
            out.p.last.eq(Mux(is_beat, beat.last, (shows == Shows.NONE) & ~kind[0])),
            # Of a header it says that no other node sends the like.
            out.p.part.eq(Mux(is_beat, Value.cast(beat.part) | beat.last, shows == Shows.SENDER)),
            out.valid.eq(self.i.valid & offers),
            self.i.ready.eq(Mux(is_beat, out.ready, drops)),
            self.refused.eq(checks & is_unknown),
        ]
        with m.If(~offers):
            m.d.sync += [
                shows.eq(Mux(kind[2], Shows.SENDER, Mux(kind[1], Shows.ROOT, Shows.NONE))),
                offers.eq(checks & ~is_unknown),
            ]
        with m.Elif(self.i.valid & out.ready):
            m.d.sync += [
                shows.eq(Mux(out.p.last, Shows.NONE, Shows.BEAT)),
                offers.eq(~out.p.last),
            ]
        with m.If(drops):
            m.d.sync += drops.eq(~(self.i.valid & beat.last))
        with m.Else():  # a message that is refused, or the beats of a barrier
            ends = offers & out.ready & out.p.last & ~is_beat
            m.d.sync += drops.eq(self.refused | ends)
        return m

    def _no_operation(self, reduces: Value) -> Value | int:
        count = len(self._form.operations)
        if count == 1 << self._form.operation_bits:
            return 0
        return reduces & (self.i.p.header.operation >= count)


class CollectiveReceiver(Component):
    """Takes the header off a message for a node, and a multicast's mask; of a scatter, its part.

    It says of the flit that comes to a spread whether the node is to get it, and knows the rest of
    the node's beat when the spread offers that flit. So `ready` of the node passes no gate here.

    A message with no beat for the node (a barrier's, say) is one beat whose data says nothing. Of a
    scatter with more parts than members, the last member's answer is marked.

    Latency
    -------
    0 cycles from `i` to `o`.

    Parameters
    ----------
    form : MessageFormat
        Widths.

    Members
    -------
    previous : In(form.root_bits)
        Place before the node's in the tree's order, which is a circle, counted by `place_codes`;
        constant.
    is_first, is_final : In(1)
        The node's place is the first one, or the last; constant.
    came : In(flit_layout(form))
        The flit that comes to the spread.
    takes, headed, is_mask, ends_mask, named : In(1)
        What the spread knows of it, see `CollectiveSpread`.
    delivers : Out(1)
        It is for the node, if its message is for this branch.
    i : In(stream of flit_layout(form))
        Flits for the node, from the spread.
    o : Out(stream of received_layout(form))
        Beats to the node.
    """

    previous: Signal
    is_first: Signal
    is_final: Signal
    came: View
    takes: Signal
    headed: Signal
    is_mask: Signal
    ends_mask: Signal
    named: Signal
    delivers: Signal
    i: stream.Interface
    o: stream.Interface

    def __init__(self, form: MessageFormat) -> None:
        self._form = form
        known = ("takes", "headed", "is_mask", "ends_mask", "named")
        super().__init__(
            {
                "previous": In(form.root_bits),
                **dict.fromkeys(("is_first", "is_final"), In(1)),
                "came": In(flit_layout(form)),
                **dict.fromkeys(known, In(1)),
                "delivers": Out(1),
                "i": In(stream.Signature(flit_layout(form))),
                "o": Out(stream.Signature(received_layout(form))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, came, out = self._form, self.came, self.o
        header = view_header(form, came)
        self.kept = kept = Signal(header_layout(form), name="kept")
        self.marked, self.scatters = Signal(name="marked"), Signal(name="scatters")
        # Of a scatter: the part that comes, counted as places are; whether it is the node's, and
        # whether that was before it. The comparison is a part ahead.
        self.part = part = Signal(form.root_bits, name="part")
        # No header sets `is_mine`, which takes no gate where it is the register's only reset.
        self.is_mine = Signal(name="is_mine", reset_less=True)
        self.served = Signal(name="served")
        last, fault = Signal(name="last"), Signal(name="fault")
        is_short = (self.is_mask & ~self.ends_mask) | (self.scatters & ~self.is_mine)
        exceeds = self.scatters & self.is_final & came.part & ~came.last
        m.d.comb += [
            # A message that ends before what is the node's is answered by a marked beat.
            self.delivers.eq(
                Mux(
                    self.headed,
                    Mux(
                        self.is_mask,
                        came.last & self.named,
                        ~self.scatters | self.is_mine | (came.last & ~self.served),
                    ),
                    came.last,
                )
            ),
            out.valid.eq(self.i.valid),
            self.i.ready.eq(out.ready),
            out.p.header.eq(kept),
            out.p.data.eq(self.i.p.data),
            out.p.part.eq(self.i.p.part),
            out.p.last.eq(last),
            out.p.fault.eq(fault),
        ]
        with m.If(self.takes):
            m.d.sync += [
                last.eq(came.last | (self.scatters & came.part)),
                fault.eq(came.fault | (self.headed & (self.marked | is_short | exceeds))),
            ]
        with m.If(self.takes & ~self.headed):
            m.d.sync += kept.eq(header)
        with m.If(~self.headed):  # until the header is taken
            m.d.sync += [
                self.marked.eq(came.fault),
                self.scatters.eq(header.kind == Collective.SCATTER),
                part.eq(0),
                self.is_mine.eq(self.is_first),
                self.served.eq(0),
            ]
        with m.Elif(self.takes & came.part):
            m.d.sync += [
                part.eq(following(part, 1 << form.root_bits)),
                self.is_mine.eq((part == self.previous) & ~self.is_mine & ~self.served),
                self.served.eq(self.served | self.is_mine),
            ]
        return m


def place_codes(form: MessageFormat) -> list[int]:
    """Code of each place in the tree's order: what `following` gives after 0, step by step."""
    bits = form.root_bits
    if not shifts(1 << bits):
        return [*range(1 << bits)]
    codes = [0]
    for _ in range(1, 1 << bits):
        code = codes[-1]
        taken = sum(code >> tap & 1 for tap in TAPS[bits]) + (not code & ((1 << bits - 1) - 1))
        codes.append((code << 1 | taken & 1) & ((1 << bits) - 1))
    return codes
