"""Proof of the stores of multicast units: which copies they send, of what came."""

from functools import cached_property

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...emit.modules import router_verilog
from ...gateware.layouts import eject_layout, flit_layout
from ...gateware.packet.store import Store, StorePhase
from ...network import Network, RouterKind
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Part, Property


def store_name(kind: RouterKind, *, is_source: bool) -> str:
    """Name of the module of a store."""
    return f"{kind.name}_store_source" if is_source else f"{kind.name}_store"


class StoreHarness(Harness):
    """Store of a multicast unit; what comes in are packets of a chain and of data that fit.

    A sender may let the store discard any other packet at its end.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router with multicast units.
    is_source : bool
        Whether it stores the node's own multicasts, which are not delivered to it.

    Members
    -------
    depth : int
        Flits of the longest packet.
    came, sent, delivered : View
        Flit that comes in, flit of a copy, beat to the node.
    flits, chain : Signal
        Flits that came, up to `depth`, and how many of them name nodes.
    left : Signal
        Nodes that the store has left to send to.
    passed : Signal
        Flits of the copy under way, or of the delivery, that were taken.
    phase : Signal
        See `StorePhase`.
    store : Store
        Its gateware.
    words : list of Signal
        Its memory.
    """

    def __init__(self, network: Network, kind: RouterKind, *, is_source: bool) -> None:
        self._flit, self._beat = flit_layout(network), eject_layout(network)
        self.is_source, classes = is_source, network.routing.classes
        inputs = {"i_payload": self._flit.size, "i_valid": 1, "o_ready": 1}
        inputs |= {"discard": 1} if self.is_source else {"deliver_ready": 1}
        outputs = {"i_ready": 1, "o_payload": self._flit.size, "o_valid": 1}
        outputs["vc_class"] = (classes - 1).bit_length()
        if not self.is_source:
            outputs |= {"deliver_payload": self._beat.size, "deliver_valid": 1}
        gateware = Elaboration(Store(network, delivers=not is_source))
        super().__init__(store_name(kind, is_source=is_source), inputs, outputs, gateware)
        self.store = self.component("", Store)
        self.network, self.depth = network, network.routing.options.longest_copied_packet
        self.came = data.View(self._flit, self.port("i_payload"))
        self.sent = data.View(self._flit, self.port("o_payload"))
        bits = self.depth.bit_length()
        names = ("flits", "chain", "left", "passed")
        self.flits, self.chain, self.left, self.passed = (self.register(bits, n) for n in names)
        self.phase = self.register(2, "phase")
        self.source = self.register(len(self.came.source), "source_of")
        self.marked, self.source_parity = (
            self.register(1, "marked_so"),
            self.register(1, "parity_of"),
        )
        self.broken: Value = Const(0)
        """Whether a flit of the packet was wrong when it came."""
        if network.has_parity and not self.is_source:
            self.broken = self.register(1, "broken_so")
        self.words = self.probe_words(self.store.word, range(self.depth))
        self.taken = self.named(self.port("i_valid") & (self.phase == StorePhase.FILL), "taken")
        self.discard = self.port("discard") if self.is_source else Const(0)
        self._assume_packets()
        self._follow()

    def _assume_packets(self) -> None:
        """Assume that a packet is its chain and then data, at most `depth` flits, or discarded.

        A chain rises, so that it has as many addresses as the network has other nodes at most.
        """
        came, limit = self.came, self.network.routing.chain_limit
        is_early = came.chain & (self.chain != self.flits)
        is_broken = self.is_broken
        self.assume(~self.taken | (self.flits == self.depth) | ~is_early | is_broken)
        fits = ~came.last | ((self.chain != 0) & ~came.chain)
        fits &= self.chain + came.chain <= limit
        fits = (self.flits != self.depth) & (fits | is_broken)
        ends = came.last if self.is_source else Const(1)
        self.assume(~(self.taken & ends & ~self.discard) | fits)

    @property
    def is_broken(self) -> Value:
        """Whether the packet is, up to the flit that comes."""
        has_any = self.network.has_parity and not self.is_source
        return self.broken | self.came.wrong if has_any else Const(0)

    @property
    def delivered_from(self) -> Value:
        """Place of the first flit that the node gets: all of a broken packet's."""
        return Mux(self.broken, 0, self.chain)

    def _follow(self) -> None:
        """Follow a packet from its first flit to its last copy and its delivery."""
        m, left = self.m, self.left
        with m.If(self.taken):
            room = self.flits != self.depth
            m.d.sync += [
                self.flits.eq(self.flits + room),
                self.chain.eq(self.chain + self.came.chain),
                self.source.eq(self.came.source),
            ]
            if self.network.has_parity:
                came = self.came
                m.d.sync += self.source_parity.eq(came.header_parity ^ came.destination.xor())
            if isinstance(self.broken, Signal):
                m.d.sync += self.broken.eq(self.is_broken)
            with m.If(self.came.last):
                ends = [self.flits.eq(0), self.chain.eq(0)]
                begins = [self.phase.eq(StorePhase.LOOK_UP), left.eq(self.chain), self.passed.eq(0)]
                with m.If(self.discard):
                    m.d.sync += ends
                with m.Else():
                    m.d.sync += begins
        with m.If(self.phase == StorePhase.LOOK_UP):
            m.d.sync += self.phase.eq(Mux(self.broken, StorePhase.DELIVER, StorePhase.SEND))
        with m.If((self.phase == StorePhase.SEND) & self.port("o_ready")):
            after = StorePhase.FILL if self.is_source else StorePhase.DELIVER
            m.d.sync += self.passed.eq(self.passed + 1)
            with m.If(self.passed + 1 == self.length):
                m.d.sync += [
                    self.passed.eq(0),
                    left.eq(left >> 1),
                    self.phase.eq(Mux(left >> 1 == 0, after, StorePhase.LOOK_UP)),
                ]
                if self.is_source:
                    with m.If(left >> 1 == 0):
                        m.d.sync += [self.flits.eq(0), self.chain.eq(0)]
        if not self.is_source:
            mark = self.mark  # named in any case
            with m.If((self.phase == StorePhase.DELIVER) & self.port("deliver_ready")):
                m.d.sync += self.passed.eq(self.passed + 1)
                m.d.sync += self.marked.eq(mark)
                with m.If(self.passed + 1 == self.payload):
                    m.d.sync += [self.phase.eq(StorePhase.FILL), self.flits.eq(0), self.chain.eq(0)]
                    m.d.sync += self.marked.eq(0)
                    if isinstance(self.broken, Signal):
                        m.d.sync += self.broken.eq(0)

    @property
    def rest(self) -> Value:
        """Nodes that the copy under way names: those behind its destination."""
        return (self.left - (self.left >> 1) - 1)[: len(self.left)]

    @property
    def payload(self) -> Value:
        """Flits of data, or all of a broken packet."""
        return (self.flits - self.delivered_from)[: len(self.left)]

    @property
    def length(self) -> Value:
        """Flits of the copy under way."""
        return self.rest + self.payload

    @cached_property
    def delivered_at(self) -> Signal:
        """Place of the flit that the node gets."""
        return self.named((self.delivered_from + self.passed)[: len(self.passed)], "delivered_at")

    @cached_property
    def mark(self) -> Signal:
        """Whether that beat is marked, with parity: the packet was wrong when it came, or is."""
        is_wrong = self.word(self.delivered_at, "marked_word").xor()
        return self.named(self.broken | self.marked | is_wrong, "mark")

    def word(self, index: Value, name: str) -> Signal:
        """Word of the memory."""
        return self.named(Array(self.words)[index], name)


def _claim_copies(harness: StoreHarness) -> None:
    phase, left, passed, sent = harness.phase, harness.left, harness.passed, harness.sent
    sends = phase == StorePhase.SEND
    harness.claim(harness.port("i_ready") == (phase == StorePhase.FILL))
    harness.claim(harness.port("o_valid") == sends)
    middle, rest = left >> 1, harness.rest
    own = (middle + 1 + passed)[: len(left)]
    shared = (harness.chain + passed - rest)[: len(left)]
    index = harness.named(Mux(passed < rest, own, shared), "index")
    rounds = (harness.network.routing.classes - 1).bit_length()
    vc_class = Const(0, rounds)
    for number in range(harness.depth.bit_length()):
        vc_class = Mux(rest >= 1 << number, number + 1, vc_class)
    named, word = harness.word(middle, "destination"), harness.word(index, "word")
    width = harness.network.hardware.data_width
    right = Cat(
        sent.data == word[:width],
        sent.destination == named[: len(sent.destination)],
        sent.source == harness.source,
        sent.chain == (passed < rest),
        sent.last == (passed + 1 == harness.length),
    ).all()
    harness.claim(~sends | right)
    if harness.network.has_parity:
        sealed = Cat(
            sent.data_parity == word[width] ^ sent.chain,
            sent.header_parity == named[width] ^ harness.source_parity,
            sent.last_copies == sent.last.replicate(2),
            ~sent.wrong,
        ).all()
        harness.claim(~sends | sealed)
    if rounds:
        harness.claim(~sends | (harness.port("vc_class") == vc_class))
    if harness.depth > 3:  # of two nodes none is behind the one in the middle
        harness.cover(sends & sent.last & harness.port("o_ready") & (rest != 0))
    harness.cover(sends & sent.last & (rest == 0) & (left == 1))
    _claim_state(harness, index)
    if not harness.is_source:
        _claim_delivery(harness)
    else:
        harness.cover(harness.taken & harness.discard & (harness.flits == harness.depth))


def _claim_delivery(harness: StoreHarness) -> None:
    """Claim that the node gets the data, after the last copy."""
    delivers, passed = harness.phase == StorePhase.DELIVER, harness.passed
    beat = data.View(eject_layout(harness.network), harness.port("deliver_payload"))
    harness.claim(harness.port("deliver_valid") == delivers)
    index = harness.delivered_at
    right = Cat(
        beat.data == harness.word(index, "delivered")[: len(beat.data)],
        beat.source == harness.source,
        beat.last == (passed + 1 == harness.payload),
    ).all()
    harness.claim(~delivers | right)
    harness.claim(~delivers | (harness.probe(harness.store.position) == index))
    harness.cover(delivers & beat.last & harness.port("deliver_ready"))
    if harness.network.has_parity:
        harness.claim(~delivers | (beat.flags == harness.mark))
        harness.claim(harness.probe(harness.store.marked) == harness.marked)
        harness.claim(harness.probe(harness.store.broken) == harness.broken)
        harness.claim(delivers | ~harness.marked)
        harness.cover(delivers & beat.last & beat.flags & ~harness.broken)
        harness.cover(delivers & beat.last & harness.broken)


def _claim_state(harness: StoreHarness, index: Value) -> None:
    """Claim what the store's registers are, and which values those of the harness have."""
    phase, left, flits, chain = harness.phase, harness.left, harness.flits, harness.chain
    store = harness.store
    sends, fills = phase == StorePhase.SEND, phase == StorePhase.FILL
    harness.claim(harness.probe(store.phase) == phase)
    harness.claim(harness.probe(store.flits) == flits)
    harness.claim(harness.probe(store.chain_length) == chain)
    if harness.network.has_parity:
        parity = harness.probe(store.source_parity)
        harness.claim((flits == 0) | (parity == harness.source_parity))
    broken = harness.broken
    harness.claim(~broken | ~sends)
    harness.claim(~broken | (flits != 0))
    works = sends | ((phase == StorePhase.LOOK_UP) & ~broken)
    harness.claim(~works | ((harness.probe(store.nodes_left) == left) & (left != 0)))
    harness.claim(~sends | (harness.probe(store.position) == index))
    harness.claim(flits <= harness.depth)
    harness.claim((flits == harness.depth) | (chain <= flits))
    harness.claim(fills | (flits != 0))
    harness.claim(fills | broken | ((chain < flits) & (chain != 0)))
    harness.claim(fills | broken | (chain <= harness.network.routing.chain_limit))
    harness.claim(~works | (left <= chain))
    harness.claim((phase != StorePhase.LOOK_UP) | (harness.passed == 0))
    harness.claim(~sends | (harness.passed < harness.length))
    harness.claim((phase != StorePhase.DELIVER) | (harness.passed < harness.payload))


def _claim_words(harness: StoreHarness) -> None:
    """Claim that any one word of the memory is the flit that came at its place."""
    number = harness.any_constant(len(harness.flits))
    kept = harness.register(len(harness.words[0]), "kept")
    with harness.m.If(harness.taken & (harness.flits == number)):
        came = harness.came
        word: Value = came.data
        if harness.network.has_parity:
            word = Cat(came.data, came.data_parity ^ came.chain)
        harness.m.d.sync += kept.eq(word)
    harness.assume(number < harness.depth)
    harness.claim((number >= harness.flits) | (harness.word(number, "kept_word") == kept))
    harness.cover(number + 1 == harness.flits)


COPIES = Property(
    name="copies",
    text="with k nodes left, c_0 .. c_(k-1), a copy goes to c_(k // 2): the nodes behind it and "
    "all data; k // 2 are left; then the node gets the data",
    claim=_claim_copies,
)
WORDS = Property(
    name="words",
    text="what a copy or the node gets is what came",
    claim=_claim_words,
    lemmas=(COPIES,),
)


def store_parts(network: Network) -> list[Part]:
    """Stores of a network's multicast units: that of a node's own packets, and of a class.

    They are alike at all nodes, and in all classes above 0.
    """
    if not network.has_multicast:
        return []
    kind, has_classes = network.router_kinds[0], network.routing.classes > 1
    return [_part(kind, is_source=one) for one in (True, False)[: 1 + has_classes]]


def _part(kind: RouterKind, *, is_source: bool) -> Part:
    """Store of the node's own packets, or of a class."""
    return Part(
        store_name(kind, is_source=is_source),
        lambda network, _: router_verilog(network, kind),
        lambda network, _: StoreHarness(network, kind, is_source=is_source),
        lambda _: (COPIES, WORDS),
    )
