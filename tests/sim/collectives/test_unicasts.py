import numpy as np
import pytest
from knotwork import Hypercube, Mesh, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.collectives import Collective
from knotwork_sim.collectives import unicasts
from knotwork_sim.traffic.keys import Traffic

LINE = Network(Mesh(x=8, y=2))  # nodes 0..7 are a line
CUBE = Network(Hypercube(n=3))  # pairs that swap in a step of doubling share no link


def goal(kind, members, length, *, root=0, packet=16):
    return unicasts.Goal(kind, tuple(members), root, tuple(members), length, packet)


def cycles(kind, members, length, algorithm, *, network=LINE, **more):
    wanted = goal(kind, members, length, **more)
    return unicasts.unicast_cycles(network, wanted, algorithm, Traffic())


def alone(hops, length):
    """Cycle in which the last beat of a packet arrives that is offered in cycle 0."""
    return 2 * (hops + 1) + length - 1


@pytest.mark.parametrize("algorithm", ["direct", "binomial", "chain"])
@pytest.mark.parametrize("length", [1, 16])
def test_one_packet_to_a_neighbour(algorithm, length):
    assert cycles(Collective.BROADCAST, (0, 1), length, algorithm) == alone(1, length)
    assert cycles(Collective.REDUCE, (0, 1), length, algorithm) == alone(1, length)


def test_what_depends_on_a_packet_is_sent_in_the_cycle_after_it():
    step = alone(1, 8) + 1
    for kind in (Collective.BROADCAST, Collective.REDUCE):
        assert cycles(kind, range(5), 8, "chain") == 4 * step - 1
    assert cycles(Collective.BARRIER, (0, 1), 1, "direct") == 2 * (alone(1, 1) + 1) - 1


def test_informed_nodes_double():
    # 0 sends to 1, 2 and 4, one behind the other
    found = cycles(Collective.BROADCAST, range(8), 8, "binomial", network=CUBE)
    assert found == 3 * (alone(1, 8) + 1) - 1


def test_packets_of_a_chain_overlap():
    step = alone(1, 4) + 1
    assert cycles(Collective.BROADCAST, range(5), 40, "chain", packet=4) == 4 * step - 1 + 36


def test_a_root_takes_a_beat_in_every_cycle():
    """All others send at once: their beats leave the network one behind the other."""
    found = cycles(Collective.GATHER, range(8), 32, "direct")
    assert found == alone(1, 1) + 7 * 32 - 1
    found = cycles(Collective.SCATTER, range(8), 32, "direct")
    assert 7 * 32 <= found <= 7 * 32 + alone(7, 1)


def test_pairs_swap_in_doubling():
    step = alone(1, 8) + 1
    found = cycles(Collective.ALL_REDUCE, range(8), 8, "doubling", network=CUBE)
    assert found == 3 * step - 1
    # 1 and 2 send to 0, whose packets come one behind the other; 0 sends to 1, and then to 2
    found = cycles(Collective.ALL_REDUCE, range(3), 8, "doubling", network=CUBE)
    assert found == 8 + step + 8 + step - 1


def received(plan, members):
    """Whose contributions each packet carries, if a node adds what its packets depend on."""
    carried, source = {}, {}
    for message in plan.messages:
        for place, packet in enumerate(message.packets.tolist()):
            before = [after[place] for after in message.after]
            carried[packet] = {message.source}.union(*(carried[one] for one in before))
            source[packet] = message.source
            assert all(destination_of(plan, one) == message.source for one in before)
    found = {node: {node} for node in members}
    for message in plan.messages:
        for packet in message.packets.tolist():
            found[message.destination] |= carried[packet]
    return found


def destination_of(plan, packet):
    return next(each.destination for each in plan.messages if packet in each.packets)


@pytest.mark.parametrize("count", [2, 3, 4, 7, 8, 13])
@pytest.mark.parametrize("kind", list(unicasts.ALGORITHMS))
def test_every_algorithm_reaches_all(kind, count):
    members = tuple(range(count))
    for algorithm, make in unicasts.ALGORITHMS[kind].items():
        wanted = goal(kind, members, count, root=1)
        found = received(make(LINE, wanted), members)
        every = set(members)
        if kind in (Collective.BARRIER, Collective.ALL_REDUCE):
            expected = dict.fromkeys(members, every)
        elif kind in (Collective.REDUCE, Collective.GATHER):
            expected = {1: every}
        else:
            expected = {node: {1} for node in members}
        for node, contributions in expected.items():
            assert contributions <= found[node], algorithm


def test_a_ring_moves_each_part_around():
    plan = unicasts.ALGORITHMS[Collective.ALL_REDUCE]["ring"](
        LINE, goal(Collective.ALL_REDUCE, range(4), 64)
    )
    sent = np.zeros(4, int)
    for message in plan.messages:
        sent[message.source] += sum(plan.lengths[packet] for packet in message.packets)
    assert sent.tolist() == [2 * 3 * 16] * 4


def test_pauses_make_it_longer():
    wanted = goal(Collective.BROADCAST, range(8), 64)
    quick, slow = (
        unicasts.unicast_cycles(LINE, wanted, "chain", Traffic(bubble=share, stall=share))
        for share in (0.0, 0.3)
    )
    assert slow > 1.2 * quick


def test_a_group_of_one_sends_nothing():
    for kind, algorithms in unicasts.ALGORITHMS.items():
        for algorithm in algorithms:
            assert cycles(kind, (0,), 8, algorithm) == 0


def test_networks_that_send_in_rounds_are_refused():
    network = Network.from_word("lcan:d=2,u=2,levels=2,routing=scheduled")
    line = (
        f"{network.name}: --against unicast must be used with a network whose nodes send at any "
        "time, not with routing=scheduled"
    )
    with pytest.raises(ConfigurationError) as refused:
        unicasts.require_senders(network, (0, 1))
    assert str(refused.value) == line
    network = Network.from_word("banyan:d=2,u=2,levels=3")
    with pytest.raises(ConfigurationError) as refused:
        unicasts.require_senders(network, (0, 1))
    assert "must be used with nodes that may send to each other, not with 0 and" in str(
        refused.value
    )
