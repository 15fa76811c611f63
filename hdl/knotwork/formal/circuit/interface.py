"""Interface of a PE in circuit-switched networks: its harness, and claims about injection."""

from functools import cached_property

from amaranth.hdl import Array, Cat, Mux, Signal, Value
from amaranth.lib import data

from ...emit.modules import interface_ports
from ...gateware.circuit.layouts import Kind
from ...network import Network
from ..harness import Harness
from .contract import Link, NetworkCycle, is_node


class InterfaceHarness(Harness):
    """Harness of a PE's interface; switch and controller keep to `contract`, the PE to nothing.

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
    """

    def __init__(self, network: Network, name: str) -> None:
        super().__init__(name, *interface_ports(network))
        self.network = network
        self.longest = network.hardware.max_packet
        self.address = self.constant("address")
        self.environment(is_node(network, self.address))
        self.cycle = NetworkCycle(self, network)
        self.up, self.down = (
            Link(self, network, self.cycle, way, level=0, up=up, subtree=self.address)
            for way, up in (("o_", True), ("i_", False))
        )
        rules = [*self.up.received().values(), *self.down.sent().values()]
        for rule in (*self.cycle.rules(), *rules):
            self.environment(rule)

    @cached_property
    def stores(self) -> "Stores":
        """What it keeps for the PE."""
        return Stores(self)


class Stores:
    """The two packets on their way out, by what the PE gave.

    Members
    -------
    taken, drop, whole : Value
        A beat comes; its packet is dropped; it is whole with this beat.
    fill, send : Signal
        Store that the next packet goes to, and that of the oldest.
    held : Signal
        Whole packets.
    written : Signal
        Beats of the one that comes.
    last : list of Signal
        Place of the last beat of the packet in each store.
    headers : list of View
        Its header.
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
        self.whole = harness.named(self.taken & last & ~self.drop, "whole")
        self.ends = harness.inside("core.ends")
        self.fill, self.send = harness.register(1, "fill"), harness.register(1, "send")
        self.held = harness.register(2, "held")
        self.last = [harness.register(range(longest), f"last_{n}") for n in range(2)]
        layout = harness.up.header.shape()
        self.headers = [harness.record(layout, f"header_{n}") for n in range(2)]
        self._count()

    def _is_right(self) -> Value:
        """Whether the beat names a PE, and uppers that there are."""
        harness = self._harness
        right = is_node(harness.network, harness.port("s_axis_tdest"))
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
            self.held.eq(self.held + self.whole - self.ends),
            self.fill.eq(self.fill ^ self.whole),
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
    """Claim what is taken from the PE, kept and refused."""
    stores = harness.stores
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(stores.taken & harness.port("s_axis_tlast") & stores.drop)
    harness.claim(harness.port("refused") == refused)
    harness.claim(harness.inside("core.dropping") == stores.dropping)
    harness.claim(harness.inside("core.filling") == stores.fill)
    harness.claim(harness.inside("core.offered") == stores.send)
    harness.claim(stores.held <= 2)
    harness.claim(stores.held[0] == (stores.fill ^ stores.send))
    harness.claim(harness.port("s_axis_tready") == (stores.held < 2))
    harness.claim(harness.port("report") == (stores.held != 0))
    if harness.longest > 1:
        harness.claim(harness.inside("core.written", len(stores.written)) == stores.written)
        harness.claim(
            (stores.written < harness.longest) & ~(stores.dropping & stores.written.any())
        )
    filled = harness.inside("core.filled", 2)
    for number in range(2):
        harness.claim(filled[number] == stores.holds(number))
        harness.claim(stores.last[number] < harness.longest)
        filling = (stores.fill == number) & stores.written.any()
        kept = harness.inside(f"core.header_{number}", len(stores.headers[number].as_value()))
        known = stores.holds(number) | filling
        harness.claim(~known | (kept == stores.headers[number].as_value()))
        harness.claim(~known | is_node(harness.network, stores.headers[number].destination))
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
    for fact in (*harness.up.known_header(), harness.up.known_back()):
        harness.claim(fact)
    _kept(harness, stores)
    harness.cover(stores.held == 2)
    harness.cover(stores.taken & stores.too_long)
    harness.cover(stores.taken & stores.drop & ~stores.too_long)


def _words(harness: InterfaceHarness, number: int) -> list[Signal]:
    bits, first = harness.network.hardware.data_width + 1, number * harness.longest
    return [harness.inside(f"core.outgoing[{first + n}]", bits) for n in range(harness.longest)]


def _kept(harness: InterfaceHarness, stores: Stores) -> None:
    """Any one beat stays where it was put, until its packet has gone; it leaves in its turn."""
    longest, bits = harness.longest, harness.network.hardware.data_width
    number, place = (
        harness.any_constant(1),
        harness.any_constant(max(1, (longest - 1).bit_length())),
    )
    number, place = harness.named(number, "number"), harness.named(place, "place")
    value = harness.register(bits + 1, "value")
    with harness.m.If(stores.taken & (stores.fill == number) & (stores.written == place)):
        beat = Cat(harness.port("s_axis_tdata"), harness.port("s_axis_tlast"))
        harness.m.d.sync += value.eq(beat)
    words = Array([*_words(harness, 0), *_words(harness, 1)])
    found = harness.named(words[Mux(number, longest, 0) + place], "found")
    there = Array([stores.holds(0), stores.holds(1)])[number]
    came = (stores.fill == number) & (stores.written > place)
    kept = Mux(there, place <= Array(stores.last)[number], came)
    harness.claim((place >= longest) | ~kept | (found == value))
    # Its turn: what is shown in the clock after is the oldest packet's next beat.
    sent, sends = harness.register(range(longest + 1), "sent"), harness.register(1, "sends")
    shown = harness.register(range(longest + 1), "shown")
    shown_of = harness.register(1, "shown_of")
    shown_value = harness.register(bits + 1, "shown_value")
    starts = harness.cycle.cycling & (harness.cycle.clock == harness.cycle.first_flit - 1)
    wins = starts & harness.up.back
    goes = harness.named(wins | sends, "goes")
    final = harness.named(Array(stores.last)[stores.send] == sent, "final")
    harness.m.d.sync += [
        sends.eq(goes & ~final),
        sent.eq(Mux(goes & ~final, sent + 1, 0)),
        shown.eq(sent),
        shown_of.eq(stores.send),
        shown_value.eq(value),
    ]
    offering = harness.inside("core.offering")
    early = harness.cycle.cycling & (harness.cycle.clock < harness.cycle.first_flit)
    harness.claim(offering == (early & harness.up.seen))
    harness.claim(harness.inside("core.sending") == sends)
    if longest > 1:
        harness.claim(harness.inside("core.sent", (longest - 1).bit_length()) == sent)
    harness.claim(~(offering | sends) | stores.held.any())
    harness.claim(~sends | (sent <= Array(stores.last)[stores.send]))
    harness.claim(sends == sent.any())
    clock = harness.cycle.clock
    harness.claim(~sends | (harness.cycle.cycling & (clock + 1 == harness.cycle.first_flit + sent)))
    harness.claim(~sends | (harness.up.back & harness.up.came))
    harness.claim(stores.ends == (goes & final))
    mine = harness.up.is_flit & (shown == place) & (shown_of == number)
    flit = Cat(harness.up.data[:bits], harness.up.kind == Kind.LAST.value)
    harness.claim((harness.up.kind == Kind.FLIT.value) == sends)
    harness.claim(~mine | (flit == shown_value))
    harness.cover(mine & (place == min(1, longest - 1)))


def offers(harness: InterfaceHarness) -> None:
    """Claim what is shown to the switch."""
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
    # Who was refused offers the same packet again.
    refused = harness.register(1, "refused")
    was = harness.register(len(header), "was")
    with harness.m.If(link.is_header):
        harness.m.d.sync += [was.eq(link.header.as_value()), refused.eq(0)]
    with harness.m.If(cycle.cycling & (cycle.clock == cycle.first_flit - 1)):
        harness.m.d.sync += refused.eq(link.came & ~link.back)
    waits = refused | (cycle.cycling & link.came & (cycle.clock < cycle.first_flit))
    harness.claim(~waits | (stores.held.any() & (header == was)))
    harness.claim(~(refused & harness.inside("core.sending")))
    harness.cover(refused & link.is_header)
