"""Proof that a write is offered only when it is whole, and that its answer finds room."""

from collections.abc import Sequence

from amaranth.hdl import Array, Const, Mux
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property

from ....gateware.buses.decoder import RegionOfNode
from ....gateware.buses.initiator_port import WriteInitiator
from ....parameters import BusParameters
from .stores import ObservedQueue


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


def _space(harness: WriteInitiatorHarness) -> None:
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


def _complete(harness: WriteInitiatorHarness) -> None:
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


def _held(harness: WriteInitiatorHarness) -> None:
    """Claim that what is offered stays (A3.2.1)."""
    for name in ("b", "head", "beats"):
        harness.claim_stream(name)
    harness.cover(harness.stream("b").moves)


SPACE = Property(
    name="space",
    text="an answer to a write always finds space, though the manager takes none; there is no "
    "answer without a request",
    claim=_space,
    cover=30,
)
COMPLETE = Property(
    name="complete",
    text="a write is offered once its beats are there, and they are as many as its address says",
    claim=_complete,
    lemmas=(SPACE,),
)
HELD = Property(
    name="held",
    text="the bus and the packets are offered until taken",
    claim=_held,
    lemmas=(SPACE, COMPLETE),
)


def write_initiator_proofs(bus: BusParameters, address_width: int) -> ComponentProofs:
    """Proofs of `WriteInitiator` with two regions."""
    regions = [RegionOfNode(0, 0x800, 0), RegionOfNode(0x800, 0x400, 1)]
    return ComponentProofs(
        lambda: WriteInitiator(bus=bus, regions=regions, address_width=address_width),
        lambda: WriteInitiatorHarness(bus, regions, address_width),
        [SPACE, COMPLETE, HELD],
    )
