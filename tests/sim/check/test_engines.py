import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_sim.check.engines import ENGINES, POINT_ENGINES
from knotwork_sim.check.simulate import simulate
from knotwork_sim.sweep.load import LoadSweep, split_nets
from knotwork_sim.traffic.keys import Traffic


def test_a_simulation_has_no_other_engine():
    with pytest.raises(ConfigurationError) as refusal:
        simulate(Network.from_word("hypercube:n=2"), Traffic(), engine="icarus")
    assert str(refusal.value) == f"engine must be one of {', '.join(ENGINES)}, not 'icarus'"


def test_a_load_sweep_measures_with_one_engine_not_both():
    assert {*ENGINES} - {*POINT_ENGINES} == {"both", "netlist"}
    with pytest.raises(ConfigurationError) as refusal:
        LoadSweep(*split_nets(["hypercube:n=2"]), engine="both")
    assert str(refusal.value) == "engine must be one of model, rtl, board, not 'both'"
