"""Reasons told by hand are of faults that are made."""

import pytest
from knotwork import Network
from quality.mutation.__main__ import MUTANTS
from quality.mutation.mutants import list_mutants, module_verilog
from quality.mutation.reasons import REASONS
from quality.mutation.targets import TARGETS

BY_NAME = {target.name: target for target in TARGETS}


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow) if name == "tcpg" else name for name in REASONS
])  # fmt: skip
def test_reasons_are_of_faults_that_are_made(name):
    target = BY_NAME[name]
    verilog = module_verilog(Network.from_word(target.net), target.module)
    made = {str(mutant) for mutant in list_mutants(verilog, target.module, count=MUTANTS)}
    assert set(REASONS[name]) <= made
    assert all(REASONS[name].values())
