"""The way up: a router of the tree makes one message of those of its branches."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import FAULTS, Collective, MessageFormat
from ...untyped import View
from ..component import Component
from ..parts.arbiter import next_after
from ..parts.crossbar import one_hot_mux
from .messages import combine, flit_layout, header_layout, view_header


class CollectiveMerge(Component):
    """Combines the branches' messages beat by beat, or passes them one after the other.

    A message that all members send starts when all branches offer its header. Where these differ,
    or one ends before the others, the result is marked, ends with the shortest, goes to all
    members, and the rest of the longer ones is taken and dropped: no member waits for ever.

    Latency
    -------
    0 cycles; a beat per cycle.

    Parameters
    ----------
    form : MessageFormat
        Widths and operations.
    branches : int
        Branches, at least 2.

    Members
    -------
    i : In(stream of flit_layout(form)).array(branches)
        Messages of each branch; a header first.
    o : Out(stream of flit_layout(form))
        What they combine to.
    fault : Out(len(FAULTS)).array(branches)
        High for a cycle: what a branch's message has other than the first branch's.
    awaited : In(1)
        The group waits for a message from here.
    waits : Out(branches)
        The group waits for a message of this branch; a cycle after `awaited`.
    """

    i: list[stream.Interface]
    o: stream.Interface
    fault: list[Signal]
    awaited: Signal
    waits: Signal

    def __init__(self, form: MessageFormat, *, branches: int) -> None:
        self._form = form
        self._branches = branches
        flits = stream.Signature(flit_layout(form))
        super().__init__(
            {
                "i": In(flits).array(branches),
                "o": Out(flits),
                "fault": Out(len(FAULTS)).array(branches),
                "awaited": In(1),
                "waits": Out(branches),
            }
        )

    @property
    def variant(self) -> str:
        return f"{self._branches}way"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = self._branches
        # The message after its header: of all branches together, or of one after the other; and
        # what is dropped of the longer ones.
        self.combines, self.passes, self.drains = (
            Signal(name=name) for name in ("combines", "passes", "drains")
        )
        self.is_open, self.select, self.takes = (
            Signal(count, name=name) for name in ("is_open", "select", "takes")
        )
        self.starts, self.together, self.fire = (
            Signal(name=name) for name in ("starts", "together", "fire")
        )
        # Of a header that all send: they differ; parts follow each other; some end, others do not.
        self.mixed, self.joins, self.unequal = (
            Signal(name=name) for name in ("mixed", "joins", "unequal")
        )
        self._choose(m)
        self._output(m)
        self._report(m)
        self._advance(m)
        return m

    @property
    def _flits(self) -> list[View]:
        return [branch.p for branch in self.i]

    @property
    def _headers(self) -> list[View]:
        return [view_header(self._form, flit) for flit in self._flits]

    @property
    def _valid(self) -> Value:
        return Cat(branch.valid for branch in self.i)

    @property
    def _lasts(self) -> Value:
        return Cat(flit.last for flit in self._flits)

    @property
    def _faults(self) -> Value:
        return Cat(flit.fault for flit in self._flits)

    @property
    def _differs(self) -> list[Value]:
        """What the headers of the branches behind the first have other than that: `FAULTS`."""
        first, *others = self._headers
        return [
            Cat(
                Cat(header.kind, header.operation) != Cat(first.kind, first.operation),
                header.root != first.root,
            )
            for header in others
        ]

    def _choose(self, m: Module) -> None:
        """Branches whose flits go on in this cycle."""
        count, valid, out = self._branches, self._valid, self.o
        self.turn = turn = Signal(count, name="turn", init=1 << (count - 1))
        self.lowest = lowest = Signal(count, name="lowest")
        single, idle = Signal(count, name="single"), Signal(name="idle")
        alone = zip(self.i, self._headers, strict=True)
        fires, passes = self.fire.replicate(count), out.ready.replicate(count)
        m.d.comb += [
            idle.eq(~(self.combines | self.passes | self.drains)),
            single.eq(Cat(branch.valid & header.kind[2] for branch, header in alone)),
            self.starts.eq(idle & ~single.any()),
            self.together.eq(self.starts | self.combines),
            lowest.eq(self.is_open & ~(self.is_open - 1)[:count]),
            self.select.eq(
                Mux(self.passes, lowest, next_after(single, turn) & idle.replicate(count))
            ),
            out.valid.eq(Mux(self.together, valid.all(), (self.select & valid).any())),
            self.fire.eq(out.valid & out.ready),
            self.takes.eq(
                Mux(self.together, fires, Mux(self.drains, self.is_open, self.select & passes))
            ),
            *(branch.ready.eq(taken) for branch, taken in zip(self.i, self.takes, strict=True)),
        ]
        # A message of one sender begins, or stays the next to begin: what is offered must stay.
        before = Cat(self.select[1:], self.select[0])
        with m.If(idle & ~self.starts):
            m.d.sync += turn.eq(Mux(self.fire, self.select, before))

    def _output(self, m: Module) -> None:
        form, out, lasts = self._form, self.o, self._lasts
        chosen = list(self.select)
        header = Signal(header_layout(form), name="header")
        choice = [self.select[0] | self.starts, *self.select[1:]]
        body = Signal(form.width, name="body")
        last, part, fault = (
            one_hot_mux(chosen, [flit[field] for flit in self._flits])
            for field in ("last", "part", "fault")
        )
        within = self.combines | self.passes
        m.d.comb += [
            self.mixed.eq(self.starts & Cat(self._differs).any()),
            self.joins.eq(self.starts & ~self.mixed & (self._headers[0].kind == Collective.GATHER)),
            self.unequal.eq(lasts.any() & ~lasts.all()),
            body.eq(self._body(m)),
            header.eq(one_hot_mux(choice, [one.as_value() for one in self._headers])),
            # Only a header's bits pass the choice of a branch: those above say nothing there.
            out.p.data.eq(
                Cat(
                    Mux(within, body[: form.header_bits], header.as_value()),
                    body[form.header_bits :],
                )
            ),
            out.p.last.eq(
                Mux(
                    self.together,
                    Mux(self.joins, lasts.all(), lasts.any()),
                    last & ~(self.passes & (self.is_open & ~self.select).any()),
                )
            ),
            out.p.part.eq(part),
            out.p.fault.eq(
                Mux(
                    self.together,
                    self._faults.any() | self.mixed | (self.unequal & ~self.joins),
                    fault,
                )
            ),
        ]
        with m.If(self.mixed):
            m.d.comb += header.kind.eq(Collective.ALL_REDUCE)  # all members get it, marked

    def _body(self, m: Module) -> Value:
        """Beats combined, or that of one branch; chosen by registers alone."""
        form, beats = self._form, [flit.data for flit in self._flits]
        self.operation = Signal(form.operation_bits, name="operation")
        if not form.passes_by_zeros:
            combined = combine(form, self.operation, beats)
            return Mux(self.combines, combined, one_hot_mux(list(self.lowest), beats))
        # Branches that are left out give zeros: their gates cost less than a multiplexer behind the
        # operation.
        opens = Signal(len(beats), name="opens")
        m.d.comb += opens.eq(self.lowest | self.combines.replicate(len(beats)))
        gated = [beat & bit.replicate(len(beat)) for beat, bit in zip(beats, opens, strict=True)]
        return combine(form, self.operation, gated)

    def _report(self, m: Module) -> None:
        """What differs, and what is waited for."""
        lasts, faults, valid = self._lasts, self._faults, self._valid
        for number, differs in enumerate(self._differs, start=1):
            shorter = (lasts[number] != lasts[0]) & ~self.joins
            # A message that is marked was reported where it was.
            reports = self.fire & self.together & ~faults[0] & ~faults[number]
            m.d.comb += self.fault[number].eq(
                Cat(differs & self.starts.replicate(2), shorter) & reports.replicate(3)
            )
        others = (valid.any() | self.awaited) & self.together
        m.d.sync += self.waits.eq(~valid & others.replicate(self._branches))

    def _advance(self, m: Module) -> None:
        """What the next flits are."""
        left = self.is_open & ~(self.takes & self._valid & self._lasts)
        ends = self._lasts.any()
        with m.If(self.together & self.fire):
            m.d.sync += [
                self.is_open.eq(~self._lasts),
                self.passes.eq(self.joins & ~self._lasts.all()),
                self.combines.eq(~self.joins & ~ends),
                self.drains.eq(~self.joins & self.unequal),
            ]
        with m.Elif(self.passes & self.fire):
            m.d.sync += [self.is_open.eq(left), self.passes.eq(~self.o.p.last)]
        with m.Elif(self.fire):  # the header of a message of one sender
            m.d.sync += [self.is_open.eq(self.select), self.passes.eq(~self.o.p.last)]
        with m.Elif(self.drains):
            m.d.sync += [self.is_open.eq(left), self.drains.eq(left.any())]
        with m.If(self.starts & self.fire):
            m.d.sync += self.operation.eq(self._headers[0].operation)
