"""Proof that writes are answered, and reach the memory whole, whatever the memory does."""

from amaranth.hdl import Const, Mux
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property
from knotwork.gateware.axi_lite import Response

from ....gateware.buses.guards import WriteGuard
from ....parameters import BusParameters
from .stores import ShortList, claim_silence, guard_properties


class WriteGuardHarness(ComponentHarness):
    """Harness of `WriteGuard` before a memory that may stop at any time.

    If it answers, it does so once for each write whose address and last beat it has taken
    (A3.3.1). Who writes gives as many beats as the address says, and `WLAST` on the last.

    Members
    -------
    guard : WriteGuard
        The guard.
    length, taken : Value
        Length of the burst that is being taken, and its beats taken.
    owed : Value
        Writes taken whole and not answered.
    lengths, given : ShortList, Value
        Lengths of the bursts that the memory lacks beats of, and beats of the first that it has.
    """

    def __init__(self, bus: BusParameters) -> None:
        super().__init__(WriteGuard(bus=bus))
        self.bus, self.silent = bus, self.port("silent")
        self.guard = guard = self.component("", WriteGuard)
        self.is_open, self.known, self.lacking = map(
            self.probe, (guard.is_open, guard.known, guard.lacking)
        )
        self.waiting = self.probe(guard.address.o.valid)
        self.beat_valid = self.probe(guard.data.o.valid)
        self.beat = self.probe_view(guard.data.o.p)
        self.length, self.taken = self.register(8, "length"), self.register(9, "taken")
        self.owed = self.register(2, "writes_owed")
        self.lengths = ShortList(self, "lengths", 8)
        self.given = self.register(9, "given")
        self.addressed = self.register(2, "addressed")
        self.complete = self.register(2, "complete")
        self._sides()

    def _sides(self) -> None:
        """What the writer and the memory have done, and may do."""
        aw, w, b = (self.stream(name) for name in ("aw", "w", "b"))
        memory = [self.stream(f"memory_{name}") for name in ("aw", "w", "b")]
        m, issued = self.m, self.probe(self.guard.issued)
        ends = w.moves & w.payload.last
        with m.If(aw.moves):
            m.d.sync += [self.length.eq(aw.payload.length), self.taken.eq(0)]
        with m.Elif(w.moves):
            m.d.sync += self.taken.eq(self.taken + 1)
        m.d.sync += self.owed.eq(self.owed + ends - b.moves)
        last_moves = memory[1].moves & (self.given == self.lengths.first)
        self.lengths.move(comes=issued, number=aw.payload.length, leaves=last_moves)
        with m.If(memory[1].moves):
            m.d.sync += self.given.eq(Mux(last_moves, 0, self.given + 1))
        answered = memory[2].moves
        m.d.sync += [
            self.addressed.eq(self.addressed + memory[0].moves - answered),
            self.complete.eq(self.complete + last_moves - answered),
        ]
        self.environment(
            ~(w.valid & self.is_open) | (w.payload.last == (self.taken == self.length))
        )
        answers = (self.addressed != 0) & (self.complete != 0)
        self.environment(~memory[2].valid | answers)
        for name in ("aw", "w", "memory_b"):
            self.assume_stream(name)


def _known(harness: WriteGuardHarness) -> None:
    """Claim what the guard's registers hold."""
    lengths, due = harness.lengths, harness.probe(harness.guard.due)
    is_open, known, lacking = harness.is_open, harness.known, harness.lacking
    harness.claim(harness.probe(harness.guard.owed) == harness.owed)
    harness.claim(due == harness.addressed + harness.waiting)
    harness.claim(due == harness.complete + lengths.count)
    harness.claim(due <= 2)
    harness.claim(harness.owed <= 2)
    harness.claim(harness.owed + is_open <= 2)
    harness.claim(~known | is_open)
    harness.claim(~is_open | (harness.taken <= harness.length))
    # Beats that the memory lacks are in the register, were swallowed, or are to come.
    first = lengths.first + Const(1, 9) - harness.given
    of_all = Mux(lengths.count == 2, first + lengths.second + 1, first)
    to_come = Mux(known, harness.length + Const(1, 9) - harness.taken, 0)
    here = harness.beat_valid + lacking + to_come
    harness.claim(here == Mux(lengths.count == 0, 0, of_all))
    harness.claim((lengths.count == 0) | (harness.given <= lengths.first))
    harness.claim((lengths.count != 0) | (harness.given == 0))
    harness.claim((lengths.count != 2) | (harness.beat_valid & (first == 1)))
    newest = Mux(lengths.count == 2, lengths.second, lengths.first)
    harness.claim(~known | ((lengths.count != 0) & (newest == harness.length)))
    harness.claim((lengths.count != 2) | known | (lacking != 0))
    ends = harness.given == lengths.first
    harness.claim(~harness.beat_valid | (harness.beat.last == ends))
    speaks = ~harness.silent
    harness.claim(~speaks | (lacking == 0))
    harness.claim(~speaks | (known == is_open))
    harness.claim(~speaks | (due == harness.owed + is_open))
    harness.claim(lacking <= 256)


def _bursts(harness: WriteGuardHarness) -> None:
    """Claim that the memory gets as many beats as each address says, and `WLAST` on the last."""
    w, lengths = harness.stream("memory_w"), harness.lengths
    harness.claim(~w.valid | (lengths.count != 0))
    harness.claim(~w.valid | (w.payload.last == (harness.given == lengths.first)))
    # What it did not get in time writes nothing.
    was_silent = harness.before(harness.silent, "was_silent_then")
    was_held = harness.before(w.valid & ~w.ready, "was_held")
    harness.claim(~(was_silent & w.valid & ~was_held) | (w.payload.strobe == 0))
    harness.cover(was_silent & w.moves & w.payload.last & ~was_held)


def _answers(harness: WriteGuardHarness) -> None:
    """Claim of answers: none before the write was taken whole; at once where none will come."""
    b = harness.stream("b")
    harness.claim(~b.valid | (harness.owed != 0))
    harness.claim(~(harness.silent & (harness.owed != 0)) | b.valid)
    harness.claim(~(harness.silent & b.valid) | (b.payload.response == Response.SLVERR))
    harness.claim(~(harness.silent & harness.is_open) | harness.stream("w").ready)
    harness.cover(b.moves & harness.silent)
    harness.cover(b.moves & ~harness.silent)


def _held(harness: WriteGuardHarness) -> None:
    """Claim that what is offered stays, to the memory and from it (A3.2.1)."""
    for name in ("b", "memory_aw", "memory_w"):
        harness.claim_stream(name)


def _silence(harness: WriteGuardHarness) -> None:
    """Claim when the memory is silent, and that it is heard again."""
    aw, w, b = (harness.stream(f"memory_{name}") for name in ("aw", "w", "b"))
    waits = (aw.valid | w.valid | (harness.owed != 0)) & ~aw.moves & ~w.moves & ~b.valid
    claim_silence(harness, harness.guard.timer, waits, harness.bus.timeout)
    harness.claim(~harness.silent | b.ready)
    late = (harness.addressed != 0) | harness.waiting | (harness.lengths.count != 0)
    own = (harness.owed != 0) | harness.is_open
    was_over = harness.before(harness.silent & ~late & ~own, "was_over")
    harness.claim(~was_over | ~harness.silent)
    harness.claim(~(harness.silent & ~late) | ~harness.stream("aw").ready)


KNOWN, HELD, SILENCE = guard_properties(_known, _held, _silence)
BURSTS = Property(
    name="bursts",
    text="the memory gets as many beats as each address says, the last marked, though it was "
    "silent meanwhile; what was not given in time writes no byte",
    claim=_bursts,
    lemmas=(KNOWN,),
    cover=40,
)
ANSWERS = Property(
    name="answers",
    text="a write is answered once, after its last beat, whatever the memory does",
    claim=_answers,
    lemmas=(KNOWN,),
    cover=30,
)


def write_guard_proofs(bus: BusParameters) -> ComponentProofs:
    """Proofs of `WriteGuard` with two writes under way."""
    return ComponentProofs(
        lambda: WriteGuard(bus=bus),
        lambda: WriteGuardHarness(bus),
        [KNOWN, BURSTS, ANSWERS, HELD, SILENCE],
    )
