"""Claims about the packets that a PE's interface takes from the PE and sends to its switch."""

from amaranth.hdl import Array, Cat, Const, Mux, Signal

from ...gateware.circuit.layouts import Kind
from .interface_harness import InterfaceHarness, Stores
from .nodes import is_node, lca_level, levels_of, may_send


def injection(harness: InterfaceHarness) -> None:
    """Claim which beats are taken from the PE, kept, refused and sent."""
    stores = harness.stores
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(stores.taken & harness.port("s_axis_tlast") & stores.drop)
    harness.claim(harness.port("refused") == refused)
    harness.claim(harness.inside("dropping") == stores.dropping)
    harness.claim(harness.inside("filling") == stores.fill)
    harness.claim(harness.inside("offered") == stores.send)
    harness.claim(stores.held <= 2)
    harness.claim(stores.held[0] == (stores.fill ^ stores.send))
    harness.claim(harness.port("s_axis_tready") == (stores.held < 2))
    harness.claim(harness.report.pending == (stores.held != 0))
    if harness.longest > 1:
        harness.claim(harness.inside("written", len(stores.written)) == stores.written)
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
        harness.claim(~harness.inside("offering") | (harness.up.hops == 2 * level))
        counts = len(cycle.hop_counts)
        if counts > 1:
            meets = harness.inside("meets", counts)
            harness.claim(~harness.inside("offering") | (meets == Const(1) << level))
    beat = _AnyBeat(harness, stores)
    _claim_stored(harness, stores, beat)
    _claim_sent(harness, stores, beat)
    harness.cover(stores.held == 2)
    harness.cover(stores.taken & stores.too_long)
    harness.cover(stores.taken & stores.drop & ~stores.too_long)


def _claim_complete_packets(harness: InterfaceHarness, stores: Stores) -> None:
    """Claim which header and which last beat each store has."""
    filled = harness.inside("filled", 2)
    for number in range(2):
        harness.claim(filled[number] == stores.holds(number))
        harness.claim(stores.last[number] < harness.longest)
        filling = (stores.fill == number) & stores.written.any()
        kept = harness.inside(f"header_{number}", len(stores.headers[number].as_value()))
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
    bits, first = harness.network.hardware.data_width + 1, number * harness.longest
    return [harness.inside(f"outgoing[{first + n}]", bits) for n in range(harness.longest)]


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
    offering = harness.inside("offering")
    early = cycle.cycling & (cycle.time < up.first_flit)
    harness.claim(offering == (early & up.seen))
    harness.claim(harness.inside("sending") == sends)
    if longest > 1:
        harness.claim(harness.inside("sent", (longest - 1).bit_length()) == sent)
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
    harness.claim(~(refused & harness.inside("sending")))
    harness.cover(refused & link.is_header)
