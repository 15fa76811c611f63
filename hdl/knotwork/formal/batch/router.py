"""Routers of batches: their harness and their properties."""

from collections.abc import Sequence
from functools import partial

from amaranth.hdl import Array, Cat, Const, Mux, Value
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.batch.layouts import message_layout, report_layout
from ...gateware.batch.router import BatchRouter
from ...gateware.wiring_plan import router_module
from ...network import Network, RouterKind
from ...parameters import BatchParameters
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property
from .contract import Batches, expected_steps
from .controller import counting
from .expectation import Link


class BatchHarness(Harness):
    """Harness of a router of a batch, of any address of its kind.

    Its neighbours show any packets, but where cycles sort they ask exactly when the destinations
    are out of order. The controller keeps to `contract`, and begins only after the router reported
    that it has a packet.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Router.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        module = router_module(network, kind)
        ports = planned_ports(network, module)
        super().__init__(kind.name, *ports, Elaboration(module.make()))
        self.router = self.component("", BatchRouter)
        self.network, self.kind = network, kind
        self.words = BatchParameters.of(network.hardware).words
        self.address = self.constant("address")
        self.batches = Batches(self, network, self.port("control"))
        self.report = data.View(report_layout(network), self.port("report"))
        for rule in self.batches.rules():
            self.environment(rule)
        filled = self.register(1, "filled")
        self.m.d.sync += filled.eq(self.report.filled)
        self.environment(~self.batches.began | filled)
        self._follow()
        for rule in self.movement.neighbour_rules:
            self.environment(~self.batches.control.running | rule)

    def link(self, port: int, direction: str) -> Link:
        """What a port receives (`i`) or shows (`o`)."""
        name = f"{self.network.topology.ports[port]}_{direction}"
        message = data.View(message_layout(self.network), self.port(f"{name}_message"))
        return Link(message, self.port(f"{name}_request"))

    def _follow(self) -> None:
        """Follow the packet, with any one of its beats of data."""
        m, control = self.m, self.batches.control
        last = self.port("s_axis_tlast")
        self.taken = self.port("s_axis_tvalid") & self.port("s_axis_tready")
        self.delivered = self.port("m_axis_tvalid") & self.port("m_axis_tready")
        self.word = word = self.register(range(self.words), "word")
        self.dropping = self.register(1, "dropping")
        self.full, self.delivering = self.register(1, "full"), self.register(1, "giving")
        self.own_packet = self.record(message_layout(self.network), "own")
        self.final = word == self.words - 1
        self.completed = self.taken & last & ~self.dropping & self.final
        self.drops = self.dropping | ~self.final
        place = self.any_constant(max(1, (self.words - 1).bit_length()))
        self.place = self.named(place, "place")
        self.environment(self.place < self.words)
        self.at_followed_beat = self.named(word == self.place, "at_place")
        # In other cycles, the data that links show belong to other beats.
        links = {port: self.link(port, "i") for port in self.kind.ports[1:]}
        expected = self.batches.expected
        self.movement = expected.movement(
            self.batches, self.kind, self.address, self.own_packet, links
        )
        with m.If(self.taken):
            m.d.sync += [
                word.eq(Mux(self.dropping | self.final | last, 0, word + 1)),
                self.dropping.eq(~last & (self.dropping | self.final)),
            ]
            with m.If(word == 0):
                m.d.sync += [
                    self.own_packet.destination.eq(self.port("s_axis_tdest")),
                    self.own_packet.source.eq(self.address),
                ]
            with m.If(self.at_followed_beat):
                m.d.sync += self.own_packet.data.eq(self.port("s_axis_tdata"))
        with m.Elif(control.running):
            m.d.sync += word.eq(Mux(self.final, 0, word + 1))
            with m.If(self.at_followed_beat):
                m.d.sync += self.own_packet.data.eq(self.movement.packet_after.data)
            with m.If(self.final):
                m.d.sync += [
                    self.own_packet.destination.eq(self.movement.packet_after.destination),
                    self.own_packet.source.eq(self.movement.packet_after.source),
                ]
        with m.Elif(self.delivered):
            m.d.sync += word.eq(Mux(self.final, 0, word + 1))
        m.d.sync += [
            self.full.eq((self.full & ~control.done) | self.completed),
            self.delivering.eq((self.delivering & ~(self.delivered & self.final)) | control.done),
        ]


def _claim_node(harness: BatchHarness) -> None:
    """Claim when packets come and go, and that the registers have the packet that is followed."""
    control, words, router = harness.batches.control, harness.words, harness.router
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(harness.taken & harness.port("s_axis_tlast") & harness.drops)
    for fact in harness.batches.register_facts():
        harness.claim(fact)
    harness.claim(harness.port("refused") == refused)
    harness.claim(harness.probe(router.full) == harness.full)
    harness.claim(harness.probe(router.giving) == harness.delivering)
    harness.claim(harness.probe(router.dropping) == harness.dropping)
    harness.claim(~(harness.full & harness.delivering))
    harness.claim(~harness.dropping | (harness.word == 0))
    harness.claim(~(harness.full | harness.delivering) | ~harness.dropping)
    harness.claim(harness.full | harness.delivering | ~control.running)
    harness.claim(~control.running | (harness.full & (harness.word == harness.batches.word)))
    harness.claim(~harness.full | control.running | (harness.word == 0))
    harness.claim(harness.port("s_axis_tready") == ~(harness.full | harness.delivering))
    harness.claim(harness.port("m_axis_tvalid") == harness.delivering)
    waits = harness.full
    if harness.batches.is_distributed:
        waits &= ~control.running
        counting(harness, harness.batches, router.steps.sequencer)
        harness.claim(harness.probe(router.steps.going) == harness.batches.in_batch)
        harness.claim(harness.report.running == control.running)
    harness.claim(harness.report.filled == (waits | harness.completed))
    harness.claim(harness.word < words)
    own_packet, header = harness.own_packet, harness.probe(router.header)
    known = harness.full | harness.delivering | harness.word.any()
    harness.claim(~known | (header == Cat(own_packet.destination, own_packet.source)))
    if words == 1:
        found: Value = harness.probe(router.stored_data)
    else:
        harness.claim(harness.probe(router.word) == harness.word)
        found = Array(harness.probe_words(router.stored_data, range(words)))[harness.place]
    has = harness.full | harness.delivering | (harness.word > harness.place)
    harness.claim(~has | (found == own_packet.data))
    for part in harness.batches.expected.register_parts(harness.batches, router.exchange):
        register = harness.probe(part.register)
        found = register[part.place : part.place + len(part.value)]
        harness.claim(~part.when | (found == part.value))
    harness.cover(harness.batches.began)
    harness.cover(harness.delivering)
    if words > 1:
        harness.cover(refused)


def _claim_steps(harness: BatchHarness) -> None:
    """Claim what is shown in each step; `_claim_node` claims what is taken."""
    batches, movement = harness.batches, harness.movement
    for port, (packet, requests) in movement.outputs.items():
        shown = harness.link(port, "o")
        same = Cat(shown.message[name] == packet[name] for name in ("destination", "source")).all()
        same &= ~harness.at_followed_beat | (shown.message.data == packet.data)
        harness.claim(~batches.control.running | same)
        if requests is not None:
            harness.claim(~batches.control.running | (shown.requests == requests))
    changed = movement.packet_after.source != harness.own_packet.source
    harness.cover(batches.control.running & batches.last & changed)


def _claim_flags(harness: BatchHarness) -> None:
    m, running = harness.m, harness.batches.control.running
    raised, wrong = harness.register(3, "raised"), harness.register(1, "wrong")
    now = [Const(0) if flag is None else flag for flag in harness.movement.raised]
    is_wrong = wrong | (harness.delivering & (harness.own_packet.destination != harness.address))
    m.d.sync += wrong.eq(is_wrong)
    with m.If(harness.taken):
        m.d.sync += [raised.eq(0), wrong.eq(0)]
    with m.Elif(running):
        m.d.sync += raised.eq(raised | Cat(now))
    flags = harness.named(Cat(is_wrong, raised), "flags")
    harness.claim(harness.report.flags == flags)
    harness.claim(harness.probe(harness.router.raised) == raised)
    harness.claim(harness.probe(harness.router.wrong) == wrong)
    valid = harness.port("m_axis_tvalid")
    harness.claim(~valid | (harness.port("m_axis_tuser") == flags))
    harness.claim(
        ~wrong | ~(harness.full | harness.word.any() | harness.dropping) | harness.delivering
    )
    harness.claim(~valid | (is_wrong == (harness.own_packet.destination != harness.address)))
    for flag in harness.movement.raised:
        if flag is not None:
            harness.cover(running & flag)
    harness.cover(valid & is_wrong)


def _claim_delivery(harness: BatchHarness) -> None:
    valid, ready = harness.port("m_axis_tvalid"), harness.port("m_axis_tready")
    beat = Cat(harness.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid", "tuser"))
    harness.claim_held(valid, ready, beat, "m_axis")
    own_packet = harness.own_packet
    harness.claim(~valid | (harness.port("m_axis_tid") == own_packet.source))
    harness.claim(~valid | (harness.port("m_axis_tlast") == harness.final))
    harness.claim(
        ~(valid & harness.at_followed_beat) | (harness.port("m_axis_tdata") == own_packet.data)
    )
    harness.cover(valid & ~ready)


def _claim_assertions(harness: BatchHarness) -> None:
    harness.cover(harness.batches.control.done)


def router_properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas first."""
    del kind
    words, width = BatchParameters.of(network.hardware).words, network.topology.address_width
    reach = (2 + expected_steps(network)) * words + 2 * width + 8
    node = Property(
        name="packet",
        text="after each step the router has the packet, whole, that the algorithm gives it; one "
        "of another length is refused",
        claim=_claim_node,
        cover=reach,
        depth=min(reach, 60),
    )
    steps = Property(
        name="steps",
        text="in each step every port shows the packet and requests it as the algorithm says",
        claim=_claim_steps,
        lemmas=(node,),
        cover=reach,
        depth=min(reach, 60),
    )
    make = partial(Property, lemmas=(node, steps), cover=reach, depth=min(reach, 60))
    return [
        node,
        steps,
        make(
            name="flags",
            text="F1 and F3 where a neighbour asked for something else, F2 where a packet was not "
            "sorted, WRONG where it is not the node's: on every beat, and in the report",
            claim=_claim_flags,
        ),
        make(
            name="streams",
            text="the node gets the packet that the last step left, and m_axis stays until a "
            "transfer",
            claim=_claim_delivery,
        ),
        make(
            name="assertions",
            text="the assertions in the Verilog hold",
            claim=_claim_assertions,
            claims_assertions=True,
        ),
    ]
