"""The way down: a router of the tree gives a message to the branches that it is for."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import Collective, MessageFormat
from ...untyped import View
from ..component import Component
from ..parts.buffer import Buffer
from .messages import flit_layout, view_header


class CollectiveSpread(Component):
    """Copies each message to the branches that it is for; to no other.

    A multicast is held until its mask is here: only then is it known which branches have members
    that it names.

    Latency
    -------
    1 cycle; for a multicast the beats of its mask more. A beat per cycle.

    Parameters
    ----------
    form : MessageFormat
        Widths.
    branches : int
        Branches.

    Members
    -------
    i : In(stream of flit_layout(form))
        Messages; a header first.
    o : Out(stream of flit_layout(form)).array(branches)
        Messages of each branch.
    members : In(form.nodes).array(branches)
        Nodes at or below each branch, a bit each; constant.
    """

    i: stream.Interface
    o: list[stream.Interface]
    members: list[Signal]

    def __init__(self, form: MessageFormat, *, branches: int) -> None:
        self._form = form
        self._branches = branches
        flits = stream.Signature(flit_layout(form))
        super().__init__(
            {
                "i": In(flits),
                "o": Out(flits).array(branches),
                "members": In(form.nodes).array(branches),
            }
        )

    @property
    def variant(self) -> str:
        return f"{self._branches}way"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, count = self._form, self._branches
        depth = 2 + form.mask_beats  # a mask, its header, and one more: no beat waits
        m.submodules.buffer = buffer = Buffer(flit_layout(form), depth=depth)
        head: View = buffer.o.p
        header = view_header(form, head)
        self.within = within = Signal(name="within")
        self.held = held = Signal(count, name="held")
        self.done = done = Signal(count, name="done")
        self.hits = hits = Signal(count, name="hits")
        self.scanned = scanned = Signal(name="scanned")
        self._scan(m, buffer)

        targets, ready, taken = (Signal(count, name=n) for n in ("targets", "ready", "taken"))
        is_multicast, complete, fire = (
            Signal(name=n) for n in ("is_multicast", "complete", "fire")
        )
        to_root = Cat(members.bit_select(header.root, 1) for members in self.members)
        m.d.comb += [
            is_multicast.eq(~within & (header.kind == Collective.MULTICAST)),
            complete.eq(buffer.o.valid & (~is_multicast | scanned)),
            targets.eq((1 << count) - 1),
            ready.eq(Cat(branch.ready for branch in self.o)),
        ]
        with m.If(within):
            m.d.comb += targets.eq(held)
        with m.Elif(is_multicast):
            m.d.comb += targets.eq(hits)
        with m.Elif((header.kind == Collective.REDUCE) | (header.kind == Collective.GATHER)):
            m.d.comb += targets.eq(to_root)
        m.d.comb += [
            taken.eq(done | ready | ~targets),
            fire.eq(complete & taken.all()),
            buffer.o.ready.eq(fire),
        ]
        for number, branch in enumerate(self.o):
            # A branch takes a flit when it can; the flit leaves when all have it.
            m.d.comb += [
                branch.p.eq(head),
                branch.valid.eq(complete & targets[number] & ~done[number]),
            ]
        with m.If(complete):
            m.d.sync += done.eq(Mux(fire, 0, done | (ready & targets)))
        with m.If(fire):
            m.d.sync += within.eq(~head.last)
            with m.If(~within):
                m.d.sync += held.eq(targets)
            with m.If(is_multicast):
                m.d.sync += scanned.eq(0)
        return m

    def _scan(self, m: Module, buffer: Buffer) -> None:
        """See on the way in which branches a multicast's mask names."""
        form, came = self._form, self.i
        self.inside = inside = Signal(name="inside")
        self.scans = scans = Signal(name="scans")
        self.beat = beat = Signal(range(form.mask_beats), name="beat")
        is_multicast, takes = Signal(name="comes_multicast"), Signal(name="takes")
        m.d.comb += [
            is_multicast.eq(~inside & (view_header(form, came.p).kind == Collective.MULTICAST)),
            # One mask is kept: the next multicast waits until this one has left.
            takes.eq(came.valid & ~(is_multicast & self.scanned)),
            buffer.i.valid.eq(takes),
            buffer.i.p.eq(came.p),
            came.ready.eq(buffer.i.ready & ~(is_multicast & self.scanned)),
        ]
        width, last = form.width, form.mask_beats - 1
        named = Cat(
            Cat(
                (beat == place) & (came.p.data & part).any()
                for place in range(form.mask_beats)
                for part in [members[place * width : (place + 1) * width]]
                if len(part)
            ).any()
            for members in self.members
        )
        with m.If(takes & buffer.i.ready):
            m.d.sync += inside.eq(~came.p.last)
            with m.If(is_multicast):
                m.d.sync += [scans.eq(~came.p.last), beat.eq(0), self.hits.eq(0)]
                m.d.sync += self.scanned.eq(came.p.last)
            with m.Elif(scans):
                m.d.sync += [self.hits.eq(self.hits | named), beat.eq(beat + 1)]
                with m.If((beat == last) | came.p.last):
                    m.d.sync += [scans.eq(0), self.scanned.eq(1)]
