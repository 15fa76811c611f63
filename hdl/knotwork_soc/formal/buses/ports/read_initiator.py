"""Proof that an initiator's reads always find room, and that its own answers keep their order."""

from collections.abc import Sequence

from amaranth.hdl import Array, Const, Mux, Value
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ....gateware.buses.decoder import RegionOfNode
from ....gateware.buses.initiator_port import ReadInitiator
from ....parameters import BusParameters
from .stores import ObservedQueue


class ReadInitiatorHarness(ComponentHarness):
    """Harness of `ReadInitiator` behind a network that answers each request once, in any order.

    Answers have as many beats as were asked for, and `last` on the last. Of the store of beats it
    is taken for granted that a last beat leaves it only if it came, and that what follows the last
    of them belongs to the answer that is coming.

    Members
    -------
    reads : ReadInitiator
        The initiator.
    owes : list of Value
        Beats that have not come, by number.
    waits : list of Value
        Whether the request was sent, and its answer has not begun.
    open, current : Value
        An answer has begun and not ended; its number.
    """

    keeps_memories = True

    def __init__(
        self, bus: BusParameters, regions: Sequence[RegionOfNode], address_width: int
    ) -> None:
        super().__init__(ReadInitiator(bus=bus, regions=regions, address_width=address_width))
        count = bus.outstanding
        self.bus, self.count = bus, count
        self.reads = reads = self.component("", ReadInitiator)
        self.used = self.probe(reads.transactions.used)
        self.decoded = self.probe_view(reads.decoder.o.p)
        self.valid = self.probe(reads.decoder.o.valid)
        self.sends, self.tag, self.mine, self.refuses = map(
            self.probe, (reads.sends, reads.tag, reads.mine, reads.refuses)
        )
        self.begins = self.probe(reads.transactions.begins)
        self.begun = self.probe(reads.transactions.tag)
        self.store = ObservedQueue(self, reads.store, has_words=False)
        self.numbers = ObservedQueue(self, reads.numbers)
        self.owes = [self.register(9, f"owes{number}") for number in range(count)]
        self.waits = [self.register(1, f"waits{number}") for number in range(count)]
        self.open, self.current = self.register(1, "open"), self.register(len(self.tag), "current")
        self._network()

    def _network(self) -> None:
        """What answers."""
        tags, beats, head = (self.stream(name) for name in ("tags", "beats", "head"))
        left = Array(self.owes)[self.current]
        self.environment(~tags.valid | (Array(self.waits)[tags.payload] & ~self.open))
        self.environment(~beats.valid | self.open)
        self.environment(~beats.valid | (beats.payload.last == (left == 1)))
        for name in ("ar", "tags", "beats"):
            self.assume_stream(name)
        m = self.m
        for number in range(self.count):
            with m.If(self.begins & (self.begun == number)):
                m.d.sync += self.owes[number].eq(self.decoded.request.length + 1)
            with m.Elif(beats.moves & (self.current == number)):
                m.d.sync += self.owes[number].eq(self.owes[number] - 1)
            with m.If(head.moves & (self.tag == number)):
                m.d.sync += self.waits[number].eq(1)
            with m.Elif(tags.moves & (tags.payload == number)):
                m.d.sync += self.waits[number].eq(0)
        # Last beats in the store: one leaves only if it came.
        self.complete = self.register(len(self.store.level), "complete")
        comes = beats.moves & beats.payload.last
        leaves = self.probe(self.reads.transactions.ends)
        m.d.sync += self.complete.eq(self.complete + comes - leaves)
        self.environment(~leaves | (self.complete != 0))
        self.environment((self.store.level == 0) | (self.complete != 0) | self.open)
        with m.If(tags.moves):
            m.d.sync += [self.open.eq(1), self.current.eq(tags.payload)]
        with m.Elif(beats.moves & beats.payload.last):
            m.d.sync += self.open.eq(0)


def _space(harness: ReadInitiatorHarness) -> None:
    """Claim that beats and numbers of answers are always taken."""
    store, numbers = harness.store, harness.numbers
    for queue in (store, numbers):
        queue.claim_sound()
    request, refused = harness.decoded.request, harness.decoded.response != 0
    valid, refuses = harness.valid, harness.refuses
    harness.claim(~valid | refused | (request.length < harness.bus.burst))
    harness.claim(~harness.sends | (valid & ~refused))
    harness.claim(~harness.mine | refuses)
    harness.claim(~refuses | (valid & refused))
    owed: Value = Const(0, 1)
    for number, owes in enumerate(harness.owes):
        owed = owed + owes
        sends = harness.sends & (harness.tag == number)
        opened = harness.open & (harness.current == number)
        # A request under way is at one place, or its answer is in the store.
        places = sends + harness.waits[number] + numbers.holds(number)
        harness.claim(places == harness.used[number])
        harness.claim(~(sends | harness.waits[number] | opened) | (owes != 0))
        harness.claim((owes == 0) | sends | harness.waits[number] | opened)
        harness.claim(~opened | (numbers.tail == number))
        harness.claim(owes <= harness.bus.burst)
    space = harness.probe(harness.reads.space)
    harness.claim(space + store.level + owed == store.depth)
    # Each number in the queue has an answer in the store, whole but for that which is coming.
    harness.claim(harness.complete + harness.open == numbers.level)
    for name in ("tags", "beats"):
        stream = harness.stream(name)
        harness.claim(~stream.valid | stream.ready)
        harness.cover(stream.moves)
    harness.cover(valid & ~refused & (space <= request.length))


def _held(harness: ReadInitiatorHarness) -> None:
    """Claim that what is offered stays (A3.2.1)."""
    harness.claim_stream("head")
    harness.claim_stream("r")
    harness.cover(harness.mine & harness.stream("r").moves)


def _own(harness: ReadInitiatorHarness) -> None:
    """Claim of errors of its own: as many beats as asked for, after what has their identifier."""
    mine, r, request = harness.mine, harness.stream("r"), harness.decoded.request
    length = harness.register(9, "beats_given")
    with harness.m.If(mine & r.moves):
        harness.m.d.sync += length.eq(Mux(r.payload.last, 0, length + 1))
    harness.claim(harness.probe(harness.reads.count) == length)
    harness.claim(~mine | (r.payload.last == (length == request.length)))
    harness.claim(length <= request.length)
    harness.claim(mine | (length == 0))
    harness.claim(~mine | (r.valid & (r.payload.response != 0) & (r.payload.id == request.id)))
    rows = harness.reads.transactions.rows
    for used, row in zip(harness.used, map(harness.probe_view, rows), strict=True):
        harness.claim(~used | ~row.is_local)
        harness.claim(~harness.refuses | ~(used & (row.id == request.id)))
    within = harness.register(1, "within")
    with harness.m.If(r.moves):
        harness.m.d.sync += within.eq(~mine & ~r.payload.last)
    harness.claim(harness.probe(harness.reads.begun) == within)
    harness.claim(~(mine & within))
    harness.cover(mine & (length == 1))


SPACE = Property(
    name="space",
    text="an answer to a read always finds space, though the manager takes nothing",
    claim=_space,
)
HELD = Property(
    name="held",
    text="the bus and the packets are offered until taken",
    claim=_held,
    lemmas=(SPACE,),
)
OWN = Property(
    name="own",
    text="a read that goes to no node is answered with as many beats as it requested, and not "
    "before those of its identifier, nor within another burst",
    claim=_own,
    lemmas=(SPACE, HELD),
)


def read_initiator_proofs(bus: BusParameters, address_width: int) -> ComponentProofs:
    """Proofs of `ReadInitiator` with two regions."""
    regions = [RegionOfNode(0, 0x800, 0), RegionOfNode(0x800, 0x400, 1)]
    return ComponentProofs(
        lambda: ReadInitiator(bus=bus, regions=regions, address_width=address_width),
        lambda: ReadInitiatorHarness(bus, regions, address_width),
        [SPACE, HELD, OWN],
    )
