"""What is due, in which order, and what an arrival is by what is due."""

import pytest
from knotwork import Network
from knotwork_sim.model.record import TakenBeat
from knotwork_sim.scoreboard.expected import Deliveries, Expected, nodes_reached
from knotwork_sim.scoreboard.faults import Arrival
from knotwork_sim.scoreboard.mismatch import Mismatch
from knotwork_sim.scoreboard.network_facts import Kind, NetworkFacts
from knotwork_sim.scoreboard.scoreboard import identify, missing_packet
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


def expected_of(words):
    return Expected(NetworkFacts.of(Network.from_words(words.split())))


def word(number):
    return number.to_bytes(8, "little")


def test_packets_of_a_flow_have_an_order_and_broadcasts_one_of_their_own():
    expected = expected_of("wk w=4 levels=2")
    first = expected.add(3, (5,), word(1))
    second = expected.add(3, (5,), word(2))
    everyone = expected.add(3, (4, 5, 6), word(3), kind=Kind.BROADCAST)
    assert expected.before(second, 5) == first
    assert expected.before(everyone, 5) is None
    expected.deliver(first, 5)
    assert expected.before(second, 5) is None


def test_multicasts_and_deflected_packets_have_none_but_numbers():
    expected = expected_of("hypercube n=3 multicast=yes")
    _, second = (expected.add(3, (5,), word(n), kind=Kind.MULTICAST) for n in (1, 2))
    assert expected.before(second, 5) is None
    expected = expected_of("torus x=4 y=4 router=deflection sequence_width=1")
    packets = [expected.add(3, (5,), word(number)) for number in range(3)]
    other = expected.add(3, (6,), word(9))
    assert [packet.user for packet in (*packets, other)] == [0, 1, 0, 0]
    assert expected.before(packets[2], 5) is None


def test_of_packets_with_equal_data_the_next_in_order_is_taken():
    expected = expected_of("hypercube n=3 data_width=8")
    expected.add(3, (5,), word(1))
    twins = [expected.add(3, (5,), word(7)) for _ in range(2)]
    assert expected.chosen([packet.number for packet in twins], 5, 0) == twins[0]


def test_where_nobody_can_tell_which_packet_came_order_is_not_judged():
    expected = expected_of("wk w=4 levels=2 data_width=8")
    alone = expected.add(3, (5,), word(7))
    everyone = expected.add(3, (5, 6), word(7), kind=Kind.BROADCAST)
    later = expected.add(3, (5, 6), word(8), kind=Kind.BROADCAST)
    assert expected.before(later, 5) == everyone
    expected.deliver(expected.chosen([alone.number, everyone.number], 5, 0), 5)
    assert expected.before(later, 5) is None
    assert expected.before(later, 6) == everyone


def test_a_packet_that_reaches_nobody_must_be_refused():
    expected = expected_of("hypercube n=3")
    packet = expected.add(3, (), word(7))
    assert list(expected.refusals[3]) == [packet]


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("hypercube n=3", {"length": (1, 4)}),
        ("wk w=4 levels=2", {"broadcast_share": 0.3}),
        ("hypercube n=3 multicast=yes", {"multicast_share": 0.3}),
    ],
)
def test_all_packets_of_a_run_at_once(words, keys):
    network = Network.from_words(words.split())
    packets = make_packets(network, Traffic(rate=0.5, packets=60, **keys))
    expected = Expected(NetworkFacts.of(network))
    expected.add_all(packets)
    assert expected.due.left() == sorted(packets.deliveries())
    for number, packet in enumerate(expected.packets):
        flit = packets.first_flit[number] + packets.chain_length[number]
        assert packet.data(0) == packets.words(32)[flit, 0]
        assert packet.flits == packets.first_flit[number + 1] - flit
        assert packet.cycle == packets.time[number]
        assert (packet.kind is Kind.BROADCAST) == packets.broadcast[number]
        assert (packet.kind is Kind.MULTICAST) == (number in packets.chains)


def test_a_node_answers_between_its_own_requests():
    expected = expected_of("hypercube n=3")
    request, reply, later = (
        expected.add(3, (5,), word(number), kind=kind)
        for number, kind in enumerate((Kind.REQUEST, Kind.REPLY, Kind.REPLY))
    )
    assert expected.before(reply, 5) is None
    assert expected.before(later, 5) == reply
    expected.deliver(reply, 5)
    assert expected.before(later, 5) is None
    assert expected.before(request, 5) is None


def test_each_request_of_a_run_has_a_reply():
    network = Network.from_word("mesh:x=2,y=2")
    packets = make_packets(network, Traffic(rate=0.5, packets=30, reply=(1, 2)))
    expected = Expected(NetworkFacts.of(network))
    expected.add_all(packets)
    kinds = [packet.kind for packet in expected.packets]
    assert kinds.count(Kind.REQUEST) == kinds.count(Kind.REPLY) == 30
    for packet in expected.packets:
        assert (packet.cycle is None) == (packet.kind is Kind.REPLY)


@pytest.mark.parametrize(
    ("words", "to", "flits", "reached"),
    [
        ("hypercube n=2", 3, 40, (3,)),
        ("hypercube n=2", 0, 1, (0,)),
        ("hypercube n=2", 4, 1, ()),  # no node
        ("lcan d=2 u=2 levels=2 max_packet=4", 3, 4, (3,)),
        ("lcan d=2 u=2 levels=2 max_packet=4", 3, 5, ()),  # too long
        ("wk w=2 levels=2 max_packet=4", None, 4, (0, 2, 3)),
        ("wk w=2 levels=2 max_packet=4", None, 5, ()),
        ("hypercube n=2 multicast=yes", (0, 3), 1, (0, 3)),  # by their address XOR 1: 1, 2
        ("hypercube n=2 multicast=yes", (3, 0), 1, ()),  # not in that order
    ],
)
def test_the_nodes_that_a_packet_of_node_1_reaches(words, to, flits, reached):
    network = Network.from_words(words.split())
    assert nodes_reached(network, 1, to, flits) == reached


def test_a_packet_with_an_upset_comes_changed_and_marked_or_not_at_all():
    expected = expected_of("hypercube n=3 parity=yes")
    packet = expected.add(3, (5,), word(0b100) + word(9))
    changed = expected.upset(packet, 1)
    assert (changed.contents, changed.user) == (word(0b110) + word(9), 1)
    assert expected.packets == [changed]
    key = expected.facts.key
    assert expected.due.fate(key(3, packet.contents), 5).name == "corrupted"
    assert expected.due.fate(key(3, changed.contents), 5) == ("delivered", (0,))
    fresh = expected_of("hypercube n=3 parity=yes")
    fresh.add_again(expected.packets)
    assert fresh.packets == [changed]
    assert fresh.due.number == expected.due.number == 1


def test_an_arrival_is_what_is_due_at_its_node_or_wrong_in_a_named_way():
    due = Deliveries()
    due.add("a", 0, 5)
    due.add("a", 1, 5)
    due.add("a", 2, 6)
    due.add("b", 3, 6)
    assert due.fate("a", 5) == ("delivered", (0, 1))
    assert due.fate("b", 5) == ("misrouted", (3,))
    assert due.fate("c", 5) == ("corrupted", ())
    due.deliver("b", 3, 6)
    assert due.fate("b", 6) == ("duplicated", (3,))
    assert due.fate("b", 5) == ("misrouted", (3,))
    assert due.left() == [(0, 5), (1, 5), (2, 6)]
    assert due.number == 3


@pytest.fixture
def expected():
    facts = NetworkFacts.of(Network.from_words(["hypercube", "n=3"]))
    expected = Expected(facts)
    expected.add(3, (5,), word(1))
    expected.add(3, (5,), word(2))
    return expected


def refuse(expected, node, tid, contents, user=0):
    with pytest.raises(Mismatch) as caught:
        identify(expected, Arrival(node, tid, contents, user, 9))
    return caught.value.what


def test_packets_arrive_once_at_their_nodes_in_order(expected):
    assert identify(expected, Arrival(5, 3, word(1), 0, 9)).number == 0
    assert identify(expected, Arrival(5, 3, word(2), 0, 9)).number == 1
    assert expected.due.number == 0
    assert missing_packet(expected, []) is None


def test_every_other_arrival_is_wrong_and_changes_nothing(expected):
    assert refuse(expected, 4, 3, word(1)) == "misrouted"
    assert refuse(expected, 5, 3, word(2)) == "overtaken"
    assert refuse(expected, 5, 3, word(3)) == "corrupted"
    assert refuse(expected, 5, 3, word(1) + word(2)) == "corrupted"
    assert refuse(expected, 5, 2, word(1)) == "wrong source"
    assert refuse(expected, 5, 3, word(1), user=1) == "wrong tuser"
    identify(expected, Arrival(5, 3, word(1), 0, 9))
    assert refuse(expected, 5, 3, word(1)) == "duplicated"
    identify(expected, Arrival(5, 3, word(2), 0, 9))


def test_at_the_end_nothing_may_be_missing(expected):
    assert missing_packet(expected, []).what == "lost"
    begun = [[TakenBeat(4, 5, 3, 0, 0, 1)]]
    assert missing_packet(expected, begun).what == "endless"
    for data in (1, 2):
        identify(expected, Arrival(5, 3, word(data), 0, 9))
    expected.add(3, (), word(3))
    assert missing_packet(expected, []).what == "not refused"
