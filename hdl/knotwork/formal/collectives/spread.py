"""Proofs of a spread: every flit comes once to each branch that it is for, and to no other."""

from functools import partial

from amaranth.hdl import Cat, Mux, Value
from amaranth.lib import data

from ...gateware.collectives.messages import flit_layout, view_header
from ...gateware.collectives.spread import CollectiveSpread
from ...routing.collectives import Collective, MessageFormat
from ..component import ComponentHarness, ComponentProofs, Stream
from ..property import Property
from .ports import COVER, is_one_of


class SpreadHarness(ComponentHarness):
    """Harness of a spread, the message that comes, and the flit that is copied.

    Branches have different members. As `sender_proofs` and `merge_proofs` show, the root that an
    unmarked message names is a member; what comes here is for a branch.

    Members
    -------
    branches : list of Stream
        What the branches get.
    within : Value
        The header of a message was taken, its last flit was not.
    masks : Value
        Beats of a multicast's mask that follow.
    mask : Value
        Nodes that the beats of a mask have named so far.
    targets : Value
        Branches that the flits of the message are for.
    owed : Value
        Branches that have not taken the flit yet.
    flit : View
        The flit that was taken last.
    """

    def __init__(self, form: MessageFormat, branches: int) -> None:
        spread = CollectiveSpread(form, branches=branches)
        super().__init__(spread)
        self.form, self.spread, self.count = form, spread, branches
        self.i, layout = self.stream("i"), flit_layout(form)
        self.assume_stream("i")
        self.branches = []
        for number in range(branches):
            valid, ready, payload = (
                self.port(f"o_{number}_{one}") for one in ("valid", "ready", "payload")
            )
            self.branches.append(Stream(valid, ready, data.View(layout, payload)))
        self.members = [self.constant(f"members_{number}") for number in range(branches)]
        for number, members in enumerate(self.members):
            for other in self.members[:number]:
                self.environment((members & other) == 0)
        self.within = self.register(1, "within")
        self.masks = self.register(range(form.mask_beats + 1), "masks")
        self.mask = self.register(form.mask_beats * form.width, "mask")
        self.targets = self.register(branches, "targets")
        self.owed = self.register(branches, "owed")
        self.flit = self.record(layout, "flit")
        header, flit = self.header, self.i.payload
        starts = self.i.valid & ~self.within
        is_rooted = starts & self.names_root & ~flit.fault
        self.assume(~is_rooted | self.rooted.any())
        self.assume(~(starts & flit.last) | (header.kind < Collective.BROADCAST))
        self._watch()

    def _watch(self) -> None:
        m, flit, takes = self.m, self.i.payload, self.i.moves
        moved = Cat(branch.moves for branch in self.branches)
        gets = self.aims & self.port("delivers")
        m.d.sync += self.owed.eq((self.owed & ~moved) | Mux(takes, gets, 0))
        with m.If(takes):
            is_multicast = self.header.kind == Collective.MULTICAST
            m.d.sync += [
                self.flit.eq(flit),
                self.within.eq(~flit.last),
            ]
            with m.If(~self.within):
                m.d.sync += [
                    self.masks.eq(Mux(is_multicast, self.form.mask_beats, 0)),
                    self.mask.eq(0),
                    self.targets.eq(self.aims),
                ]
            with m.Elif(self.in_mask):
                m.d.sync += [self.mask.eq(self.mask_after), self.masks.eq(self.masks - 1)]
                with m.If(self.masks == 1):
                    m.d.sync += self.targets.eq(self.named_by(self.mask_after))
                    goes_on = self.named_by(self.mask_after).any() | self.constant("is_centre")
                    m.d.sync += self.within.eq(~flit.last & goes_on)

    @property
    def header(self) -> data.View:
        """What comes, as a header."""
        return view_header(self.form, self.i.payload)

    @property
    def names_root(self) -> Value:
        """Whether a header names the one node that gets the result."""
        return is_one_of(self.header.kind, Collective.REDUCE, Collective.GATHER)

    @property
    def rooted(self) -> Value:
        """Branch of the node that a header names."""
        nodes = range(self.form.nodes)
        return Cat(
            Cat(members[node] & (self.header.root == node) for node in nodes).any()
            for members in self.members
        )

    @property
    def in_mask(self) -> Value:
        """Whether what comes is a beat of a mask."""
        return self.within & (self.masks != 0)

    @property
    def mask_after(self) -> Value:
        """Nodes that the mask names, the beat that comes included."""
        beats = self.form.mask_beats
        parts = [
            Mux(self.masks == beats - number, self.i.payload.data, 0) for number in range(beats)
        ]
        return self.mask | Cat(*parts)

    def named_by(self, mask: Value) -> Value:
        """Branches with members that a mask names."""
        return Cat((mask[: self.form.nodes] & members).any() for members in self.members)

    @property
    def aims(self) -> Value:
        """Branches that the flit that comes is for."""
        every = (1 << self.count) - 1
        to_root = self.names_root & ~self.i.payload.fault
        header = Mux(to_root, self.rooted, every)
        return Mux(~self.within, header, Mux(self.masks != 0, every, self.targets))

    def claim_state(self) -> None:
        """Claim that the spread knows what comes and who gets it."""
        spread = self.spread
        self.claim(self.port("headed") == self.within)
        self.claim(self.probe(spread.owed) == self.owed)
        self.claim(self.masks <= self.form.mask_beats)
        self.claim(~self.within | (self.probe(spread.masks) == (self.masks != 0)))
        aimed = self.probe(spread.aimed)
        self.claim(~self.in_mask | (aimed == self.named_by(self.mask)))
        behind = self.within & (self.masks == 0)
        self.claim(~behind | (aimed == self.targets))
        self.claim(~behind | self.port("is_centre") | self.targets.any())
        if self.form.mask_beats > 1:
            beat = self.probe(spread.beat)
            self.claim(~self.in_mask | (beat == self.form.mask_beats - self.masks))


def _claim_copies(harness: SpreadHarness) -> None:
    """Claim that each branch that a flit is for takes it once, before the next flit comes.

    A branch to a member takes those alone of which its receiver says so.
    """
    harness.claim_state()
    for number, branch in enumerate(harness.branches):
        harness.claim(branch.valid == harness.owed[number])
        same = Value.cast(branch.payload) == Value.cast(harness.flit)
        harness.claim(~branch.valid | same)
        harness.claim_held(branch.valid, branch.ready, Value.cast(branch.payload), "o")
    moved = Cat(branch.moves for branch in harness.branches)
    left = harness.owed & ~moved
    harness.claim(~harness.i.moves | ~left.any())
    harness.claim(harness.i.ready | left.any())
    if harness.count > 1:
        harness.cover(left.any() & moved.any())
        for kind in (Collective.REDUCE, Collective.BROADCAST, Collective.MULTICAST):
            comes = harness.i.moves & ~harness.within & (harness.header.kind == kind)
            harness.cover(comes & moved.any())
        behind = harness.i.moves & harness.within & (harness.masks == 0)
        harness.cover(behind & (harness.targets == 1) & (harness.mask != 0))


def _claim_masks(harness: SpreadHarness) -> None:
    """Claim what receivers must know of the flit that is taken."""
    harness.claim_state()
    takes = harness.i.moves
    harness.claim(harness.port("takes") == takes)
    harness.claim(harness.port("is_mask") == harness.in_mask)
    ends = harness.named(harness.in_mask & (harness.masks == 1), "ends")
    harness.claim(~harness.in_mask | (harness.port("ends_mask") == ends))
    by_mask = harness.named(harness.named_by(harness.mask_after), "by_mask")
    harness.claim(~(takes & harness.in_mask) | (harness.port("named") == by_mask))
    harness.cover(takes & ends & by_mask.any())
    harness.cover(takes & ends & ~by_mask.any())


def spread_proofs(form: MessageFormat, *, branches: int) -> ComponentProofs:
    """Proofs of `CollectiveSpread`."""
    copies = Property(
        name="copies",
        text="a flit comes once, unchanged and in order, to each branch that it is for, and to no "
        "other: to those to members if these are to get it; of a reduction or a gather to that of "
        "the root, of a multicast behind its mask to "
        "those with nodes that this names; the next is taken as soon as all have it",
        claim=_claim_copies,
        cover=COVER + form.mask_beats,
    )
    masks = Property(
        name="masks",
        text="of each flit that is taken the receivers see whether it is behind a header, of a "
        "mask and the last beat of that, and whether the mask names them",
        claim=_claim_masks,
        cover=COVER + form.mask_beats,
    )
    return ComponentProofs(
        partial(CollectiveSpread, form, branches=branches),
        partial(SpreadHarness, form, branches),
        [copies, masks],
    )
