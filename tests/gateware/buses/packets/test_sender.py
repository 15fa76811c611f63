"""Packets as Python puts them together, beside those of the gates; and back."""

from itertools import pairwise
from random import Random

import pytest
from helpers.streams import consume, produce, run, watch
from knotwork.gateware.buses.packets.receiver import PacketReceiver
from knotwork.gateware.buses.packets.sender import PacketSender

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
