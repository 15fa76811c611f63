import numpy as np
import pytest
from knotwork import Mesh, Network
from knotwork.errors import ConfigurationError
from knotwork_sim import simulate
from knotwork_sim.collectives import ports
from knotwork_sim.collectives import simulate as simulation
from knotwork_sim.collectives.simulate import draw_groups, simulate_collectives
from knotwork_sim.traffic.keys import COLLECTIVES, Traffic

NETWORK = Network(
    Mesh(x=3, y=2), collectives=True, groups=("all", "0-2"), operations=("sum", "min"), name="net"
)


@pytest.mark.parametrize("traffic", COLLECTIVES)
def test_all_groups_run_at_once(traffic):
    keys = Traffic(traffic=traffic, length=(1, 6), collective_count=15, bubble=0.1, stall=0.2)
    found = simulate_collectives(NETWORK, keys, engine="model")
    groups = draw_groups(NETWORK, keys)
    due = sum(len(one.answers) for group in groups for one in group.rounds)
    assert (found.collectives, found.answered) == (30, due)
    assert found.faults == {}
    assert found.mismatches is None
    assert [group["name"] for group in found.groups] == ["collective0", "collective1"]
    assert found.beats == sum(group.due for group in groups)


def test_a_mix_has_its_shares():
    keys = Traffic(traffic="barrier:3,gather:1", collective_count=400)
    kinds = [
        message.header.kind
        for group in draw_groups(NETWORK, keys)
        for one in group.rounds
        for message in list(one.messages.values())[:1]
    ]
    assert np.mean(np.array(kinds) == 0) == pytest.approx(0.75, abs=0.06)


def test_seeds_draw_other_data():
    one, other = (draw_groups(NETWORK, Traffic(traffic="reduce", seed=seed)) for seed in (1, 2))
    assert one == draw_groups(NETWORK, Traffic(traffic="reduce", seed=1))
    assert one != other
    assert one[0].rounds != one[1].rounds


def test_a_difference_is_named(monkeypatch):
    groups = draw_groups(NETWORK, Traffic(traffic="barrier"))
    log = ports.run_model(groups, ports.Pauses())
    wrong = log._replace(rows=[row for row in log.rows if row.cycle != 7])
    monkeypatch.setattr("knotwork_sim.collectives.verilog.run_network", lambda *_: wrong)
    found = simulate_collectives(NETWORK, Traffic(traffic="barrier"))
    assert found.mismatches == sum(row.cycle == 7 for row in log.rows)
    assert found.faults["mismatches"] == found.mismatches
    assert found.first_fault is not None
    assert found.first_fault.startswith("collective")
    assert "cycle 7: only one of Verilog and model" in found.first_fault


def test_in_python():
    found = simulate(NETWORK, "all_reduce", engine="model", collective_count=3, length=4)
    assert isinstance(found, simulation.CollectiveResult)
    assert found.collectives == 6
    with pytest.raises(ConfigurationError, match="must be used without board, repeat, rounds and"):
        simulate(NETWORK, "all_reduce", repeat=2)


def test_what_runs_no_collectives_is_refused():
    plain = Network(Mesh(x=3, y=2), name="plain")
    with pytest.raises(ConfigurationError) as refused:
        simulate_collectives(plain, Traffic(traffic="barrier"))
    assert str(refused.value) == "plain: traffic=barrier must be used with collectives=yes"
    with pytest.raises(ConfigurationError) as refused:
        simulate_collectives(NETWORK, Traffic(traffic="barrier"), engine="netlist")
    assert str(refused.value) == (
        "--engine must be one of both, rtl, model with traffic=barrier, not 'netlist'"
    )
