"""The way up: a router of the tree makes one message of those of its branches."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ...routing.collectives import FAULTS, Collective, MessageFormat
from ...untyped import View
from ..component import Component
from ..parts.arbiter import next_after
from ..parts.crossbar import one_hot_mux
from .messages import combine, flit_layout, view_header


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
        form, count, out = self._form, self._branches, self.o
        flits: list[View] = [branch.p for branch in self.i]
        headers = [view_header(form, flit) for flit in flits]
        first = headers[0]
        valid = Cat(branch.valid for branch in self.i)
        lasts = Cat(flit.last for flit in flits)
        faults = Cat(flit.fault for flit in flits)

        # The message after its header: of all branches together, or of one after the other; and
        # what is dropped of the longer ones.
        self.combines, self.passes, self.drains = (
            Signal(name=name) for name in ("combines", "passes", "drains")
        )
        self.is_open = is_open = Signal(count, name="is_open")
        self.turn = turn = Signal(count, name="turn", init=1 << (count - 1))
        idle, together, starts, meets = (
            Signal(name=name) for name in ("idle", "together", "starts", "meets")
        )
        single, select, lowest = (Signal(count, name=n) for n in ("single", "select", "lowest"))
        self.select = select
        m.d.comb += [
            idle.eq(~(self.combines | self.passes | self.drains)),
            single.eq(
                Cat(
                    branch.valid & header.kind[2]
                    for branch, header in zip(self.i, headers, strict=True)
                )
            ),
            starts.eq(idle & ~single.any()),
            together.eq(starts | self.combines),
            meets.eq(valid.all()),
            lowest.eq(is_open & ~(is_open - 1)[:count]),
            select.eq(Mux(self.passes, lowest, next_after(single, turn) & idle.replicate(count))),
        ]

        differs = [
            Cat(
                Cat(header.kind, header.operation) != Cat(first.kind, first.operation),
                header.root != first.root,
            )
            for header in headers[1:]
        ]
        mixed, gathers, unequal = (Signal(name=name) for name in ("mixed", "gathers", "unequal"))
        fire, ends = Signal(name="fire"), Signal(name="ends")
        takes = Signal(count, name="takes")
        passed = one_hot_mux(list(select), [flit[form.width :] for flit in map(_bits, flits)])
        sole = data.View(data.StructLayout({"last": 1, "part": 1, "fault": 1}), passed)
        m.d.comb += [
            mixed.eq(Cat(differs).any()),
            gathers.eq((first.kind == Collective.GATHER) & ~mixed),
            unequal.eq(lasts.any() & ~lasts.all()),
            fire.eq(out.valid & out.ready),
            out.valid.eq(Mux(together, meets, (select & valid).any())),
            takes.eq(
                Mux(
                    together,
                    fire.replicate(count),
                    Mux(self.drains, is_open, select & out.ready.replicate(count)),
                )
            ),
            *(branch.ready.eq(taken) for branch, taken in zip(self.i, takes, strict=True)),
            ends.eq(lasts.any()),
            out.p.data.eq(self._body(m, lowest, [flit.data for flit in flits])),
            out.p.last.eq(sole.last & ~(self.passes & (is_open & ~select).any())),
            out.p.part.eq(sole.part),
            out.p.fault.eq(sole.fault),
        ]
        # Only a header's bits pass the choice of a branch: those above them say nothing there.
        header = view_header(form, out.p)
        choice = [select[0] | starts, *select[1:]]
        with m.If(idle):
            m.d.comb += header.eq(one_hot_mux(choice, [one.as_value() for one in headers]))
        with m.If(starts):
            m.d.comb += [
                out.p.last.eq(Mux(gathers, lasts.all(), ends)),
                out.p.fault.eq(faults.any() | mixed | (unequal & ~gathers)),
            ]
            with m.If(mixed):
                m.d.comb += header.kind.eq(Collective.ALL_REDUCE)  # all members get it, marked
        operation = self.operation
        with m.If(self.combines):
            m.d.comb += [
                out.p.last.eq(ends),
                out.p.fault.eq(faults.any() | unequal),
            ]
        for number, (branch_fault, differ) in enumerate(
            zip(self.fault[1:], differs, strict=True), start=1
        ):
            shorter = (lasts[number] != lasts[0]) & ~(starts & gathers)
            # A message that is marked was reported where it was.
            reports = fire & together & ~faults[0] & ~faults[number]
            m.d.comb += branch_fault.eq(
                Cat(differ & starts.replicate(2), shorter) & reports.replicate(3)
            )

        with m.If(together & fire):
            m.d.sync += [
                is_open.eq(~lasts),
                self.passes.eq(starts & gathers & ~lasts.all()),
                self.combines.eq(~(starts & gathers) & ~ends),
                self.drains.eq(~(starts & gathers) & unequal),
            ]
        with m.If(starts & fire):
            m.d.sync += operation.eq(first.operation)
        with m.If(idle & fire & ~starts):  # a message of one sender
            m.d.sync += [turn.eq(select), is_open.eq(select), self.passes.eq(~out.p.last)]
        left = is_open & ~(takes & valid & lasts)
        with m.If(self.passes & fire):
            m.d.sync += [is_open.eq(left), self.passes.eq(~out.p.last)]
        with m.If(self.drains):
            m.d.sync += [is_open.eq(left), self.drains.eq(left.any())]

        m.d.sync += self.waits.eq(
            ~valid & ((valid.any() | self.awaited) & together).replicate(count)
        )
        return m

    def _body(self, m: Module, lowest: Signal, beats: list[Value]) -> Value:
        """Beats combined, or that of one branch; chosen by registers alone."""
        form = self._form
        self.operation = Signal(form.operation_bits, name="operation")
        if not form.passes_by_zeros:
            combined = combine(form, self.operation, beats)
            return Mux(self.combines, combined, one_hot_mux(list(lowest), beats))
        # Branches that are left out give zeros: their gates cost less than a multiplexer behind the
        # operation.
        opens = Signal(len(beats), name="opens")
        m.d.comb += opens.eq(lowest | self.combines.replicate(len(beats)))
        gated = [beat & bit.replicate(len(beat)) for beat, bit in zip(beats, opens, strict=True)]
        return combine(form, self.operation, gated)


def _bits(flit: View) -> Value:
    return flit.as_value()
