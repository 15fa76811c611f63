"""Proofs of what an initiator port is made of: answers find space, in order by identifier."""

from collections.abc import Sequence
from itertools import combinations

from amaranth.hdl import Array, Cat, Const, Mux, Value
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property
from knotwork.untyped import View

from ...gateware.buses.decoder import RegionOfNode
from ...gateware.buses.initiator_port import ReadInitiator, WriteInitiator
from ...gateware.buses.transactions import Transactions
from ...parameters import BusParameters
from .stores import ObservedQueue


class TransactionsHarness(ComponentHarness):
    """Harness of `Transactions`; nothing begins that is not free to.

    Members
    -------
    used : Value
        Numbers of those under way.
    rows : list of View
        What is kept of each.
    """

    def __init__(self, bus: BusParameters, address_width: int) -> None:
        super().__init__(Transactions(bus=bus, address_width=address_width))
        transactions = self.component("", Transactions)
        self.used = self.probe(transactions.used)
        self.rows = [self.probe_view(row) for row in transactions.rows]
        self.environment(~self.port("begins") | self.port("free"))

    def way(self, row: View) -> Cat:
        """Where a transaction goes."""
        return Cat(row.node, row.is_local)


def _order(harness: TransactionsHarness) -> None:
    """Claim that those of one identifier go one way, so that answers come in order (A5.3)."""
    pairs = list(combinations(zip(harness.used, harness.rows, strict=True), 2))
    for (used, row), (other_used, other) in pairs:
        same = used & other_used & (row.id == other.id)
        harness.claim(~same | (harness.way(row) == harness.way(other)))
        harness.cover(same)
    name, free = harness.port("id"), harness.port("free")
    requested = Cat(harness.port("node"), harness.port("is_local"))
    for used, row in zip(harness.used, harness.rows, strict=True):
        elsewhere = used & (row.id == name) & (harness.way(row) != requested)
        harness.claim(~(elsewhere & free))
        harness.cover(elsewhere & ~harness.used.all())


def _numbers(harness: TransactionsHarness) -> None:
    """Claim that a number is that of one transaction, and stands for its identifier."""
    used, tag, begins = harness.used, harness.port("tag"), harness.port("begins")
    ends, ended = harness.port("ends"), harness.port("ended")
    harness.claim(~begins | ~Array(used)[tag])
    harness.claim(harness.port("free") | ~begins)
    begun, last = harness.before(begins, "begun"), harness.before(tag, "last_tag")
    name = harness.before(harness.port("id"), "last_id")
    names = Array(row.id for row in harness.rows)
    harness.claim(~begun | (Array(used)[last] & (names[last] == name)))
    harness.claim((harness.port("ended_id") == names[ended]) | (ended >= len(used)))
    was = harness.before(used, "was_used")
    over, gone = harness.before(ends, "over"), harness.before(ended, "last_ended")
    for number in range(len(used)):
        comes, leaves = begun & (last == number), over & (gone == number)
        harness.claim(used[number] == (comes | (was[number] & ~leaves)))
    harness.cover(used.all())


def transactions_proofs(bus: BusParameters, address_width: int) -> ComponentProofs:
    """Proofs of `Transactions`."""
    return ComponentProofs(
        lambda: Transactions(bus=bus, address_width=address_width),
        lambda: TransactionsHarness(bus, address_width),
        [
            Property(
                name="order",
                text="transactions under way that have one identifier go to one node",
                claim=_order,
            ),
            Property(
                name="numbers",
                text="a number is that of one transaction under way, and stands for its identifier",
                claim=_numbers,
            ),
        ],
    )


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


def _read_space(harness: ReadInitiatorHarness) -> None:
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


def _read_held(harness: ReadInitiatorHarness) -> None:
    """Claim that what is offered stays (A3.2.1)."""
    harness.claim_stream("head")
    harness.claim_stream("r")
    harness.cover(harness.mine & harness.stream("r").moves)


def _read_own(harness: ReadInitiatorHarness) -> None:
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


READ_SPACE = Property(
    name="space",
    text="an answer to a read always finds space, though the manager takes nothing",
    claim=_read_space,
)
READ_HELD = Property(
    name="held",
    text="the bus and the packets are offered until taken",
    claim=_read_held,
    lemmas=(READ_SPACE,),
)
READ_OWN = Property(
    name="own",
    text="a read that goes to no node is answered with as many beats as it requested, and not "
    "before those of its identifier, nor within another burst",
    claim=_read_own,
    lemmas=(READ_SPACE, READ_HELD),
)


def read_initiator_proofs(bus: BusParameters, address_width: int) -> ComponentProofs:
    """Proofs of `ReadInitiator` with two regions."""
    regions = [RegionOfNode(0, 0x800, 0), RegionOfNode(0x800, 0x400, 1)]
    return ComponentProofs(
        lambda: ReadInitiator(bus=bus, regions=regions, address_width=address_width),
        lambda: ReadInitiatorHarness(bus, regions, address_width),
        [READ_SPACE, READ_HELD, READ_OWN],
    )


class WriteInitiatorHarness(ComponentHarness):
    """Harness of `WriteInitiator` behind a network that answers each request once, in any order.

    The sender of packets takes a head with its last beat.

    Members
    -------
    waits : list of Value
        Whether the request was sent and not answered, by number.
    """

    keeps_memories = True

    def __init__(
        self, bus: BusParameters, regions: Sequence[RegionOfNode], address_width: int
    ) -> None:
        super().__init__(WriteInitiator(bus=bus, regions=regions, address_width=address_width))
        self.bus, self.count = bus, bus.outstanding
        writes = self.component("", WriteInitiator)
        self.used = self.probe(writes.transactions.used)
        self.decoded = self.probe_view(writes.decoder.o.p)
        self.valid = self.probe(writes.decoder.o.valid)
        self.sends, self.drops, self.responds = map(
            self.probe, (writes.sends, writes.drops, writes.responds)
        )
        self.tag, self.beat = self.probe(writes.tag), self.probe(writes.beat)
        self.store = ObservedQueue(self, writes.store, has_words=False)
        self.outcomes = ObservedQueue(self, writes.outcomes)
        self.waits = [self.register(1, f"waits{number}") for number in range(self.count)]
        self._network()

    def _network(self) -> None:
        """What sends packets, and what answers."""
        head, beats, answers = (self.stream(name) for name in ("head", "beats", "answers"))
        self.environment(~answers.valid | Array(self.waits)[answers.payload.tag])
        self.environment(~head.ready | (beats.moves & beats.payload.last))
        self.environment(head.ready | ~(beats.moves & beats.payload.last))
        for name in ("aw", "w", "answers"):
            self.assume_stream(name)
        for number in range(self.count):
            with self.m.If(head.moves & (self.tag == number)):
                self.m.d.sync += self.waits[number].eq(1)
            with self.m.Elif(answers.moves & (answers.payload.tag == number)):
                self.m.d.sync += self.waits[number].eq(0)


def _write_space(harness: WriteInitiatorHarness) -> None:
    """Claim that answers are always taken, and only B's that were asked for are given."""
    outcomes = harness.outcomes
    outcomes.claim_sound()
    request, refused = harness.decoded.request, harness.decoded.response != 0
    busy = harness.sends | harness.drops | harness.responds
    harness.claim(harness.sends + harness.drops + harness.responds <= Const(1, 1))
    harness.claim(~busy | (harness.valid & (refused == ~harness.sends)))
    harness.claim(~harness.valid | refused | (request.length < harness.bus.burst))
    for number in range(harness.count):
        here = busy & (harness.tag == number)
        held = sum(
            (
                kept & (word[0] == number)
                for word, kept in zip(outcomes.words, outcomes.held, strict=True)
            ),
            Const(0, 1),
        )
        harness.claim(here + harness.waits[number] + held == harness.used[number])
    answers, b = harness.stream("answers"), harness.stream("b")
    harness.claim(answers.ready)
    harness.claim(~b.valid | harness.used.any())
    harness.cover(harness.waits[0] & harness.waits[1])
    harness.cover(outcomes.level == harness.count)


def _write_complete(harness: WriteInitiatorHarness) -> None:
    """Claim that a packet's beats are all there while it is offered, as many as asked for."""
    store, beats = harness.store, harness.stream("beats")
    store.claim_sound()
    length = harness.decoded.request.length
    harness.claim(~harness.sends | (store.level + harness.beat > length))
    harness.claim(~harness.sends | beats.valid)
    given = harness.register(9, "beats_given")
    with harness.m.If(beats.moves):
        harness.m.d.sync += given.eq(Mux(beats.payload.last, 0, given + 1))
    harness.claim(harness.drops | (given == harness.beat))
    harness.claim(~(harness.sends | harness.drops) | (harness.beat <= length))
    harness.claim(harness.sends | (given == 0))
    harness.claim(harness.sends | harness.drops | (harness.beat == 0))
    harness.claim(~beats.valid | (beats.payload.last == (given == length)))
    harness.cover(beats.moves & beats.payload.last & (given == 1))


def _write_held(harness: WriteInitiatorHarness) -> None:
    """Claim that what is offered stays (A3.2.1)."""
    for name in ("b", "head", "beats"):
        harness.claim_stream(name)
    harness.cover(harness.stream("b").moves)


WRITE_SPACE = Property(
    name="space",
    text="an answer to a write always finds space, though the manager takes none; there is no "
    "answer without a request",
    claim=_write_space,
    cover=30,
)
WRITE_COMPLETE = Property(
    name="complete",
    text="a write is offered once its beats are there, and they are as many as its address says",
    claim=_write_complete,
    lemmas=(WRITE_SPACE,),
)
WRITE_HELD = Property(
    name="held",
    text="the bus and the packets are offered until taken",
    claim=_write_held,
    lemmas=(WRITE_SPACE, WRITE_COMPLETE),
)


def write_initiator_proofs(bus: BusParameters, address_width: int) -> ComponentProofs:
    """Proofs of `WriteInitiator` with two regions."""
    regions = [RegionOfNode(0, 0x800, 0), RegionOfNode(0x800, 0x400, 1)]
    return ComponentProofs(
        lambda: WriteInitiator(bus=bus, regions=regions, address_width=address_width),
        lambda: WriteInitiatorHarness(bus, regions, address_width),
        [WRITE_SPACE, WRITE_COMPLETE, WRITE_HELD],
    )
