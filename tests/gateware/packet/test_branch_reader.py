from random import Random

import pytest
from helpers.streams import run
from knotwork.gateware.packet.branch_reader import BranchReader

DEPTH = 5
PACKETS = 400


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
            ctx.set(dut.valid, 1)
            ctx.set(dut.broadcast, 1)
            ctx.set(dut.chosen, sum(1 << branch for branch in chosen))
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
    assert (jumps > 50) == (branches > 1)
