import pytest
from knotwork import Hypercube, Network
from knotwork_boards.selftest import Fault, PacketFormat
from knotwork_boards.selftest.packet.fault_injector import FaultInjector

FORM = PacketFormat(Network(Hypercube(n=2), data_width=16))
ELSEWHERE, NOWHERE = 3, 2  # the test sends nothing to node 2
PACKETS = [([1, 2], 0), ([3], ELSEWHERE), ([4], 1), ([6], 0), ([7, 8, 9], 1)]
CHOSEN = 2
"""Place of the first packet of one beat that does not go to `ELSEWHERE`."""


@pytest.fixture
def packets_of(inject):
    """Packets (beats, destination) that leave the injector, one list per window."""

    def packets_of(fault, windows=1, **keys):
        dut = FaultInjector(format=FORM, elsewhere=ELSEWHERE, **(keys or {"nowhere": NOWHERE}))
        beats = [
            {"data": beat, "last": place == len(data) - 1, "destination": destination}
            for data, destination in PACKETS
            for place, beat in enumerate(data)
        ]
        found = []
        for window in inject(dut, fault, beats, windows):
            found.append([])
            data = []
            for beat, last, destination in window:
                data.append(beat)
                if last:
                    found[-1].append((data, destination))
                    data = []
        return found

    return packets_of


def test_without_a_fault_all_packets_pass(packets_of):
    assert packets_of(Fault.NONE) == [PACKETS]


@pytest.mark.parametrize(
    ("fault", "becomes"),
    [
        (Fault.LOST, []),
        (Fault.DUPLICATED, [([4], 1), ([4], 1)]),
        (Fault.CORRUPTED, [([5], 1)]),
        (Fault.MISROUTED, [([4], ELSEWHERE)]),
        (Fault.REFUSED, [([4], NOWHERE)]),
    ],
)
def test_one_packet_per_window_goes_wrong(packets_of, fault, becomes):
    expected = [*PACKETS[:CHOSEN], *becomes, *PACKETS[CHOSEN + 1 :]]
    assert packets_of(fault, windows=2) == [expected, expected]


def test_without_a_free_address_a_packet_of_one_beat_is_refused_as_one_of_two(packets_of):
    expected = [*PACKETS[:CHOSEN], ([4, 4], 1), *PACKETS[CHOSEN + 1 :]]
    assert packets_of(Fault.REFUSED, windows=2, single=True) == [expected, expected]
    assert packets_of(Fault.REFUSED, single=False) == [PACKETS]
