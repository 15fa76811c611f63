import os
import time

import pytest
from knotwork.estimates.work import DEFAULT_SECONDS
from knotwork.network import Network
from knotwork.routing.compiled.native_loop import NativeLoop
from knotwork_sim.check.compilation_time import driver_seconds, note_driver_seconds
from knotwork_sim.estimates import noting_sweep, simulate_work, sweep_work
from knotwork_sim.sweep import load
from knotwork_sim.sweep.load import LoadSweep, split_nets
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.traffic.keys import Traffic


@pytest.fixture(autouse=True)
def _no_record(monkeypatch, tmp_path):
    """The record of what this machine did is empty."""
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))


@pytest.fixture(autouse=True)
def set_cold(monkeypatch):
    """Sets whether nothing that Numba compiled is on disk; all of it is at first."""

    def set_cold(cold):
        monkeypatch.setattr(NativeLoop, "is_compiled", not cold)

    set_cold(cold=False)
    return set_cold


@pytest.mark.parametrize(
    ("net", "packets", "engine", "seconds"),  # of a core, measured: the whole command
    [
        ("hypercube:n=8", 100_000, "model", 1.5),
        ("hypercube:n=12", 400_000, "model", 6.6),
        ("torus:x=8,y=8,router=deflection", 20_000, "model", 0.6),
        ("hypercube:n=2", 1000, "rtl", 2.5),
        ("mesh:x=8,y=8", 20_000, "rtl", 12.0),
    ],
)
def test_estimates_are_within_a_factor_of_three_of_what_was_measured(net, packets, engine, seconds):
    work = simulate_work(Network.from_word(net), Traffic(packets=packets), engine=engine)
    assert 1 / 3 < work.seconds / seconds < 3


def test_a_compilation_is_estimated_by_those_that_were_before():
    network = Network.from_word("hypercube:n=4")
    first = simulate_work(network, Traffic(), engine="rtl").seconds
    note_driver_seconds(network, 3 * driver_seconds(network))
    again = simulate_work(network, Traffic(), engine="rtl").seconds
    assert again - first == pytest.approx(2 * driver_seconds(network))
    in_cocotb = simulate_work(network, Traffic(), engine="rtl", in_cocotb=True)
    assert in_cocotb.seconds > first


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


@pytest.mark.parametrize(
    ("net", "seconds"),  # of a core, measured with an empty cache folder: the whole command
    [
        ("hypercube:n=3", 11.4),
        ("hypercube:n=2,pipeline=2", 10.6),
        ("hypercube:n=2,router=deflection", 5.1),
    ],
)
def test_the_first_run_of_all_is_estimated_with_its_compilation(net, seconds, set_cold):
    network = Network.from_word(net)
    warm = simulate_work(network, Traffic(), engine="model").seconds
    set_cold(cold=True)
    work = simulate_work(network, Traffic(), engine="model")
    assert 2 / 3 < work.seconds / seconds < 3 / 2
    assert warm < 5


@pytest.mark.parametrize(
    ("net", "rate", "measure", "seconds"),  # of a core, measured: one point
    [
        ("mesh:x=60,y=60", 0.01, 500, 0.2),
        ("mesh:x=60,y=60", 0.2, 500, 1.4),
        ("hypercube:n=6", 0.4, 2000, 0.04),
    ],
)
def test_a_point_is_estimated_by_its_hops_and_its_load(net, rate, measure, seconds, monkeypatch):
    monkeypatch.setattr(load, "channel_load", lambda network, traffic: None)  # not of the point
    entries, traffic = split_nets([net])
    window = Window(measure=measure)
    one, more = (
        sweep_work(LoadSweep(entries, traffic, rates=[rate] * points, window=window)).seconds
        for points in (1, 5)
    )
    cores = len(os.sched_getaffinity(0))
    assert 1 / 3 < (more - one) * cores / 4 / seconds < 3


def test_a_sweep_of_ninety_thousand_routers_is_beyond_the_limit(monkeypatch):
    """At two rates above saturation it ran for more than ten minutes."""
    monkeypatch.setattr(LoadSweep, "_require_memory", lambda sweep, rates: None)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    entries, traffic = split_nets(["mesh:x=300,y=300"])
    assert sweep_work(LoadSweep(entries, traffic, rates=(0.02, 0.03))).seconds > DEFAULT_SECONDS


def test_a_sweep_is_estimated_by_what_one_took_here(set_cold, monkeypatch):
    monkeypatch.setattr(LoadSweep, "_require_memory", lambda sweep, rates: None)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})

    def made(measure):
        entries, traffic = split_nets(["hypercube:n=4"])
        return LoadSweep(entries, traffic, rates=(0.1, 0.2), window=Window(measure=measure))

    def seconds(measure):
        return sweep_work(made(measure)).seconds

    one, two = (seconds(measure) for measure in (2_000_000, 4_000_000))
    set_cold(cold=True)
    with noting_sweep(made(2_000_000)):
        pass
    set_cold(cold=False)
    with noting_sweep(made(1000)):  # short
        pass
    assert seconds(2_000_000) == one
    with noting_sweep(made(2_000_000)):
        time.sleep(0.5)
    # As long as it took; the rest of the estimate is as before.
    assert seconds(2_000_000) == pytest.approx(one - (two - one) + 0.5, rel=0.1)
