"""Packets of bus transactions: layouts, elements cut into flits, stores."""

from itertools import pairwise
from random import Random

import pytest
from amaranth.hdl import Fragment, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from helpers.streams import consume, passed, produce, put, refusal, run, watch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.packets import (
    Cutter,
    Joiner,
    PacketReceiver,
    PacketSender,
    element_layout,
    read_beat_layout,
    received_layout,
    request_layout,
    response_layout,
    sent_layout,
    tag_width,
    write_beat_layout,
)
from knotwork_soc.gateware.buses.stores import DISTRIBUTED, Stage, Store


@pytest.mark.parametrize(("outstanding", "bits"), [(1, 1), (2, 1), (3, 2), (8, 3), (9, 4), (64, 6)])
def test_a_tag_tells_all_that_are_under_way(outstanding, bits):
    assert tag_width(BusParameters(outstanding=outstanding)) == bits


def test_bits_of_headers_and_beats():
    bus = BusParameters(address_width=32, data_width=64, outstanding=8)
    assert request_layout(bus).size == 1 + 3 + 32 + 8 + 3 + 2 + 4 + 3 + 4
    assert response_layout(bus).size == 1 + 3 + 2
    assert write_beat_layout(bus).size == 64 + 8
    assert read_beat_layout(bus).size == 64 + 2
    assert element_layout(5).size == 6
    assert sent_layout(32, 4).size == received_layout(32, 4).size == 32 + 1 + 4


WIDTHS = st.integers(1, 40)
PAUSES = st.sampled_from([0, 0.4])


class Both(wiring.Component):
    """Elements cut, and joined again."""

    def __init__(self, width, flit_width):
        self.widths = {"width": width, "flit_width": flit_width}
        layout = element_layout(width)
        super().__init__({"i": In(stream.Signature(width)), "o": Out(stream.Signature(layout))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.cutter = cutter = Cutter(**self.widths)
        m.submodules.joiner = joiner = Joiner(**self.widths)
        wiring.connect(m, wiring.flipped(self.i), cutter.i)
        wiring.connect(m, cutter.o, joiner.i)
        wiring.connect(m, joiner.o, wiring.flipped(self.o))
        return m


@settings(max_examples=8)
@given(width=WIDTHS, flit_width=st.integers(1, 16), bubble=PAUSES, stall=PAUSES)
@example(width=8, flit_width=8, bubble=0.4, stall=0.4)
@example(width=9, flit_width=8, bubble=0, stall=0.4)
def test_flits_are_the_elements_lowest_bits_first(width, flit_width, bubble, stall):
    dut = Cutter(width=width, flit_width=flit_width)
    elements = [Random(number).getrandbits(width) for number in range(20)]
    flits = -(-width // flit_width)
    want = [
        ((element >> place * flit_width) % (1 << flit_width), place == flits - 1)
        for element in elements
        for place in range(flits)
    ]
    taken = passed(dut, elements, len(want), bubble=bubble, stall=stall)
    assert [(flit.element, bool(flit.last)) for flit in taken] == want


@settings(max_examples=8)
@given(width=WIDTHS, flit_width=st.integers(1, 16), bubble=PAUSES, stall=PAUSES)
@example(width=9, flit_width=8, bubble=0.4, stall=0.4)
def test_elements_come_out_as_they_went_in(width, flit_width, bubble, stall):
    elements = [Random(number).getrandbits(width) for number in range(20)]
    taken = passed(Both(width, flit_width), elements, bubble=bubble, stall=stall)
    assert [one.element for one in taken] == elements


def test_an_element_that_fits_into_a_flit_takes_no_cycle_and_no_register():
    for component in (Cutter(width=7, flit_width=7), Joiner(width=7, flit_width=7)):
        fragment = Fragment.get(component, None)
        assert set(fragment.statements) == {"comb"}


@pytest.mark.parametrize("depth", [1, 2, 5, 16, DISTRIBUTED, DISTRIBUTED + 1])
@pytest.mark.parametrize(("bubble", "stall"), [(0, 0.6), (0.4, 0), (0.3, 0.3)])
def test_what_goes_in_comes_out_in_order(depth, bubble, stall):
    sent = Random(depth).choices(range(256), k=2 * depth + 10)
    assert passed(Store(8, depth=depth), sent, bubble=bubble, stall=stall) == sent


@pytest.mark.parametrize("depth", [1, 16, DISTRIBUTED, DISTRIBUTED + 1, 256])
def test_has_room_for_its_depth_and_tells_its_level(depth):
    dut = Store(8, depth=depth)
    assert dut.depth >= depth

    async def testbench(ctx):
        for number in range(dut.depth):
            assert ctx.get(dut.i.ready)
            assert ctx.get(dut.level) == number
            await put(ctx, dut.i, number % 256)
        assert not ctx.get(dut.i.ready)
        ctx.set(dut.o.ready, 1)
        await ctx.tick()
        assert ctx.get(dut.level) == dut.depth - 1

    run(dut, testbench)


@pytest.mark.parametrize("dut", [Store(8, depth=16), Store(8, depth=100), Stage(8)])
def test_one_entry_a_cycle(dut):
    taken = []

    async def taker(ctx):
        ctx.set(dut.o.ready, 1)
        for _ in range(14):
            _, _, valid, payload = await ctx.tick().sample(dut.o.valid, dut.o.p)
            taken.append(payload if valid else None)

    run(dut, produce(dut.i, range(12), bubble=0), taker)
    latency = taken.index(0)
    assert latency == (2 if isinstance(dut, Store) and dut.depth > DISTRIBUTED else 1)
    assert taken[latency : latency + 12] == [*range(12)]


@pytest.mark.parametrize(("bubble", "stall"), [(0, 0.6), (0.4, 0), (0.3, 0.3)])
def test_a_stage_keeps_what_it_offers(bubble, stall):
    assert passed(Stage(8), [*range(50)], bubble=bubble, stall=stall) == [*range(50)]


def test_a_depth_of_0_is_refused():
    assert refusal(ValueError, lambda: Store(8, depth=0)) == "depth must be at least 1, not 0"


HEADER, BEAT, ADDRESS = 21, 11, 3
CASES = pytest.mark.parametrize(
    ("flit_width", "bubble", "stall"), [(8, 0, 0.4), (11, 0.3, 0), (21, 0.3, 0.3), (30, 0, 0)]
)


def cut(element, bits, flit_width):
    return [(element >> low) % (1 << flit_width) for low in range(0, bits, flit_width)]


def packets(seed, *, bursts):
    dice = Random(seed)
    return [
        {
            "header": dice.getrandbits(HEADER),
            "node": dice.getrandbits(ADDRESS),
            "beats": [dice.getrandbits(BEAT) for _ in range(dice.randint(1, 5) * bursts)],
        }
        for _ in range(12)
    ]


def flits(packet, flit_width):
    elements = [(packet["header"], HEADER)] + [(beat, BEAT) for beat in packet["beats"]]
    found = [flit for one in elements for flit in cut(*one, flit_width)]
    return [(flit, number == len(found) - 1, packet["node"]) for number, flit in enumerate(found)]


def heads(sent):
    return [{"header": one["header"], "destination": one["node"]} for one in sent]


def beats(sent):
    return [
        {"element": beat, "last": number == len(one["beats"]) - 1}
        for one in sent
        for number, beat in enumerate(one["beats"])
    ]


def by_packet(taken):
    found = [[]]
    for flit in taken:
        found[-1].append((flit.data, bool(flit.last), flit.destination))
        if flit.last:
            found.append([])
    assert found.pop() == []
    return found


@CASES
def test_packets_are_headers_and_beats(flit_width, bubble, stall):
    widths = {"header_width": HEADER, "beat_width": BEAT, "flit_width": flit_width}
    dut, taken = PacketSender(**widths, address_width=ADDRESS), []
    single, burst = packets(1, bursts=0), packets(2, bursts=1)
    count = sum(len(flits(one, flit_width)) for one in (*single, *burst))
    run(
        dut,
        produce(dut.single, heads(single), bubble=bubble, seed=1),
        produce(dut.burst, heads(burst), bubble=bubble, seed=2),
        produce(dut.beats, beats(burst), bubble=bubble, seed=3),
        consume(dut.o, taken, count, stall=stall),
        background=[watch(dut.o)],
    )
    found = by_packet(taken)
    for kind in (single, burst):
        want = [flits(one, flit_width) for one in kind]
        assert [one for one in found if one in want] == want
    assert len(found) == len(single) + len(burst)
    if not bubble:  # both wait always: they take turns
        kinds = [found[place] in [flits(one, flit_width) for one in single] for place in range(20)]
        assert all(one != other for one, other in pairwise(kinds))
        assert len(taken) == count


@CASES
def test_a_receiver_finds_headers_and_beats(flit_width, bubble, stall):
    widths = {"header_width": HEADER, "beat_width": BEAT, "flit_width": flit_width}
    dut, found_heads, found_beats = PacketReceiver(**widths, address_width=ADDRESS), [], []
    sent = [
        one for pair in zip(packets(1, bursts=0), packets(2, bursts=1), strict=True) for one in pair
    ]
    stream = [
        {"data": data, "last": last, "source": node}
        for one in sent
        for data, last, node in flits(one, flit_width)
    ]
    run(
        dut,
        produce(dut.i, stream, bubble=bubble),
        consume(dut.header, found_heads, len(sent), stall=stall, seed=1),
        consume(dut.beats, found_beats, len(beats(sent)), stall=stall, seed=2),
        background=[watch(dut.header), watch(dut.beats)],
    )
    assert [(one.header, one.source) for one in found_heads] == [
        (one["header"], one["node"]) for one in sent
    ]
    assert [(one.element, bool(one.last)) for one in found_beats] == [
        (one["element"], one["last"]) for one in beats(sent)
    ]
