import pytest
from helpers.toy import NAME, VERILOG
from quality.mutation.mutants import list_mutants
from quality.mutation.netlist import make_netlist


@pytest.fixture(scope="session")
def mutants():
    return list_mutants(VERILOG, NAME, count=30)


@pytest.fixture(scope="session")
def netlist(mutants):
    return make_netlist(VERILOG, NAME, mutants)
