from random import Random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork import Moebius, Network
from knotwork_boards.selftest.packet.order import Arrival, judge_in_order, judge_in_window, judge_of
from knotwork_boards.selftest.packet_format import PacketFormat


@pytest.fixture(params=[8, 10, 32])
def form(request):
    network = Network(Moebius(n=2), routing="spr", vc_scheme="escape", data_width=request.param)
    return PacketFormat(network)


class WindowJudge(wiring.Component):
    """Component with the ports of `judge_in_window`."""

    def __init__(self, form):
        self._form = form
        inputs = {"judged": 1, "flow": 2, "sequence": form.sequence_width}
        inputs |= {"clear": 1, "clear_flow": 2}
        super().__init__(
            {name: In(width) for name, width in inputs.items()}
            | {"duplicated": Out(1), "skipped": Out(1)}
        )

    def elaborate(self, platform):
        m = Module()
        arrival = Arrival(
            judged=self.judged,
            flow=self.flow,
            sequence=self.sequence,
            clear=self.clear,
            clear_flow=self.clear_flow,
        )
        verdict = judge_in_window(m, self._form, arrival)
        m.d.comb += [self.duplicated.eq(verdict.duplicated), self.skipped.eq(verdict.skipped)]
        return m


class Reference:
    """What `judge_in_window` must say, by sequence numbers that never wrap."""

    def __init__(self, window):
        self.window = window
        self.newest = -1
        self.missing = set()

    def judge(self, number):
        if number <= self.newest:
            if number in self.missing:
                self.missing.remove(number)
                return "good"
            return "duplicated"
        self.missing |= set(range(self.newest + 1, number))
        self.newest = number
        gone = {old for old in self.missing if old <= number - self.window}
        self.missing -= gone
        return "skipped" if gone else "good"


def verdicts(run, form, arrivals):
    """Verdicts, by name, on arrivals (flow, number); a number of None clears the flow."""
    dut = WindowJudge(form)
    dice = Random(1)
    result = []

    async def testbench(ctx):
        for flow, number in arrivals:
            ctx.set(dut.clear, number is None)
            ctx.set(dut.clear_flow, flow)
            ctx.set(dut.judged, number is not None)
            ctx.set(dut.flow, flow)
            ctx.set(dut.sequence, (number or 0) % (1 << form.sequence_width))
            names = [name for name in ("duplicated", "skipped") if ctx.get(getattr(dut, name))]
            result.append(" and ".join(names) or "good")
            await ctx.tick()
            ctx.set(dut.clear, 0)
            ctx.set(dut.judged, 0)
            ctx.set(dut.sequence, dice.randrange(1 << form.sequence_width))
            for _ in range(dice.randrange(2)):
                await ctx.tick()

    run(dut, testbench)
    return result


@pytest.mark.parametrize("seed", range(4))
def test_any_order_is_judged_as_by_numbers_that_never_wrap(run, form, seed):
    dice = Random(seed)
    half = 1 << form.sequence_width - 1
    references = [Reference(form.window) for _ in range(4)]
    arrivals, expected = [], []
    for _ in range(400):
        flow = dice.randrange(4)
        reference = references[flow]
        following = reference.newest + 1
        near = following + dice.randint(-form.window, 2)
        far = following + dice.randint(-half, half - 1)
        number = dice.choice([near, near, following, far])
        if dice.randrange(50) == 0:
            references[flow] = Reference(form.window)
            arrivals.append((flow, None))
            expected.append("good")
            continue
        arrivals.append((flow, number))
        expected.append(reference.judge(number))
    assert {"good", "duplicated", "skipped"} == set(expected)
    assert verdicts(run, form, arrivals) == expected


def test_networks_that_keep_order_get_the_cheaper_judge(form):
    assert judge_of(form) is judge_in_window
    assert judge_of(PacketFormat(Network(Moebius(n=2)))) is judge_in_order
