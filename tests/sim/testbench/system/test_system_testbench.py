"""Addresses that are in no region."""

import pytest
from knotwork_sim.testbench.system.system_testbench import SystemTestbench


@pytest.mark.parametrize(
    ("regions", "nowhere"),
    [
        ([], 0),
        ([(0, 16)], 16),
        ([(16, 16), (0, 16)], 32),
        ([(16, 16), (48, 16)], 0),
        ([(0, 32), (32, 32)], None),
    ],
)
def test_the_first_address_in_no_region(regions, nowhere):
    testbench = SystemTestbench.__new__(SystemTestbench)
    testbench.space = 64
    testbench.regions = [{"base": base, "size": size} for base, size in regions]
    assert testbench.nowhere == nowhere
