"""Words and TOML tables of a system."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.system import BusParameters, NodeParameters, Region, System
from knotwork.system.system_words import system_words

TOML = """
network = "mesh"
x = 2
y = 2
data_width = 64
keep = true
[node]
clock = "own"
[node.1]
bus = "axi4"
side = "target"
[node.2]
bus = "axi4"
side = "initiator"
[bus]
data_width = 64
[map.ram]
base = 0x8000_0000
size = "64K"
node = 1
"""
WORDS = (
    "mesh x=2 y=2 data_width=64 keep=yes node.clock=own node.1.bus=axi4 node.1.side=target "
    "node.2.bus=axi4 node.2.side=initiator bus.data_width=64 map.ram.base=0x80000000 "
    "map.ram.size=0x10000 map.ram.node=1"
)


def test_a_file_and_words_say_the_same(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text(TOML)
    from_file, from_words = System.from_words([str(file)]), System.from_words(WORDS.split())
    assert from_file.told == from_words.told
    assert from_file.nodes == from_words.nodes
    assert from_file.name == from_words.name
    assert from_file.map == {"ram": Region(base=0x80000000, size=0x10000, node=1)}


def test_words_say_what_classes_say():
    given = system_words(WORDS.split()).given
    assert given["node"] == NodeParameters(clock="own")
    assert given["nodes"] == {
        1: NodeParameters(bus="axi4", side="target"),
        2: NodeParameters(bus="axi4", side="initiator"),
    }
    assert given["bus"] == BusParameters(data_width=64)


def test_words_stand_above_a_file(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text(TOML)
    system = System.from_words([str(file), "node.clock=network", "map.ram.size=4K"])
    assert not any(node.has_own_clock for node in system.nodes)
    assert system.map["ram"].size == 4096


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            "nod.width=8",
            "mesh: a table of keys must be one of node, bus, map, not 'nod'; did you mean node?",
        ),
        ("node=3", "mesh: node must have a key behind a dot, as node.width=64, not '3'"),
        (
            "node.widht=8",
            "node: a key must be one of width, clock, bus, side, not 'widht'; did you mean width?",
        ),
        (
            "node.3.clok=own",
            "node 3: a key must be one of width, clock, bus, side, not 'clok'; did you mean clock?",
        ),
        ("node.3.width=four", "node 3: width must be an integer in 8..1024, not 'four'"),
        ("node.x.width=8", "node: a node must be an index, as node.3.width, not 'x'"),
        ("node.4.width=8", "mesh: a node must be an index in 0..3, not 4"),
        ("bus.id_width=9", "bus: id_width must be an integer in 1..8, not 9"),
        ("bus.address_width=65", "bus: address_width must be an integer in 12..64, not 65"),
        (
            "map.base=0",
            "map: a region must have a name and a key, as map.ram.base=0x0, not map.base",
        ),
        (
            "map.ram.base=0",
            "map.ram: size must be given: an integer in 4096..0x10000000000000000, as 4096, "
            "0x1000 or 4K",
        ),
        (
            "map.ram.bas=0",
            "map.ram: a key must be one of base, size, node, not 'bas'; did you mean base?",
        ),
    ],
)
def test_other_words_are_refused(words, line):
    with pytest.raises(ConfigurationError) as refused:
        System.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert str(refused.value) == line


def test_a_slip_in_a_key_is_told():
    with pytest.raises(ConfigurationError, match=r", keep, .*node\.\*.*; did you mean keep\?$"):
        System.from_words(["mesh", "x=2", "y=2", "kep=yes"])


def test_an_empty_table_is_the_networks_own(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('network = "mesh"\nx = 2\ny = 2\n[node]\n[node.1]\n[map]\n')
    assert System.from_words([str(file)]).is_plain
    file.write_text('network = "mesh"\nx = 2\ny = 2\n[other]\n')
    with pytest.raises(ConfigurationError, match="not 'other'"):
        System.from_words([str(file)])
