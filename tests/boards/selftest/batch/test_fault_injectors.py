"""Faults of single packets and tables; `test_node_test` injects them into whole networks."""

import pytest
from knotwork import Hypercube, Network
from knotwork.routing.scheduling.linear_complement import JumpTable
from knotwork_boards.selftest import Fault, PacketFormat
from knotwork_boards.selftest.batch.fault_injectors import (
    BatchFaultInjector,
    TableFaultInjector,
    telling_entry,
    wrong_table,
)
from knotwork_boards.selftest.batch.permutations import Permutations

ELSEWHERE = 3


def lc1(n, **keys):
    return Network(Hypercube(n=n), routing="lc1", data_width=16, **keys)


def pass_through(run, dut, beats, read):
    """Send beats through an injector that is always ready; return what `read` takes from each."""
    out = []

    async def testbench(ctx):
        ctx.set(dut.start, 1)
        await ctx.tick()
        ctx.set(dut.start, 0)
        ctx.set(dut.o.ready, 1)
        for beat in beats:
            ctx.set(dut.i.payload, beat)
            ctx.set(dut.i.valid, 1)
            for _ in range(4):
                taken = ctx.get(dut.i.ready)
                if ctx.get(dut.o.valid):
                    out.append(read(ctx.get(dut.o.payload)))
                await ctx.tick()
                if taken:
                    break
            ctx.set(dut.i.valid, 0)

    return out, testbench


@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize("fault", [fault for fault in Fault if fault is not Fault.TABLE])
def test_the_second_packet_goes_wrong(run, beats_of, words, fault):
    form = PacketFormat(lc1(2, words=words))
    dut = BatchFaultInjector(format=form, words=words, elsewhere=ELSEWHERE)
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
    out, testbench = pass_through(
        run, dut, beats, lambda beat: (beat.data, beat.last, beat.destination)
    )

    async def with_fault(ctx):
        ctx.set(dut.fault, fault)
        await testbench(ctx)

    run(dut, with_fault)
    assert out == expected


@pytest.mark.parametrize("fault", [Fault.NONE, Fault.TABLE])
def test_one_jump_bit_per_window_goes_wrong(run, fault):
    network = lc1(3)
    permutations = Permutations(3)
    dut = TableFaultInjector(network=network, permutations=permutations)
    entries = 3 * len(permutations.tables)
    beats = [{"entry": {"jump": 0, "buddy": 3}, "last": place % 3 == 2} for place in range(entries)]
    out, testbench = pass_through(run, dut, beats, lambda beat: beat.entry.jump)

    async def twice(ctx):
        ctx.set(dut.fault, fault)
        await testbench(ctx)
        await testbench(ctx)

    run(dut, twice)
    wrong = telling_entry(network, permutations) if fault is Fault.TABLE else None
    assert out == [int(place == wrong) for place in range(entries)] * 2


def test_the_chosen_entry_raises_a_flag_if_it_is_wrong():
    network, permutations = lc1(3), Permutations(3)
    number, place = divmod(telling_entry(network, permutations), 3)
    assert number > 0  # the first table is loaded before a window begins
    table = permutations.tables[number]
    destinations = permutations.destinations[number]
    assert not network.routing.flags(destinations, table).any()
    assert network.routing.flags(destinations, wrong_table(table, 2 - place)).any()


def test_a_wrong_table_differs_in_one_jump_bit():
    assert wrong_table(JumpTable((1, 0, 1), (3, 0, 3)), 1) == JumpTable((1, 1, 1), (3, 0, 3))


def test_a_network_of_two_nodes_has_no_wrong_table():
    assert telling_entry(lc1(1), Permutations(1)) is None
