"""The whole self-test of batch networks, in Amaranth's simulator."""

import numpy as np
import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from helpers.cases import slow
from helpers.self_tests import expected_line
from knotwork import CubeConnectedCycles, Fabric, Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.gateware import network_signature
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement
from knotwork_boards.selftest import Fault, SelfTest
from knotwork_boards.selftest.batch.fault_injectors import detectable_entry, wrong_table
from knotwork_boards.selftest.batch.node_test import BatchNodeTest
from knotwork_boards.selftest.batch.tables import (
    Permutations,
    permutation_words,
    table_commands,
    table_words,
)


def lc1(n, **keys):
    return Network(Hypercube(n=n), routing="lc1", **keys)


def lc2(n, **keys):
    return Network(CubeConnectedCycles(n=n), routing="lc2", **keys)


def astray(network, destinations, table, meant):
    """Nodes that receive a flag or a packet for another node, by the rules in Python."""
    *_, (held, _) = network.routing.run(destinations, table)
    flags = network.routing.flags(destinations, table)
    return int(((flags != 0) | (meant[held] != np.arange(len(meant)))).sum())


@pytest.mark.slow
@pytest.mark.parametrize("network", [lc1(2, data_width=8), lc2(2, words=3, data_width=8)])
def test_each_fault_raises_its_counter_and_the_next_window_is_clean(simulated, network):
    """In each window of two rounds it comes once."""
    permutations = Permutations(2)
    rows, tables = permutations.destinations, permutations.tables
    collision = rows[0].copy()
    collision[0] = 3
    number, place = divmod(detectable_entry(network, permutations), 2)
    table = wrong_table(tables[number], 1 - place)
    astray_by_table = 2 * astray(network, rows[number], table, rows[number])
    expected = [
        (Fault.NONE, 256, 256, {}),
        (Fault.LOST, 8, 4, {"lost": 4}),  # the second batch does not start
        (Fault.DUPLICATED, 256, 256, {"lost": 1, "duplicated": 1}),
        (Fault.CORRUPTED, 256, 256, {"corrupted": 1}),
        (Fault.MISROUTED, 256, 256, {"misrouted": astray(network, collision, tables[0], rows[0])}),
        (Fault.REFUSED, 256, 256, {"refused": 1}),
        (Fault.TABLE, 256, 256, {"misrouted": astray_by_table}),
        (Fault.NONE, 256, 256, {}),
    ]
    faults = [fault.value for fault, *_ in expected]
    found = simulated(network, faults, clock_hz=8 * 115200, rounds_log2=1)
    assert [line for line, *_ in found] == [
        expected_line(network.name, window, verdict, sent=sent, received=received, **errors)
        for window, (_, sent, received, errors) in enumerate(expected)
        for verdict in ["FAIL" if errors else "PASS"]
    ]
    assert [leds for _, *leds in found] == [[1, 0]] + [[0, 1]] * 7  # it is not forgotten


@pytest.mark.slow
def test_a_permutation_loaded_over_the_uart_holds_from_the_next_window_on(simulated):
    network = lc1(2, data_width=8)
    swapped, turned = np.array([0, 2, 1, 3]), np.array([3, 2, 1, 0])
    good = permutation_words(network, swapped.tolist())
    # The checkers expect the sources of another permutation; no packets are exchanged beforehand.
    other = good[:-3] + permutation_words(network, turned.tolist())[-3:]
    naive = table_words(network, LinearComplement.of(swapped), JumpTable.naive(2))
    meets = astray(network, swapped, JumpTable.naive(2), swapped)
    assert meets > 0
    commands = ["".join(table_commands(words)) for words in (good, other, naive, good[1:], [])]
    commands[3] += "m1\n"  # such a network does not measure

    def line(window, dropped, table, misrouted=0):
        counts = {"sent": 128, "received": 128, "misrouted": misrouted}
        verdict = "FAIL" if misrouted else "PASS"
        *words, end = expected_line(network.name, window, verdict, **counts).split(" ")
        return " ".join([*words, f"dropped={dropped}", f"table={table}", end])

    keys = {"clock_hz": 8 * 115200, "rounds_log2": 0, "measure": True, "commands": commands}
    assert [line for line, *_ in simulated(network, [None] * 6, **keys)] == [
        line(0, 0, 0),
        line(1, 0, 1),
        line(2, 0, 2, 32 * int((swapped != turned).sum())),
        line(3, 0, 3, 32 * meets),
        line(4, 2, 3, 32 * meets),
        line(5, 0, 0),
    ]


class BrokenFabric(wiring.Component):
    """Batch network with a fault: at node 3 in one packet that comes out, or everywhere."""

    def __init__(self, network, *, fault, number=4):
        self._network = network
        self._fault = fault
        self._number = number
        super().__init__(network_signature(network))

    def elaborate(self, platform):
        m = Module()
        if self._fault == "still":
            return m
        m.submodules.fabric = fabric = Fabric(self._network)
        for node in range(self._network.topology.nodes):
            wiring.connect(m, wiring.flipped(self.inject[node]), fabric.inject[node])
            if node != 3:
                wiring.connect(m, fabric.eject[node], wiring.flipped(self.eject[node]))
        if self._fault != "unset":
            wiring.connect(m, wiring.flipped(self.config), fabric.config)
        ours, its = self.eject[3], fabric.eject[3]
        m.d.comb += [
            self.status.eq(fabric.status),
            self.refused.eq(fabric.refused),
            ours.valid.eq(its.valid),
            ours.payload.eq(its.payload),
            its.ready.eq(ours.ready),
        ]
        packets, again = Signal(8), Signal()
        with m.If(its.valid & its.ready & its.p.last):
            m.d.sync += packets.eq(packets + 1)
        with m.If(packets == self._number):
            if self._fault == "twice":
                with m.If(ours.valid & ours.ready):
                    m.d.sync += again.eq(1)
            m.d.comb += {
                "none": [],
                "unset": [],
                "lost": [ours.valid.eq(0), its.ready.eq(1)],
                "twice": its.ready.eq(ours.ready & again),
                "another source": ours.p.source.eq(~its.p.source),
                "a flipped bit": ours.p.data.eq(its.p.data ^ 8),
                "another flag": ours.p.flags.eq(4),
                "another status": self.status.eq(fabric.status | 2),
            }[self._fault]
        return m


@pytest.mark.parametrize(
    ("fault", "sent", "received", "errors"),
    [
        slow("none", 128, 128, {}),
        ("still", 0, 0, {}),
        slow("unset", 4, 0, {"lost": 4}),
        ("lost", 128, 127, {"lost": 1}),
        ("twice", 128, 129, {"duplicated": 1}),
        ("another source", 128, 128, {"corrupted": 1}),
        slow("a flipped bit", 128, 128, {"corrupted": 1}),
        ("another flag", 128, 128, {"misrouted": 1}),
        ("another status", 128, 128, {}),
    ],
)
def test_a_broken_network_fails(self_test, fault, sent, received, errors):
    network = lc1(2, name="net")
    dut = self_test(network=network, rounds_log2=0, fabric=lambda it: BrokenFabric(it, fault=fault))
    verdict = "PASS" if fault == "none" else "FAIL"
    windows = 2 if fault in ("still", "unset") else 1  # and it fails again
    assert dut.lines(windows) == [
        expected_line(network.name, window, verdict, sent=sent, received=received, **errors)
        for window in range(windows)
    ]


def test_only_a_window_that_failed_is_followed_by_a_reset(self_test):
    network = lc1(2, name="net")
    dut = self_test(
        network=network,
        rounds_log2=0,
        fabric=lambda it: BrokenFabric(it, fault="a flipped bit", number=32 + 4),
    )
    counts = [({}, "PASS"), ({"corrupted": 1}, "FAIL"), ({}, "PASS"), ({"corrupted": 1}, "FAIL")]
    assert dut.lines(4) == [
        expected_line(network.name, window, verdict, sent=128, received=128, **errors)
        for window, (errors, verdict) in enumerate(counts)
    ]


@pytest.mark.parametrize(
    "network",
    [lc1(1), lc1(10, words=64), lc2(4), lc2(12, words=64)],
    ids=lambda network: f"{network.name}_words{network.hardware.words}",
)
def test_the_timer_outlasts_a_batch(network):
    cycles = network.routing.steps * network.hardware.words
    width = BatchNodeTest(network).timer_width
    assert cycles + 50 < 1 << width < 8 * cycles + 256


def test_a_network_too_narrow_is_refused(refusal):
    network = lc2(6, data_width=8)
    text = refusal(ConfigurationError, lambda: SelfTest(network, clock_hz=12_000_000))
    assert text == (
        f"{network.name}: data_width must be at least 10 for the self-test "
        "(address 6, sequence 3, check 1), not 8"
    )
