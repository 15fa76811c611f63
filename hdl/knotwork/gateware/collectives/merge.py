"""The way up: a router of the tree makes one message of those of its branches."""

from itertools import zip_longest
from typing import Any, NamedTuple

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import FAULTS, Collective, MessageFormat, Operation
from ...untyped import View
from ..component import Component
from ..parts.arbiter import next_after
from .messages import combine, flit_layout, view_header
from .operations import operation_module

BRANCHES = 2
"""Branches of a merge: more than one operation in a cycle would take too long."""

FLAGS = ("last", "part", "fault")
"""What a flit is, beside its data."""

FLAGS_LAYOUT = data.StructLayout(dict.fromkeys(FLAGS, 1))


class Stage(NamedTuple):
    """Flit on its way through operations that take cycles.

    Members
    -------
    valid : Value
        There is one.
    flags : View
        Its `FLAGS`.
    data : Signal
        Its data, unless a user's operation makes them: from the cycle on in which it is ready.
    sums : Signal
        The data are those of all branches, combined.
    operation : Signal
        Place of the operation by which they are.
    """

    valid: Value
    flags: View
    data: Any
    sums: Signal
    operation: Signal


class CollectiveMerge(Component):
    """Combines the messages of two branches beat by beat, or passes them one after the other.

    A message that all members send starts when both branches offer its header. Where these differ,
    or one ends before the others, the result is marked, ends with the shortest, goes to all
    members, and the rest of the longer one is taken and dropped: no member waits for ever. Behind
    the header of a gather the branches' parts follow each other, also where the other differs.

    Each branch has a register in front of the operation. A branch that is left out has its register
    cleared, which takes no gates: what is combined with zeros is itself. Where operations take
    cycles, every flit leaves `form.merge_cycles` later: all that is on its way stops together.

    Latency
    -------
    1 cycle, and 1 to choose a message that one branch sends alone; a beat per cycle.

    Parameters
    ----------
    form : MessageFormat
        Widths and operations.

    Members
    -------
    i : In(stream of flit_layout(form)).array(2)
        Messages of each branch; a header first.
    o : Out(stream of flit_layout(form))
        What they combine to.
    fault : Out(len(FAULTS)).array(2)
        High for a cycle, one after: what a branch's message has other than the first branch's.
    awaited : In(1)
        The group waits for a message from here.
    waits : Out(2)
        The group waits for a message of this branch; a cycle after `awaited`.
    """

    i: list[stream.Interface]
    o: stream.Interface
    fault: list[Signal]
    awaited: Signal
    waits: Signal

    def __init__(self, form: MessageFormat) -> None:
        self._form = form
        flits = stream.Signature(flit_layout(form))
        super().__init__(
            {
                "i": In(flits).array(BRANCHES),
                "o": Out(flits),
                "fault": Out(len(FAULTS)).array(BRANCHES),
                "awaited": In(1),
                "waits": Out(BRANCHES),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # What is registered beside the operands: it leaves at once, or when these are combined.
        self.valid, self.flags = self.o.valid, self.o.p
        if self._form.merge_cycles:
            self.valid = Signal(name="valid")
            self.flags = Signal(FLAGS_LAYOUT, name="flags")
        # Branches whose message has begun and not ended, one after the other if `passes`.
        self.is_open = Signal(BRANCHES, name="is_open")
        # None has; both are combined; one passes after the other; the rest is dropped.
        self.idle, self.combines, self.passes, self.drains = (
            Signal(name=name) for name in ("idle", "combines", "passes", "drains")
        )
        # Flits that go on: of both branches, or of one.
        self.starts, self.together = Signal(name="starts"), Signal(name="together")
        self.select, self.takes = (Signal(BRANCHES, name=name) for name in ("select", "takes"))
        # It also moves what is on its way through operations that take cycles.
        self.accepts = Signal(name="accepts")
        # What the second branch's header has other than the first one's.
        self.differs = Signal(2, name="differs")
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
        valid, out = self._valid, self.o
        alone = self._bits("part")  # of headers: no other branch sends the like
        lowest = Cat(self.is_open[0], self.is_open[1] & ~self.is_open[0])
        m.d.comb += [
            self.idle.eq(~self.is_open.any()),
            self.drains.eq(~self.combines & ~self.passes),
            self.starts.eq((valid & ~alone & ~self.is_open).all()),
            self.together.eq(self.starts | (self.combines & valid.all())),
            self.select.eq(lowest & self.passes.replicate(BRANCHES)),
            self.accepts.eq(~out.valid | out.ready),
            self.takes.eq(
                (
                    (self.select | self.together.replicate(BRANCHES))
                    & self.accepts.replicate(BRANCHES)
                )
                | (self.is_open & self.drains.replicate(BRANCHES))
            ),
            *(branch.ready.eq(taken) for branch, taken in zip(self.i, self.takes, strict=True)),
        ]
        with m.If(self.accepts):
            m.d.sync += self.valid.eq(self.together | (self.select & valid).any())

    def _compare(self, m: Module) -> None:
        """What the second message has other than the first one; what is waited for."""
        valid, lasts, faults = self._valid, self._bits("last"), self._bits("fault")
        first, second = self._headers
        # Flits of which is reported what the second has other than the first; one ends alone.
        sees, unequal = Signal(name="sees"), Signal(name="unequal")
        differs = Cat(
            Cat(second.kind, second.operation) != Cat(first.kind, first.operation),
            second.root != first.root,
        )
        with m.If(self.accepts):
            m.d.sync += self.differs.eq(differs & self.idle.replicate(2))
        m.d.sync += [
            # A message that is marked was reported where it was.
            sees.eq(self.together & self.accepts & ~faults.any()),
            unequal.eq(lasts[1] != lasts[0]),
        ]
        m.d.comb += self.fault[1].eq(Cat(self.differs, unequal) & sees.replicate(3))
        alone = (valid & self._bits("part")).any()
        awaits = (valid.any() | self.awaited) & (self.combines | (self.idle & ~alone))
        m.d.sync += self.waits.eq(~valid & awaits.replicate(BRANCHES))

    def _output(self, m: Module) -> None:
        """Registers of what goes on, and the operation behind them."""
        form, flags = self._form, self.flags
        # Of headers only the first one's goes on: they are equal, or the flit is marked.
        combines = self.combines.replicate(BRANCHES)
        uses = self.select | combines | self.idle
        self.operands = [Signal(form.width, name=f"operand_{number}") for number in range(BRANCHES)]
        for used, operand, flit in zip(uses, self.operands, self._flits, strict=True):
            with m.If(self.accepts & ~used):
                m.d.sync += operand.eq(0)
            with m.Elif(self.accepts):
                m.d.sync += operand.eq(flit.data)
        self.operation = Signal(form.operation_bits, name="operation")
        self.sums = sums = Signal(name="sums")
        # Of messages one after the other the last one's last flit ends them all.
        more = self.is_open[1] & self.is_open[0]
        parts, lasts, marked = self._bits("part"), self._bits("last"), Signal(name="marked")
        ends = ((self.is_open | self.idle.replicate(BRANCHES)) & lasts).any()
        with m.If(self.accepts):
            m.d.sync += [
                sums.eq(self.combines),
                flags.last.eq(ends & ~(self.passes & more)),
                flags.part.eq((parts & (self.select | combines)).any()),
                # No flit is marked that is passed.
                marked.eq(
                    (self.idle | self.combines)
                    & (self._bits("fault").any() | (lasts.any() & ~lasts.all()))
                ),
            ]
        with m.If(self.accepts & self.idle):
            m.d.sync += self.operation.eq(self._headers[0].operation)
        one, other = self.operands
        combined = combine(form, self.operation, one, other)
        if not form.passes_by_zeros:
            combined = Mux(sums, combined, one | other)
        m.d.comb += [
            self.o.p.data.eq(self._behind_operations(m, combined)),
            # Headers are compared in one cycle, and marked in the next.
            flags.fault.eq(marked | self.differs.any()),
        ]

    def _behind_operations(self, m: Module, beat: Value) -> Value:
        """Data of flits when the slowest of a user's operations is ready, with their flags there.

        A result takes its place when it is ready, and waits with the flits for slower ones.
        """
        form, cycles = self._form, self._form.merge_cycles
        stages = self.stages = [Stage(self.valid, self.flags, None, self.sums, self.operation)]
        stages += [self._stage(number, is_last=number == cycles) for number in range(1, cycles + 1)]
        results: dict[int, list[tuple[int, Value]]] = {}
        for place, one in enumerate(form.operations):
            if one.user_defined is not None:
                results.setdefault(one.latency, []).append((place, self._result(m, one)))
        if cycles:
            first = Signal(form.width, name="data")
            m.d.comb += first.eq(beat)
            stages[0] = stages[0]._replace(data=first)
            beat = first
        for number, (stage, after) in enumerate(zip_longest(stages, stages[1:])):
            for place, result in results.get(number, []):
                is_used = stage.sums
                if form.operation_bits:
                    is_used &= stage.operation == place
                beat = Mux(is_used, result, beat)
            if after is not None:
                with m.If(self.accepts):
                    m.d.sync += [
                        after.valid.eq(stage.valid),
                        *(after.flags[name].eq(stage.flags[name]) for name in FLAGS),
                        after.data.eq(beat),
                        after.sums.eq(stage.sums),
                        after.operation.eq(stage.operation),
                    ]
                beat = after.data
        return beat

    def _stage(self, number: int, *, is_last: bool) -> "Stage":
        """Registers of a flit some cycles behind the operands."""
        bits = self._form.operation_bits
        return Stage(
            self.o.valid if is_last else Signal(name=f"valid_{number}"),
            self.o.p if is_last else Signal(FLAGS_LAYOUT, name=f"flags_{number}"),
            Signal(self._form.width, name=f"data_{number}"),
            Signal(name=f"sums_{number}"),
            Signal(bits, name=f"operation_{number}"),
        )

    def _result(self, m: Module, operation: Operation) -> Value:
        """What a user's operation makes of the operands."""
        assert operation.user_defined is not None
        bits, elements = operation.element_width, list[Value]()
        for number, low in enumerate(range(0, self._form.width, bits)):
            made = operation_module(operation.user_defined, bits)
            m.submodules[f"{operation.user_defined.name}_{number}"] = made
            one, other = (operand[low : low + bits] for operand in self.operands)
            m.d.comb += [made.one.eq(one), made.other.eq(other)]
            if operation.latency:
                m.d.comb += made.enable.eq(self.accepts)
            if made.reads_valid:
                m.d.comb += made.valid.eq(self.valid)
            elements.append(made.result)
        return Cat(elements)

    def _advance(self, m: Module) -> None:
        """Which messages are open, and how their next flits go on."""
        valid, lasts, alone = self._valid, self._bits("last"), self._bits("part")
        self.turn = turn = Signal(BRANCHES, name="turn", init=1 << (BRANCHES - 1))
        single = Signal(BRANCHES, name="single")
        begins = Signal(name="begins")
        m.d.comb += [single.eq(valid & alone), begins.eq(self.idle & single.any())]
        # Members' parts follow each other, unless the header is a message alone.
        joins = self.idle & (self._headers[0].kind == Collective.GATHER)
        with m.If(self.idle):
            m.d.sync += self.passes.eq(begins | (joins & ~lasts.any()))
        # Both are open, and none passes: this register is a gate less.
        with m.If(self.together & self.accepts):
            m.d.sync += self.combines.eq(~joins & ~lasts.any())
        with m.If(begins):
            choice = next_after(single, turn)
            m.d.sync += [self.is_open.eq(choice), turn.eq(choice)]
        for number, moved in enumerate(self.takes & valid):
            with m.If(moved):
                m.d.sync += self.is_open[number].eq(~lasts[number])
