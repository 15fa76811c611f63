"""Words and TOML tables of a system."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.system import BusParameters, NodeParameters, Payload, Region, System
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


SIDES = (
    "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target node.2.bus=axi4 "
    "node.2.side=target"
)
PAIR = "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target"
WIDTH = "width must divide the network's data_width of 32, or be a multiple of it, not"


def region(name, base, size=0x1000, node=1):
    return f"map.{name}.base={base} map.{name}.size={size} map.{name}.node={node}"


REFUSED = {
    "nod.width=8": "mesh: a table of keys must be one of node, bus, map, not 'nod'; did you mean "
    "node?",
    "node=3": "mesh: node must have a key behind a dot, as node.width=64, not '3'",
    "node.widht=8": "node: a key must be one of width, clock, bus, side, not 'widht'; did you mean "
    "width?",
    "node.3.clok=own": "node 3: a key must be one of width, clock, bus, side, not 'clok'; did you "
    "mean clock?",
    "node.3.width=four": "node 3: width must be an integer in 8..1024, not 'four'",
    "node.width=7": "node: width must be an integer in 8..1024, not 7",
    "node.clock=slow": "node: clock must be one of network, own, mesochronous, not 'slow'",
    "node.bus=axi": "node: bus must be one of stream, axi4, axi_lite, wishbone, apb, none, not "
    "'axi'; did you mean axi4?",
    "node.x.width=8": "node: a node must be an index, as node.3.width, not 'x'",
    "node.4.width=8": "mesh: a node must be an index in 0..3, not 4",
    "node.bus=none": "mesh: a system must have a node with bus=stream or a memory-mapped bus, not "
    "none",
    "node.2.bus=axi4 node.2.side=target node.2.width=64": "node 2: width must go with bus=stream, "
    "not bus=axi4, whose data_width is the bus's",
    "node.2.bus=apb": "node 2: side must be given, one of initiator, target, with bus=apb",
    "node.2.side=target": "node 2: side must go with a memory-mapped bus, not bus=stream",
    "node.2.bus=none node.2.side=target": "node 2: side must go with a memory-mapped bus, not "
    "bus=none",
    "node.2.width=24": f"node 2: {WIDTH} 24",
    "node.2.bus=none node.2.width=8": "node 2: width must go with bus=stream, not bus=none",
    "node.2.bus=axi4 node.2.side=target node.2.clock=mesochronous": "node 2: clock=mesochronous "
    "must go with bus=stream, not bus=axi4",
    "node.2.bus=none node.2.clock=own": "node 2: clock must go with a node that has ports, not "
    "bus=none",
    "bus.data_width=48": "bus: data_width must be a power of two, not 48",
    "bus.id_width=9": "bus: id_width must be an integer in 1..8, not 9",
    "bus.address_width=65": "bus: address_width must be an integer in 12..64, not 65",
    "bus.burst=257": "bus: burst must be an integer in 1..256, not 257",
    "bus.timeout=15": "bus: timeout must be an integer in 16..65535, not 15",
    "user_width=257": "system: user_width must be an integer in 0..256, not 257",
    "keep=maybe": "system: keep must be one of yes, no, not 'maybe'",
    "reset=hi": "system: reset must be one of high, low, not 'hi'; did you mean high?",
    "reset_style=x": "system: reset_style must be one of synchronous, asynchronous, not 'x'",
    "map.base=0": "map: a region must have a name and a key, as map.ram.base=0x0, not map.base",
    "map.ram.base=0": "map.ram: size must be given: an integer in 4096..0x10000000000000000, as "
    "4096, 0x1000 or 4K",
    "map.ram.bas=0": "map.ram: a key must be one of base, size, node, not 'bas'; did you mean "
    "base?",
    f"{SIDES} {region('a', 0, 0x2000)} {region('b', 0x1000, node=2)}": "map.b: a region must not "
    "overlap another, not 0x1000..0x1fff beside map.a 0x0..0x1fff",
    f"{SIDES} {region('a', 0, 0x3000)}": "map.a: size must be a power of two, not 0x3000",
    f"{SIDES} {region('a', 0x1000, 0x2000)}": "map.a: base must be a multiple of its size 0x2000, "
    "not 0x1000",
    f"{SIDES} bus.address_width=32 {region('a', 1 << 32)}": "map.a: a region must end within "
    "bus.address_width=32, not 0x100000000..0x100000fff",
    f"{SIDES} {region('a', 0, node=4)}": "map.a: node must be an index in 0..3, not 4",
    f"{SIDES} {region('a', 0, node=0)}": "map.a: node must be a target (node.0.side=target), not 0",
    f"{SIDES} {region('a', 0, node=3)}": "map.a: node must be a target (node.3.side=target), not 3",
    f"{SIDES} {region('a', 0)}": "node 2: a target must have a region, as map.NAME.node=2, not "
    "none",
    "node.0.bus=axi4 node.0.side=initiator": "node 0: an initiator must have at least one target "
    "in the system, not none",
    f"node.1.bus=axi4 node.1.side=target {region('a', 0)}": "node 1: a target must have at least "
    "one initiator in the system, not none",
    "data_width=512 user_width=1 node.3.width=8": "system: data_width, tkeep and user_width must "
    "take at most 512 bits of a flit, not 512 + 7",
    f"tables=loaded {PAIR} {region('a', 0)}": "mesh: a memory-mapped bus must have tables=fixed, "
    "not tables=loaded",
    f"router=deflection {PAIR} {region('a', 0)}": "mesh: a memory-mapped bus must have a network "
    "that keeps packets in order, not routing=dimension_order, router=deflection",
}


@pytest.mark.parametrize("words", REFUSED)
def test_other_words_are_refused(words):
    with pytest.raises(ConfigurationError) as refused:
        System.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert str(refused.value) == REFUSED[words]


def test_a_bus_has_no_batches():
    with pytest.raises(ConfigurationError) as refused:
        System.from_words(f"hypercube n=2 routing=lc1 {PAIR} {region('a', 0)}".split())
    assert (
        str(refused.value) == "hypercube: a memory-mapped bus must have packet routers, not batch"
    )


@pytest.mark.parametrize(
    ("widths", "line"),
    [
        ([32, 48], f"{WIDTH} 48"),
        ([4], "widths with keep=yes must be whole bytes, not 4 bits"),
    ],
)
def test_widths_that_do_not_fit_are_refused(widths, line):
    with pytest.raises(ConfigurationError) as refused:
        Payload.of(32, widths, keep=True)
    assert str(refused.value) == f"node: {line}"


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
