"""Ports of a member: what it starts becomes a message of the tree, and answers become beats."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import enum, stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import Collective, MessageFormat
from ...untyped import View
from ..component import Component
from ..parts.buffer import TAPS, following, shifts
from .messages import flit_layout, header_layout, received_layout, sent_layout, view_header


class Phase(enum.Enum, shape=2):
    """What a sender does with the beat that is offered."""

    CHECKS = 0
    HEADER = 1
    DROPS = 2
    WITHIN = 3


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
        self.phase = phase = Signal(Phase, name="phase")
        within, kind = phase == Phase.WITHIN, beat.header.kind
        names_root = (kind == Collective.REDUCE) | (kind == Collective.GATHER)
        reduces = (kind == Collective.REDUCE) | (kind == Collective.ALL_REDUCE)
        is_unknown = Signal(name="is_unknown")
        is_member = self.members.bit_select(beat.header.root, 1)
        is_barrier = kind == Collective.BARRIER
        header = view_header(form, out.p)
        m.d.comb += [
            is_unknown.eq(
                (kind > max(Collective)) | self._no_operation(reduces) | (names_root & ~is_member)
            ),
            # Above the header's bits the first beat's may stand: nobody reads them.
            out.p.data.eq(beat.data),
            out.p.last.eq(Mux(within, beat.last, is_barrier)),
            # Of a header it says that no other node sends the like.
            out.p.part.eq((within & (beat.part | beat.last)) | (~within & kind[2])),
            out.valid.eq(self.i.valid & ((phase == Phase.HEADER) | within)),
            self.i.ready.eq((phase == Phase.DROPS) | (within & out.ready)),
            self.refused.eq(self.i.valid & (phase == Phase.CHECKS) & is_unknown),
        ]
        with m.If(~within):
            m.d.comb += [header.kind.eq(kind), header.operation.eq(0), header.root.eq(0)]
            with m.If(reduces):
                m.d.comb += header.operation.eq(beat.header.operation)
            with m.If(kind[2]):
                m.d.comb += header.root.eq(self.node)  # who sends
            with m.Elif(kind[1]):
                m.d.comb += header.root.eq(beat.header.root)
        with m.If(self.i.valid), m.Switch(phase):
            with m.Case(Phase.CHECKS):
                m.d.sync += phase.eq(Mux(is_unknown, Phase.DROPS, Phase.HEADER))
            with m.Case(Phase.HEADER), m.If(out.ready):
                m.d.sync += phase.eq(Mux(is_barrier, Phase.DROPS, Phase.WITHIN))
            with m.Default(), m.If(self.i.ready & beat.last):
                m.d.sync += phase.eq(Phase.CHECKS)
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
        The node's place in the tree's order, counted by `place_codes`; constant.
    is_final : In(1)
        It is the last one; constant.
    is_mask, is_masked, named : In(1)
        Of the flit that is offered, see `CollectiveSpread`.
    i : In(stream of flit_layout(form))
        Messages.
    o : Out(stream of received_layout(form))
        Beats to the node.
    """

    place: Signal
    is_final: Signal
    is_mask: Signal
    is_masked: Signal
    named: Signal
    i: stream.Interface
    o: stream.Interface

    def __init__(self, form: MessageFormat) -> None:
        self._form = form
        super().__init__(
            {
                "place": In(form.root_bits),
                **dict.fromkeys(("is_final", "is_mask", "is_masked", "named"), In(1)),
                "i": In(stream.Signature(flit_layout(form))),
                "o": Out(stream.Signature(received_layout(form))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, out = self._form, self.o
        flit: View = self.i.p
        came = view_header(form, flit)
        self.within = within = Signal(name="within")
        self.kept = kept = Signal(header_layout(form), name="kept")
        self.marked = marked = Signal(name="marked")
        # Of a scatter: the part, counted as places are, and whether that of the node was before it.
        self.part = part = Signal(form.root_bits, name="part")
        self.served = served = Signal(name="served")
        takes, delivers, is_scatter, is_mine = (
            Signal(name=name) for name in ("takes", "delivers", "is_scatter", "is_mine")
        )
        m.d.comb += [
            is_scatter.eq(kept.kind == Collective.SCATTER),
            is_mine.eq((part == self.place) & ~served),
            # A message that ends before what is the node's is answered by a marked beat.
            delivers.eq(
                Mux(
                    self.is_mask,
                    flit.last & self.named,
                    ~is_scatter | is_mine | (flit.last & ~served),
                )
            ),
            out.valid.eq(self.i.valid & within & delivers),
            out.p.header.eq(kept),
            out.p.data.eq(flit.data),
            out.p.part.eq(flit.part),
            out.p.last.eq(flit.last | (is_scatter & flit.part)),
            out.p.fault.eq(
                flit.fault
                | marked
                | (self.is_mask & self.is_masked)
                | (is_scatter & ~is_mine)
                | (is_scatter & self.is_final & flit.part & ~flit.last)
            ),
            # A header that ends its message stays, to be the beat that answers.
            self.i.ready.eq(Mux(within, out.ready | ~delivers, ~flit.last)),
            takes.eq(self.i.valid & self.i.ready),
        ]
        with m.If(~within):
            m.d.sync += [kept.eq(came), marked.eq(flit.fault), part.eq(0), served.eq(0)]
        with m.Elif(takes & flit.part):
            m.d.sync += [part.eq(following(part, 1 << form.root_bits)), served.eq(served | is_mine)]
        ends = takes & (flit.last | (self.is_mask & ~self.is_masked & ~self.named))
        m.d.sync += within.eq(Mux(within, ~ends, self.i.valid))
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
