"""Reasons told by hand are of faults that are made."""

import pytest
from knotwork import Network
from quality.mutation.__main__ import MUTANTS
from quality.mutation.mutants import list_mutants, module_verilog
from quality.mutation.reasons import REASONS, stale_reasons
from quality.mutation.targets import TARGETS

BY_NAME = {target.name: target for target in TARGETS}


def test_a_reason_of_a_fault_that_is_not_made_is_stale(mutants):
    first, second = (str(mutant) for mutant in mutants[:2])
    reasons = {first: "nobody looks", second: "", "inv at Y[0] of $old$1 (old[0])": "it was so"}
    assert stale_reasons(reasons, mutants) == {*reasons} - {first}
    assert stale_reasons({}, mutants) == set()


def test_reasons_are_of_routers_of_which_mutants_are_made():
    assert set(REASONS) <= set(BY_NAME)


@pytest.mark.parametrize("target", [
    pytest.param(target, marks=pytest.mark.slow) if target.name == "tcpg" else target
    for target in TARGETS if target.name in REASONS or target.name == "ring_deflection"
], ids=lambda target: target.name)  # fmt: skip
def test_no_reason_is_stale(target):
    verilog = module_verilog(Network.from_word(target.net), target.module)
    made = list_mutants(verilog, target.module, count=MUTANTS)
    assert len(made) == MUTANTS
    assert stale_reasons(REASONS.get(target.name, {}), made) == set()
