import pytest
from knotwork import Hypercube, Network
from knotwork_boards.selftest import Fault, PacketFormat
from knotwork_boards.selftest.packet.fault_injector import FaultInjector

FORM = PacketFormat(Network(Hypercube(n=2), data_width=16))
ELSEWHERE, NOWHERE = 3, 2  # the test sends nothing to node 2
PACKETS = [([1, 2], 0), ([3], ELSEWHERE), ([4], 1), ([6], 0), ([7, 8, 9], 1)]
CHOSEN = 2
"""Place of the first packet of one beat that does not go to `ELSEWHERE`."""


def inject(run, fault, windows=1, **keys):
    """Packets (beats, destination) that leave the injector, one list per window."""
    dut = FaultInjector(format=FORM, elsewhere=ELSEWHERE, **(keys or {"nowhere": NOWHERE}))
    outcome = []

    async def testbench(ctx):
        ctx.set(dut.fault, fault)
        for _ in range(windows):
            ctx.set(dut.start, 1)
            await ctx.tick()
            ctx.set(dut.start, 0)
            packets, beats, ready = [], [], 0
            for data, destination in PACKETS:
                for place, beat in enumerate(data):
                    last = place == len(data) - 1
                    ctx.set(dut.i.payload, {"data": beat, "last": last, "destination": destination})
                    ctx.set(dut.i.valid, 1)
                    taken = False
                    while not taken:
                        ready ^= 1
                        ctx.set(dut.o.ready, ready)
                        taken = ctx.get(dut.i.ready)
                        if ready and ctx.get(dut.o.valid):
                            payload = ctx.get(dut.o.payload)
                            beats.append(payload.data)
                            if payload.last:
                                packets.append((beats, payload.destination))
                                beats = []
                        await ctx.tick()
                    ctx.set(dut.i.valid, 0)
            outcome.append(packets)

    run(dut, testbench)
    return outcome


def test_without_a_fault_all_packets_pass(run):
    assert inject(run, Fault.NONE) == [PACKETS]


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
def test_one_packet_per_window_goes_wrong(run, fault, becomes):
    expected = [*PACKETS[:CHOSEN], *becomes, *PACKETS[CHOSEN + 1 :]]
    assert inject(run, fault, windows=2) == [expected, expected]


def test_without_a_free_address_a_packet_of_one_beat_is_refused_as_one_of_two(run):
    expected = [*PACKETS[:CHOSEN], ([4, 4], 1), *PACKETS[CHOSEN + 1 :]]
    assert inject(run, Fault.REFUSED, windows=2, single=True) == [expected, expected]
    assert inject(run, Fault.REFUSED, single=False) == [PACKETS]
