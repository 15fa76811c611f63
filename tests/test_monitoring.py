"""Monitors: channels and their names, the register map, chains of waiting channels."""

import pytest
from helpers.ring import CyclicRingRouting, Ring
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from knotwork.emit import manifest
from knotwork.monitoring import (
    monitored_channels,
    network_probes,
    network_registers,
    register_map,
    waiting_chains,
)

NETWORK = Network.from_word("mesh:x=4,y=1")
CHANNELS = monitored_channels(NETWORK)


def words(indices, width=32):
    number = sum(1 << index for index in indices)
    return [number >> 32 * place & (1 << 32) - 1 for place in range(width // 32)]


def channel(router, *, source=None, to_node=False):
    """Channel to a router's node, or into it from a node or a neighbour."""
    (found,) = (
        one
        for one in CHANNELS
        if one.router == router
        and (one.virtual_channel is None) == to_node
        and (to_node or _source(one) == source)
    )
    return found


def _source(one):
    if one.node is not None:
        return "node"
    return int(NETWORK.topology.senders[0][one.router, one.port])


def ask(one, port):
    """Bit of the turn of a channel to a port."""
    (place,) = (
        n for n, turn in enumerate(one.turns) if NETWORK.topology.ports[turn.output_port] == port
    )
    return one.first_turn + place


def out(router, to):
    """Name of the port from a router to a neighbour."""
    (port,) = (p for p, peer in enumerate(NETWORK.topology.neighbours[router]) if peer == to)
    return NETWORK.topology.ports[port]


def local():
    return NETWORK.topology.ports[0]


def test_chains_end_at_the_node_that_takes_nothing():
    assert waiting_chains(NETWORK, stuck=[0], waits=[0], wants=[0]) == []
    way = [
        channel(0, source="node"),
        channel(1, source=0),
        channel(2, source=1),
        channel(2, to_node=True),
    ]
    wants = [ask(way[0], out(0, 1)), ask(way[1], out(1, 2)), ask(way[2], local())]
    bits = words([one.number for one in way])
    (chain,) = waiting_chains(NETWORK, stuck=bits, waits=bits, wants=words(wants))
    assert list(chain.channels) == way
    assert chain.end == "the node, whose tready is low"


def test_chains_that_meet_and_wait_for_a_turn_name_their_rivals():
    first, second = channel(0, source="node"), channel(1, source="node")
    joint, end = channel(2, source=1), channel(2, to_node=True)
    middle = channel(1, source=0)
    wants = [
        ask(first, out(0, 1)),
        ask(middle, out(1, 2)),
        ask(second, out(1, 2)),
        ask(joint, local()),
    ]
    bits = words(one.number for one in (first, second, joint, middle, end))
    chains = waiting_chains(NETWORK, stuck=bits, waits=bits, wants=words(wants))
    assert [list(chain.channels) for chain in chains] == [
        [first, middle, joint, end],
        [second, joint, end],
    ]
    first, second, after = channel(1, source=0), channel(1, source="node"), channel(2, source=1)
    wants = [ask(first, out(1, 2)), ask(second, out(1, 2))]
    waits = words([first.number, second.number])
    (chain,) = waiting_chains(
        NETWORK, stuck=words([second.number]), waits=waits, wants=words(wants)
    )
    assert list(chain.channels) == [second]
    assert chain.end == f"its turn to go {after.name}, for which {first.name} waits too"
    (alone,) = waiting_chains(
        NETWORK, stuck=words([second.number]), waits=words([second.number]), wants=words(wants)
    )
    assert alone.end == f"its turn to go {after.name}"


def test_a_channel_whose_packet_was_not_shown_waits_for_the_front_of_its_input():
    one = channel(1, source="node")
    (chain,) = waiting_chains(
        NETWORK, stuck=words([one.number]), waits=words([one.number]), wants=words([])
    )
    assert list(chain.channels) == [one]
    assert chain.end == "its turn at the front of its input, after other channels"


def test_a_ring_of_channels_is_told_as_a_deadlock():
    network = Network(Ring(nodes=6), routing=CyclicRingRouting, allow_deadlock="yes")
    channels = monitored_channels(network)
    ring = [one for one in channels if one.turns and one.node is None]
    bits = sum(1 << one.number for one in ring)
    wants = sum(
        1 << one.first_turn + place
        for one in ring
        for place, turn in enumerate(one.turns)
        if not network.topology.is_local(turn.output_port)
    )
    split = [[n >> 32 * p & (1 << 32) - 1 for p in range(2)] for n in (bits, wants)]
    chains = waiting_chains(network, stuck=split[0], waits=split[0], wants=split[1])
    assert chains
    assert all(chain.end == "itself: the network is deadlocked" for chain in chains)
    assert all(chain.channels[-1] in chain.channels[:-1] for chain in chains)


WORDS = [
    "mesh:x=3,y=2",
    "moebius:n=3,routing=spr",
    "wk:w=3,levels=2",
    "mesh:x=3,y=1,nodes_per_router=2",
    "tcpg:k=1,m=1",
]


@pytest.mark.parametrize("word", WORDS)
def test_channels_are_numbered_and_named_once(word):
    network = Network.from_word(word)
    channels = monitored_channels(network)
    assert [one.number for one in channels] == list(range(len(channels)))
    assert len({one.name for one in channels}) == len(channels)
    bits = [
        bit for one in channels for bit in range(one.first_turn, one.first_turn + len(one.turns))
    ]
    assert bits == list(range(len(bits)))
    assert network_probes(network) == (len(channels), len(bits))
    to_nodes = [one.node for one in channels if one.virtual_channel is None]
    assert sorted(to_nodes) == list(range(network.topology.nodes))


def test_channels_of_a_line_of_three_and_the_map_in_the_manifest():
    # A packet comes from the node or a neighbour, and goes to the node or on; the ends have no
    # neighbour beyond them.
    network = Network.from_word("mesh:x=3,y=1")
    into = [(one.router, one.node) for one in monitored_channels(network) if one.turns]
    assert into == [(0, 0), (0, None), (1, 1), (1, None), (1, None), (2, 2), (2, None)]
    ways = [len(one.turns) for one in monitored_channels(network) if one.turns]
    assert ways == [2, 1, 3, 2, 2, 2, 1]
    network = Network.from_word("mesh:x=2,y=2,counters=yes,watchdog=9")
    told = manifest(network)["monitor"]
    found = network_registers(network)
    assert told["bus"] == "s_axil_monitor"
    assert {one["name"]: one["offset"] for one in told["registers"]} == found.registers
    assert {one["name"]: one["offset"] for one in told["arrays"]} == {
        name: array.offset for name, array in found.arrays.items()
    }
    assert [one["index"] for one in told["channel_list"]] == list(range(16))
    assert sum(len(one["turns"]) for one in told["channel_list"]) == 24
    assert "monitor" not in manifest(Network.from_word("mesh:x=2,y=2"))
    only = manifest(Network.from_word("mesh:x=2,y=2,watchdog=9"))["monitor"]
    assert [one["name"] for one in only["arrays"]] == ["stuck", "waits", "wants"]


@given(
    channels=st.integers(1, 3000),
    nodes=st.integers(1, 500),
    turns=st.integers(1, 9000),
    counters=st.booleans(),
    watchdog=st.booleans(),
)
def test_no_address_is_given_twice(channels, nodes, turns, **parts):
    found = register_map(channels=channels, nodes=nodes, turns=turns, **parts)
    places = list(found.registers.values())
    for array in found.arrays.values():
        places += range(array.offset, array.offset + 4 * array.count, 4)
    assert len(places) == len(set(places))
    assert all(place % 4 == 0 for place in places)
    assert max(places) < 1 << found.address_width
    names = ["stuck", "waits", "wants"] * parts["watchdog"]
    assert list(found.arrays) == names + ["flits", "stalls", "refused"] * parts["counters"]
    counts = {name: array.count for name, array in found.arrays.items()}
    if parts["watchdog"]:
        assert counts["wants"] * 32 - 31 <= turns <= counts["wants"] * 32
    if parts["counters"]:
        assert (counts["flits"], counts["refused"]) == (channels, nodes)
