"""Flits that a beat of a bus takes, beside what is cut into packets."""

import io

import pytest
from helpers.hostile import run
from knotwork.errors import ConfigurationError
from knotwork.progress import hide_progress, show_progress
from knotwork_soc import BusParameters, System
from knotwork_soc.designs import beats_line, flits_per_beat, single_flit_beat_width
from knotwork_soc.gateware.buses.packets import read_beat_layout, write_beat_layout

PAIR = (
    "mesh x=2 y=2 name=chip node.bus=none node.0.bus=axi4 node.0.side=initiator node.3.bus=axi4 "
    "node.3.side=target map.ram.base=0 map.ram.size=4K map.ram.node=3"
)


def system(words):
    return System.from_words(f"{PAIR} {words}".split())


@pytest.mark.parametrize("width", [8, 16, 32, 64, 128, 256, 512, 1024])
def test_beats_are_as_wide_as_what_packets_hold(width):
    bus = BusParameters(data_width=width)
    found = {"write": write_beat_layout(bus).size, "read": read_beat_layout(bus).size}
    assert bus.beat_widths == found


@pytest.mark.parametrize(
    ("words", "flits", "wider"),
    [
        # 64 bits, with 8 strobes to write and an outcome of 2 bits to read.
        ("bus.data_width=64", (3, 3), 72),
        ("bus.data_width=64 data_width=66", (2, 1), 72),
        ("bus.data_width=64 data_width=72", (1, 1), 72),
        ("bus.data_width=8 data_width=8", (2, 2), 10),
        # No flit has 512 bits and 64 strobes.
        ("bus.data_width=512", (18, 17), None),
        # Streams of 16 bits ask for a multiple of 16, and tkeep for whole bytes.
        ("bus.data_width=64 node.1.bus=stream node.1.width=16", (3, 3), 80),
        ("bus.data_width=32 node.1.bus=stream keep=yes", (2, 2), 40),
        # With tuser no flit of streams would have space.
        ("bus.data_width=256 node.1.bus=stream user_width=225", (9, 9), None),
        ("bus.data_width=256 node.1.bus=stream user_width=224", (9, 9), 288),
    ],
)
def test_the_width_of_one_flit_is_the_least(words, flits, wider):
    requests = system(words)
    assert tuple(flits_per_beat(requests).values()) == flits
    assert single_flit_beat_width(requests) == wider
    keys = " ".join(each for each in words.split() if not each.startswith("data_width"))
    if wider is not None:
        assert set(flits_per_beat(system(f"{keys} data_width={wider}")).values()) == {1}
    for narrower in range(8, 513 if wider is None else wider):
        try:
            other = system(f"{keys} data_width={narrower}")
        except ConfigurationError:
            continue
        assert max(flits_per_beat(other).values()) > 1


def test_generate_says_so_and_what_would_help(tmp_path):
    line = "knotwork: chip: a beat of 64 bits takes 3 flits of 32 to write and 3 to read; with "
    line += "data_width=72 it takes one\n"
    words = f"{PAIR} bus.data_width=64 bus.burst=2".split()
    show_progress(shown := io.StringIO())
    try:
        assert run(["generate", *words, "-o", "chip"], tmp_path).status == 0
    finally:
        hide_progress()
    assert line in shown.getvalue()
    assert beats_line(system("bus.data_width=64 data_width=72")) is None
    assert beats_line(System.from_words(["mesh", "x=2", "y=2", "node.width=64"])) is None
    told = beats_line(system("bus.data_width=512"))
    assert told == "chip: a beat of 512 bits takes 18 flits of 32 to write and 17 to read"
