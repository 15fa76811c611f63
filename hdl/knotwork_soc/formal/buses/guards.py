"""Proofs of the guards: every read and write is answered, whatever the memory does."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Mux, Value, ValueLike
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property
from knotwork.gateware.axi_lite import Response

from ...gateware.buses.guards import ReadGuard, SilenceTimer, WriteGuard
from ...parameters import BusParameters
from .stores import ObservedQueue


class ShortList:
    """Up to two numbers in order, of a monitor.

    Parameters
    ----------
    harness : ComponentHarness
        Where the monitor is.
    name : str
        Of its registers.
    bits : int
        Bits of a number.

    Members
    -------
    count : Value
        Numbers in it.
    first, second : Value
        The one that leaves next, and the one behind it.
    """

    def __init__(self, harness: ComponentHarness, name: str, bits: int) -> None:
        self._harness = harness
        self.count = harness.register(2, f"{name}_count")
        self.first = harness.register(bits, f"{name}_first")
        self.second = harness.register(bits, f"{name}_second")

    def move(self, *, comes: Value, number: ValueLike, leaves: Value) -> None:
        """Let a number come, and let the first leave."""
        m = self._harness.m
        m.d.sync += self.count.eq(self.count + comes - leaves)
        with m.If(leaves):
            m.d.sync += self.first.eq(Mux(self.count == 2, self.second, number))
        with m.Elif(self.count == 0):
            m.d.sync += self.first.eq(number)
        with m.If(comes):
            m.d.sync += self.second.eq(number)


def claim_silence(
    harness: ComponentHarness, timer: SilenceTimer, waits: Value, timeout: int
) -> None:
    """Claim that after so many cycles in a row of waiting the memory is silent, and not before."""
    silent = harness.port("silent")
    waited = harness.register(timeout.bit_length(), "waited")
    harness.m.d.sync += waited.eq(Mux(waits & ~silent, waited + 1, 0))
    cycles = harness.probe(timer.cycles)
    was_silent = harness.before(silent, "was_silent")
    harness.claim(silent | ((waited == cycles) & (waited < timeout)))
    harness.claim(was_silent | (silent == (waited == timeout)))
    harness.cover(silent & ~was_silent)
    harness.cover(was_silent & ~silent)


# Any: each guard's claims take its own harness.
def guard_properties(
    known: Callable[[Any], None], held: Callable[[Any], None], silence: Callable[[Any], None]
) -> tuple[Property, Property, Property]:
    """Properties of both guards: what they know, that offers stay, when a memory is silent."""
    lemma = Property(
        name="known", text="what the guard knows of both sides, as both have said", claim=known
    )
    stays = Property(
        name="held", text="what is offered stays until taken", claim=held, lemmas=(lemma,)
    )
    text = "the memory is silent after the timeout, and heard again after its late answers"
    return (
        lemma,
        stays,
        Property(name="silence", text=text, claim=silence, lemmas=(lemma,), cover=40),
    )


class ReadGuardHarness(ComponentHarness):
    """Harness of `ReadGuard` with two reads under way, before a memory that may stop at any time.

    If it answers, it does so in order, with as many beats as were asked for, and `RLAST` on the
    last (A3.4.1).

    Members
    -------
    asked, given : ShortList, Value
        Lengths of reads that are not answered, and beats given of the first.
    memory_asked, memory_given : ShortList, Value
        The same of the memory.
    """

    keeps_memories = True

    def __init__(self, bus: BusParameters) -> None:
        super().__init__(ReadGuard(bus=bus))
        self.bus, self.silent = bus, self.port("silent")
        guard = self.component("", ReadGuard)
        self.lengths = ObservedQueue(self, guard.lengths)
        self.waiting = self.probe(guard.requests.o.valid)
        self.due, self.beat = self.probe(guard.due), self.probe(guard.beat)
        self.requests = ShortList(self, "requests", 8)
        self.memory_requests = ShortList(self, "memory_requests", 8)
        self.given = self.register(8, "given")
        self.memory_given = self.register(8, "memory_given")
        for channel, lengths, answers, given in (
            ("ar", self.requests, "r", self.given),
            ("memory_ar", self.memory_requests, "memory_r", self.memory_given),
        ):
            request, answer = self.stream(channel), self.stream(answers)
            last = answer.moves & answer.payload.last
            lengths.move(comes=request.moves, number=request.payload.length, leaves=last)
            with self.m.If(answer.moves):
                self.m.d.sync += given.eq(Mux(last, 0, given + 1))
        answer = self.stream("memory_r")
        ends = self.memory_given == self.memory_requests.first
        self.environment(~answer.valid | (self.memory_requests.count != 0))
        self.environment(~answer.valid | (answer.payload.last == ends))
        for name in ("ar", "memory_r"):
            self.assume_stream(name)


def _read_known(harness: ReadGuardHarness) -> None:
    """Claim what the guard's registers hold."""
    queue, requests, memory = harness.lengths, harness.requests, harness.memory_requests
    waiting, due = harness.waiting, harness.due
    queue.claim_sound()
    harness.claim(queue.level == requests.count)
    harness.claim((requests.count == 0) | (queue.head == requests.first))
    harness.claim((requests.count != 2) | (queue.tail == requests.second))
    harness.claim(harness.beat == harness.given)
    harness.claim((requests.count != 0) | (harness.given == 0))
    harness.claim((requests.count == 0) | (harness.given <= requests.first))
    harness.claim((memory.count != 0) | (harness.memory_given == 0))
    harness.claim((memory.count == 0) | (harness.memory_given <= memory.first))
    harness.claim(due == memory.count + waiting)
    harness.claim(due <= 2)
    # While the memory answers, both have the same to answer.
    offered = harness.stream("memory_ar").payload.length
    speaks = ~harness.silent
    harness.claim(~speaks | (due == requests.count))
    harness.claim(~speaks | (harness.given == harness.memory_given))
    harness.claim(~speaks | (memory.count == 0) | (memory.first == requests.first))
    harness.claim(~speaks | (memory.count != 2) | (memory.second == requests.second))
    newest = Mux(requests.count == 2, requests.second, requests.first)
    harness.claim(~speaks | ~waiting | (offered == newest))


def _read_answers(harness: ReadGuardHarness) -> None:
    """Claim of answers: none without a request; as many beats as asked for; `RLAST` on the last."""
    r, requests = harness.stream("r"), harness.requests
    harness.claim(~r.valid | (requests.count != 0))
    harness.claim(~r.valid | (r.payload.last == (harness.given == requests.first)))
    harness.claim(requests.count <= harness.bus.outstanding)
    # A silent memory is answered for at once, with an error.
    harness.claim(~(harness.silent & (requests.count != 0)) | r.valid)
    harness.claim(~(harness.silent & r.valid) | (r.payload.response == Response.SLVERR))
    harness.cover(r.moves & harness.silent & r.payload.last & (harness.given == 1))
    harness.cover(r.moves & ~harness.silent & r.payload.last & (harness.given == 1))


def _read_held(harness: ReadGuardHarness) -> None:
    """Claim that what is offered stays, to the memory and from it (A3.2.1)."""
    harness.claim_stream("r")
    harness.claim_stream("memory_ar")


def _read_silence(harness: ReadGuardHarness) -> None:
    """Claim when the memory is silent, and that it is heard again."""
    ar, r = harness.stream("memory_ar"), harness.stream("memory_r")
    waits = (harness.due != 0) & ~ar.moves & ~r.valid
    claim_silence(harness, harness.component("", ReadGuard).timer, waits, harness.bus.timeout)
    # Late answers are taken at once; with the last, and its own answers given, it is over.
    harness.claim(~harness.silent | r.ready)
    over = harness.silent & (harness.due == 0) & (harness.requests.count == 0)
    was_over = harness.before(over, "was_over")
    harness.claim(~was_over | ~harness.silent)
    waits_for_own = harness.silent & (harness.due == 0)
    harness.claim(~waits_for_own | ~harness.stream("ar").ready)


READ_KNOWN, READ_HELD, READ_SILENCE = guard_properties(_read_known, _read_held, _read_silence)
READ_ANSWERS = Property(
    name="answers",
    text="a read is answered once, in order, with as many beats as it requests for, whatever the "
    "memory does",
    claim=_read_answers,
    lemmas=(READ_KNOWN,),
    cover=30,
)


def read_guard_proofs(bus: BusParameters) -> ComponentProofs:
    """Proofs of `ReadGuard` with two reads under way."""
    return ComponentProofs(
        lambda: ReadGuard(bus=bus),
        lambda: ReadGuardHarness(bus),
        [READ_KNOWN, READ_ANSWERS, READ_HELD, READ_SILENCE],
    )


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


def _write_known(harness: WriteGuardHarness) -> None:
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


def _write_bursts(harness: WriteGuardHarness) -> None:
    """Claim that the memory gets as many beats as each address says, and `WLAST` on the last."""
    w, lengths = harness.stream("memory_w"), harness.lengths
    harness.claim(~w.valid | (lengths.count != 0))
    harness.claim(~w.valid | (w.payload.last == (harness.given == lengths.first)))
    # What it did not get in time writes nothing.
    was_silent = harness.before(harness.silent, "was_silent_then")
    was_held = harness.before(w.valid & ~w.ready, "was_held")
    harness.claim(~(was_silent & w.valid & ~was_held) | (w.payload.strobe == 0))
    harness.cover(was_silent & w.moves & w.payload.last & ~was_held)


def _write_answers(harness: WriteGuardHarness) -> None:
    """Claim of answers: none before the write was taken whole; at once where none will come."""
    b = harness.stream("b")
    harness.claim(~b.valid | (harness.owed != 0))
    harness.claim(~(harness.silent & (harness.owed != 0)) | b.valid)
    harness.claim(~(harness.silent & b.valid) | (b.payload.response == Response.SLVERR))
    harness.claim(~(harness.silent & harness.is_open) | harness.stream("w").ready)
    harness.cover(b.moves & harness.silent)
    harness.cover(b.moves & ~harness.silent)


def _write_held(harness: WriteGuardHarness) -> None:
    """Claim that what is offered stays, to the memory and from it (A3.2.1)."""
    for name in ("b", "memory_aw", "memory_w"):
        harness.claim_stream(name)


def _write_silence(harness: WriteGuardHarness) -> None:
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


WRITE_KNOWN, WRITE_HELD, WRITE_SILENCE = guard_properties(_write_known, _write_held, _write_silence)
WRITE_BURSTS = Property(
    name="bursts",
    text="the memory gets as many beats as each address says, the last marked, though it was "
    "silent meanwhile; what was not given in time writes no byte",
    claim=_write_bursts,
    lemmas=(WRITE_KNOWN,),
    cover=40,
)
WRITE_ANSWERS = Property(
    name="answers",
    text="a write is answered once, after its last beat, whatever the memory does",
    claim=_write_answers,
    lemmas=(WRITE_KNOWN,),
    cover=30,
)


def write_guard_proofs(bus: BusParameters) -> ComponentProofs:
    """Proofs of `WriteGuard` with two writes under way."""
    return ComponentProofs(
        lambda: WriteGuard(bus=bus),
        lambda: WriteGuardHarness(bus),
        [WRITE_KNOWN, WRITE_BURSTS, WRITE_ANSWERS, WRITE_HELD, WRITE_SILENCE],
    )
