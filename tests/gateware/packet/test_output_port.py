"""Output ports, and the shares of classes of traffic."""

from random import Random
from types import SimpleNamespace

import pytest
from amaranth.hdl import Const, Module, Value
from helpers.streams import assign, run
from knotwork import Hypercube, Mesh, Network, Torus, with_classes
from knotwork.gateware.layouts import local_signature
from knotwork.gateware.packet.classes import (
    StrictPriority,
    WeightedRoundRobin,
    known_class_bits,
)
from knotwork.gateware.packet.output_port import OutputPort, eject
from knotwork.router_kind import by_class
from knotwork.routing.walks.headers import HeaderBits, KnownBits

NETWORK = Network(Hypercube(n=2), data_width=8, pipeline=2)


class Reference:
    """Order of the inputs, and which channels packets hold."""

    def __init__(self, inputs, channels):
        self.order, self.owner = list(range(inputs)), [None] * channels

    def grant(self, fronts, room, opens):
        """Input that crosses; `fronts` are (channel, is last, packet) or None."""
        for place in self.order:
            if fronts[place] is None:
                continue
            channel, last, packet = fronts[place]
            owner = self.owner[channel]
            if (owner is None and opens[channel]) or (owner == packet and room[channel]):
                self.owner[channel] = None if last else packet
                self.order.remove(place)
                self.order.insert(len(self.order) if last else 0, place)
                return place
        return None


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("inputs", [1, 3])
@pytest.mark.parametrize("by_head", [False, True])
@pytest.mark.parametrize("staged", [False, True])
def test_grants_the_first_eligible_front_and_gives_its_flit_in_the_next_cycle(
    inputs, channels, by_head, staged
):
    """Heads ask for room as all flits do, or for more than that; a stage comes a cycle later."""
    keys = {"inputs": inputs, "channels": channels, "by_head": by_head, "staged": staged}
    dut = OutputPort(NETWORK, **keys)
    reference, rng = Reference(inputs, channels), Random(inputs)
    fronts, numbers = [None] * inputs, iter(range(1, 100_000))
    left, before = [None] * (1 + staged), [0] * inputs

    async def testbench(ctx):
        nonlocal before
        for _ in range(300):
            for place, front in enumerate(fronts):
                if front is None and rng.random() < 0.7:
                    fronts[place] = (rng.randrange(channels), rng.random() < 0.4, next(numbers))
            room = [rng.random() < 0.8 for _ in range(channels)]
            opens = [bit and rng.random() < 0.6 for bit in room] if by_head else room
            flits = [rng.randrange(1, 256) for _ in fronts]
            for place, front in enumerate(fronts):
                holds = front is not None and reference.owner[front[0]] == front[2]
                ctx.set(dut.request[place], front is not None)
                ctx.set(dut.held[place], holds)
                ctx.set(dut.last[place], front is not None and front[1])
                if channels > 1:
                    ctx.set(dut.channel[place], 1 << front[0] if front is not None else 0)
                ctx.set(Value.cast(dut.flits[place]), (before if staged else flits)[place])
            before = flits
            ctx.set(dut.room, sum(bit << n for n, bit in enumerate(room)))
            if by_head:
                ctx.set(dut.opens, sum(bit << n for n, bit in enumerate(opens)))
            ctx.set(dut.step, 1)
            assert ctx.get(Value.cast(dut.flit)) == (left.pop(0) or 0)
            chosen = reference.grant(fronts, room, opens)
            assert ctx.get(dut.granted) == (0 if chosen is None else 1 << chosen)
            assert ctx.get(dut.taken) == (0 if chosen is None else 1 << fronts[chosen][0])
            left.append(None)
            if chosen is not None:
                left[-1], (channel, last, packet) = flits[chosen], fronts[chosen]
                fronts[chosen] = None if last else (channel, rng.random() < 0.4, packet)
            await ctx.tick()

    run(dut, testbench)


def test_keeps_its_flit_while_it_cannot_leave():
    dut = OutputPort(NETWORK, inputs=2, channels=1)

    async def testbench(ctx):
        for member, value in (("request", 2), ("room", 1), ("step", 1), ("last", 3)):
            ctx.set(getattr(dut, member), value)
        ctx.set(Value.cast(dut.flits[1]), 77)
        await ctx.tick()
        for member in ("request", "room", "step"):
            ctx.set(getattr(dut, member), 0)
        for _ in range(3):
            assert ctx.get(Value.cast(dut.flit)) == 77
            await ctx.tick()
        ctx.set(dut.step, 1)
        await ctx.tick()
        assert ctx.get(Value.cast(dut.flit)) == 0

    run(dut, testbench)


def test_only_virtual_channel_0_waits_for_its_node():
    """A store takes a packet and then no other; the node takes a flit when it likes."""
    network = Network(Hypercube(n=2), data_width=8, pipeline=2, multicast="yes", max_packet=4)
    m, rng = Module(), Random(1)
    m.submodules.output = output = OutputPort(network, inputs=2, channels=2)
    node = SimpleNamespace(i=local_signature(network).create())
    eject(m, output, node, [0, 1], "", address=Const(0, network.topology.address_width))
    sent, got, filling = [[], []], [[], []], True

    async def testbench(ctx):
        nonlocal filling
        for number in range(1, 400):
            takes, last = rng.random() < 0.4, rng.random() < 0.3
            place, filling = rng.randrange(2), filling or rng.random() < 0.2
            assign(ctx, output, request=1 << place, held=3)
            ctx.set(output.channel[place], 1 << place)
            assign(ctx, output.flits[place], data=number % 256, last=last)
            ctx.set(node.i.ready, takes | filling << 1)
            if ctx.get(output.granted):
                sent[place].append(number % 256)
            valid, flit = ctx.get(node.i.valid), ctx.get(node.i.flit)
            assert valid != 2 or filling
            if valid == 2 or (valid == 1 and takes):
                got[valid >> 1].append(flit["data"])
            if valid == 2 and flit["last"]:
                filling = False
            await ctx.tick()

    run(m, testbench)
    assert all(len(one) > 50 for one in got)
    assert all(one == through[: len(one)] for one, through in zip(got, sent, strict=True))
    assert all(len(through) <= len(one) + 1 for one, through in zip(got, sent, strict=True))


@pytest.mark.parametrize("classes", [2, 3, 8])
def test_a_link_is_open_to_the_highest_class_that_requests_it(classes):
    dut = StrictPriority(classes=classes)

    async def testbench(ctx):
        for requests in range(1 << classes):
            ctx.set(dut.requests, requests)
            granted = ctx.get(dut.open) & requests
            assert granted == (1 << requests.bit_length() - 1 if requests else 0)

    run(dut, testbench)


def shares_of(weights, requesting):
    """Class that has the link in each cycle, None for none; `requesting` has the requests."""
    dut, sent = WeightedRoundRobin(weights=weights), []

    async def testbench(ctx):
        for requests in requesting:
            ctx.set(dut.requests, requests)
            granted = ctx.get(dut.open) & requests
            assert granted.bit_count() == (requests != 0)  # never idle, and never two
            early = granted & ctx.get(dut.spent) and requests & ~ctx.get(dut.spent)
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
        requesting = [dice.randrange(1 << count) | 1 << number for _ in range(600)]
        sent = shares_of(weights, requesting)
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
            ctx.set(Value.cast(dut.flits[place]), place + 1)
        for clock in range(12):
            assign(ctx, dut, request=7, open=clock % 3 == 0)
            assert ctx.get(dut.any_eligible)
            granted.append(ctx.get(dut.granted))
            await ctx.tick()
            assert ctx.get(Value.cast(dut.flit)) == granted[-1].bit_length()
        ctx.set(dut.room, 0)
        assert not ctx.get(dut.any_eligible)

    run(dut, testbench)
    assert granted == [1, 0, 0, 2, 0, 0, 4, 0, 0, 1, 0, 0]


def test_each_class_has_its_turns_and_one_stream():
    network = Network(with_classes(Torus(x=3, y=3), 2), virtual_channels=4)
    for kind in network.router_kinds:
        parts = by_class(network.routing, kind)
        assert sorted(turn for part in parts for turn in part.turns) == list(kind.turns)
        for number, part in enumerate(parts):
            assert part.traffic_class == number
            assert part.input_vcs(number) == [2 * number, 2 * number + 1]
            assert part.input_vcs(1 - number) == part.output_vcs(1 - number) == []
    plain = Network(Torus(x=3, y=3), pipeline=2)
    assert by_class(plain.routing, plain.router_kinds[0]) == [plain.router_kinds[0]]


def test_the_class_in_the_addresses_is_known():
    network = Network(with_classes(Mesh(x=2, y=2), 3))
    one, two = by_class(network.routing, network.router_kinds[0])[1:]
    found = known_class_bits(network, one, HeaderBits(KnownBits(4, 8), KnownBits()))
    assert found == HeaderBits(KnownBits(4 | 2, 8 | 1), KnownBits(2, 1))
    assert known_class_bits(network, two, HeaderBits()).source == KnownBits(1, 2)
    assert known_class_bits(network, network.router_kinds[0], HeaderBits()) == HeaderBits()
