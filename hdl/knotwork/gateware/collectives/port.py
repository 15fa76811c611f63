"""Ports of a member: what it starts becomes a message of the tree, and answers become beats."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import enum, stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import Collective, MessageFormat
from ...untyped import View
from ..component import Component
from .messages import flit_layout, header_layout, received_layout, sent_layout, view_header


class Phase(enum.Enum, shape=3):
    """What the next flit of a message is to its receiver."""

    HEADER = 0
    MASK = 1
    SKIP = 2
    DATA = 3
    REST = 4


class CollectiveSender(Component):
    """Puts a header before a node's beats.

    A barrier is its header alone; its one beat is dropped. A message of an unknown kind or
    operation, or with a root that is no member, is taken whole and dropped.

    Latency
    -------
    The header 0 cycles, the first beat 1 cycle; then a beat per cycle.

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
        self.within, self.drops = within, drops = Signal(name="within"), Signal(name="drops")
        kind = beat.header.kind
        names_root = (kind == Collective.REDUCE) | (kind == Collective.GATHER)
        reduces = (kind == Collective.REDUCE) | (kind == Collective.ALL_REDUCE)
        is_unknown = Signal(name="is_unknown")
        is_member = self.members.bit_select(beat.header.root, 1)
        m.d.comb += is_unknown.eq(
            (kind > max(Collective)) | self._no_operation(reduces) | (names_root & ~is_member)
        )
        header = Signal(header_layout(form), name="header")
        is_barrier = Signal(name="is_barrier")
        m.d.comb += [
            is_barrier.eq(kind == Collective.BARRIER),
            header.kind.eq(kind),
            header.operation.eq(Mux(reduces, beat.header.operation, 0)),
            # Of the others the root says who sends: 0 where all do.
            header.root.eq(Mux(names_root, beat.header.root, Mux(kind[2], self.node, 0))),
            # Above the header's bits the first beat's may stand: nobody reads them.
            out.p.data.eq(beat.data),
            out.p.last.eq(Mux(within, beat.last, is_barrier)),
            out.p.part.eq(beat.part | beat.last),
            out.valid.eq(self.i.valid & ~drops & (within | ~is_unknown)),
        ]
        with m.If(~within):
            m.d.comb += view_header(form, out.p).eq(header)
        starts = self.i.valid & ~within & ~drops
        with m.If(drops):
            m.d.comb += self.i.ready.eq(1)
        with m.Elif(within):
            m.d.comb += self.i.ready.eq(out.ready)
        with m.Elif(is_unknown):
            m.d.comb += self.i.ready.eq(self.i.valid)
        with m.Else():
            m.d.comb += self.i.ready.eq(is_barrier & out.ready & self.i.valid)
        m.d.comb += self.refused.eq(starts & is_unknown)
        with m.If(starts & (is_unknown | (is_barrier & out.ready))):
            m.d.sync += drops.eq(~beat.last)
        with m.Elif(starts & out.ready):
            m.d.sync += within.eq(1)
        with m.Elif(self.i.valid & self.i.ready & beat.last):
            m.d.sync += [within.eq(0), drops.eq(0)]
        return m

    def _no_operation(self, reduces: Value) -> Value | int:
        count = len(self._form.operations)
        if count == 1 << self._form.operation_bits:
            return 0
        return reduces & (self.i.p.header.operation >= count)


class CollectiveReceiver(Component):
    """Takes the header off a message for a node, and a multicast's mask; of a scatter, its part.

    A message with no beat for the node (a barrier's, say) is one beat whose data says nothing. Of a
    scatter with more parts than members, the last member's answer is marked.

    Latency
    -------
    1 cycle for the header; a beat per cycle.

    Parameters
    ----------
    form : MessageFormat
        Widths.

    Members
    -------
    place : In(form.root_bits)
        The node's place in the tree's order; constant.
    is_final : In(1)
        It is the last one; constant.
    i : In(stream of flit_layout(form))
        Messages.
    o : Out(stream of received_layout(form))
        Beats to the node.
    """

    place: Signal
    is_final: Signal
    i: stream.Interface
    o: stream.Interface

    def __init__(self, form: MessageFormat) -> None:
        self._form = form
        super().__init__(
            {
                "place": In(form.root_bits),
                "is_final": In(1),
                "i": In(stream.Signature(flit_layout(form))),
                "o": Out(stream.Signature(received_layout(form))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, out = self._form, self.o
        flit: View = self.i.p
        came = view_header(form, flit)
        self.phase = phase = Signal(Phase, name="phase")
        self.kept = kept = Signal(header_layout(form), name="kept")
        self.marked = marked = Signal(name="marked")
        self.before = before = Signal(form.root_bits, name="before")
        self.beat = beat = Signal(range(form.mask_beats), name="beat")
        takes, short, excess, is_scatter = (
            Signal(name=n) for n in ("takes", "short", "excess", "is_scatter")
        )
        m.d.comb += [
            is_scatter.eq(kept.kind == Collective.SCATTER),
            out.p.header.eq(kept),
            out.p.data.eq(flit.data),
            out.p.part.eq(flit.part),
            out.p.last.eq(flit.last | (is_scatter & flit.part)),
            out.p.fault.eq(flit.fault | marked | short | excess),
            takes.eq(self.i.valid & self.i.ready),
        ]
        with m.Switch(phase):
            with m.Case(Phase.HEADER):
                # A header that ends its message stays, to be the beat that answers.
                m.d.comb += self.i.ready.eq(~flit.last)
                with m.If(self.i.valid):
                    m.d.sync += [
                        kept.eq(came),
                        marked.eq(flit.fault),
                        before.eq(self.place),
                        beat.eq(0),
                        phase.eq(Phase.DATA),
                    ]
                    with m.If(~flit.last & (came.kind == Collective.MULTICAST)):
                        m.d.sync += phase.eq(Phase.MASK)
                    with m.If(~flit.last & (came.kind == Collective.SCATTER) & (self.place != 0)):
                        m.d.sync += phase.eq(Phase.SKIP)
            with m.Case(Phase.MASK):
                is_end = beat == form.mask_beats - 1
                m.d.comb += [
                    short.eq(~is_end),
                    out.valid.eq(self.i.valid & flit.last),
                    self.i.ready.eq(~flit.last | out.ready),
                ]
                with m.If(takes):
                    m.d.sync += beat.eq(beat + 1)
                    with m.If(is_end):
                        m.d.sync += phase.eq(Phase.DATA)
            with m.Case(Phase.SKIP):
                m.d.comb += [
                    short.eq(1),
                    out.valid.eq(self.i.valid & flit.last),
                    self.i.ready.eq(~flit.last | out.ready),
                ]
                with m.If(takes & flit.part):
                    m.d.sync += before.eq(before - 1)
                    with m.If(before == 1):
                        m.d.sync += phase.eq(Phase.DATA)
            with m.Case(Phase.DATA):
                m.d.comb += [
                    out.valid.eq(self.i.valid),
                    self.i.ready.eq(out.ready),
                    excess.eq(is_scatter & self.is_final & flit.part & ~flit.last),
                ]
                with m.If(takes & is_scatter & flit.part):
                    m.d.sync += phase.eq(Phase.REST)
            with m.Case(Phase.REST):
                m.d.comb += self.i.ready.eq(1)
        with m.If(takes & (phase != Phase.HEADER)):
            m.d.sync += marked.eq(marked | flit.fault)
            with m.If(flit.last):
                m.d.sync += phase.eq(Phase.HEADER)
        return m
