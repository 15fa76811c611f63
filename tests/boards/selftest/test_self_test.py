import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from helpers.expected_line import expected_line
from helpers.model_fabric import ModelFabric, Once
from helpers.ring import Ring, RingRouting
from knotwork import Fabric, Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.gateware import network_signature
from knotwork_boards.monitor.window_line import WindowLine
from knotwork_boards.selftest import Fault, PacketFormat, SelfTest
from knotwork_boards.selftest.self_test import usual_rounds_log2


def test_a_sound_network_passes_window_after_window(self_test):
    sent = 2 * 2 * 2**2
    lines = self_test(rounds_log2=2).windows(3)
    assert [text for text, _ in lines] == [
        expected_line(
            "hypercube_n1_data_width8_buffer_depth2", window, "PASS", sent=sent, received=sent
        )
        for window in range(3)
    ]
    assert {leds[1:] for _, leds in lines} == {(1, 0)}
    assert [leds[0] for _, leds in lines] in ([0, 1, 0], [1, 0, 1])


def test_nodes_need_not_be_a_power_of_two(self_test):
    network = Network(Ring(nodes=5), routing=RingRouting, data_width=8, buffer_depth=2)
    ((text, leds),) = self_test(network=network, rounds_log2=1).windows(1)
    assert text == expected_line(network.name, 0, "PASS", sent=50, received=50)
    assert leds[1:] == (1, 0)


def test_in_one_way_use_each_side_sends_to_all_of_the_other(self_test):
    network = Network.from_word("banyan:d=2,u=3,levels=1,max_packet=2,data_width=8")
    ((text, leds),) = self_test(network=network, rounds_log2=1).windows(1)
    assert text == expected_line(network.name, 0, "PASS", sent=24, received=24)
    assert leds[1:] == (1, 0)


def test_each_fault_raises_its_counter_and_the_next_window_is_clean(self_test):
    network = Network(Ring(nodes=5), routing=RingRouting, data_width=8, buffer_depth=2)
    faults = list(Fault)[1:]
    lines = self_test(network=network, rounds_log2=1, faults=True).windows(6, [*faults, Fault.NONE])
    received = {"lost": 49, "duplicated": 51, "corrupted": 50, "misrouted": 50, "refused": 49}
    expected = [
        expected_line(network.name, window, "FAIL", sent=50, received=count, **{fault: 1})
        for window, (fault, count) in enumerate(received.items())
    ]
    expected.append(expected_line(network.name, 5, "PASS", sent=50, received=50))
    assert [text for text, _ in lines] == expected
    assert {leds[1:] for _, leds in lines} == {(0, 1)}  # a failure is not forgotten


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ("lcan d=2 u=2 levels=3 data_width=8", 2 * 8**2),
        ("lcan d=3 u=2 levels=2 data_width=8", 2 * 9**2),
        ("banyan d=3 u=2 levels=2 data_width=9", 2 * 2 * 9 * 4),
    ],
)
def test_each_fault_raises_its_counter_where_packets_go_by_circuits(self_test, words, sent):
    network = Network.from_words(f"{words} max_packet=4".split())
    gained = {"lost": -1, "duplicated": 1, "corrupted": 0, "misrouted": 0, "refused": -1}
    faults = [Fault.LOST, Fault.DUPLICATED, Fault.CORRUPTED, Fault.MISROUTED, Fault.REFUSED]
    if network.topology.nodes == 8:  # every address is a node's
        del gained["refused"], faults[-1]
    expected = [
        expected_line(network.name, window, "FAIL", sent=sent, received=sent + more, **{fault: 1})
        for window, (fault, more) in enumerate(gained.items())
    ]
    expected.append(expected_line(network.name, len(gained), "PASS", sent=sent, received=sent))
    lines = self_test(network=network, rounds_log2=1, faults=True).windows(
        len(expected), [*faults, Fault.NONE]
    )
    assert [text for text, _ in lines] == expected


class BrokenFabric(wiring.Component):
    """Network of two nodes with a fault: it stands still, exchanges its nodes, or refuses all."""

    def __init__(self, network, *, fault):
        self._network = network
        self._fault = fault
        super().__init__(network_signature(network))

    def elaborate(self, platform):
        m = Module()
        m.submodules.fabric = fabric = Fabric(self._network)
        for node in range(2):
            if self._fault == "still":
                continue
            if self._fault == "refusing":
                m.d.comb += self.inject[node].ready.eq(1)
                beat = self.inject[node]
                m.d.comb += self.refused[node].eq(beat.valid & beat.p.last)
                continue
            out = 1 - node if self._fault == "exchanged" else node
            wiring.connect(m, wiring.flipped(self.inject[node]), fabric.inject[node])
            wiring.connect(m, fabric.eject[node], wiring.flipped(self.eject[out]))
        return m


@pytest.mark.parametrize(
    ("fault", "counts"),
    [
        ("none", [{"sent": 16, "received": 16}]),
        # The registers at each node take two packets; the next window fails too, though nothing is
        # sent any more.
        ("still", [{"sent": 4, "received": 0, "lost": 4}, {"sent": 0, "received": 0}]),
        ("refusing", [{"sent": 16, "received": 0, "refused": 16}]),
        ("exchanged", [{"sent": 16, "received": 16, "misrouted": 16}]),
    ],
)
def test_a_broken_network_fails(self_test, fault, counts):
    dut = self_test(fabric=lambda network: BrokenFabric(network, fault=fault))
    verdict = "PASS" if fault == "none" else "FAIL"
    lines = dut.windows(len(counts))
    assert [text for text, _ in lines] == [
        expected_line("hypercube_n1_data_width8_buffer_depth2", window, verdict, **count)
        for window, count in enumerate(counts)
    ]


def overtaking():
    return Network(Moebius(n=2), routing="spr", vc_scheme="escape", data_width=10)


@pytest.mark.parametrize("routing", ["spr", "dfr"])
def test_overtaking_is_a_fault_where_packets_must_keep_order(self_test, routing):
    keys = {"vc_scheme": "escape"} if routing == "spr" else {}
    network = Network(Moebius(n=2), routing=routing, data_width=10, **keys)
    dut = self_test(network=network, rounds_log2=5, fabric=lambda it: ModelFabric(it, latest=60))
    ((text, _),) = dut.windows(1)
    sent = 4 * 4 << 5
    if routing == "spr":
        assert text == expected_line(network.name, 0, "PASS", sent=sent, received=sent)
    else:
        found = WindowLine.parse(text)
        assert (found.sent, found.received, found.verdict) == (sent, sent, "FAIL")
        assert found.duplicated > 5


def test_a_packet_that_stays_away_for_a_window_fails(self_test):
    held = []
    to_2_from_1 = {"chosen": lambda packets: (packets[0].source, packets[0].node) == (1, 2)}
    window = PacketFormat(overtaking()).window
    for newer, verdict in ((window - 1, "PASS"), (window, "FAIL")):
        held.clear()
        hold = Once(lambda packets: held.extend(packets) or [], after=0, **to_2_from_1)
        release = Once(lambda packets: packets + held, after=newer, **to_2_from_1)
        dut = self_test(
            network=overtaking(),
            rounds_log2=4,
            fabric=lambda it, hold=hold, release=release: ModelFabric(
                it, tamper=lambda packets: hold(release(packets))
            ),
        )
        ((text, _),) = dut.windows(1)
        assert WindowLine.parse(text).verdict == verdict


def test_a_sound_network_whose_packets_overtake_each_other_passes(self_test):
    network = Network(Moebius(n=2), routing="spr", vc_scheme="escape", data_width=8, buffer_depth=2)
    ((text, _),) = self_test(network=network, rounds_log2=3).windows(1)
    assert text == expected_line(network.name, 0, "PASS", sent=128, received=128)


@pytest.mark.parametrize("clock_hz", [12_000_000, 25_000_000, 50_000_000])
@pytest.mark.parametrize("nodes", [2, 5, 8, 1024])
def test_a_window_is_about_half_a_second_long(nodes, clock_hz):
    cycles = 8 * nodes
    assert 0.35 < (cycles << usual_rounds_log2(cycles, clock_hz)) / clock_hz < 0.71


def test_a_network_too_narrow_is_refused(refusal):
    network = Network(Hypercube(n=6), data_width=8)
    text = refusal(ConfigurationError, lambda: SelfTest(network, clock_hz=12_000_000))
    assert text.startswith(
        "hypercube_n6_data_width8: data_width must be at least 10 for the self-test"
    )
