"""The way up: a router of the tree makes one message of those of its branches."""

from functools import reduce
from itertools import zip_longest
from operator import or_
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
    """Combines the branches' messages beat by beat, or passes them one after the other.

    A message that all members send starts when all branches offer its header. Where these differ,
    or one ends before the others, the result is marked, ends with the shortest, goes to all
    members, and the rest of the longer ones is taken and dropped: no member waits for ever.

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
        # What is registered beside the operands: it leaves at once, or when these are combined.
        self.valid, self.flags = self.o.valid, self.o.p
        if self._form.merge_cycles(count):
            self.valid = Signal(name="valid")
            self.flags = Signal(FLAGS_LAYOUT, name="flags")
        # Branches whose message has begun and not ended, one after the other if `passes`.
        self.is_open = Signal(count, name="is_open")
        self.passes, self.idle, self.combines, self.drains = (
            Signal(name=name) for name in ("passes", "idle", "combines", "drains")
        )
        # Flits that go on: of all branches, or of one.
        self.starts, self.together = Signal(name="starts"), Signal(name="together")
        self.select, self.takes = (Signal(count, name=name) for name in ("select", "takes"))
        # It also moves what is on its way through operations that take cycles.
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
            m.d.sync += self.valid.eq(self.together | (self.select & valid).any())

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
        form, flags = self._form, self.flags
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
                flags.last.eq((moves & self._bits("last")).any() & ~several),
                flags.part.eq((moves & self._bits("part")).any()),
                flags.fault.eq(
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
        m.d.comb += self.o.p.data.eq(self._behind_operations(m, combined))

    def _behind_operations(self, m: Module, beat: Value) -> Value:
        """Data of flits when the slowest of a user's operations is ready, with their flags there.

        A result takes its place when it is ready, and waits with the flits for slower ones.
        """
        form, cycles = self._form, self._form.merge_cycles(self._branches)
        stages = self.stages = [Stage(self.valid, self.flags, None, self.sums, self.operation)]
        stages += [self._stage(number, is_last=number == cycles) for number in range(1, cycles + 1)]
        results: dict[int, list[tuple[int, Value]]] = {}
        for place, one in enumerate(form.operations):
            if one.user_defined is not None:
                ready = one.merge_cycles(self._branches)
                results.setdefault(ready, []).append((place, self._result(m, one)))
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
        """What a user's operation makes of the operands, in pairs as `in_pairs` has them."""
        assert operation.user_defined is not None
        bits, beats, level = operation.element_width, [*self.operands], 0
        while len(beats) > 1:
            combined: list[Value] = []
            valid = self.stages[level * operation.latency].valid
            pairs = [beats[place : place + 2] for place in range(0, len(beats), 2)]
            for number, pair in enumerate(pairs):
                name = f"{operation.user_defined.name}_{level}_{number}"
                if len(pair) == 1:
                    combined.append(self._delayed(m, pair[0], operation.latency, name))
                    continue
                elements = []
                for element, low in enumerate(range(0, len(pair[0]), bits)):
                    made = operation_module(operation.user_defined, bits)
                    m.submodules[f"{name}_{element}"] = made
                    one, other = (beat[low : low + bits] for beat in pair)
                    m.d.comb += [made.one.eq(one), made.other.eq(other)]
                    if operation.latency:
                        m.d.comb += made.enable.eq(self.accepts)
                    if made.reads_valid:
                        m.d.comb += made.valid.eq(valid)
                    elements.append(made.result)
                combined.append(Cat(elements))
            beats, level = combined, level + 1
        return beats[0]

    def _delayed(self, m: Module, beat: Value, cycles: int, name: str) -> Value:
        """Beat without a neighbour, beside those that are combined."""
        for cycle in range(cycles):
            later = Signal(len(beat), name=f"{name}_after_{cycle + 1}")
            with m.If(self.accepts):
                m.d.sync += later.eq(beat)
            beat = later
        return beat

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
