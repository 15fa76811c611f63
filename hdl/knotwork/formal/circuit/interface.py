"""Interface of a PE in networks of circuits: its bench, and what it takes from the PE and sends."""

from functools import cached_property
from typing import Any

from amaranth.hdl import Array, Cat, Mux, Signal, Value
from amaranth.lib import data

from ...emit.modules import interface_ports
from ...gateware.circuit.layouts import Kind
from ...network import Network
from ..harness import Bench
from .contract import Link, NetworkCycle, is_node


class InterfaceBench(Bench):
    """Bench of a PE's interface; switch and controller keep to `contract`, the PE to nothing.

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

    def __init__(self, bench: InterfaceBench) -> None:
        self._bench, longest = bench, bench.longest
        last = bench.port("s_axis_tlast")
        self.taken = bench.port("s_axis_tvalid") & bench.port("s_axis_tready")
        self.written = bench.register(range(longest), "written")
        self.dropping = bench.register(1, "dropping")
        self.first = (self.written == 0) & ~self.dropping
        self.too_long = (self.written == longest - 1) & ~last
        drop = self.dropping | (self.first & ~self._is_right()) | self.too_long
        self.drop = bench.named(drop, "drop")
        self.whole = bench.named(self.taken & last & ~self.drop, "whole")
        self.ends = bench.inside("core.ends")
        self.fill, self.send = bench.register(1, "fill"), bench.register(1, "send")
        self.held = bench.register(2, "held")
        self.last = [bench.register(range(longest), f"last_{n}") for n in range(2)]
        layout = bench.up.header.shape()
        self.headers: list[Any] = [bench.register(layout, f"header_{n}") for n in range(2)]
        self._count()

    def _is_right(self) -> Value:
        """Whether the beat names a PE, and uppers that there are."""
        bench = self._bench
        right = is_node(bench.network, bench.port("s_axis_tdest"))
        if bench.has_port("s_axis_tuser"):
            words = bench.network.routing.word_layout
            word = data.View(data.StructLayout(words), bench.port("s_axis_tuser"))
            for name, uppers in words.items():
                right &= (word[name] < uppers.stop) if uppers.stop > 1 else 1
        return right

    def _count(self) -> None:
        bench, m, last = self._bench, self._bench.m, self._bench.port("s_axis_tlast")
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
        fields = [bench.port("s_axis_tdest"), bench.address]
        if bench.has_port("s_axis_tuser"):
            fields.append(bench.port("s_axis_tuser"))
        for number in range(2):
            with m.If(self.taken & (self.fill == number)):
                m.d.sync += self.last[number].eq(self.written)
                with m.If(self.first):
                    m.d.sync += self.headers[number].eq(Cat(fields))

    def holds(self, number: int) -> Value:
        """Whether a store has a whole packet."""
        return (self.held == 2) | ((self.held == 1) & (self.send == number))


def injection(bench: InterfaceBench) -> None:
    """Claim what is taken from the PE, kept and refused."""
    stores = bench.stores
    refused = bench.register(1, "refused")
    bench.m.d.sync += refused.eq(stores.taken & bench.port("s_axis_tlast") & stores.drop)
    bench.claim(bench.port("refused") == refused)
    bench.claim(bench.inside("core.dropping") == stores.dropping)
    bench.claim(bench.inside("core.filling") == stores.fill)
    bench.claim(bench.inside("core.offered") == stores.send)
    bench.claim(stores.held <= 2)
    bench.claim(stores.held[0] == (stores.fill ^ stores.send))
    bench.claim(bench.port("s_axis_tready") == (stores.held < 2))
    bench.claim(bench.port("report") == (stores.held != 0))
    if bench.longest > 1:
        bench.claim(bench.inside("core.written", len(stores.written)) == stores.written)
        bench.claim((stores.written < bench.longest) & ~(stores.dropping & stores.written.any()))
    filled = bench.inside("core.filled", 2)
    for number in range(2):
        bench.claim(filled[number] == stores.holds(number))
        bench.claim(stores.last[number] < bench.longest)
        filling = (stores.fill == number) & stores.written.any()
        kept = bench.inside(f"core.header_{number}", len(stores.headers[number].as_value()))
        known = stores.holds(number) | filling
        bench.claim(~known | (kept == stores.headers[number].as_value()))
        bench.claim(~known | is_node(bench.network, stores.headers[number].destination))
        bench.claim(~known | (stores.headers[number].source == bench.address))
        for name, uppers in bench.network.routing.word_layout.items():
            if uppers.stop > 1:
                bench.claim(~known | (stores.headers[number][name] < uppers.stop))
        for place, word in enumerate(_words(bench, number)):
            bench.claim(~(filling & (stores.written > place)) | ~word[-1])
            after = stores.last[number] < place
            bench.claim(
                ~stores.holds(number) | after | (word[-1] == (stores.last[number] == place))
            )
    for fact in (*bench.up.known_header(), bench.up.known_back()):
        bench.claim(fact)
    _kept(bench, stores)
    bench.cover(stores.held == 2)
    bench.cover(stores.taken & stores.too_long)
    bench.cover(stores.taken & stores.drop & ~stores.too_long)


def _words(bench: InterfaceBench, number: int) -> list[Signal]:
    bits, first = bench.network.hardware.data_width + 1, number * bench.longest
    return [bench.inside(f"core.outgoing[{first + n}]", bits) for n in range(bench.longest)]


def _kept(bench: InterfaceBench, stores: Stores) -> None:
    """Any one beat stays where it was put, until its packet has gone; it leaves in its turn."""
    longest, bits = bench.longest, bench.network.hardware.data_width
    number, place = bench.any_constant(1), bench.any_constant(max(1, (longest - 1).bit_length()))
    number, place = bench.named(number, "number"), bench.named(place, "place")
    value = bench.register(bits + 1, "value")
    with bench.m.If(stores.taken & (stores.fill == number) & (stores.written == place)):
        beat = Cat(bench.port("s_axis_tdata"), bench.port("s_axis_tlast"))
        bench.m.d.sync += value.eq(beat)
    words = Array([*_words(bench, 0), *_words(bench, 1)])
    found = bench.named(words[Mux(number, longest, 0) + place], "found")
    there = Array([stores.holds(0), stores.holds(1)])[number]
    came = (stores.fill == number) & (stores.written > place)
    kept = Mux(there, place <= Array(stores.last)[number], came)
    bench.claim((place >= longest) | ~kept | (found == value))
    # Its turn: what is shown in the clock after is the oldest packet's next beat.
    sent, sends = bench.register(range(longest + 1), "sent"), bench.register(1, "sends")
    shown = bench.register(range(longest + 1), "shown")
    shown_of = bench.register(1, "shown_of")
    shown_value = bench.register(bits + 1, "shown_value")
    starts = bench.cycle.cycling & (bench.cycle.clock == bench.cycle.first_flit - 1)
    wins = starts & bench.up.back
    goes = bench.named(wins | sends, "goes")
    final = bench.named(Array(stores.last)[stores.send] == sent, "final")
    bench.m.d.sync += [
        sends.eq(goes & ~final),
        sent.eq(Mux(goes & ~final, sent + 1, 0)),
        shown.eq(sent),
        shown_of.eq(stores.send),
        shown_value.eq(value),
    ]
    offering = bench.inside("core.offering")
    early = bench.cycle.cycling & (bench.cycle.clock < bench.cycle.first_flit)
    bench.claim(offering == (early & bench.up.seen))
    bench.claim(bench.inside("core.sending") == sends)
    if longest > 1:
        bench.claim(bench.inside("core.sent", (longest - 1).bit_length()) == sent)
    bench.claim(~(offering | sends) | stores.held.any())
    bench.claim(~sends | (sent <= Array(stores.last)[stores.send]))
    bench.claim(sends == sent.any())
    clock = bench.cycle.clock
    bench.claim(~sends | (bench.cycle.cycling & (clock + 1 == bench.cycle.first_flit + sent)))
    bench.claim(~sends | (bench.up.back & bench.up.came))
    bench.claim(stores.ends == (goes & final))
    mine = bench.up.is_flit & (shown == place) & (shown_of == number)
    flit = Cat(bench.up.data[:bits], bench.up.kind == Kind.LAST.value)
    bench.claim((bench.up.kind == Kind.FLIT.value) == sends)
    bench.claim(~mine | (flit == shown_value))
    bench.cover(mine & (place == min(1, longest - 1)))


def offers(bench: InterfaceBench) -> None:
    """Claim what is shown to the switch."""
    stores, cycle, link = bench.stores, bench.cycle, bench.up
    begun = bench.register(1, "begun")
    bench.m.d.sync += begun.eq(cycle.control.begin & stores.held.any())
    header = Array(header.as_value() for header in stores.headers)[stores.send]
    bench.claim(link.is_header == begun)
    bench.claim(~link.is_header | (link.header.as_value() == header))
    for rule in link.sent().values():
        bench.claim(rule)
    bench.cover(link.is_header)
    bench.cover(link.kind == Kind.LAST.value)
    # Who was refused offers the same packet again.
    refused = bench.register(1, "refused")
    was = bench.register(len(header), "was")
    with bench.m.If(link.is_header):
        bench.m.d.sync += [was.eq(link.header.as_value()), refused.eq(0)]
    with bench.m.If(cycle.cycling & (cycle.clock == cycle.first_flit - 1)):
        bench.m.d.sync += refused.eq(link.came & ~link.back)
    waits = refused | (cycle.cycling & link.came & (cycle.clock < cycle.first_flit))
    bench.claim(~waits | (stores.held.any() & (header == was)))
    bench.claim(~(refused & bench.inside("core.sending")))
    bench.cover(refused & link.is_header)
