"""What a packet's beats say beside their data."""

import pytest
from knotwork_sim.testbench.system.streams import _values


@pytest.mark.parametrize(
    ("side", "values"), [(None, set()), (3, {3}), ([1, 1, 1], {1}), ([0, 2], {0, 2})]
)
def test_values_of_a_signal(side, values):
    assert _values(side) == values
