"""Cycles that follow by hand from the rules of routers with credits.

A beat accepted in cycle t is at its input's front in t + 1; granted then, it is before the node two
cycles later, and at the next front two later, or with ``pipeline=3`` three.
"""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest
from helpers.long_links import network_of
from helpers.packet_columns import packets_of
from knotwork import Network
from knotwork_sim.compiled import loop
from knotwork_sim.model.packet.allocation import make_registers, reorder
from knotwork_sim.model.packet.state import make_state
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packets import Observed

WORDS = {
    pipeline: f"mesh:x=4,y=2,pipeline={pipeline},buffer_depth={pipeline + 2}" for pipeline in (2, 3)
}
WORD = WORDS[2]
CYCLES = 400


def cycles(rows, word=WORD, takes=None):
    """Record of packets of rows (source, destination, length, time), in order of the sources.

    `takes` says of each cycle whether nodes take a beat.
    """
    network = Network.from_word(word)
    packets = packets_of(network, *np.array(rows).T)
    if takes is not None:
        ready = np.array([[takes(clock)] for clock in range(CYCLES)])
        observed = Observed(
            first_flit=packets.first_flit,
            offers=np.repeat(packets.time, packets.length),
            takes=np.repeat(ready, network.topology.nodes, axis=1),
        )
        packets = dataclasses.replace(packets, observed=observed)
    return run_model(network, Traffic(), packets)


@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("pipeline", [2, 3])
@pytest.mark.parametrize(("to", "hops"), [(0, 0), (1, 1), (3, 3), (7, 4)])
def test_a_flit_takes_two_or_three_cycles_per_hop_and_two_to_its_node(channels, pipeline, to, hops):
    record = cycles([(0, to, 3, 5)], f"{WORDS[pipeline]},virtual_channels={channels}")
    assert record.clock.tolist() == [5 + pipeline * hops + 2 + beat for beat in range(3)]


@pytest.mark.parametrize("pipeline", [2, 3])
@pytest.mark.parametrize("length", [1, 2, 40])
def test_one_input_sends_a_flit_in_every_cycle_whatever_its_packets(length, pipeline):
    """Four credits, or five, last for a credit's round: nothing idles, between packets neither."""
    record = cycles([(0, 3, length, 0)] * (40 // length), WORDS[pipeline])
    assert record.clock.tolist() == [3 * pipeline + 2 + beat for beat in range(40)]


@pytest.mark.parametrize("latency", [1, 2, 3, 9, 16])
def test_one_channel_fills_a_link_of_any_latency_and_with_one_place_less_does_not(latency):
    network = network_of([(0, 1, latency), (1, 2, 2)], buffer_depth=4)
    packets = packets_of(network, np.zeros(100), 1)
    record = run_model(network, Traffic(), packets)
    assert record.clock.tolist() == [4 + latency - 1 + beat for beat in range(100)]
    # So many places are needed, but for those that a network of short links has anyway.
    fewer = network.buffers_behind - 1
    vars(network)["buffers_behind"] = fewer
    assert run_model(network, Traffic(), packets).clock[-1] > record.clock[-1]


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("length", [1, 2])
def test_inputs_of_an_output_take_turns_at_tails(length, channels):
    """Flits of nodes 0 and 1 meet in cycle 3: the local input is first, until its tail."""
    rows = [(0, 2, length, 0)] * 6 + [(1, 2, length, 2)] * 6
    record = cycles(rows, f"{WORD},virtual_channels={channels}")
    assert record.clock.tolist() == [6 + beat for beat in range(12 * length)]
    of_zero, of_one = (Network.from_word(WORD).topology.address(node) for node in (0, 1))
    assert record.source.tolist() == 6 * ([of_one] * length + [of_zero] * length)


def test_a_packet_in_another_channel_waits_for_the_tail_though_it_came_first():
    """Two channels of one output: the packet that began in cycle 3 stays first in the order.

    Its two flits go in cycles 3 and 4, those of the other in 5 and 6; three hops from node 0.
    """
    record = cycles([(0, 3, 2, 0), (1, 2, 2, 2)], f"{WORD},virtual_channels=2")
    assert sorted(record.clock.tolist()) == [6, 7, 10, 11]


def test_credits_stop_a_sender_in_time_and_start_it_again():
    """A node that takes nothing before cycle 100 leaves room for ten flits of its neighbour.

    One is in the skid register, one in the gate, four in either buffer. The seventh is granted as
    soon as a credit has come back, the flit behind it accepted in the next cycle.
    """
    record = cycles([(0, 1, 1, 0)] * 40, takes=lambda clock: clock >= 100)
    assert record.clock.tolist() == [100 + beat for beat in range(40)]
    assert record.injected.tolist() == [*range(10), *(104 + beat for beat in range(30))]


@pytest.mark.parametrize(
    ("takes", "expected"),
    [
        (lambda clock: clock != 2, [3, 4, 5, 6, 7, 8]),
        (lambda clock: clock % 2 == 0, [2, 4, 6, 8, 10, 12]),
        (lambda clock: clock % 3 == 1, [4, 7, 10, 13, 16, 19]),
        (lambda clock: clock not in {3, 4, 6}, [2, 5, 7, 8, 9, 10]),
    ],
)
def test_a_node_that_pauses_loses_no_cycle_in_which_it_takes(takes, expected):
    """Node 0 sends to itself: the first flit is before it in cycle 2."""
    assert cycles([(0, 0, 1, 0)] * 6, takes=takes).clock.tolist() == expected


def test_a_blocked_channel_gives_its_place_to_another():
    """A packet in channel 1 passes packets in channel 0 that a node holds up.

    Node 2 takes nothing before cycle 51, so that packets to it fill channel 0 back to node 0, and
    the fronts of three routers cannot move. Where the packet to node 3 comes into such an input, it
    is seen in the next cycle and at the front one later: accepted in 40, it is granted in 42, 45
    and 48. The input of its own router is empty: it is granted there in 50.
    """
    network = Network.from_word(f"{WORD},virtual_channels=2")
    lanes = [network.routing.hops(0, to)[0].virtual_channel for to in (2, 3)]
    assert lanes == [0, 1]
    rows = [(0, 2, 1, 0)] * 14 + [(0, 3, 1, 40)]
    record = cycles(rows, f"{WORD},virtual_channels=2", lambda clock: clock >= 51)
    assert record.clock[record.node == 3].tolist() == [51]


class _Ports(NamedTuple):
    ports: int


class _Places(NamedTuple):
    places: np.ndarray


@loop
def _grant_all(
    fixed: _Ports, registers: _Places, granted: np.ndarray, tails: np.ndarray, orders: np.ndarray
) -> None:
    """Grant an output to inputs; keeps their numbers after each grant."""
    for number in range(len(granted)):
        reorder(fixed, registers, 3, granted[number], tails[number])
        for port in range(fixed.ports):
            orders[number, port] = registers.places[3, port]


def test_the_inputs_of_an_output_keep_their_order_when_they_are_numbered_anew():
    """Against a list: a tail puts its input at the end of it, another flit at its front."""
    network = Network.from_word("mesh:x=2,y=2")
    places = make_registers(network, make_state(network)).places
    ports, count, rng = len(network.topology.ports), 40_000, np.random.default_rng(1)
    granted, tails = rng.integers(0, ports, count), rng.random(count) < 0.7
    orders = np.zeros((count, ports), np.int64)
    _grant_all(_Ports(ports), _Places(places), granted, tails, orders)
    expected = list(range(ports))
    for port, is_tail, found in zip(granted.tolist(), tails.tolist(), orders, strict=True):
        expected.remove(port)
        expected = [*expected, port] if is_tail else [port, *expected]
        assert np.argsort(found).tolist() == expected
