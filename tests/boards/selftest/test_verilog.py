"""The whole self-test as Verilog, at the clocks of the boards and their baud rate."""

import pytest
from helpers.cases import slow
from helpers.expected_line import GAINED, expected_line, expected_lines
from helpers.ring import Ring, RingRouting
from knotwork import Network
from knotwork_boards.selftest import Fault
from knotwork_boards.table import BOARDS


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
def test_the_uart_tells_of_packets_and_no_error(simulated, board, word):
    network, clock_hz = Network.from_word(word), BOARDS[board].clock_hz
    nodes = network.topology.nodes
    copies = nodes - 1 if network.has_multicast or network.has_broadcast else 0
    lines = expected_lines(network.name, nodes * (nodes + copies) << 4, [None, None])
    found = simulated(network, [None, None], clock_hz=clock_hz, rounds_log2=4)
    assert found == [[line, 1, 0] for line in lines]


RING = Network(Ring(nodes=5), routing=RingRouting, data_width=8, buffer_depth=2, name="ring")
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
