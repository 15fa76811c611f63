"""Faults of single packets and tables; `test_node_test` injects them into whole networks."""

import pytest
from knotwork import Hypercube, Network
from knotwork.routing.scheduling.linear_complement import JumpTable
from knotwork_boards.selftest import Fault, PacketFormat
from knotwork_boards.selftest.batch.fault_injectors import (
    BatchFaultInjector,
    detectable_entry,
    wrong_table,
)
from knotwork_boards.selftest.batch.tables import Permutations

ELSEWHERE = 3


def lc1(n, **keys):
    return Network(Hypercube(n=n), routing="lc1", data_width=16, **keys)


@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize(
    "fault", [fault for fault in Fault if fault not in (Fault.TABLE, Fault.WORD)]
)
def test_the_second_packet_goes_wrong(inject, beats_of, words, fault):
    form = PacketFormat(lc1(2, words=words))
    dut = BatchFaultInjector(format=form, words=words, wrong_address=ELSEWHERE)
    width = (words - 1).bit_length()

    def packet(number, sequence):
        data = beats_of(form, 0, 1, sequence, words, beat_width=width)
        return [(beat, int(place == words - 1), 1) for place, beat in enumerate(data)]

    first, second, third = (packet(number, number) for number in range(3))
    beats = [
        {"data": data, "last": last, "destination": to}
        for data, last, to in [*first, *second, *third]
    ]
    (corrupt, _, to) = second[-1]
    head, _, _ = second[0]
    expected = {
        Fault.NONE: [*first, *second, *third],
        Fault.LOST: first,
        Fault.DUPLICATED: [*first, *packet(1, 0), *third],
        Fault.CORRUPTED: [*first, *second[:-1], (corrupt ^ 1, 1, to), *third],
        Fault.MISROUTED: [*first, *((d, last, ELSEWHERE) for d, last, _ in second), *third],
        Fault.REFUSED: [
            *first,
            *([(head, 0, to), (head, 1, to)] if words == 1 else [(head, 1, to)]),
            *second,
            *third,
        ],
    }[fault]
    assert inject(dut, fault, beats) == [expected]


def test_the_chosen_entry_raises_a_flag_if_it_is_wrong():
    network, permutations = lc1(3), Permutations(3)
    number, place = divmod(detectable_entry(network, permutations), 3)
    assert number > 0  # the first table is loaded before a window begins
    table = permutations.tables[number]
    destinations = permutations.destinations[number]
    assert not network.routing.flags(destinations, table).any()
    assert network.routing.flags(destinations, wrong_table(table, 2 - place)).any()


def test_a_wrong_table_differs_in_one_jump_bit():
    assert wrong_table(JumpTable((1, 0, 1), (3, 0, 3)), 1) == JumpTable((1, 1, 1), (3, 0, 3))


def test_a_network_of_two_nodes_has_no_wrong_table():
    assert detectable_entry(lc1(1), Permutations(1)) is None
