"""Interface of a PE: its harness, what it sends, receives and reports, and its properties."""

from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value, ValueLike
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.circuit.interface import CircuitInterface
from ...gateware.circuit.layouts import Kind, ends_early, report_layout
from ...gateware.wiring_plan import interface_module
from ...network import Network
from ...routing.circuits import cycle_clocks
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property
from .contract import Link, NetworkCycle, is_node, lca_level, levels_of, longest_packet, may_send


class InterfaceHarness(Harness):
    """Harness of a PE's interface: switch and controller keep to `contract`, the PE is free.

    Parameters
    ----------
    network : Network
        Network with circuits.
    name : str
        Name of the interface's module.

    Members
    -------
    up, down : Link
        To its switch, and from it.
    longest : int
        Flits of the longest packet.
    report : View
        What it reports to the controller.
    use_facts : list of Value
        What the rules about circuits in use imply about the registers here.
    """

    def __init__(self, network: Network, name: str) -> None:
        module = interface_module(network)
        super().__init__(name, *planned_ports(network, module), Elaboration(module.make()))
        self.interface = self.component("", CircuitInterface)
        self.network = network
        self.longest = longest_packet(network)
        self.address = self.constant("address")
        self.environment(is_node(network, self.address))
        self.cycle = NetworkCycle(self, network)
        self.up, self.down = (
            Link(
                *(self, network, self.cycle, name),
                level=0,
                up=up,
                subtree=self.address,
                copies=range(levels_of(network).copies),
            )
            for name, up in (("o_", True), ("i_", False))
        )
        self.report = data.View(report_layout(network), self.port("report"))
        rules = [*self.up.received().values(), *self.down.sent().values()]
        for rule in (*self.cycle.rules(), *rules):
            self.environment(rule)
        self.use_facts: list[Value] = []
        if self.cycle.ends_early:
            self._keep_circuits()

    def _keep_circuits(self) -> None:
        """Have the controller release no circuit that is in use, from the cycle before on."""
        interface = self.interface
        sent, was_active = self.register(1, "sent"), self.register(1, "was_active")
        self.m.d.sync += [
            sent.eq((sent | (self.up.kind == Kind.LAST.value)) & ~self.cycle.last),
            was_active.eq(self.report.active),
        ]
        sending, offering, awaited = map(
            self.probe, (interface.sending, interface.offering, interface.awaited)
        )
        past = self.cycle.time > self.down.first_flit
        self.use_facts = [
            ~sent | (self.up.came & self.up.was_back & ~sending),
            ~(offering & (self.cycle.time != 0)) | was_active,
            ~(awaited & past) | was_active,
        ]
        waits = self.down.seen & (self.cycle.time <= self.down.first_flit)
        in_use = waits | (self.up.came & self.up.back & ~sent)
        self.environment(~self.cycle.last | ((self.cycle.time != 0) & ~was_active & ~in_use))

    @cached_property
    def stores(self) -> "Stores":
        """Packets that it stores on their way out."""
        return Stores(self)


class Stores:
    """Two stores for packets on their way out, by what the PE gave.

    Members
    -------
    taken, drop, completes : Value
        A beat comes; its packet is dropped; the packet is whole with this beat.
    fill, send : Signal
        Store that the next packet goes to, and store of the oldest packet.
    held : Signal
        How many whole packets there are.
    written : Signal
        How many beats of the next packet came.
    last : list of Signal
        By store, the place of the last beat of its packet.
    headers : list of View
        By store, the header of its packet.
    """

    def __init__(self, harness: InterfaceHarness) -> None:
        self._harness, longest = harness, harness.longest
        last = harness.port("s_axis_tlast")
        self.taken = harness.port("s_axis_tvalid") & harness.port("s_axis_tready")
        self.written = harness.register(range(longest), "written")
        self.dropping = harness.register(1, "dropping")
        self.first = (self.written == 0) & ~self.dropping
        self.too_long = (self.written == longest - 1) & ~last
        drop = self.dropping | (self.first & ~self._is_right()) | self.too_long
        self.drop = harness.named(drop, "drop")
        self.completes = harness.named(self.taken & last & ~self.drop, "whole")
        self.ends = harness.probe(harness.interface.ends)
        self.fill, self.send = harness.register(1, "fill"), harness.register(1, "send")
        self.held = harness.register(2, "held")
        self.last = [harness.register(range(longest), f"last_{n}") for n in range(2)]
        layout = harness.up.header.shape()
        self.headers = [harness.record(layout, f"header_{n}") for n in range(2)]
        self._count()

    def _is_right(self) -> Value:
        """Whether the beat names a PE, and uppers that exist."""
        harness = self._harness
        far = harness.port("s_axis_tdest")
        right = is_node(harness.network, far) & may_send(harness.network, harness.address, far)
        if harness.has_port("s_axis_tuser"):
            words = harness.network.routing.word_layout
            word = data.View(data.StructLayout(words), harness.port("s_axis_tuser"))
            for name, uppers in words.items():
                right &= (word[name] < uppers.stop) if uppers.stop > 1 else 1
        return right

    def _count(self) -> None:
        harness, m, last = self._harness, self._harness.m, self._harness.port("s_axis_tlast")
        with m.If(self.taken):
            m.d.sync += [
                self.dropping.eq(self.drop & ~last),
                self.written.eq(Mux(self.drop | last, 0, self.written + 1)),
            ]
        m.d.sync += [
            self.held.eq(self.held + self.completes - self.ends),
            self.fill.eq(self.fill ^ self.completes),
            self.send.eq(self.send ^ self.ends),
        ]
        fields = [harness.port("s_axis_tdest"), harness.address]
        if harness.has_port("s_axis_tuser"):
            fields.append(harness.port("s_axis_tuser"))
        for number in range(2):
            with m.If(self.taken & (self.fill == number)):
                m.d.sync += self.last[number].eq(self.written)
                with m.If(self.first):
                    m.d.sync += self.headers[number].eq(Cat(fields))

    def holds(self, number: int) -> Value:
        """Whether a store has a whole packet."""
        return (self.held == 2) | ((self.held == 1) & (self.send == number))


def injection(harness: InterfaceHarness) -> None:
    """Claim which beats are taken from the PE, kept, refused and sent."""
    stores, interface = harness.stores, harness.interface
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(stores.taken & harness.port("s_axis_tlast") & stores.drop)
    harness.claim(harness.port("refused") == refused)
    harness.claim(harness.probe(interface.dropping) == stores.dropping)
    harness.claim(harness.probe(interface.filling) == stores.fill)
    harness.claim(harness.probe(interface.offered) == stores.send)
    harness.claim(stores.held <= 2)
    harness.claim(stores.held[0] == (stores.fill ^ stores.send))
    harness.claim(harness.port("s_axis_tready") == (stores.held < 2))
    harness.claim(harness.report.pending == (stores.held != 0))
    if harness.longest > 1:
        harness.claim(harness.probe(interface.written) == stores.written)
        harness.claim(
            (stores.written < harness.longest) & ~(stores.dropping & stores.written.any())
        )
    _claim_complete_packets(harness, stores)
    for fact in (*harness.up.header_facts(), harness.up.acknowledge_facts()):
        harness.claim(fact)
    for fact in harness.use_facts[:2]:
        harness.claim(fact)
    cycle = harness.cycle
    if cycle.ends_early and levels_of(harness.network).turns_round:
        # It samples by the header that it keeps.
        oldest = Array(header.destination for header in stores.headers)[stores.send]
        copies = range(levels_of(harness.network).copies)
        level = lca_level(harness.network, harness.address, oldest, copies)
        harness.claim(~harness.probe(interface.offering) | (harness.up.hops == 2 * level))
        counts = len(cycle.hop_counts)
        if counts > 1:
            meets = harness.probe(interface.meets)
            harness.claim(~harness.probe(interface.offering) | (meets == Const(1) << level))
    beat = _AnyBeat(harness, stores)
    _claim_stored(harness, stores, beat)
    _claim_sent(harness, stores, beat)
    harness.cover(stores.held == 2)
    harness.cover(stores.taken & stores.too_long)
    harness.cover(stores.taken & stores.drop & ~stores.too_long)


def _claim_complete_packets(harness: InterfaceHarness, stores: Stores) -> None:
    """Claim which header and which last beat each store has."""
    filled = harness.probe(harness.interface.filled)
    for number in range(2):
        harness.claim(filled[number] == stores.holds(number))
        harness.claim(stores.last[number] < harness.longest)
        filling = (stores.fill == number) & stores.written.any()
        kept = harness.probe(harness.interface.headers[number])
        known = stores.holds(number) | filling
        harness.claim(~known | (kept == stores.headers[number].as_value()))
        far = stores.headers[number].destination
        harness.claim(~known | is_node(harness.network, far))
        harness.claim(~known | may_send(harness.network, harness.address, far))
        harness.claim(~known | (stores.headers[number].source == harness.address))
        for name, uppers in harness.network.routing.word_layout.items():
            if uppers.stop > 1:
                harness.claim(~known | (stores.headers[number][name] < uppers.stop))
        for place, word in enumerate(_words(harness, number)):
            harness.claim(~(filling & (stores.written > place)) | ~word[-1])
            after = stores.last[number] < place
            harness.claim(
                ~stores.holds(number) | after | (word[-1] == (stores.last[number] == place))
            )


def _words(harness: InterfaceHarness, number: int) -> list[Signal]:
    first = number * harness.longest
    return harness.probe_words(harness.interface.stored_beat, range(first, first + harness.longest))


class _AnyBeat:
    """Any one beat of the packets in the stores.

    Members
    -------
    number, place : Value
        Its store, and its place there.
    value : Signal
        The beat as it came last.
    """

    def __init__(self, harness: InterfaceHarness, stores: Stores) -> None:
        longest, bits = harness.longest, harness.network.hardware.data_width
        number = harness.any_constant(1)
        place = harness.any_constant(max(1, (longest - 1).bit_length()))
        self.number, self.place = harness.named(number, "number"), harness.named(place, "place")
        self.value = harness.register(bits + 1, "value")
        comes = stores.taken & (stores.fill == self.number) & (stores.written == self.place)
        with harness.m.If(comes):
            beat = Cat(harness.port("s_axis_tdata"), harness.port("s_axis_tlast"))
            harness.m.d.sync += self.value.eq(beat)


def _claim_stored(harness: InterfaceHarness, stores: Stores, beat: _AnyBeat) -> None:
    """Claim that a beat stays where it was put until its packet has gone."""
    words = Array([*_words(harness, 0), *_words(harness, 1)])
    found = harness.named(words[Mux(beat.number, harness.longest, 0) + beat.place], "found")
    is_stored = Array([stores.holds(0), stores.holds(1)])[beat.number]
    came = (stores.fill == beat.number) & (stores.written > beat.place)
    kept = Mux(is_stored, beat.place <= Array(stores.last)[beat.number], came)
    harness.claim((beat.place >= harness.longest) | ~kept | (found == beat.value))


def _claim_sent(harness: InterfaceHarness, stores: Stores, beat: _AnyBeat) -> None:
    """Claim that a beat leaves in its turn: of the oldest packet, one after the other."""
    longest, cycle, up = harness.longest, harness.cycle, harness.up
    bits = harness.network.hardware.data_width
    sent, sends = harness.register(range(longest + 1), "sent"), harness.register(1, "sends")
    shown = harness.register(range(longest + 1), "shown")
    shown_of = harness.register(1, "shown_of")
    display_value = harness.register(bits + 1, "display_value")
    starts = cycle.cycling & (cycle.time == up.first_flit - 1)
    wins = starts & up.back
    goes = harness.named(wins | sends, "goes")
    final = harness.named(Array(stores.last)[stores.send] == sent, "final")
    harness.m.d.sync += [
        sends.eq(goes & ~final),
        sent.eq(Mux(goes & ~final, sent + 1, 0)),
        shown.eq(sent),
        shown_of.eq(stores.send),
        display_value.eq(beat.value),
    ]
    offering = harness.probe(harness.interface.offering)
    early = cycle.cycling & (cycle.time < up.first_flit)
    harness.claim(offering == (early & up.seen))
    harness.claim(harness.probe(harness.interface.sending) == sends)
    if longest > 1:
        harness.claim(harness.probe(harness.interface.sent) == sent)
    harness.claim(~(offering | sends) | stores.held.any())
    harness.claim(~sends | (sent <= Array(stores.last)[stores.send]))
    harness.claim(sends == sent.any())
    due = cycle.time + 1 == up.first_flit + sent
    harness.claim(~sends | (cycle.cycling & due))
    harness.claim(~sends | (up.back & up.came))
    harness.claim(stores.ends == (goes & final))
    mine = up.is_flit & (shown == beat.place) & (shown_of == beat.number)
    flit = Cat(up.data[:bits], up.kind == Kind.LAST.value)
    harness.claim((up.kind == Kind.FLIT.value) == sends)
    harness.claim(~mine | (flit == display_value))
    harness.cover(mine & (beat.place == min(1, longest - 1)))


def offers(harness: InterfaceHarness) -> None:
    """Claim which headers and flits the switch is shown."""
    stores, cycle, link = harness.stores, harness.cycle, harness.up
    begun = harness.register(1, "begun")
    harness.m.d.sync += begun.eq(cycle.control.begin & stores.held.any())
    header = Array(header.as_value() for header in stores.headers)[stores.send]
    harness.claim(link.is_header == begun)
    harness.claim(~link.is_header | (link.header.as_value() == header))
    for rule in link.sent().values():
        harness.claim(rule)
    harness.cover(link.is_header)
    harness.cover(link.kind == Kind.LAST.value)
    # A packet that was refused is offered again.
    refused = harness.register(1, "refused")
    was = harness.register(len(header), "was")
    with harness.m.If(link.is_header):
        harness.m.d.sync += [was.eq(link.header.as_value()), refused.eq(0)]
    with harness.m.If(cycle.cycling & (cycle.time == link.first_flit - 1)):
        harness.m.d.sync += refused.eq(link.came & ~link.back)
    waits = refused | (cycle.cycling & link.came & (cycle.time < link.first_flit))
    harness.claim(~waits | (stores.held.any() & (header == was)))
    harness.claim(~(refused & harness.probe(harness.interface.sending)))
    harness.cover(refused & link.is_header)


_COVERED = 3
"""Longest packet up to which a full queue is shown: to fill one takes two network cycles."""


class _Queue:
    """Beats that wait for the PE, by what came and went.

    Members
    -------
    depth : int
        Beats that it holds.
    level, head : Signal
        How many there are, and the place of the first.
    source : Signal
        Source of the last header.
    arrives, leaves : Value
        A beat comes; a beat goes to the PE.
    beat : Signal
        The beat that comes.
    offered : Value
        The beat that the PE is offered.
    words : list of Signal
        Words of the memory.
    """

    def __init__(self, harness: InterfaceHarness) -> None:
        link = harness.down
        self.depth = 2 * harness.longest
        self.level = harness.register(range(self.depth + 1), "level")
        self.head = harness.register(range(self.depth), "head")
        self.source = harness.register(len(harness.address), "source")
        self.arrives = link.is_flit
        self.leaves = harness.port("m_axis_tvalid") & harness.port("m_axis_tready")
        fields = [link.data[: harness.network.hardware.data_width]]
        fields += [link.kind == Kind.LAST.value, self.source]
        self.beat = harness.named(Cat(fields), "beat")
        self.offered = Cat(harness.port(f"m_axis_{name}") for name in ("tdata", "tlast", "tid"))
        harness.m.d.sync += self.level.eq(self.level + self.arrives - self.leaves)
        with harness.m.If(self.leaves):
            harness.m.d.sync += self.head.eq(self.after(harness, self.head, 1))
        with harness.m.If(link.is_header):
            harness.m.d.sync += self.source.eq(link.header.source)
        self.words = harness.probe_words(
            harness.interface.waiting_beat.as_value(), range(self.depth)
        )

    def after(self, harness: InterfaceHarness, place: Value, more: ValueLike) -> Signal:
        """Place that is so many beats further."""
        far = place + more
        return harness.named(Mux(far >= self.depth, far - self.depth, far), "place")


def ejection(harness: InterfaceHarness) -> None:
    """Claim that every flit that comes goes to the PE, once, in order."""
    queue = _Queue(harness)
    depth, level = queue.depth, queue.level
    interface = harness.interface
    tail = harness.probe(interface.tail)
    harness.claim(harness.probe(interface.level) == level)
    harness.claim(harness.probe(interface.head) == queue.head)
    harness.claim((level <= depth) & (queue.head < depth))
    harness.claim(tail == queue.after(harness, queue.head, level))
    harness.claim(harness.probe(interface.source) == queue.source)
    harness.claim(harness.port("m_axis_tvalid") == (level != 0))
    # Any one beat.
    inside, ahead = harness.register(1, "inside"), harness.register(range(depth), "ahead")
    expected = harness.register(len(queue.beat), "expected")
    with harness.m.If(~inside & queue.arrives & harness.any_value()):
        harness.m.d.sync += [
            inside.eq(1),
            ahead.eq(level - queue.leaves),
            expected.eq(queue.beat),
        ]
    with harness.m.Elif(inside & queue.leaves):
        harness.m.d.sync += [inside.eq(ahead != 0), ahead.eq(ahead - 1)]
    found = Array(queue.words)[queue.after(harness, queue.head, ahead)]
    harness.claim(~inside | ((ahead < level) & (found == expected)))
    goes = inside & (ahead == 0) & queue.leaves
    harness.claim(~goes | (queue.offered == expected))
    harness.cover(goes)
    harness.claim_held(
        harness.port("m_axis_tvalid"), harness.port("m_axis_tready"), queue.offered, "m_axis"
    )
    harness.cover(harness.port("m_axis_tvalid") & ~harness.port("m_axis_tready"))
    _claim_acknowledge_space(harness, queue)


def _claim_acknowledge_space(harness: InterfaceHarness, queue: _Queue) -> None:
    """Claim that a header is acknowledged if and only if there is room for the longest packet."""
    link, time, longest = harness.down, harness.cycle.time, harness.longest
    room = harness.register(1, "room")
    harness.m.d.sync += room.eq(queue.level <= longest)
    for fact in (*link.header_facts(), link.acknowledge_facts()):
        harness.claim(fact)
    for rule in link.received().values():
        harness.claim(rule)
    harness.claim(~(link.came & link.acknowledged()) | (link.back == room))
    harness.cover(link.back & link.acknowledged())
    if longest <= _COVERED:
        harness.cover(~link.back & link.came & link.acknowledged())
    begins = harness.named(link.hops + link.first_flit + 1, "begins")
    before = harness.named(time <= begins, "before")
    harness.claim(~(link.back & before) | (queue.level <= longest))
    more = link.was_kind == Kind.FLIT.value
    harness.claim(~more | (link.back & ~before & (queue.level <= longest + time - begins)))
    harness.claim(~more | (time < begins + longest))
    harness.claim(~link.is_flit | (queue.level < queue.depth))


def reports(harness: InterfaceHarness) -> None:
    """Claim that it is active while it waits for an acknowledge, or for a packet's last flit.

    So the controller, which releases the circuits once nobody is active, waits for the last flit
    of every packet, and no longer than the longest packet over the top needs.
    """
    cycle, up, down = harness.cycle, harness.up, harness.down
    for link in (up, down):
        for fact in link.header_facts():
            harness.claim(fact)
    for fact in (down.acknowledge_facts(), up.acknowledge_facts(), *harness.use_facts):
        harness.claim(fact)
    waits = cycle.cycling & up.seen & (cycle.time < up.first_flit)
    over = harness.register(1, "over")
    ends = down.kind == Kind.LAST.value
    harness.m.d.sync += over.eq((over | ends) & ~cycle.last)
    comes = harness.named(down.back & ~over & ~ends, "comes")
    harness.claim(harness.probe(harness.interface.offering) == waits)
    harness.claim(harness.probe(harness.interface.awaited) == (down.back & ~over))
    harness.claim(harness.report.active == (waits | comes))
    begins = harness.named(down.hops + down.first_flit + 1, "begins")
    more = down.was_kind == Kind.FLIT.value
    after = cycle.time > begins
    harness.claim(more == (down.back & ~over & after))
    harness.claim(~over | (down.back & (cycle.time > begins)))
    harness.claim(~more | (cycle.time < begins + harness.longest))
    late = cycle.cycling & (cycle.time >= cycle.length - 2)
    harness.claim(~(late & harness.report.active))
    for active in (waits & ~comes, comes & ~waits, ends & ~waits):
        harness.cover(active)


def _claim_assertions(harness: InterfaceHarness) -> None:
    harness.cover(harness.down.is_flit)


def _reports_property(kept: Property, taken: Property, deep: int) -> Property:
    return Property(
        name="reports",
        text="it tells the controller that it is active while it waits for an acknowledge, or for "
        "the last flit of a packet whose header it acknowledged",
        claim=reports,
        depth=deep,
        lemmas=(kept, taken),
        cover=taken.cover,
    )


def interface_properties(network: Network) -> Sequence[Property]:
    """Properties of a PE's interface, lemmas first."""
    topology, longest = levels_of(network), longest_packet(network)
    reach = 6 * topology.levels + 8
    # Some faults show only with the second packet.
    deep = min(2 * cycle_clocks(topology, longest) + 8, 50)
    kept = Property(
        name="injection",
        text="beats of a packet are kept as they came; one that is too long, or to no PE, is "
        "refused whole",
        claim=injection,
        cover=2 * longest + reach,
    )
    return [
        kept,
        Property(
            name="offers",
            text="the oldest packet's header is on the link in cycle 0 of each network cycle, "
            "again if it was refused; with an acknowledge its flits follow, without a gap",
            claim=offers,
            depth=deep,
            lemmas=(kept,),
            cover=2 * reach + longest,
        ),
        taken := Property(
            name="ejection",
            text="a header is acknowledged if there is room for the longest packet; its flits are "
            "given to the PE, once, in order",
            claim=ejection,
            depth=deep,
            cover=2 * reach + longest,
        ),
        *([_reports_property(kept, taken, deep)] if ends_early(network) else ()),
        Property(
            name="assertions",
            text="the assertions in the Verilog hold",
            claim=_claim_assertions,
            lemmas=(kept, taken),
            claims_assertions=True,
            cover=reach,
        ),
    ]
