"""Bursts as AXI4-Lite's transfers: one per cycle, and the worst outcome of a write's beats."""

from helpers.axi4_bursts import beats, burst
from helpers.streams import consume, produce, run
from knotwork.gateware.buses.bridges import Axi4ToAxiLite
from knotwork.system import BusParameters

BUS = BusParameters()


def test_the_worst_response_is_the_bursts():
    dut, b, addresses = Axi4ToAxiLite(bus=BUS), [], []
    responses = [[0, 0, 0], [2, 0, 0], [0, 3, 2], [0, 2, 0], [0, 0, 3], [0, 0, 0]]
    run(
        dut,
        produce(dut.axi4.aw, [burst(64 * n, 3, id=n) for n in range(6)]),
        produce(dut.axi4.w, [one for _ in range(6) for one in beats([1, 2, 3])]),
        consume(dut.axi_lite.aw, addresses, 18),
        consume(dut.axi_lite.w, [], 18),
        produce(dut.axi_lite.b, [{"response": one} for burst_ in responses for one in burst_]),
        consume(dut.axi4.b, b, 6),
    )
    assert [(one.id, one.response) for one in b] == [(n, max(responses[n])) for n in range(6)]
    assert [one.address for one in addresses] == [
        64 * n + 4 * k for n in range(6) for k in range(3)
    ]


def test_each_read_has_its_own_response():
    dut, r = Axi4ToAxiLite(bus=BUS), []
    run(
        dut,
        produce(dut.axi4.ar, [burst(0, 2, id=5), burst(8, 3, id=1, size=0)]),
        consume(dut.axi_lite.ar, [], 5),
        produce(dut.axi_lite.r, [{"data": n, "response": n % 4 * (n % 4 != 1)} for n in range(5)]),
        consume(dut.axi4.r, r, 5),
    )
    assert [(one.id, one.data, one.response, one.last) for one in r] == [
        (5, 0, 0, 0),
        (5, 1, 0, 1),
        (1, 2, 2, 0),
        (1, 3, 3, 0),
        (1, 4, 0, 1),
    ]


def test_a_beat_per_cycle_in_each_direction():
    dut, r, b = Axi4ToAxiLite(bus=BUS), [], []
    run(
        dut,
        produce(dut.axi4.aw, [burst(0, 16), burst(64, 16)], bubble=0),
        produce(dut.axi4.w, [*beats(range(16)), *beats(range(16))], bubble=0),
        produce(dut.axi4.ar, [burst(0, 32)], bubble=0),
        consume(dut.axi_lite.aw, [], 32, stall=0),
        consume(dut.axi_lite.w, [], 32, stall=0),
        consume(dut.axi_lite.ar, [], 32, stall=0),
        produce(dut.axi_lite.b, [{"response": 0}] * 32, bubble=0),
        produce(dut.axi_lite.r, [{"data": n, "response": 0} for n in range(32)], bubble=0),
        consume(dut.axi4.b, b, 2, stall=0),
        consume(dut.axi4.r, r, 32, stall=0),
        clocks=36,
    )
    assert len(b) == 2
    assert [one.data for one in r] == [*range(32)]


def test_no_more_beats_wait_than_allowed():
    dut, sent = Axi4ToAxiLite(bus=BUS, pending=4), []

    async def count(ctx):
        for _ in range(20):
            await ctx.tick()
        assert len(sent) == 4

    run(
        dut,
        count,
        background=[
            produce(dut.axi4.ar, [burst(0, 16)], bubble=0),
            consume(dut.axi_lite.ar, sent, 16, stall=0),
        ],
    )
