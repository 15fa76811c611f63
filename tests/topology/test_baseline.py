import pytest
from knotwork.topology import Baseline, Lcan


@pytest.mark.parametrize("levels", range(2, 7))
def test_it_is_the_baseline_network_port_for_port(levels):
    # Stage i has 2^i blocks; an inverse shuffle of a block's lines leads to its two halves.
    baseline = Baseline(levels=levels)
    for stage in range(levels - 1):
        lines = 2 ** (levels - stage)
        for block in range(2**stage):
            for line in range(lines):
                shuffled = block * lines + (line >> 1 | (line & 1) * lines // 2)
                row, k = divmod(line, 2)
                # The switch's number has its row in the block first and the block last.
                switch, downer = baseline.up(stage, row * 2**stage + block, k)
                after, k_block = divmod(switch, 2 ** (stage + 1))
                assert (k_block * lines // 2) + 2 * after + downer == shuffled


def test_it_is_the_complete_network_of_two_and_two():
    assert (Baseline(levels=4).neighbours == Lcan(d=2, u=2, levels=4).neighbours).all()
    assert Baseline(levels=4).instance_name == "baseline_levels4"
