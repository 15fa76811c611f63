"""Steps that the proofs expect of LC2, against the routing's."""

import pytest
from knotwork import Network
from knotwork.formal.batch.ccc import CycleExpectation


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_batch_has_the_steps_of_the_routing(n):
    network = Network.from_word(f"ccc:n={n},routing=lc2")
    expected = CycleExpectation(network)
    assert expected.steps == network.routing.steps == len(expected.schedules())


def test_shift_registers_advance_in_the_steps_of_the_routing():
    network = Network.from_word("ccc:n=4,routing=lc2")
    highest = 1 << len(CycleExpectation(network).schedules()[0]) - 1
    shifts = [
        s for s, told in enumerate(CycleExpectation(network).schedules()) if told.value & highest
    ]
    assert shifts == list(network.routing.shift_steps) == list(range(3, 11))
