"""Chains of waiting channels, from a watchdog's bits."""

from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network
from knotwork.monitoring import monitored_channels, waiting_chains

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


def test_nothing_stuck_is_no_chain():
    assert waiting_chains(NETWORK, stuck=[0], waits=[0], wants=[0]) == []


def test_a_chain_ends_at_the_node_that_takes_nothing():
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


def test_chains_that_meet_are_told_from_both_beginnings():
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


def test_who_waits_for_a_turn_names_its_rivals():
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
