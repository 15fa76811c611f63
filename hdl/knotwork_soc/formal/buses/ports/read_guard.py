"""Proof that reads are answered whole and in order, whatever the memory does."""

from amaranth.hdl import Mux
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property
from knotwork.gateware.axi_lite import Response

from ....gateware.buses.guards import ReadGuard
from ....parameters import BusParameters
from .stores import ObservedQueue, ShortList, claim_silence, guard_properties


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


def _known(harness: ReadGuardHarness) -> None:
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


def _answers(harness: ReadGuardHarness) -> None:
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


def _held(harness: ReadGuardHarness) -> None:
    """Claim that what is offered stays, to the memory and from it (A3.2.1)."""
    harness.claim_stream("r")
    harness.claim_stream("memory_ar")


def _silence(harness: ReadGuardHarness) -> None:
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


KNOWN, HELD, SILENCE = guard_properties(_known, _held, _silence)
ANSWERS = Property(
    name="answers",
    text="a read is answered once, in order, with as many beats as it requests for, whatever the "
    "memory does",
    claim=_answers,
    lemmas=(KNOWN,),
    cover=30,
)


def read_guard_proofs(bus: BusParameters) -> ComponentProofs:
    """Proofs of `ReadGuard` with two reads under way."""
    return ComponentProofs(
        lambda: ReadGuard(bus=bus),
        lambda: ReadGuardHarness(bus),
        [KNOWN, ANSWERS, HELD, SILENCE],
    )
