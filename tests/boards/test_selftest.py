import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from knotwork import Fabric, Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.gateware import network_signature
from knotwork_boards.selftest import Fault, SelfTest
from knotwork_boards.selftest.top import usual_rounds_log2
from ring import Ring, RingRouting


def line(name, window, verdict, *, sent, received, **errors):
    counts = dict.fromkeys(("lost", "duplicated", "corrupted", "misrouted", "refused"), 0) | errors
    words = " ".join(f"{key}={value}" for key, value in counts.items())
    return f"{name} window={window} sent={sent} received={received} {words} {verdict}\r\n"


def test_a_sound_network_passes_window_after_window(bench):
    sent = 2 * 2 * 2**2
    lines = bench(rounds_log2=2).windows(3)
    assert [text for text, _ in lines] == [
        line("hypercube_n1", window, "PASS", sent=sent, received=sent) for window in range(3)
    ]
    assert {leds[1:] for _, leds in lines} == {(1, 0)}
    assert [leds[0] for _, leds in lines] in ([0, 1, 0], [1, 0, 1])


def test_nodes_need_not_be_a_power_of_two(bench):
    network = Network(Ring(nodes=5), routing=RingRouting, data_width=8, buffer_depth=2)
    ((text, leds),) = bench(network=network, rounds_log2=1).windows(1)
    assert text == line(network.name, 0, "PASS", sent=50, received=50)
    assert leds[1:] == (1, 0)


def test_each_fault_raises_its_counter_and_the_next_window_is_clean(bench):
    network = Network(Ring(nodes=5), routing=RingRouting, data_width=8, buffer_depth=2)
    faults = list(Fault)[1:]
    lines = bench(network=network, rounds_log2=1, faults=True).windows(6, [*faults, Fault.NONE])
    received = {"lost": 49, "duplicated": 51, "corrupted": 50, "misrouted": 50, "refused": 49}
    expected = [
        line(network.name, window, "FAIL", sent=50, received=count, **{fault: 1})
        for window, (fault, count) in enumerate(received.items())
    ]
    expected.append(line(network.name, 5, "PASS", sent=50, received=50))
    assert [text for text, _ in lines] == expected
    assert {leds[1:] for _, leds in lines} == {(0, 1)}  # a failure is not forgotten


class BrokenFabric(wiring.Component):
    """Two nodes' network with a fault: it stands still, exchanges its ends, or refuses all."""

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
        ("none", {"sent": 16, "received": 16}),
        ("still", {"sent": 0, "received": 0}),
        ("refusing", {"sent": 16, "received": 0, "refused": 16}),
        ("exchanged", {"sent": 16, "received": 16, "misrouted": 16}),
    ],
)
def test_a_broken_network_fails(bench, fault, counts):
    dut = bench(fabric=lambda network: BrokenFabric(network, fault=fault))
    verdict = "PASS" if fault == "none" else "FAIL"
    windows = 2 if fault == "still" else 1  # and it fails again, though nothing new is sent
    lines = dut.windows(windows)
    assert [text for text, _ in lines] == [
        line("hypercube_n1", window, verdict, **counts) for window in range(windows)
    ]


@pytest.mark.parametrize("clock_hz", [12_000_000, 25_000_000, 50_000_000])
@pytest.mark.parametrize("nodes", [2, 5, 8, 1024])
def test_a_window_is_about_half_a_second_long(nodes, clock_hz):
    packets_of_a_node = nodes << usual_rounds_log2(nodes, clock_hz)
    assert 0.35 < packets_of_a_node * 8 / clock_hz < 0.71


def test_a_network_too_narrow_is_refused(refusal):
    network = Network(Hypercube(n=6), data_width=8)
    text = refusal(ConfigurationError, lambda: SelfTest(network, clock_hz=12_000_000))
    assert text.startswith("hypercube_n6: data_width must be at least 10 for the self-test")
