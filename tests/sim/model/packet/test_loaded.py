"""Golden model of tables loaded in service: its cycles, and the paths of its packets."""

import numpy as np
import pytest
from helpers.packet_columns import packets_of
from knotwork import Network
from knotwork_sim.model.packet.loaded import OfferedWord, run_loaded
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORK = Network.from_word("mesh:x=3,y=3,tables=loaded")


def load(routing, *, cycle):
    """Words for another routing, a word per cycle, the last in this one."""
    answers = Network(NETWORK.topology, routing=routing).routing.answer_table
    asked = np.argwhere(answers >= 0).tolist()
    return [
        OfferedWord(
            cycle - len(asked) + 1 + number,
            tuple(place),
            *divmod(int(answers[tuple(place)]), 8),
            number == len(asked) - 1,
        )
        for number, place in enumerate(asked)
    ]


def packets_at(*rows):
    """Packets of a flit each: source, destination and cycle."""
    source, destination, time = np.array(rows).T
    return packets_of(NETWORK, source, destination, 1, time)


def test_without_a_load_it_is_the_model_of_any_packet_network():
    traffic = Traffic(packets=300, rate=0.4, length=(1, 4))
    packets = make_packets(NETWORK, traffic)
    plain = run_log(NETWORK, traffic, packets)
    run = run_loaded(NETWORK, packets, [], clocks=plain.clocks)
    for ours, theirs in zip(run.log, plain.log, strict=True):
        assert (ours == theirs).all()
    assert run.status.tolist() == [[0, 0]]


def test_an_empty_network_swaps_five_cycles_after_the_last_word():
    # `waits` from the next cycle on, `swaps` with the order, one cycle before it is carried out. A
    # flit can be between two buffers for a cycle.
    words = load("updown", cycle=500) + load("shortest", cycle=1500)
    run = run_loaded(NETWORK, packets_at((0, 8, 2000)), words, clocks=2100)
    assert run.status.tolist() == [
        *([0, 0], [501, 1], [504, 3], [505, 2]),
        *([1501, 3], [1504, 1], [1505, 0]),
    ]


@pytest.mark.parametrize("time", [499, 500, 501, 502, 503, 504, 505])
def test_a_packet_waits_if_it_comes_while_nodes_are_held(time):
    # From 0 to 8 it is 4 hops and 5 routers, two cycles each.
    run = run_loaded(NETWORK, packets_at((0, 8, time)), load("updown", cycle=500), clocks=600)
    # One that is under way goes on, and the swap waits for it: in force 4 cycles after the last
    # buffer is empty, one before the flit is with its node.
    under_way = time <= 500
    assert run.log.clock.tolist() == [time + 10 if under_way else 505 + 10]
    in_force = 505 if time > 500 else time + 10 + 4
    assert run.status.tolist()[-1] == [in_force, 2]


def test_packets_go_by_the_table_in_force():
    updown = Network(NETWORK.topology, routing="updown")
    pairs = [(a, b) for a in range(9) for b in range(9)]
    before = [(*pair, 20 * number) for number, pair in enumerate(pairs)]
    after = [(*pair, 3000 + 20 * number) for number, pair in enumerate(pairs)]
    packets = packets_at(*sorted(before + after, key=lambda row: (row[0], row[2])))
    run = run_loaded(NETWORK, packets, load("updown", cycle=2500), clocks=6000)
    assert len(run.log.clock) == 2 * len(pairs)
    for clock, packet in zip(run.log.clock.tolist(), run.log.packet.tolist(), strict=True):
        source, time = int(packets.source[packet]), int(packets.time[packet])
        routing = (NETWORK if time < 2500 else updown).routing
        path = routing.path(source, int(packets.destination[packet]))
        assert clock - time == 2 * len(path)
