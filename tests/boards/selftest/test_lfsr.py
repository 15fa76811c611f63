import pytest
from knotwork_boards.selftest.lfsr import TAPS, Lfsr, node_seed


def step(state):
    return state >> 1 ^ (TAPS if state & 1 else 0)


def test_the_period_is_maximal():
    state, period = step(1), 1
    while state != 1:
        state, period = step(state), period + 1
    assert period == 0xFFFF


def test_hardware_steps_the_same(run):
    dut = Lfsr(seed=node_seed(5))

    async def testbench(ctx):
        state = ctx.get(dut.o)
        assert state != 0
        for _ in range(100):
            await ctx.tick()
            state = step(state)
            assert ctx.get(dut.o) == state

    run(dut, testbench)


def test_seeds_of_nodes_are_distinct():
    assert len({node_seed(node) for node in range(16384)}) == 16384


@pytest.mark.parametrize("seed", [0, 65536])
def test_a_seed_out_of_range_is_refused(refusal, seed):
    text = refusal(ValueError, lambda: Lfsr(seed=seed))
    assert text == f"LFSR seed must be an integer in 1..65535, not {seed}"
