"""The whole self-test as Verilog, at the clocks of the boards and their baud rate."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from helpers.cases import slow
from helpers.ring import Ring, RingRouting
from helpers.self_tests import GAINED, ModelFabric, Once, expected_line, expected_lines
from knotwork import Fabric, Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.gateware import network_signature
from knotwork_boards.monitor.window_line import WindowLine
from knotwork_boards.selftest import Fault, PacketFormat, SelfTest
from knotwork_boards.selftest.self_test import usual_rounds_log2
from knotwork_boards.table import BOARDS

PAIR = Network(Hypercube(n=1), data_width=8, buffer_depth=2, name="pair")
RING = Network(Ring(nodes=5), routing=RingRouting, data_width=8, buffer_depth=2, name="ring")
ESCAPES = "moebius:n=2,routing=spr,vc_scheme=escape,name=net,data_width={}"


@pytest.mark.parametrize(
    ("network", "rounds_log2", "windows", "sent"),
    [
        (PAIR, 2, 2, 16),
        slow(RING, 1, 1, 50),
        # Each side sends to all nodes of the other.
        ("banyan:d=2,u=3,levels=1,max_packet=2,data_width=8,name=net", 1, 1, 24),
        slow(f"{ESCAPES.format(8)},buffer_depth=2", 2, 1, 64),  # packets overtake each other
        ("hypercube:n=2,router=deflection,data_width=8,sequence_width=3,name=net", 1, 1, 32),
        ("hypercube:n=1,routing=lc1,data_width=8,name=net", 0, 2, 8),
        slow("hypercube:n=3,routing=lc1,words=3", 0, 1, 256),
        slow("ccc:n=3,routing=lc2", 0, 1, 256),
        slow("ccc:n=2,routing=lc2,words=3", 0, 1, 128),
        slow("mesh:x=3,y=2,router=deflection,data_width=16,source=no", 3, 2, 288),
        slow("torus:x=3,y=3,router=deflection", 3, 2, 648),
        slow("tcpg:k=1,m=1,router=deflection", 3, 2, 800),
        slow("moebius:n=3,routing=spr,router=deflection", 3, 2, 512),
        slow("torus:x=3,y=4,directions=one,router=deflection", 3, 2, 1152),
    ],
)
def test_a_sound_network_passes_window_after_window(self_test, network, rounds_log2, windows, sent):
    network = Network.from_word(network) if isinstance(network, str) else network
    lines = self_test(network=network, rounds_log2=rounds_log2).windows(windows)
    assert [text for text, _ in lines] == expected_lines(network.name, sent, [None] * windows)
    assert {leds[1:] for _, leds in lines} == {(1, 0)}
    alive = [leds[0] for _, leds in lines]
    assert alive in ([0, 1][:windows], [1, 0][:windows])


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
        # The register at each node takes a packet; the next window fails too, though nothing is
        # sent any more.
        ("still", [{"sent": 2, "received": 0, "lost": 2}, {"sent": 0, "received": 0}]),
        ("refusing", [{"sent": 16, "received": 0, "refused": 16}]),
        ("exchanged", [{"sent": 16, "received": 16, "misrouted": 16}]),
    ],
)
def test_a_broken_network_fails(self_test, fault, counts):
    dut = self_test(network=PAIR, fabric=lambda network: BrokenFabric(network, fault=fault))
    verdict = "PASS" if fault == "none" else "FAIL"
    assert dut.lines(len(counts)) == [
        expected_line(PAIR.name, window, verdict, **count) for window, count in enumerate(counts)
    ]


@pytest.mark.parametrize("routing", ["spr", "dfr"])
def test_overtaking_is_a_fault_where_packets_must_keep_order(self_test, routing):
    keys = {"vc_scheme": "escape"} if routing == "spr" else {}
    network = Network(Moebius(n=2), routing=routing, data_width=10, name="net", **keys)
    dut = self_test(network=network, rounds_log2=4, fabric=lambda it: ModelFabric(it, latest=60))
    (text,) = dut.lines(1)
    sent = 4 * 4 << 4
    if routing == "spr":
        assert text == expected_line(network.name, 0, "PASS", sent=sent, received=sent)
    else:
        found = WindowLine.parse(text)
        assert (found.sent, found.received, found.verdict) == (sent, sent, "FAIL")
        assert found.duplicated > 2


def test_a_packet_that_stays_away_for_a_window_fails(self_test):
    network, held = Network.from_word(ESCAPES.format(10)), []
    to_2_from_1 = {"chosen": lambda packets: (packets[0].source, packets[0].node) == (1, 2)}
    window = PacketFormat(network).window
    for newer, verdict in ((window - 1, "PASS"), (window, "FAIL")):
        held.clear()
        hold = Once(lambda packets: held.extend(packets) or [], after=0, **to_2_from_1)
        release = Once(lambda packets: packets + held, after=newer, **to_2_from_1)
        dut = self_test(
            network=network,
            rounds_log2=4,
            fabric=lambda it, hold=hold, release=release: ModelFabric(
                it, tamper=lambda packets: hold(release(packets))
            ),
        )
        (text,) = dut.lines(1)
        assert WindowLine.parse(text).verdict == verdict


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


@pytest.mark.parametrize(
    ("board", "word"),
    [
        slow("icebreaker", "moebius:n=2,data_width=8,buffer_depth=2"),
        slow("ulx3s_85f", "ccc:n=3"),
        slow("ulx3s_85f", "hypercube:n=3,multicast=yes,data_width=16"),
        slow("ulx3s_85f", "moebius:n=3,routing=spr,vc_scheme=escape,data_width=8"),
        slow("ulx3s_85f", "lcan:d=2,u=2,levels=3,max_packet=4"),
        slow("ulx3s_85f", "wk:w=2,levels=2,data_width=8,buffer_depth=2"),
        slow("ulx3s_85f", "wk:w=3,levels=2,data_width=16,buffer_depth=4"),
        slow("icebreaker", "torus:x=2,y=2,data_width=8,buffer_depth=2"),
        slow("ulx3s_85f", "petersen:data_width=16,buffer_depth=2"),
        slow("ulx3s_25f", "hypercube:n=3,router=deflection,data_width=16"),
        slow("ulx3s_25f", "tcpg:k=1,m=1,router=deflection,data_width=16,source=no"),
    ],
)
def test_the_uart_gives_of_packets_and_no_error(simulated, board, word):
    network, clock_hz = Network.from_word(word), BOARDS[board].clock_hz
    nodes = network.topology.nodes
    copies = nodes - 1 if network.has_multicast or network.has_broadcast else 0
    lines = expected_lines(network.name, nodes * (nodes + copies) << 4, [None, None])
    found = simulated(network, [None, None], clock_hz=clock_hz, rounds_log2=4)
    assert found == [[line, 1, 0] for line in lines]


"""Its nodes are no power of two, so an address is free."""


@pytest.mark.parametrize(
    ("network", "rounds_log2", "sent"),
    [
        (RING, 1, 50),
        # Without an address that is free, and with two.
        ("torus:x=2,y=2,directions=one,router=deflection,data_width=8,source=no", 1, 32),
        slow("mesh:x=3,y=2,router=deflection,data_width=16,source=no", 1, 72),
        # The address of the other class's stream is refused.
        slow("mesh:x=2,y=2,classes=2,data_width=16,buffer_depth=4", 2, 128),
        slow("moebius:n=2,data_width=8,buffer_depth=2", 4, 256),
        slow("lcan:d=2,u=2,levels=3,data_width=8,max_packet=4", 3, 512),
        slow("lcan:d=3,u=2,levels=2,data_width=8,max_packet=4", 3, 648),
        slow("banyan:d=3,u=2,levels=2,data_width=9,max_packet=4", 3, 576),
    ],
)
def test_each_fault_raises_its_counter_and_the_next_window_is_clean(
    simulated, network, rounds_log2, sent
):
    network = network if network is RING else Network.from_word(network)
    names = [None, *GAINED, None]
    is_full = network.topology.nodes == 1 << network.topology.address_width
    if is_full and network.traffic_classes == 1 and network.router_class != "deflection":
        names.remove("refused")  # every address is a node's
    faults = [(Fault[name.upper()] if name else Fault.NONE).value for name in names]
    found = simulated(network, faults, clock_hz=12_000_000, rounds_log2=rounds_log2)
    lines = expected_lines(network.name, sent, names)
    # A failure is not forgotten.
    assert found == [[line, place == 0, place > 0] for place, line in enumerate(lines)]


@pytest.mark.slow
def test_batches_route_the_reversal_and_then_random_linear_complement_permutations(simulated):
    network, clock_hz = Network.from_word("ccc:n=4,routing=lc2"), BOARDS["ulx3s_85f"].clock_hz
    faults = [fault.value for fault in (Fault.NONE, Fault.LOST, Fault.CORRUPTED, Fault.NONE)]
    lines, sources = simulated(network, faults, clock_hz=clock_hz, rounds_log2=4, packets=32)
    name, sent = network.name, 16 * 32 << 4
    first, _, *others = expected_lines(name, sent, [None, None, "corrupted", None])
    still = expected_line(name, 1, "FAIL", sent=32, received=16, lost=16)  # and it is reset
    leds = [(1, 0), (0, 1), (0, 1), (0, 1)]
    found = [[line, *lit] for line, lit in zip([first, still, *others], leds, strict=True)]
    assert lines == found
    batches = list(zip(*sources, strict=True))
    reversal = tuple(int(f"{node:04b}"[::-1], 2) for node in range(16))
    assert batches[:2] == [reversal, reversal]
    assert len(set(batches)) == 16
    for batch in batches:
        assert sorted(batch) == list(range(16))
        for a in range(16):
            for b in range(16):  # linear but for a constant
                assert batch[a] ^ batch[b] ^ batch[a ^ b] == batch[0]
