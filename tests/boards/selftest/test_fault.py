from knotwork_boards.selftest import Fault
from knotwork_boards.selftest.tally import COUNTERS


def test_a_fault_is_named_after_the_counter_that_it_raises():
    names = {fault.name.lower() for fault in Fault} - {"none", "table"}
    assert names == set(COUNTERS) - {"sent", "received"}
