"""Queues of a channel against lists, written from their docstrings."""

from collections import deque
from random import Random

import pytest
from helpers.streams import assign, run
from knotwork.gateware.packet.copies import CopyQueue
from knotwork.gateware.packet.input_buffer import TurnQueue


@pytest.mark.parametrize("depth", [2, 4, 5, 8])
@pytest.mark.parametrize("drain", [0.3, 0.7, 1])
def test_each_flit_has_a_place_of_its_own_and_the_head_and_the_next_are_told(depth, drain):
    dut, rng, queue, places = TurnQueue(depth=depth), Random(depth), deque(), {}

    async def testbench(ctx):
        for number in range(400):
            assert ctx.get(dut.nonempty) == (len(queue) >= 1)
            assert ctx.get(dut.at_least_two) == (len(queue) >= 2)
            assert ctx.get(dut.full) == (len(queue) == depth)
            leaves = bool(queue) and rng.random() < drain
            arrives = len(queue) < depth and rng.random() < 0.6
            assign(ctx, dut, leaves=leaves, arrives=arrives)
            if queue:
                assert ctx.get(dut.head) == places[queue[0]]
            if len(queue) > 1:
                assert ctx.get(dut.behind) == places[queue[1]]
            if arrives:
                places[number] = ctx.get(dut.into)
                assert places[number] not in [places[other] for other in queue]
                queue.append(number)
            if leaves:
                queue.popleft()
            await ctx.tick()

    run(dut, testbench)


class Reference:
    """Flits as (number, last), the copies of the first packet, and where its copy reads."""

    def __init__(self, depth):
        self.flits, self.hidden, self.read, self.depth = [], [], 0, depth

    @property
    def readable(self):
        return self.flits[self.read :]

    def leave(self, *, repeats):
        _, last = self.flits[self.read]
        if repeats:
            self.read = 0 if last else self.read + 1
        else:
            assert self.read == 0
            self.flits.pop(0)

    def arrive(self, flit, *, partly):
        self.hidden.append(flit)
        if not partly:
            self.flits += self.hidden
            self.hidden = []


@pytest.mark.parametrize("depth", [2, 4, 5, 8])
@pytest.mark.parametrize("drain", [0.3, 1])
@pytest.mark.parametrize("from_node", [True, False])
def test_a_packet_is_read_once_by_each_copy(depth, drain, from_node):
    dut = CopyQueue(depth=depth, from_node=from_node)
    rng, queue, places = Random(depth), Reference(depth), {}

    async def testbench(ctx):
        copies = rng.randrange(1, 4)  # of the packet at the head
        length, count, rewound = rng.randrange(1, depth + 1), 0, 0
        for number in range(600):
            readable = queue.readable
            held = len(queue.flits) + len(queue.hidden)
            assert ctx.get(dut.nonempty) == (len(readable) >= 1)
            assert ctx.get(dut.at_least_two) == (len(readable) >= 2)
            assert ctx.get(dut.full) == (held == depth)
            shown = bool(readable) and rng.random() < 0.8
            last = bool(readable) and readable[0][1]
            single = last and queue.read == 0
            repeats = copies > 1 and not single
            leaves = shown and rng.random() < drain
            room = held < depth
            cancels = from_node and bool(queue.hidden) and (not room or rng.random() < 0.1)
            arrives = not cancels and room and rng.random() < 0.7
            flit = number, count + 1 == length
            for name, value in (("leaves", leaves), ("arrives", arrives)):
                ctx.set(getattr(dut, name), value)
            assign(ctx, dut, repeats=repeats and shown, last=last)
            if from_node:
                assign(ctx, dut, partly=not flit[1], cancel=cancels)
            if readable:
                assert ctx.get(dut.head) == places[readable[0][0]]
            if len(readable) > 1 and not (last and repeats):
                assert ctx.get(dut.behind) == places[readable[1][0]]
            completes = arrives and (flit[1] or not from_node)
            assert ctx.get(dut.seen) == completes
            if completes:
                assert ctx.get(dut.several) == (len(queue.hidden) > 0)
            if leaves:
                rewound += repeats and last
                queue.leave(repeats=repeats)
                if last:
                    copies = copies - 1 if repeats else rng.randrange(1, 4)
            if arrives:
                places[flit[0]] = ctx.get(dut.into)
                queue.arrive(flit, partly=from_node and not flit[1])
                count = 0 if flit[1] else count + 1
                length = rng.randrange(1, depth + 1) if flit[1] else length
            if cancels:
                queue.hidden, count = [], 0
            await ctx.tick()
        assert rewound > 5

    run(dut, testbench)
