import pytest
from helpers.toy import NAME, VERILOG
from quality.mutation.gates import make_circuit
from quality.mutation.netlist import list_mutants


@pytest.fixture(scope="session")
def mutants():
    return list_mutants(VERILOG, NAME, count=30)


@pytest.fixture(scope="session")
def circuit(mutants):
    return make_circuit(VERILOG, NAME, mutants)
