import pytest
from knotwork.estimates.work import DEFAULT_SECONDS
from knotwork.network import Network
from knotwork_sim.estimates import simulate_work, sweep_work
from knotwork_sim.sweep.load import LoadSweep, split_nets
from knotwork_sim.traffic.keys import Traffic


@pytest.mark.parametrize(
    ("net", "packets", "engine", "seconds"),  # of a core, measured: the whole command
    [
        ("hypercube:n=4", 1000, "model", 2.6),
        ("hypercube:n=8", 100_000, "model", 3.4),
        ("hypercube:n=12", 400_000, "model", 7.5),
        ("torus:x=8,y=8,router=deflection", 20_000, "model", 6.8),
        ("hypercube:n=2", 1000, "rtl", 16.2),
    ],
)
def test_estimates_are_within_a_factor_of_three_of_what_was_measured(net, packets, engine, seconds):
    work = simulate_work(Network.from_word(net), Traffic(packets=packets), engine=engine)
    assert 1 / 3 < work.seconds / seconds < 3


def test_both_engines_take_as_long_as_each():
    network = Network.from_word("hypercube:n=4")
    rtl, model, both = (
        simulate_work(network, Traffic(), engine=engine).seconds
        for engine in ("rtl", "model", "both")
    )
    assert max(rtl, model) < both <= rtl + model
    assert simulate_work(network, Traffic(), engine="rtl", times=50).seconds > rtl


def test_a_million_routers_are_beyond_the_limit():
    network = Network.from_word("hypercube:n=20")
    assert simulate_work(network, Traffic(), engine="rtl").seconds > DEFAULT_SECONDS
    assert simulate_work(network, Traffic(), engine="model").memory > 4e9


def sweep_seconds(rates=(0.1, 0.2), **settings) -> float:
    entries, traffic = split_nets(["hypercube:n=4"])
    return sweep_work(LoadSweep(entries, traffic, rates=rates, **settings)).seconds


def test_more_points_and_the_verilog_take_longer():
    few, many = sweep_seconds(), sweep_seconds([rate / 1000 for rate in range(1, 900)])
    assert few < many < DEFAULT_SECONDS
    assert sweep_seconds(engine="rtl") > few
    assert sweep_seconds(rates=None) > few
    assert sweep_seconds(rtl_rates=(0.1,)) > few
