import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from helpers.adder import ADDER, PORTS
from knotwork import Hypercube, Mesh, Network
from knotwork.tools import FailedRunError
from quality.benchmarks import components, hardware, shares
from quality.benchmarks.cases import CASES, NETWORK
from quality.benchmarks.hardware import (
    count,
    measured_kind,
    measured_module,
    network_fmax,
    router_cost,
)
from quality.benchmarks.wrapped_router import pins, placed, registered


def test_the_largest_router_is_one_in_the_middle():
    kind = measured_kind(Network(Mesh(x=4, y=4)))
    assert len(kind.ports) == 5
    assert len(measured_kind(Network(Hypercube(n=3))).ports) == 4


def test_what_stands_beside_the_routers_is_measured_by_its_role():
    network = Network.from_word("kyklos:k=2,levels=2")
    name, verilog, address = measured_module(network, "chooser")
    assert (name, address) == (network.module_name("chooser"), 3)
    assert {"address", "sent_kind", "i1_back"} <= {pin.name for pin in pins(verilog, name)}
    name, _, _ = measured_module(network, "router_level0")
    assert name == measured_kind(network, "router_level0").name


def test_a_network_is_measured_whole_by_its_role(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    network = Network.from_word("petersen")
    name, verilog, _ = measured_module(network, NETWORK)
    assert name == network.name
    assert {"s_axis_0_tdata", "m_axis_9_tvalid"} <= {pin.name for pin in pins(verilog, name)}


def test_what_is_only_counted_is_not_placed(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    case = next(case for case in CASES if case.name == "ccc_n4_lc2_distributed_controller")
    monkeypatch.setitem(hardware.FAMILIES, "ecp5", replace(hardware.FAMILIES["ecp5"], place=()))
    row = hardware.row(case, "ecp5", seeds=10, network_seeds=3)
    assert (row["seeds"], row["fmax_mhz"], row["luteq_per_mhz"]) == (0, None, None)
    assert row["lut4"] > 0


@pytest.mark.parametrize("family", hardware.FAMILIES)
def test_a_register_a_pin_and_the_cells_in_between(monkeypatch, tmp_path, family):
    monkeypatch.chdir(tmp_path)
    inner = placed("adder", PORTS, {"address": 2}, name="placed")
    area = count(ADDER + inner, "placed", family)
    assert area["ff"] == 4
    assert (area["dpr"], area["luteq"]) == (0, area["lut4"])
    assert 3 <= area["lut4"] <= 12
    chained = hardware.FAMILIES[family].chained
    outer = registered("placed", PORTS[1:], name="top", chained=chained)
    whole = count(ADDER + inner + outer, "top", family)
    # Five inputs, four outputs; of a chain four more that fold the outputs.
    assert whole["ff"] == 4 + 5 + 4 + 4 * chained


def test_a_row_has_what_others_read(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        hardware, "frequencies", lambda verilog, family, seeds: [100.0, 120.0, 110.0]
    )
    result = CliRunner().invoke(
        hardware.main, ["petersen_p1", "--seeds", "3", "--family", "ecp5"], catch_exceptions=False
    )
    assert result.exit_code == 0
    (row,) = json.loads((tmp_path / hardware.FILE).read_text())
    assert (row["fmax_mhz"], row["fmax_best_mhz"], row["network_fmax_mhz"]) == (110.0, 120.0, 110.0)
    assert row["luteq"] == row["lut4"] + 6 * row["dpr"]
    assert row["luteq_per_mhz"] == round(row["luteq"] / 110.0, 2)
    assert (row["name"], row["family"], row["clocks_per_hop"]) == ("petersen_p1", "ecp5", 1)
    assert (row["network_share"], row["saturation_1"], row["throughput_per_area_1"]) == (
        1,
        None,
        None,
    )


def test_a_mesh_has_its_throughput_per_area_and_its_bounds(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    cost = {"lut4": 600, "dpr": 0, "ff": 9, "luteq": 600, "fmax_mhz": 200.0, "fmax_best_mhz": 200.0}
    monkeypatch.setattr(hardware, "router_cost", lambda network, family, **keys: cost)
    monkeypatch.setattr(hardware, "network_fmax", lambda network, family, **keys: 180.0)
    fields = {
        f"{what}_{length}": figure
        for length in (1, 4)
        for what, figure in (("saturation", 0.3), ("throughput_per_area", 99.5))
    }
    monkeypatch.setattr(hardware, "delivered", lambda net, cost: fields)
    result = CliRunner().invoke(
        hardware.main,
        ["mesh_4x4_depth2_p2", "--seeds", "1", "--family", "ecp5"],
        catch_exceptions=False,
    )
    (row,) = json.loads((tmp_path / hardware.FILE).read_text())
    assert row.items() >= fields.items()
    assert "Delivered throughput per area" in result.output
    assert "at most 611" in result.output
    assert "at least 95" in result.output
    assert "not met" not in result.output


def test_routers_that_have_bounds_are_measured_by_themselves(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        hardware,
        "row",
        lambda case, family, **keys: {
            "name": case.name,
            "family": family,
            **dict.fromkeys(hardware.FIELDS),
        },
    )
    result = CliRunner().invoke(hardware.main, ["--bounded"], catch_exceptions=False)
    assert result.exit_code == 0
    rows = json.loads((tmp_path / hardware.FILE).read_text())
    bounded = {name for bound in hardware.bounds.ROUTERS for name in bound.rows}
    assert {(row["name"], row["family"]) for row in rows} == {
        (name, family) for name in bounded for family in ("ecp5", "ice40")
    }


def test_the_rows_that_others_read_are_there():
    names = {case.name for case in CASES}
    assert names >= {
        *("mesh_4x4_depth2_p1", "mesh_4x4_depth2_p2", "hypercube_n4_p1", "hypercube_n4_p2"),
        "torus_deflection",
    }


@pytest.mark.parametrize("module", [components, hardware, shares])
def test_help_tells_each_name_whole(module):
    words = CliRunner().invoke(module.main, ["--help"]).output.replace(".", "").split()
    assert "[NAME]" in words
    assert {name for name in module.NAMES if f"{name}," in words} == {*module.NAMES[:-1]}
    assert words[-1] == module.NAMES[-1]


def test_a_row_that_is_none_is_refused():
    result = CliRunner().invoke(hardware.main, ["mesh_9x9"])
    assert (result.exit_code, "'mesh_9x9' is not one of" in result.output) == (2, True)


def test_a_tool_that_fails_is_no_lack_of_room(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FailedRunError):
        hardware.frequencies("module top(); nonsense", "ecp5", 1)


@pytest.mark.slow
def test_the_router_of_one_way_rings_is_as_small_as_hoplite_rt_and_faster(monkeypatch, tmp_path):
    """What the README says of it."""
    monkeypatch.chdir(tmp_path)
    (case,) = [case for case in CASES if case.name == "torus_deflection"]
    found = router_cost(Network.from_word(case.net), "ecp5", seeds=3)
    assert found["lut4"] <= 140
    assert found["fmax_mhz"] >= 200


@pytest.mark.slow
def test_a_network_too_large_for_the_part_has_no_frequency(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert network_fmax(Network(Hypercube(n=4)), "ice40", seeds=1) is None
