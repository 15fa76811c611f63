import pytest
from knotwork_sim.mutation.circuit import make_circuit
from knotwork_sim.mutation.netlist import list_mutants
from toy import NAME, VERILOG


@pytest.fixture(scope="session")
def mutants():
    return list_mutants(VERILOG, NAME, count=30)


@pytest.fixture(scope="session")
def circuit(mutants):
    return make_circuit(VERILOG, NAME, mutants)
