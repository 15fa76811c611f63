"""What only the gates of classes do; that they equal their model is shown elsewhere."""

from random import Random

import pytest
from amaranth.hdl import Value
from amaranth.sim import Simulator
from helpers.streams import run
from knotwork import Mesh, Network, Torus, with_classes
from knotwork.gateware.packet.credits.classes import (
    StrictPriority,
    WeightedRoundRobin,
    by_class,
    known_in_class,
)
from knotwork.gateware.packet.credits.output_port import OutputPort
from knotwork.routing.walks.headers import KnownBits, KnownHeader


@pytest.mark.parametrize("classes", [2, 3, 8])
def test_a_link_is_open_to_the_highest_class_that_asks(classes):
    dut = StrictPriority(classes=classes)

    async def testbench(ctx):
        for asks in range(1 << classes):
            ctx.set(dut.asks, asks)
            granted = ctx.get(dut.open) & asks
            assert granted == (1 << asks.bit_length() - 1 if asks else 0)

    simulator = Simulator(dut)
    simulator.add_testbench(testbench)
    simulator.run()


def shares_of(weights, asking):
    """Class that has the link in each cycle, None for none; `asking` gives who asks in each."""
    dut, sent = WeightedRoundRobin(weights=weights), []

    async def testbench(ctx):
        for asks in asking:
            ctx.set(dut.asks, asks)
            granted = ctx.get(dut.open) & asks
            assert granted.bit_count() == (asks != 0)  # never idle, and never two
            early = granted & ctx.get(dut.spent) and asks & ~ctx.get(dut.spent)
            assert not early
            sent.append(granted.bit_length() - 1 if granted else None)
            await ctx.tick()

    run(dut, testbench)
    return sent


def test_classes_take_turns_by_their_weights():
    both, one, none = 3, 1, 0
    assert shares_of((3, 1), [both] * 8) == [1, 0, 0, 0] * 2
    assert shares_of((1, 3), [both] * 8) == [1, 1, 1, 0] * 2
    assert shares_of((1, 1, 1), [7] * 6) == [2, 1, 0] * 2
    # What a class leaves goes to the others, and what it has left it keeps for this round.
    assert shares_of((1, 2), [both, one, both, both, both]) == [1, 0, 1, 1, 1]
    assert shares_of((2, 1), [one, one, one, none, both, both]) == [0, 0, 0, None, 1, 0]


@pytest.mark.parametrize("weights", [(1, 1), (3, 1), (2, 5, 1), (1, 15, 4, 2)])
def test_each_class_gets_its_share_and_none_starves(weights):
    count, total = len(weights), sum(weights)
    sent = shares_of(weights, [(1 << count) - 1] * (20 * total))
    assert [sent.count(number) for number in range(count)] == [20 * each for each in weights]
    for number in range(count):
        dice = Random(f"{weights} {number}")
        asking = [dice.randrange(1 << count) | 1 << number for _ in range(600)]
        sent = shares_of(weights, asking)
        waited = longest = 0
        for each in sent:
            waited = 0 if each == number else waited + 1
            longest = max(longest, waited)
        assert longest <= 2 * (total - weights[number])
        # Others that pause leave it no less than its share.
        assert sent.count(number) >= 600 * weights[number] // total - weights[number]


def test_an_output_without_its_link_grants_nothing_and_keeps_its_order():
    network = Network(Mesh(x=2, y=2), data_width=8, pipeline=2)
    dut, granted = OutputPort(network, inputs=3, channels=1, shares=True), []

    async def testbench(ctx):
        for member in ("room", "step"):
            ctx.set(getattr(dut, member), 1)
        ctx.set(dut.last, 7)
        for place in range(3):
            ctx.set(dut.channel[place], 1)
            ctx.set(Value.cast(dut.flits[place]), place + 1)
        for clock in range(12):
            ctx.set(dut.request, 7)
            ctx.set(dut.open, clock % 3 == 0)
            assert ctx.get(dut.asks)
            granted.append(ctx.get(dut.granted))
            await ctx.tick()
            assert ctx.get(Value.cast(dut.flit)) == granted[-1].bit_length()
        ctx.set(dut.room, 0)
        assert not ctx.get(dut.asks)

    run(dut, testbench)
    assert granted == [1, 0, 0, 2, 0, 0, 4, 0, 0, 1, 0, 0]


def test_each_class_has_its_turns_and_one_stream():
    network = Network(with_classes(Torus(x=3, y=3), 2), virtual_channels=4)
    for kind in network.router_kinds:
        parts = by_class(network, kind)
        assert sorted(turn for part in parts for turn in part.turns) == list(kind.turns)
        for number, part in enumerate(parts):
            assert part.traffic_class == number
            assert part.input_vcs(number) == [2 * number, 2 * number + 1]
            assert part.input_vcs(1 - number) == part.output_vcs(1 - number) == []
    plain = Network(Torus(x=3, y=3), pipeline=2)
    assert by_class(plain, plain.router_kinds[0]) == [plain.router_kinds[0]]


def test_the_class_in_the_addresses_is_known():
    network = Network(with_classes(Mesh(x=2, y=2), 3))
    one, two = by_class(network, network.router_kinds[0])[1:]
    found = known_in_class(network, one, KnownHeader(KnownBits(4, 8), KnownBits()))
    assert found == KnownHeader(KnownBits(4 | 2, 8 | 1), KnownBits(2, 1))
    assert known_in_class(network, two, KnownHeader()).source == KnownBits(1, 2)
    assert known_in_class(network, network.router_kinds[0], KnownHeader()) == KnownHeader()
