"""The way up: a router of the tree makes one message of those of its branches."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import FAULTS, Collective, MessageFormat
from ...untyped import View
from ..component import Component
from ..parts.arbiter import next_after
from .messages import combine, flit_layout, view_header


class CollectiveMerge(Component):
    """Combines the branches' messages beat by beat, or passes them one after the other.

    A message that all members send starts when all branches offer its header. Where these differ,
    or one ends before the others, the result is marked, ends with the shortest, goes to all
    members, and the rest of the longer ones is taken and dropped: no member waits for ever. Behind
    the header of a gather the branches' parts follow each other, also where the others differ.

    Each branch has a register in front of the operation. A branch that is left out has its register
    cleared, which takes no gates: what is combined with zeros is itself.

    Latency
    -------
    1 cycle, and 1 to choose a message that one branch sends alone; a beat per cycle.

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
        High for a cycle, one after: what a branch's message has other than the first branch's.
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
        # Branches whose message has begun and not ended, one after the other if `passes`.
        self.is_open = Signal(count, name="is_open")
        # None has; all of them are combined; one passes after the other; the rest is dropped.
        self.idle, self.combines, self.passes, self.drains = (
            Signal(name=name) for name in ("idle", "combines", "passes", "drains")
        )
        # Flits that go on: of all branches, or of one.
        self.starts, self.together = Signal(name="starts"), Signal(name="together")
        self.select, self.takes = (Signal(count, name=name) for name in ("select", "takes"))
        self.accepts = Signal(name="accepts")
        # What the header of each other branch has other than the first one's.
        self.differs = Signal(data.ArrayLayout(2, count - 1), name="differs")
        self._choose(m)
        self._compare(m)
        self._output(m)
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

    def _bits(self, field: str) -> Value:
        """A bit of each branch's flit."""
        return Cat(flit[field] for flit in self._flits)

    def _choose(self, m: Module) -> None:
        """Branches whose flits go on in this cycle."""
        count, valid, out = self._branches, self._valid, self.o
        alone = self._bits("part")  # of headers: no other branch sends the like
        lowest = Cat(one & ~self.is_open[:place].any() for place, one in enumerate(self.is_open))
        m.d.comb += [
            self.idle.eq(~self.is_open.any()),
            self.drains.eq(~self.combines & ~self.passes),
            self.starts.eq((valid & ~alone & ~self.is_open).all()),
            self.together.eq(self.starts | (self.combines & valid.all())),
            self.select.eq(lowest & self.passes.replicate(count)),
            self.accepts.eq(~out.valid | out.ready),
            self.takes.eq(
                ((self.select | self.together.replicate(count)) & self.accepts.replicate(count))
                | (self.is_open & self.drains.replicate(count))
            ),
            *(branch.ready.eq(taken) for branch, taken in zip(self.i, self.takes, strict=True)),
        ]
        with m.If(self.accepts):
            m.d.sync += out.valid.eq(self.together | (self.select & valid).any())

    def _compare(self, m: Module) -> None:
        """What the branches' messages have other than the first one's; what is waited for."""
        valid, lasts, faults = self._valid, self._bits("last"), self._bits("fault")
        first, *others = self._headers
        # Flits of which is reported what they have other than the first one; some end, some do not.
        sees, unequal = (Signal(len(others), name=name) for name in ("sees", "unequal"))
        for place, header in enumerate(others):
            differs = Cat(
                Cat(header.kind, header.operation) != Cat(first.kind, first.operation),
                header.root != first.root,
            )
            with m.If(self.accepts):
                m.d.sync += self.differs[place].eq(differs & self.idle.replicate(2))
            # A message that is marked was reported where it was.
            is_marked = faults[0] | faults[place + 1]
            m.d.sync += [
                sees[place].eq(self.together & self.accepts & ~is_marked),
                unequal[place].eq(lasts[place + 1] != lasts[0]),
            ]
            found = Cat(self.differs[place], unequal[place])
            m.d.comb += self.fault[place + 1].eq(found & sees[place].replicate(3))
        alone = (valid & self._bits("part")).any()
        awaits = (valid.any() | self.awaited) & (self.combines | (self.idle & ~alone))
        m.d.sync += self.waits.eq(~valid & awaits.replicate(self._branches))

    def _output(self, m: Module) -> None:
        """Registers of what goes on, and the operation behind them."""
        form, out = self._form, self.o
        # Of headers only the first one's goes on: they are equal, or the flit is marked.
        combines = self.combines.replicate(self._branches)
        uses = self.select | combines | self.idle
        self.operands = [
            Signal(form.width, name=f"operand_{number}") for number in range(self._branches)
        ]
        for used, operand, flit in zip(uses, self.operands, self._flits, strict=True):
            with m.If(self.accepts & ~used):
                m.d.sync += operand.eq(0)
            with m.Elif(self.accepts):
                m.d.sync += operand.eq(flit.data)
        self.operation = Signal(form.operation_bits, name="operation")
        self.sums = sums = Signal(name="sums")
        # Of messages one after the other the last one's last flit ends them all.
        more = Cat(one & self.is_open[:place].any() for place, one in enumerate(self.is_open)).any()
        parts, lasts, marked = self._bits("part"), self._bits("last"), Signal(name="marked")
        ends = ((self.is_open | self.idle.replicate(self._branches)) & lasts).any()
        with m.If(self.accepts):
            m.d.sync += [
                sums.eq(self.combines),
                out.p.last.eq(ends & ~(self.passes & more)),
                out.p.part.eq((parts & (self.select | combines)).any()),
                # No flit is marked that is passed.
                marked.eq(
                    (self.idle | self.combines)
                    & (self._bits("fault").any() | (lasts.any() & ~lasts.all()))
                ),
            ]
        with m.If(self.accepts & self.idle):
            m.d.sync += self.operation.eq(self._headers[0].operation)
        combined = combine(m, form, self.operation, [*self.operands])
        if not form.passes_by_zeros:
            combined = Mux(sums, combined, reduce(or_, self.operands))
        # Headers are compared in one cycle, and marked in the next.
        m.d.comb += [out.p.data.eq(combined), out.p.fault.eq(marked | Cat(self.differs).any())]

    def _advance(self, m: Module) -> None:
        """Which messages are open, and how their next flits go on."""
        valid, lasts, alone = self._valid, self._bits("last"), self._bits("part")
        self.turn = turn = Signal(self._branches, name="turn", init=1 << (self._branches - 1))
        single = Signal(self._branches, name="single")
        begins = Signal(name="begins")
        m.d.comb += [single.eq(valid & alone), begins.eq(self.idle & single.any())]
        # Members' parts follow each other, unless the header is a message alone.
        joins = self.idle & (self._headers[0].kind == Collective.GATHER)
        with m.If(self.idle):
            m.d.sync += self.passes.eq(begins | (joins & ~lasts.any()))
        # All are open, and none passes: this register is a gate less.
        with m.If(self.together & self.accepts):
            m.d.sync += self.combines.eq(~joins & ~lasts.any())
        with m.If(begins):
            choice = next_after(single, turn)
            m.d.sync += [self.is_open.eq(choice), turn.eq(choice)]
        for number, moved in enumerate(self.takes & valid):
            with m.If(moved):
                m.d.sync += self.is_open[number].eq(~lasts[number])
