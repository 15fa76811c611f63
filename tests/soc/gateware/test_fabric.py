"""A system's fabric, and the parts between its nodes and planes."""

from random import Random

import pytest
from amaranth.hdl import ClockDomain, Fragment, Module
from amaranth.lib.wiring import In, Out
from helpers.buses import Memory, read, write
from helpers.clocks import get_all, jittery, put_all, run_clocks
from helpers.streams import consume, produce, refusal, run, watch
from helpers.units import node_beats
from knotwork.errors import DeadlockError
from knotwork_soc import System
from knotwork_soc.gateware.fabric import SystemFabric
from knotwork_soc.gateware.nodes import BusNode, Side, has_part, plane_member, sides_of


def packets(system, count, seed):
    """(source, destination, units, user) of packets between nodes with streams."""
    dice = Random(seed)
    nodes = [node.index for node in system.nodes if node.is_stream]
    unit = system.payload.unit
    step = 1 if system.settings.keep else max(node.width for node in system.nodes) // unit
    for _ in range(count):
        length = dice.randint(0 if system.settings.keep else 1, 9) * step
        units = [dice.randrange(1 << unit) for _ in range(length)]
        user = dice.randrange(1 << system.settings.user_width)
        yield dice.choice(nodes), dice.choice(nodes), units, user


def exchange(words, *, count=60, seed=1):
    """Send packets over a system's fabric; compare what each node gets from each other."""
    system = System.from_words(words.split())
    dut, topology, payload = SystemFabric(system), system.network.topology, system.payload
    sent = {node.index: [] for node in system.nodes if node.is_stream}
    due = {node: {} for node in sent}
    for source, to, units, user in packets(system, count, seed):
        into, out = (system.nodes[each].width for each in (source, to))
        sent[source] += node_beats(
            units, into, payload, user=user, destination=topology.address(to)
        )
        due[to].setdefault(topology.address(source), []).extend(
            node_beats(units, out, payload, user=user, source=topology.address(source))
        )
    taken = {node: [] for node in sent}
    tests, background = [], []
    for node, beats in sent.items():
        ports = getattr(dut, f"node_{node}")
        expected = sum(map(len, due[node].values()))
        tests.append(produce(ports.inject, beats, seed=node))
        tests.append(consume(ports.eject, taken[node], expected, seed=node))
        background.append(watch(ports.eject))
    run(dut, *tests, background=background)
    for node, beats in taken.items():
        for source, expected in due[node].items():
            assert [dict_of(beat) for beat in beats if beat.source == source] == expected


def dict_of(beat):
    return {name: beat[name] for name in beat.shape().members}


@pytest.mark.parametrize(
    "words",
    [
        "mesh x=2 y=2 buffer_depth=2 node.1.width=64 node.2.width=8 keep=yes user_width=5",
        "mesh x=2 y=2 buffer_depth=2 data_width=16 node.1.width=32 node.3.bus=none",
        "mesh x=2 y=1 nodes_per_router=2 buffer_depth=2 user_width=3",
    ],
)
def test_packets_arrive_whole_at_nodes_of_any_width(words):
    exchange(words)


def test_nodes_have_the_ports_of_their_keys():
    words = "mesh x=2 y=2 node.1.width=64 node.2.bus=none keep=yes"
    fabric = SystemFabric(System.from_words(words.split()))
    Fragment.get(fabric, None)
    members = fabric.signature.members
    assert list(members) == ["node_0", "node_1", "node_3"]
    assert list(members["node_0"].signature.members) == ["inject", "eject", "refused", "sparse"]


def test_a_system_that_can_deadlock_is_refused():
    system = System.from_words(["torus", "x=5", "y=5", "virtual_channels=1", "node.1.width=64"])
    text = refusal(DeadlockError, lambda: SystemFabric(system))
    assert "must be free of deadlock with virtual_channels=1" in text


BUSES = (
    "mesh x=2 y=1 buffer_depth=2 data_width=64 node.bus=none bus.burst=8 bus.outstanding=2 "
    "node.0.bus=axi4 node.0.side=initiator node.1.bus=axi4 node.1.side=target map.ram.base=4K "
    "map.ram.size=4K map.ram.node=1"
)


def test_a_manager_reaches_a_memory_and_no_other_address():
    system = System.from_words(BUSES.split())
    dut = SystemFabric(system)
    manager, memory = dut.node_0.bus, dut.node_1.bus
    model = Memory(system.bus, stall=0.3)

    async def test(ctx):
        words = [0x1000 + number for number in range(6)]
        assert await write(ctx, manager, 0x1010, words, name=3) == (0, 3)
        assert await read(ctx, manager, 0x1010, 6, name=2) == [(word, 0) for word in words]
        assert await write(ctx, manager, 0x3000, [1], name=1) == (3, 1)  # DECERR
        assert await read(ctx, manager, 0x0FFC, 1) == [(0, 3)]

    channels = [getattr(memory, name) for name in ("aw", "w", "b", "ar", "r")]
    run(dut, test, background=[model.process(*channels)])
    assert model.bytes[0x1010] == 0x00


def test_a_node_may_have_the_clock_that_the_design_names():
    words = "mesh x=2 y=1 buffer_depth=2 node.1.clock=own node.0.clock=own node.1.width=64"
    system = System.from_words(words.split())
    dut = SystemFabric(system, clocks={0: "left"})
    m = Module()
    domains = {name: ClockDomain(name) for name in ("sync", "left", "node_1")}
    m.domains += domains.values()
    m.submodules.dut = dut
    units = [[number, number + 1] for number in range(0, 20, 2)]
    sent = [beat for each in units for beat in node_beats(each, 32, system.payload, destination=1)]
    due = [beat for each in units for beat in node_beats(each, 64, system.payload, source=0)]
    taken = []
    run_clocks(
        m,
        [
            jittery(domain.clk, period, seed=number)
            for number, (domain, period) in enumerate(
                zip(domains.values(), (1.0, 1.7, 0.6), strict=True)
            )
        ],
        put_all(dut.node_0.inject, sent, "left", bubble=0.3, seed=1),
        get_all(dut.node_1.eject, taken, len(due), "node_1", stall=0.3, seed=1),
    )
    assert [dict_of(beat) for beat in taken] == due


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("node.1.width=64", [False, True, False, False]),
        ("node.1.width=8", [True, True, True, True]),  # flits tell how many bytes they lack
        ("keep=yes", [True, True, True, True]),
        ("node.1.clock=own node.2.bus=none", [False, True, False, False]),
        ("reset=low", [False, False, False, False]),
    ],
)
def test_nodes_whose_beats_are_the_planes_need_none(words, parts):
    system = System.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert [has_part(system, node) for node in system.nodes] == parts


WORDS = (
    "mesh x=2 y=2 node.1.bus=axi4 node.1.side=initiator node.2.bus=axi4 node.2.side=target "
    "node.3.bus=none map.ram.base=0 map.ram.size=4K map.ram.node=2"
)


def test_sides_follow_from_what_is_at_a_node():
    nodes = System.from_words(WORDS.split()).nodes
    assert [sides_of(node) for node in nodes] == [
        (("streams", "inject"), ("streams", "eject")),
        (("requests", "inject"), ("responses", "eject")),
        (("responses", "inject"), ("requests", "eject")),
        (),
    ]
    assert Side("requests", "inject").member == "to_plane"
    assert Side("responses", "eject").member == "from_plane"


def test_a_node_sends_what_a_plane_injects():
    network = System.from_words(WORDS.split()).planes[0].network
    assert plane_member(network, "inject").flow == Out
    assert plane_member(network, "eject").flow == In
    beat = plane_member(network, "eject").signature.members["payload"].shape
    assert list(beat.members) == ["data", "last", "source"]


BRIDGED = (
    "mesh x=2 y=2 node.bus=none bus.data_width=32 node.0.bus={0} node.0.side=initiator "
    "node.3.bus={1} node.3.side=target node.3.clock=own map.ram.base=0 map.ram.size=4K "
    "map.ram.node=3"
)


def nodes_of(initiator, target):
    system = System.from_words(BRIDGED.format(initiator, target).split())
    return [
        BusNode(system=system, node=node, domain=domain)
        for node, domain in ((system.nodes[0], "sync"), (system.nodes[3], "node"))
    ]


def parts(component):
    """Names of what a component consists of."""
    fragment = Fragment.get(component, None)
    return {name for _, name, _ in fragment.subfragments}


@pytest.mark.parametrize("bus", ["axi4", "axi_lite", "wishbone", "apb"])
def test_a_bridge_stands_at_buses_other_than_axi4(bus):
    initiator, target = nodes_of(bus, bus)
    assert initiator.signature.members["bus"].flow == In
    assert target.signature.members["bus"].flow == Out
    assert "silent" in target.signature.members
    bridge = {"bridge"} if bus != "axi4" else set()
    crossings = {f"{channel}_crossing" for channel in ("aw", "w", "b", "ar", "r")}
    assert parts(initiator) == {"port"} | bridge
    assert parts(target) == {"port", "resets"} | bridge | crossings
