"""Systems: their nodes, planes, addresses and words, and what is refused."""

import json

import pytest
from click.testing import CliRunner
from knotwork import Mesh, Network, Torus
from knotwork.cli.verbs.describe import describe
from knotwork.designs import read_network, read_network_word
from knotwork.errors import ConfigurationError, DeadlockError
from knotwork.network_words import network_words
from knotwork.parameters import IDENTIFIER
from knotwork.routing.network_keys import all_network_keys
from knotwork.topology import TOPOLOGIES
from knotwork_soc import (
    BusParameters,
    Region,
    System,
    SystemParameters,
)
from knotwork_soc.designs import system_facts
from knotwork_soc.parameters import NodeParameters, checked_map, part_keys, resolved_node
from knotwork_soc.payload import Payload
from knotwork_soc.planes import response_waits, ring_of


def test_a_network_alone_is_plain_and_names_are_chosen_or_end_in_a_digest():
    network = Network(Mesh(x=2, y=2))
    system = System(network)
    assert system.is_plain
    assert system.name == network.name
    assert system.overrides == {}
    assert System(network, node=NodeParameters(width=32, clock="network")).is_plain
    system = System.from_words(["mesh", "x=2", "y=2", "name=chip", "keep=yes"])
    assert system.name == "chip"
    assert [plane.network.name for plane in system.planes] == ["chip_network"]
    words = [f"node.{number}.width=8" for number in range(9)]
    first, second = (System.from_words(["mesh", "x=3", "y=4", *w]) for w in (words, words[1:]))
    assert len(first.name) <= 64
    assert first.name != second.name


@pytest.mark.parametrize("length", [120, 121, 128])
def test_planes_have_a_name_however_long_that_of_the_system_is(length):
    name = "n" * length
    for words in ("", f"user_width=1 {ONE_PAIR}"):
        system = System.from_words(f"mesh x=2 y=2 name={name} {words}".split())
        modules = {plane.network.name for plane in system.planes}
        assert len(modules) == (2 if words else 1)
        for module in modules:
            assert IDENTIFIER.accepts(module)
            assert module.startswith("n" * 119)
            assert module != system.name


def test_a_default_name_of_any_length_is_also_one_of_a_system():
    weights = "arbitration=weighted class_weights=8,7,3,1"
    classes = "classes=4 class_limits=1,1/200,1/150,1/137 class_bursts=1,64,50,37"
    words = f"moebius n=3 twist=1 routing=updown data_width=128 {classes} {weights}"
    system = System.from_words(words.split())
    assert IDENTIFIER.accepts(system.name)
    assert all(IDENTIFIER.accepts(plane.network.name) for plane in system.planes)


@pytest.mark.parametrize(
    "words",
    [
        "node.width=64",
        "node.3.clock=own",
        "keep=yes",
        "user_width=1",
        "reset=low",
        "node.0.bus=none",
    ],
)
def test_any_other_is_not(words):
    system = System.from_words(["mesh", "x=2", "y=2", words])
    assert not system.is_plain
    key, _, value = words.partition("=")
    assert system.name == f"mesh_x2_y2_{key.replace('.', '_')}{value}"


def test_sides_are_told_apart():
    system = System(
        Network(Mesh(x=2, y=2), data_width=64),
        node=NodeParameters(bus="none"),
        nodes={
            0: NodeParameters(bus="axi4", side="initiator"),
            3: NodeParameters(bus="apb", side="target", clock="own"),
        },
        bus=BusParameters(data_width=32, id_width=2),
        map={"ram": Region(base=0, size=0x1000, node=3)},
        reset="low",
    )
    assert [node.index for node in system.initiators] == [0]
    assert [node.index for node in system.targets] == [3]
    assert system.settings == SystemParameters(reset="low")
    assert system.overrides["bus.id_width"] == 2
    assert system.overrides["map.ram.node"] == 3
    assert "node.3.clock=own" in repr(system)


ALL = NodeParameters(width=64)


def test_keys_of_nodes_by_what_they_carry():
    node = resolved_node(3, NodeParameters(clock="own"), ALL, 32)
    assert (node.index, node.bus, node.width, node.has_own_clock) == (3, "stream", 64, True)
    assert resolved_node(0, NodeParameters(), NodeParameters(), 32).width == 32
    assert resolved_node(0, NodeParameters(width=8), ALL, 32).width == 8
    keys = NodeParameters(bus="axi4", side="target")
    node = resolved_node(1, keys, ALL, 32)
    assert (node.is_target, node.is_initiator, node.is_stream, node.width) == (
        True,
        False,
        False,
        0,
    )
    node = resolved_node(1, NodeParameters(bus="none"), NodeParameters(clock="own"), 32)
    assert not node.has_own_clock


@pytest.mark.parametrize(
    ("data_width", "widths", "keep", "user", "unit", "fields"),
    [
        # A unit is a flit: nothing to tell.
        (32, [32], False, 0, 32, {"data": 32}),
        (32, [32, 64, 96], False, 0, 32, {"data": 32}),
        # Four units of 8 bits: 0 to 3 may be absent.
        (32, [8, 32, 64], False, 0, 8, {"data": 32, "absent": 2}),
        (32, [16], False, 5, 16, {"data": 32, "absent": 1, "user": 5}),
        # Bytes; with tkeep all four may be absent.
        (32, [32], True, 0, 8, {"data": 32, "absent": 3}),
        (8, [8], True, 0, 8, {"data": 8, "absent": 1}),
        (24, [8, 24, 48], False, 0, 8, {"data": 24, "absent": 2}),
        (512, [1024], True, 256, 8, {"data": 512, "absent": 7, "user": 256}),
    ],
)
def test_fields_are_those_that_the_widths_need(data_width, widths, keep, user, unit, fields):
    payload = Payload.of(data_width, widths, keep=keep, user_width=user)
    assert payload.unit == unit
    assert payload.fields == fields
    assert payload.width == sum(fields.values())


def test_beats_that_are_flits_and_packets_that_fill_them():
    assert Payload.of(32, [32, 64]).is_plain(32)
    assert not Payload.of(32, [32, 64]).is_plain(64)
    assert not Payload.of(32, [32, 8]).is_plain(32)
    assert not Payload.of(32, [32], user_width=1).is_plain(32)
    payload = Payload.of(32, [32], keep=True)
    assert [payload.flits(count) for count in (0, 1, 4, 5, 8, 9)] == [1, 1, 1, 2, 2, 3]


ONE_PAIR = (
    "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target map.ram.base=0 "
    "map.ram.size=4K map.ram.node=1"
)


def planes(words):
    system = System.from_words(words.split())
    return [
        (plane.name, plane.network.name, plane.network.hardware.data_width)
        for plane in system.planes
    ]


def test_regions_planes_and_beats():
    assert planes("mesh x=2 y=2 name=a keep=yes user_width=5") == [("streams", "a_network", 40)]
    found = planes(f"mesh x=2 y=2 name=a node.bus=none {ONE_PAIR}")
    assert found == [("requests", "a_network", 32), ("responses", "a_network", 32)]
    assert planes(f"mesh x=2 y=2 name=a {ONE_PAIR}") == [
        ("streams", "a_network", 32),
        ("requests", "a_network", 32),
        ("responses", "a_network", 32),
    ]
    found = planes(f"mesh x=2 y=2 name=a user_width=1 {ONE_PAIR}")
    assert [name for _, name, _ in found] == ["a_streams", "a_network", "a_network"]
    given = {"b": region(0x2000), "a": region(0x10000, 0x10000, 2), "c": region(0)}
    assert list(checked_map(given, BUS, nodes_of(SIDES))) == ["c", "b", "a"]
    top = Region(base=0xFFFFF000, size=0x1000, node=1)
    assert checked_map({"top": top, "low": region(0, node=2)}, BUS, nodes_of(SIDES))
    assert str(top) == "0xfffff000..0xffffffff"


BUS = BusParameters(address_width=32)
SIDES = {0: "initiator", 1: "target", 2: "target"}


def nodes_of(sides):
    keys = {
        number: NodeParameters(bus="axi4", side=side) if side else NodeParameters()
        for number, side in ((number, sides.get(number)) for number in range(4))
    }
    return [resolved_node(number, keys[number], NodeParameters(), 32) for number in range(4)]


def region(base, size=0x1000, node=1):
    return Region(base=base, size=size, node=node)


@pytest.mark.parametrize(
    ("text", "value"),
    [("4096", 4096), ("0x1000", 4096), ("4K", 4096), ("2m", 1 << 21), ("1G", 1 << 30)],
)
def test_numbers_are_written_as_people_do(text, value):
    assert Region.from_texts({"base": "0", "size": text, "node": "1"}).size == value


@pytest.mark.parametrize("text", ["", "K", "0x", "1.5K", "ten", "-4K"])
def test_other_texts_are_refused(text):
    with pytest.raises(ConfigurationError, match=r"^map: size must be an integer in 4096"):
        Region.from_texts({"base": "0", "size": text, "node": "1"})


def test_networks_have_no_key_of_a_system_and_leave_its_keys_out():
    for name in TOPOLOGIES:
        assert not set(SystemParameters.keys()) & set(all_network_keys(name))
    network = read_network(["mesh", "x=2", "y=3", "node.width=64", "keep=yes"])
    assert (network.topology.nodes, network.hardware.data_width) == (6, 32)
    assert network.name == "mesh_x2_y3"
    assert read_network_word("mesh:x=2,y=3,node.1.clock=own").name == "mesh_x2_y3"


@pytest.mark.parametrize("width", [8, 32, 1024])
def test_a_beat_has_whole_bytes(width):
    assert BusParameters(data_width=width).data_bytes * 8 == width


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("node.width=64 node.3.clock=own", {"node.width": 64, "node.3.clock": "own"}),
        ("keep=yes user_width=0", {"keep": "yes"}),
        ("bus.data_width=64", {}),  # nobody has a bus
        (
            "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target "
            "bus.data_width=64 bus.burst=256 map.ram.base=0x1000 map.ram.size=4K map.ram.node=1",
            {
                "node.0.bus": "axi4",
                "node.0.side": "initiator",
                "node.1.bus": "axi4",
                "node.1.side": "target",
                "bus.data_width": 64,
                "map.ram.base": 0x1000,
                "map.ram.size": 0x1000,
                "map.ram.node": 1,
            },
        ),
    ],
)
def test_only_what_is_not_the_default_is_told(words, told):
    system = System.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert system.overrides == told
    again = System.from_words(
        ["mesh", "x=2", "y=2", *(f"{key}={value}" for key, value in told.items())]
    )
    assert (again.nodes, again.map, again.name) == (system.nodes, system.map, system.name)


CHIP = (
    "mesh x=2 y=2 name=chip node.1.width=64 node.1.clock=own node.2.bus=axi4 node.2.side=target "
    "node.3.bus=axi4 node.3.side=initiator map.ram.base=0x1000 map.ram.size=4K map.ram.node=2"
)


def test_facts_are_shown():
    told = system_facts(System.from_words(CHIP.split()))
    assert told["planes"] == [
        {"name": name, "data_width": 32} for name in ("streams", "requests", "responses")
    ]
    assert told["at"][1] == {
        "node": 1,
        "label": "0.1",
        "bus": "stream",
        "side": None,
        "width": 64,
        "clock": "own",
    }
    assert told["map"] == [{"name": "ram", "base": 4096, "size": 4096, "node": 2}]
    assert told["bus"]["data_width"] == 32
    shown = CliRunner().invoke(describe, CHIP.split()).output
    assert "0x1000..0x1fff" in shown
    assert "initiator" in shown
    told = json.loads(CliRunner().invoke(describe, [*CHIP.split(), "--json"]).output)
    assert told["system"]["top"] == "chip"
    alone = json.loads(CliRunner().invoke(describe, ["mesh", "x=2", "y=2", "--json"]).output)
    assert "system" not in alone
    assert system_facts(System.from_words(["mesh", "x=2", "y=2"])) == {}


MEMORIES = (
    "node.bus=none node.0.bus=axi4 node.0.side=initiator node.5.bus=axi4 node.5.side=target "
    "node.6.bus=axi4 node.6.side=target map.a.base=0 map.a.size=4K map.a.node=5 map.b.base=4K "
    "map.b.size=4K map.b.node=6"
)
"""Two memories in the middle of a network of 4 x 4."""


@pytest.mark.parametrize("network", ["mesh", "torus"])
def test_planes_of_their_own_are_free_of_it(network):
    system = System.from_words([network, "x=4", "y=4", *MEMORIES.split()])
    report, one = system.deadlock_report, system.network.deadlock_report
    assert report.deadlock_free
    assert report.cycle is None
    assert report.channels == 2 * one.channels
    # 3 nodes x (4 links in, 4 out) x classes, less 4 of the corner, and an edge at each target
    waits = (8 * 2 + (4 if network == "mesh" else 8)) * system.network.virtual_channels + 2
    assert report.dependencies == 2 * one.dependencies + waits
    assert f"with {waits} edges from requests to the responses" in report.reason


def shared(network, *, targets, reserved):
    """Ring of a network that requests and responses share."""
    waits = response_waits(network, network, [0], targets, planes=("one", "one"), reserved=reserved)
    return ring_of({"one": network}, waits)


@pytest.mark.parametrize("network", [Mesh(x=4, y=4), Torus(x=4, y=4)], ids=["mesh", "torus"])
def test_one_plane_for_both_can_deadlock(network):
    """So the check can fail: each target's response waits for a request to the other."""
    ring = shared(Network(network), targets=[5, 6], reserved=True)
    assert {("one", "inject", 5), ("one", "inject", 6)} <= set(ring)
    assert shared(Network(network), targets=[5], reserved=False)


def test_planes_without_a_reserved_place_and_with_a_ring_are_refused():
    network = Network(Mesh(x=4, y=4))
    waits = response_waits(network, network, [0], [5], reserved=False)
    ring = ring_of({"requests": network, "responses": network}, waits)
    assert {plane for plane, *_ in ring} == {"requests", "responses"}
    assert (
        ring_of(
            {"requests": network, "responses": network}, response_waits(network, network, [0], [5])
        )
        == []
    )
    system = System.from_words(["torus", "x=5", "y=5", "virtual_channels=1", *MEMORIES.split()])
    assert not system.deadlock_report.deadlock_free
    assert system.deadlock_report.reason.startswith("plane requests: all 25^2 pairs walked: ")
    with pytest.raises(DeadlockError):
        system.require_deadlock_free()


def test_streams_and_large_systems_are_checked():
    system = System.from_words(["mesh", "x=3", "y=3", "node.width=64"])
    assert system.deadlock_report == system.network.deadlock_report
    words = "mesh x=80 y=80 node.bus=none node.0.bus=axi4 node.0.side=initiator node.5.bus=axi4 "
    words += "node.5.side=target map.a.base=0 map.a.size=4K map.a.node=5"
    report = System.from_words(words.split()).deadlock_report
    assert report.deadlock_free
    assert report.reason.endswith("requests wait for responses, not these for them")
    assert shared(Network(Mesh(x=2, y=2)), targets=[3], reserved=True) == []


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


def test_words_and_files_say_the_same(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text(TOML)
    from_file, from_words = System.from_words([str(file)]), System.from_words(WORDS.split())
    assert from_file.overrides == from_words.overrides
    assert from_file.nodes == from_words.nodes
    assert from_file.name == from_words.name
    assert from_file.map == {"ram": Region(base=0x80000000, size=0x10000, node=1)}
    given = part_keys(*network_words(WORDS.split())).system
    assert given["node"] == NodeParameters(clock="own")
    assert given["nodes"] == {
        1: NodeParameters(bus="axi4", side="target"),
        2: NodeParameters(bus="axi4", side="initiator"),
    }
    assert given["bus"] == BusParameters(data_width=64)
    file = tmp_path / "my.toml"
    file.write_text(TOML)
    system = System.from_words([str(file), "node.clock=network", "map.ram.size=4K"])
    assert not any(node.has_own_clock for node in system.nodes)
    assert system.map["ram"].size == 4096
    file = tmp_path / "my.toml"
    file.write_text('network = "mesh"\nx = 2\ny = 2\n[node]\n[node.1]\n[map]\n')
    assert System.from_words([str(file)]).is_plain
    file.write_text('network = "mesh"\nx = 2\ny = 2\n[other]\n')
    with pytest.raises(ConfigurationError, match="not 'other'"):
        System.from_words([str(file)])


THREE = (
    "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target node.2.bus=axi4 "
    "node.2.side=target"
)
PAIR = "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target"
WIDTH = "width must divide the network's data_width of 32, or be a multiple of it, not"


def mapped(name, base, size=0x1000, node=1):
    return f"map.{name}.base={base} map.{name}.size={size} map.{name}.node={node}"


RAM = mapped("ram", 0)
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
    "node.2.bus=axi4 node.2.side=target node.2.width=64": "node 2: width must be used with "
    "bus=stream, not bus=axi4, whose data_width is the bus's",
    "node.2.bus=apb": "node 2: side must be given, one of initiator, target, with bus=apb",
    "node.2.side=target": "node 2: side must be used with a memory-mapped bus, not bus=stream",
    "node.2.bus=none node.2.side=target": "node 2: side must be used with a memory-mapped bus, not "
    "bus=none",
    "node.2.width=24": f"node 2: {WIDTH} 24",
    "node.2.bus=none node.2.width=8": "node 2: width must be used with bus=stream, not bus=none",
    "node.2.bus=axi4 node.2.side=target node.2.clock=mesochronous": "node 2: clock=mesochronous "
    "must be used with bus=stream, not bus=axi4",
    "node.2.bus=none node.2.clock=own": "node 2: clock must be used with a node that has ports, "
    "not bus=none",
    "bus.data_width=48": "bus: data_width must be a power of two, not 48",
    "bus.id_width=9": "bus: id_width must be an integer in 1..8, not 9",
    "bus.address_width=65": "bus: address_width must be an integer in 12..64, not 65",
    "bus.burst=257": "bus: burst must be an integer in 1..256, not 257",
    "bus.timeout=15": "bus: timeout must be an integer in 16..65535, not 15",
    "user_width=257": "system: user_width must be an integer in 0..256, not 257",
    "keep=maybe": "system: keep must be one of yes, no, not 'maybe'",
    "reset=hi": "system: reset must be one of high, low, not 'hi'; did you mean high?",
    "reset_style=x": "system: reset_style must be one of synchronous, asynchronous, not 'x'",
    "map.base=0": "map: a region must have a name of at most 128 letters, digits and _, "
    "and a key, as map.ram.base=0x0, not map.base",
    "map.ram.base=0": "map.ram: size must be given: an integer in 4096..0x10000000000000000, as "
    "4096, 0x1000 or 4K",
    "map.ram.bas=0": "map.ram: a key must be one of base, size, node, not 'bas'; did you mean "
    "base?",
    f"{THREE} {mapped('a', 0, 0x2000)} {mapped('b', 0x1000, node=2)}": "map.b: a region must not "
    "overlap another, not 0x1000..0x1fff beside map.a 0x0..0x1fff",
    f"{THREE} {mapped('a', 0, 0x3000)}": "map.a: size must be a power of two, not 0x3000",
    f"{THREE} {mapped('a', 0x1000, 0x2000)}": "map.a: base must be a multiple of its size 0x2000, "
    "not 0x1000",
    f"{THREE} bus.address_width=32 {mapped('a', 1 << 32)}": "map.a: a region must end within "
    "bus.address_width=32, not 0x100000000..0x100000fff",
    f"{THREE} {mapped('a', 0, node=4)}": "map.a: node must be an index in 0..3, not 4",
    f"{THREE} {mapped('a', 0, node=0)}": "map.a: node must be a target (node.0.side=target), not 0",
    f"{THREE} {mapped('a', 0, node=3)}": "map.a: node must be a target (node.3.side=target), not 3",
    f"{THREE} {RAM}": "node 2: a target must have a region, as map.NAME.node=2, not none",
    "node.0.bus=axi4 node.0.side=initiator": "node 0: an initiator must have at least one target "
    "in the system, not none",
    f"node.1.bus=axi4 node.1.side=target {RAM}": "node 1: a target must have at least "
    "one initiator in the system, not none",
    "data_width=512 user_width=1 node.3.width=8": "system: data_width, tkeep and user_width must "
    "take at most 512 bits of a flit, not 512 + 7",
    f"bus.data_width=64 {PAIR.replace('axi4', 'apb')} {RAM}": "bus: data_width must be 8, 16 or 32 "
    "for APB, not 64",
    f"bus.data_width=128 {PAIR.replace('axi4', 'axi_lite', 1)} {RAM}": "bus: data_width must be 32 "
    "or 64 for AXI4-Lite, not 128",
    f"bus.data_width=128 {PAIR.replace('node.1.bus=axi4', 'node.1.bus=wishbone')} {RAM}": "bus: "
    "data_width must be 8, 16, 32 or 64 for Wishbone, not 128",
    f"classes=2 {PAIR.replace('node.1', 'node.5')} {mapped('ram', 0, node=5)}": "node 5: a target "
    "must be one to which initiator node 0 may send, in 0..3 with classes=2, not 5",
    f"tables=loaded {PAIR} {RAM}": "mesh: a memory-mapped bus must have tables=fixed, "
    "not tables=loaded",
    f"router=deflection {PAIR} {RAM}": "mesh: a memory-mapped bus must have a network "
    "that keeps packets in order, not routing=dimension_order, router=deflection",
}


@pytest.mark.parametrize("words", REFUSED)
def test_other_words_are_refused(words):
    with pytest.raises(ConfigurationError) as refused:
        System.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert str(refused.value) == REFUSED[words]


@pytest.mark.parametrize("classes", [2, 3])
def test_managers_reach_every_memory_whatever_stands_between(classes):
    """Or the network is refused, with the two ends named: classes, dead parts, one-way links."""
    buses = "node.bus=none node.{0}.bus=axi4 node.{0}.side=initiator node.{1}.bus=axi4 "
    buses += "node.{1}.side=target map.a.base=0 map.a.size=4K map.a.node={1}"
    for one in range(2 * classes):
        for other in range(2 * classes):
            if one == other:
                continue
            words = f"mesh x=2 y=1 classes={classes} {buses.format(one, other)}".split()
            if one // 2 == other // 2:  # streams of one class
                assert System.from_words(words).deadlock_report.deadlock_free
            else:
                with pytest.raises(ConfigurationError, match=rf"^node {other}: .* node {one} "):
                    System.from_words(words)
    words = f"mesh x=2 y=1 nodes_per_router=2 {buses.format(0, 3)}".split()
    assert System.from_words(words).deadlock_report.deadlock_free
    with pytest.raises(ConfigurationError, match=r"not router 1 .* without a path from router 0 "):
        System.from_words(f"mesh x=2 y=2 dead=0-1,0-2 {buses.format(0, 3)}".split())


def test_slips_batches_and_keys_of_networks_are_refused():
    with pytest.raises(ConfigurationError) as refused:
        System.from_words(f"hypercube n=2 routing=lc1 {PAIR} {RAM}".split())
    assert (
        str(refused.value) == "hypercube: a memory-mapped bus must have packet routers, not batch"
    )
    with pytest.raises(ConfigurationError, match=r", keep, .*node\.\*.*; did you mean keep\?$"):
        System.from_words(["mesh", "x=2", "y=2", "kep=yes"])


@pytest.mark.parametrize(
    ("widths", "line"),
    [([32, 48], f"{WIDTH} 48"), ([4], "widths with keep=yes must be whole bytes, not 4 bits")],
)
def test_widths_that_do_not_fit_are_refused(widths, line):
    with pytest.raises(ConfigurationError) as refused:
        Payload.of(32, widths, keep=True)
    assert str(refused.value) == f"node: {line}"
