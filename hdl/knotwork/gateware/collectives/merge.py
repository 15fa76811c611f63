"""The way up: a router of the tree makes one message of those of its branches."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
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
    members, and the rest of the longer ones is taken and dropped: no member waits for ever.

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
        self.passes, self.idle, self.combines, self.drains = (
            Signal(name=name) for name in ("passes", "idle", "combines", "drains")
        )
        # Flits that go on: of all branches, or of one.
        self.starts, self.together = Signal(name="starts"), Signal(name="together")
        self.select, self.takes = (Signal(count, name=name) for name in ("select", "takes"))
        self.accepts = Signal(name="accepts")
        # Of what all send: headers differ; some end, others do not.
        self.mixed, self.unequal = (Signal(name=name) for name in ("mixed", "unequal"))
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
        any_open, all_open = self.is_open.any(), self.is_open.all()
        alone = self._bits("part")  # of headers: no other branch sends the like
        lowest = self.is_open & ~(self.is_open - 1)[:count]
        m.d.comb += [
            self.idle.eq(~any_open),
            self.combines.eq(all_open & ~self.passes),
            self.drains.eq(any_open & ~all_open & ~self.passes),
            self.starts.eq(self.idle & (valid & ~alone).all()),
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
        differs = [
            Cat(
                Cat(header.kind, header.operation) != Cat(first.kind, first.operation),
                header.root != first.root,
            )
            for header in others
        ]
        m.d.comb += [
            self.mixed.eq(self.idle & Cat(differs).any()),
            self.unequal.eq(lasts.any() & ~lasts.all()),
        ]
        for number, bits in enumerate(differs, start=1):
            # A message that is marked was reported where it was.
            reports = self.together & self.accepts & ~faults[0] & ~faults[number]
            m.d.sync += self.fault[number].eq(
                Cat(bits & self.idle.replicate(2), lasts[number] != lasts[0]) & reports.replicate(3)
            )
        alone = (valid & self._bits("part")).any()
        awaits = (valid.any() | self.awaited) & (self.combines | (self.idle & ~alone))
        m.d.sync += self.waits.eq(~valid & awaits.replicate(self._branches))

    def _output(self, m: Module) -> None:
        """Registers of what goes on, and the operation behind them."""
        form, out = self._form, self.o
        moves = self.select | (self.idle | self.combines).replicate(self._branches)
        # Of headers only the first one's goes on: they are equal, or the flit is marked.
        uses = self.select | self.combines.replicate(self._branches) | self.idle
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
        several = self.passes & (self.is_open & ~self.select).any()
        with m.If(self.accepts):
            m.d.sync += [
                sums.eq(self.combines),
                out.p.last.eq((moves & self._bits("last")).any() & ~several),
                out.p.part.eq((moves & self._bits("part")).any()),
                out.p.fault.eq(
                    (moves & self._bits("fault")).any()
                    | self.mixed
                    | ((self.idle | self.combines) & self.unequal)
                ),
            ]
        with m.If(self.accepts & self.idle):
            m.d.sync += self.operation.eq(self._headers[0].operation)
        combined = combine(m, form, self.operation, [*self.operands])
        if not form.passes_by_zeros:
            combined = Mux(sums, combined, reduce(or_, self.operands))
        m.d.comb += out.p.data.eq(combined)

    def _advance(self, m: Module) -> None:
        """Which messages are open, and how their next flits go on."""
        valid, lasts, alone = self._valid, self._bits("last"), self._bits("part")
        self.turn = turn = Signal(self._branches, name="turn", init=1 << (self._branches - 1))
        single = Signal(self._branches, name="single")
        m.d.comb += single.eq(valid & alone & self.idle.replicate(self._branches))
        # Members' parts follow each other, unless a header is marked or marks this one.
        joins = ~self.mixed & ~self._bits("fault").any()
        joins &= self._headers[0].kind == Collective.GATHER
        with m.If(self.idle):
            m.d.sync += self.passes.eq(single.any() | joins)
        with m.If(single.any()):
            choice = next_after(single, turn)
            m.d.sync += [self.is_open.eq(choice), turn.eq(choice)]
        for number, moved in enumerate(self.takes & valid):
            with m.If(moved):
                m.d.sync += self.is_open[number].eq(~lasts[number])
