"""Input channels that copy broadcasts, and the readers of their buffers."""

from collections import deque
from random import Random

import pytest
from helpers.streams import assign, run
from knotwork import Network, WkRecursive
from knotwork.gateware.packet.branch_reader import BranchReader
from knotwork.gateware.packet.branching_channel import BranchingChannel
from knotwork.gateware.packet.inputs import make_input_channel
from knotwork.routing import Turn
from knotwork.topology import LOCAL

# Router 01 of WK(3,2): its own digit is 1, so port 2 leads out of the cluster, to 10. A copy that
# comes from there, having crossed level 1, goes to both mates and to the node.
ROUTER, OWN = 0b0001, 2
TO_NODE, TO_00, TO_02 = Turn(OWN, 1, LOCAL, 0), Turn(OWN, 1, 1, 1), Turn(OWN, 1, 3, 1)
UNICASTS = {0b0001: TO_NODE, 0b0000: TO_00, 0b0010: TO_02}
# A node sends to both mates in class 0, and across the own link, of level 1, in class 1.
COPIES_OF_NODE = (Turn(LOCAL, 0, 1, 0), Turn(LOCAL, 0, 2, 1), Turn(LOCAL, 0, 3, 0))


def channel(port=OWN, vc=1, **hardware):
    network = Network(WkRecursive(w=3, levels=2), data_width=8, **hardware)
    kind = network.router_kinds[network.router_number[1]]
    dut = make_input_channel(network, kind, port, vc)
    assert isinstance(dut, BranchingChannel)
    return dut


def packets_of(dice, count, longest, unicasts):
    """Random packets: lists of flits, with numbers as data."""
    packets, number = [], 0
    for _ in range(count):
        destination = dice.choice([None, *unicasts])
        length = dice.randint(1, longest if destination is None else 2 * longest)
        packets.append([])
        for place in range(length):
            number += 1
            flit = {"data": number % 256, "last": int(place == length - 1), "source": 0b1000}
            flit |= {"destination": destination or 0, "broadcast": int(destination is None)}
            packets[-1].append(flit)
    return packets


def broadcast(length, *, of=None, source=0b1000):
    """Flits with numbers as data; a broadcast every `of` of them, or one."""
    return [
        {"data": n, "last": int(n % (of or length) == (of or length) - 1), "source": source}
        | {"broadcast": 1}
        for n in range(length)
    ]


class Bench:
    """Outputs that are open as `opens(turn)` says in each cycle, and what crossed by each turn."""

    def __init__(self, dut, flits, *, opens, accepts=lambda: True, pauses=lambda: False):
        self.dut, self.waiting = dut, deque(flits)
        self.opens, self.accepts, self.pauses = opens, accepts, pauses
        self.crossed = {turn: [] for turn in dut.turns}
        self.clocks = {turn: [] for turn in dut.turns}
        self.clock = 0

    async def step(self, ctx):
        """One clock."""
        dut = self.dut
        ctx.set(dut.address, ROUTER)
        offered = bool(self.waiting) and not self.pauses()
        ctx.set(dut.i.valid, offered)
        if offered:
            ctx.set(dut.i.p, self.waiting[0])
        select, present = ctx.get(dut.select), ctx.get(dut.present)
        assert present & ~select == 0
        could = 0
        for number, turn in enumerate(dut.turns):
            could |= (present >> number & 1 and int(self.opens(turn))) << number
        crosses = could if self.accepts() else 0
        assign(ctx, dut, could=could, crosses=crosses)
        for number, turn in enumerate(dut.turns):
            if crosses >> number & 1:
                assert ctx.get(dut.o.valid)
                self.crossed[turn].append(ctx.get(dut.o.p.data))
                self.clocks[turn].append(self.clock)
        if offered and ctx.get(dut.i.ready):
            self.waiting.popleft()
        await ctx.tick()
        self.clock += 1

    def run(self, clocks):
        async def testbench(ctx):
            for _ in range(clocks):
                await self.step(ctx)

        run(self.dut, testbench)
        return self.crossed


def data(packets):
    return [flit["data"] for packet in packets for flit in packet]


@pytest.mark.parametrize("depth", [3, 4, 7])
def test_every_branch_gets_every_flit_once_and_in_order(depth):
    dice = Random(depth)
    packets = packets_of(dice, 60, depth, list(UNICASTS))
    dut = channel(buffer_depth=depth)
    bench = Bench(
        dut,
        [flit for packet in packets for flit in packet],
        opens=lambda turn: dice.random() < 0.4,
        accepts=lambda: dice.random() < 0.8,
        pauses=lambda: dice.random() < 0.2,
    )
    crossed = bench.run(5000)
    for destination, turn in UNICASTS.items():
        due = [p for p in packets if p[0]["broadcast"] or p[0]["destination"] == destination]
        assert crossed[turn] == data(due)


@pytest.mark.parametrize("stuck", [(TO_NODE,), (TO_00, TO_NODE), (TO_02, TO_00)])
def test_a_branch_that_is_held_up_holds_up_no_other(stuck):
    dut = channel(buffer_depth=8)
    bench = Bench(dut, broadcast(8), opens=lambda turn: turn not in stuck)
    crossed = bench.run(60)
    for turn in (TO_NODE, TO_00, TO_02):
        assert crossed[turn] == ([] if turn in stuck else list(range(8)))


def test_open_branches_get_a_flit_each_in_the_same_clock_and_one_a_clock():
    dut = channel(buffer_depth=8)
    bench = Bench(dut, broadcast(6), opens=lambda turn: True)
    bench.run(20)
    clocks = [1 + place for place in range(6)]
    assert all(bench.clocks[turn] == clocks for turn in (TO_NODE, TO_00, TO_02))


def test_branches_that_fell_behind_take_turns():
    """Three at three places of one packet, each open now and then: none is starved."""
    dut, dice = channel(buffer_depth=16), Random(3)
    late = {TO_NODE: 0, TO_00: 40, TO_02: 80}
    bench = Bench(
        dut, broadcast(16), opens=lambda turn: bench.clock >= late[turn] and dice.random() < 0.25
    )
    bench.run(700)
    assert all(bench.crossed[turn] == list(range(16)) for turn in late)


def test_a_packet_keeps_its_place_until_the_last_branch_is_through():
    """A full buffer takes nothing while a branch is stuck, and the next packet at once after."""
    dut = channel(buffer_depth=4)
    bench = Bench(dut, broadcast(8, of=4), opens=lambda turn: turn != TO_02 or bench.clock > 30)

    async def testbench(ctx):
        for _ in range(30):
            await bench.step(ctx)
        assert len(bench.waiting) == 4
        assert bench.crossed[TO_NODE] == [0, 1, 2, 3]
        for _ in range(30):
            await bench.step(ctx)

    run(dut, testbench)
    assert all(bench.crossed[turn] == list(range(8)) for turn in (TO_NODE, TO_00, TO_02))


def test_a_branch_asks_for_its_output_before_its_flit_is_shown():
    dut = channel(buffer_depth=8)
    bench = Bench(dut, broadcast(8), opens=lambda turn: turn == TO_NODE)
    late = 1 << dut.turns.index(TO_02)

    async def testbench(ctx):
        await bench.step(ctx)
        seen = set()
        for _ in range(30):
            assert ctx.get(dut.select) & late
            seen.add(bool(ctx.get(dut.present) & late))
            await bench.step(ctx)
        assert seen == {False, True}

    run(dut, testbench)


def test_a_node_s_broadcast_is_shown_when_it_is_there_as_a_whole():
    dut = channel(LOCAL, 0, buffer_depth=8)
    bench = Bench(dut, broadcast(4, source=ROUTER), opens=lambda turn: True)
    bench.run(20)
    for turn in COPIES_OF_NODE:
        assert bench.clocks[turn] == [4 + place for place in range(4)]


def test_a_cancelled_broadcast_leaves_nothing_behind():
    dut = channel(LOCAL, 0, buffer_depth=5)

    def beat(number, *, last, broadcast):
        own = {"destination": ROUTER, "source": ROUTER}
        return own | {"data": number, "last": int(last), "broadcast": int(broadcast)}

    flits = [beat(1, last=True, broadcast=False)]
    flits += [beat(2 + k, last=False, broadcast=True) for k in range(4)]
    bench = Bench(dut, flits, opens=lambda turn: bench.clock > 12)

    async def testbench(ctx):
        for _ in range(8):
            await bench.step(ctx)
        assert not bench.waiting
        ctx.set(dut.i.valid, 0)
        ctx.set(dut.cancel, 1)
        await ctx.tick()
        ctx.set(dut.cancel, 0)
        bench.waiting += [beat(10 + k, last=k == 3, broadcast=True) for k in range(4)]
        bench.waiting.append(beat(20, last=True, broadcast=False))
        for _ in range(30):
            await bench.step(ctx)

    run(dut, testbench)
    assert bench.crossed[Turn(LOCAL, 0, LOCAL, 0)] == [1, 20]
    assert all(bench.crossed[turn] == [10, 11, 12, 13] for turn in COPIES_OF_NODE)


DEPTH = 5
PACKETS = 150


class Model:
    """What the reader's docstring says, with lists: one packet after the other."""

    def __init__(self, branches):
        self.branches = branches
        self.start(0)

    def start(self, position):
        self.shown, self.last_turned = position, self.branches - 1
        self.position = [position] * self.branches
        self.left = None

    def step(self, crosses, *, last, could, chosen):
        """One cycle of a broadcast's flit; returns (advance, finish, target of a jump)."""
        left = set(chosen) if self.left is None else self.left
        elsewhere = (
            []
            if self.left is None
            else [
                branch
                for step in range(1, self.branches + 1)
                if (branch := (self.last_turned + step) % self.branches) in left
                and self.position[branch] != self.shown
            ]
        )
        for branch in crosses:
            self.position[branch] = (self.shown + 1) % DEPTH
        self.left = left - set(crosses) if last else left
        finish = bool(crosses) and not self.left
        advance = bool(crosses) and (not last or finish)
        if not advance and (crosses or not could) and elsewhere:
            self.last_turned = elsewhere[0]
            return advance, finish, self.position[elsewhere[0]]
        return advance, finish, None


@pytest.mark.parametrize("branches", [1, 2, 3, 5])
def test_every_clock_is_as_it_is_told(branches):
    """Broadcasts of a few flits, all of them there; outputs open at random."""
    dut, dice = BranchReader(branches=branches, depth=DEPTH), Random(branches)
    jumps = finished = 0

    async def testbench(ctx):
        nonlocal jumps, finished
        begin, model = 0, Model(branches)
        for _ in range(PACKETS):
            length = dice.randint(1, DEPTH)
            many = dice.choice([branches, dice.randint(1, branches)])
            chosen = dice.sample(range(branches), many)
            assign(ctx, dut, valid=1, broadcast=1, chosen=sum(1 << branch for branch in chosen))
            while True:
                last = (model.shown - begin) % DEPTH == length - 1
                left = set(chosen) if model.left is None else model.left
                here = [b for b in left if model.position[b] == model.shown]
                could = [b for b in here if dice.random() < 0.5]
                crosses = could if dice.random() < 0.8 else []
                following = (model.shown + 1) % DEPTH
                ctx.set(dut.shown, model.shown)
                ctx.set(dut.following, following)
                ctx.set(dut.last, last)
                ctx.set(dut.crosses, sum(1 << branch for branch in crosses))
                ctx.set(dut.moved, bool(crosses))
                ctx.set(dut.could, bool(could))
                assert ctx.get(dut.wanted) == sum(1 << branch for branch in left)
                assert ctx.get(dut.present) == sum(1 << branch for branch in here)
                advance, finish, target = model.step(
                    crosses, last=last, could=bool(could), chosen=chosen
                )
                ctx.set(dut.restart, finish)
                assert (ctx.get(dut.advance), ctx.get(dut.finish)) == (advance, finish)
                assert ctx.get(dut.jump) == (target is not None)
                if target is not None:
                    jumps += 1
                    assert ctx.get(dut.target) == target
                    model.shown = target
                await ctx.tick()
                if advance:
                    model.shown = following
                if finish:
                    finished += 1
                    begin = following
                    model.start(begin)
                    break

    run(dut, testbench)
    assert finished == PACKETS
    assert (jumps > 20) == (branches > 1)
