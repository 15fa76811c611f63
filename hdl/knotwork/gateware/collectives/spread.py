"""The way down: a router of the tree gives a message to the branches that it is for."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import Collective, MessageFormat
from ...untyped import View
from ..component import Component
from .messages import flit_layout, view_header


class CollectiveSpread(Component):
    """Copies each message to the branches that it is for; to no other.

    A multicast's header and mask go to all branches, and its data to those with members that the
    mask names. So where it names none the message ends with its mask, but at the centre.

    Latency
    -------
    1 cycle; a flit per cycle. `i.ready` depends on `ready` of the branches in the same cycle.

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
    is_centre : In(1)
        All of every message comes here, also of one that is for no branch; constant.
    takes : Out(1)
        The flit that comes is taken.
    headed : Out(1)
        It is behind its message's header.
    is_mask : Out(1)
        It is of a multicast's mask.
    ends_mask : Out(1)
        Of a mask, it is the last beat.
    named : Out(branches)
        Branches that a mask names so far, that flit included.
    delivers : In(branches)
        The branch is to get that flit, if its message is for the branch.
    """

    i: stream.Interface
    o: list[stream.Interface]
    members: list[Signal]
    is_centre: Signal
    takes: Signal
    headed: Signal
    is_mask: Signal
    ends_mask: Signal
    named: Signal
    delivers: Signal

    def __init__(self, form: MessageFormat, *, branches: int) -> None:
        self._form = form
        self._branches = branches
        flits = stream.Signature(flit_layout(form))
        super().__init__(
            {
                "i": In(flits),
                "o": Out(flits).array(branches),
                "members": In(form.nodes).array(branches),
                "is_centre": In(1),
                **dict.fromkeys(("takes", "headed", "is_mask", "ends_mask"), Out(1)),
                "named": Out(branches),
                "delivers": In(branches),
            }
        )

    @property
    def variant(self) -> str:
        return f"{self._branches}way"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, count, came = self._form, self._branches, self.i.p
        self.flit = flit = Signal(flit_layout(form), name="flit")
        # Branches that have not taken the flit yet; none if there is no flit.
        self.owed = owed = Signal(count, name="owed")
        self.targets = targets = Signal(count, name="targets")
        accepts, due = Signal(name="accepts"), Signal(count, name="due")
        ready = Cat(branch.ready for branch in self.o)
        self._aim(m)
        m.d.comb += [
            accepts.eq((~owed | ready).all()),
            self.i.ready.eq(accepts),
            self.takes.eq(self.i.valid & accepts),
            due.eq(targets & self.delivers & self.i.valid.replicate(count)),
        ]
        m.d.sync += owed.eq((owed & ~ready) | (due & accepts.replicate(count)))
        with m.If(accepts):
            m.d.sync += flit.eq(came)
        for branch, owes in zip(self.o, owed, strict=True):
            m.d.comb += [branch.p.eq(flit), branch.valid.eq(owes)]
        return m

    def _aim(self, m: Module) -> None:
        """Branches that the flit that comes is for."""
        form, count, came, headed = self._form, self._branches, self.i.p, self.headed
        header = view_header(form, came)
        self.masks = masks = Signal(name="masks")
        self.beat = beat = Signal(range(form.mask_beats), name="beat")
        # Branches that the message is for; of a multicast those that its mask names so far.
        self.aimed = aimed = Signal(count, name="aimed")
        starts = Signal(count, name="starts")
        names_root = (header.kind == Collective.REDUCE) | (header.kind == Collective.GATHER)
        m.d.comb += [
            self.is_mask.eq(headed & masks),
            self.ends_mask.eq(beat == form.mask_beats - 1),
            # All learn of messages that differ.
            starts.eq(self._to_root(header) | ~(names_root & ~came.fault).replicate(count)),
            self.named.eq(aimed | self._names(beat)),
            self.targets.eq(Mux(headed, aimed | masks.replicate(count), starts)),
        ]
        if count == 1:  # else it would not be here
            m.d.comb += self.targets.eq(Mux(headed, aimed | masks, 1) | ~self.is_centre)
        is_multicast = header.kind == Collective.MULTICAST
        goes_on = ~(self.is_mask & self.ends_mask) | self.named.any() | self.is_centre
        with m.If(self.takes):
            m.d.sync += [
                headed.eq(~came.last & goes_on),
                masks.eq(Mux(headed, masks & ~self.ends_mask, is_multicast)),
            ]
        with m.If(self.takes & (masks | ~headed)):
            begun = starts & ~is_multicast.replicate(count)
            m.d.sync += aimed.eq(Mux(headed, self.named, begun))
        with m.If(~headed):
            m.d.sync += beat.eq(0)
        with m.Elif(self.takes):
            m.d.sync += beat.eq(beat + 1)

    def _to_root(self, header: View) -> Value:
        """Branch of the node that a header names: the last one if it is none of the others."""
        *others, _ = [members.bit_select(header.root, 1) for members in self.members]
        return Cat(*others, ~Cat(others).any())

    def _names(self, beat: Value) -> Value:
        """Branches with members that a beat of a mask names."""
        width = self._form.width
        return Cat(
            Cat(
                (beat == place) & (self.i.p.data & part).any()
                for place in range(self._form.mask_beats)
                for part in [members[place * width : (place + 1) * width]]
                if len(part)
            ).any()
            for members in self.members
        )
