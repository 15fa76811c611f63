import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from helpers.adder import ADDER, PORTS
from knotwork import Hypercube, Network
from knotwork.emit.modules import planned_ports, router_verilog
from knotwork.gateware.wiring_plan import router_module
from knotwork.tools import FailedRunError
from quality.benchmarks import cells, components, hardware
from quality.benchmarks.bounds import ROUTERS
from quality.benchmarks.cases import CASES, NETWORK
from quality.benchmarks.components import COMPONENTS, kept_answers, queue
from quality.benchmarks.hardware import count, measured_kind, measured_module, network_fmax
from quality.benchmarks.wrapped_router import Pin, pins, placed, registered

BY_NAME = {case.name: case for case in CASES}


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def run(module, *words):
    result = CliRunner().invoke(module.main, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_pins_are_those_of_the_module_without_clock_and_reset():
    assert pins(ADDER, "adder") == PORTS
    assert pins(ADDER, "other") == [Pin("input", 1, "x")]
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    kind = network.router_kinds[0]
    found = pins(router_verilog(network, kind), kind.name)
    widths = [{p.name: p.width for p in found if p.way == way} for way in ("input", "output")]
    assert widths == [*planned_ports(network, router_module(network, kind))]


def test_what_is_measured_is_chosen_by_its_role():
    assert len(measured_kind(Network.from_word("mesh:x=3,y=3")).ports) == 5  # in the middle
    network = Network.from_word("kyklos:k=2,levels=2")
    name, verilog, address = measured_module(network, "chooser")
    assert (name, address) == (network.module_name("chooser"), 3)
    assert {"address", "sent_kind", "i1_back"} <= {pin.name for pin in pins(verilog, name)}
    name, _, _ = measured_module(network, "router_level0")
    assert name == measured_kind(network, "router_level0").name
    pair = Network(Hypercube(n=1))
    name, verilog, _ = measured_module(pair, NETWORK)
    assert name == pair.name
    # Data, destination, valid, ready and last to each node and from it, and `refused`.
    assert sum(pin.width for pin in pins(verilog, name)) == 2 * (2 * (32 + 1 + 3) + 1)
    case = BY_NAME["mesh_4x4_collectives"]
    network = Network.from_word(case.net)
    name, verilog, _ = measured_module(network, case.role)
    assert name == network.module_name("collective")
    tree = {(pin.way, pin.name) for pin in pins(verilog, name) if pin.name.endswith("_tdata")}
    ways = (("input", "s"), ("output", "m"))
    assert tree == {(way, f"{end}_axis_{node}_tdata") for way, end in ways for node in range(16)}


@pytest.mark.parametrize("family", hardware.FAMILIES)
def test_a_register_per_pin_and_the_cells_in_between(family):
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


def test_what_is_only_counted_is_not_placed(monkeypatch):
    case = BY_NAME["ccc_n4_lc2_entry_distributed_controller"]
    monkeypatch.setitem(hardware.FAMILIES, "ecp5", replace(hardware.FAMILIES["ecp5"], place=()))
    row = hardware.row(case, "ecp5", seeds=10, network_seeds=3)
    assert (row["seeds"], row["fmax_mhz"], row["luteq_per_mhz"]) == (0, None, None)
    assert row["lut4"] > 0


def test_what_is_no_router_delivers_nothing_for_its_area(monkeypatch):
    cost = {"lut4": 9, "dpr": 0, "ff": 9, "luteq": 9, "fmax_mhz": 200.0, "fmax_best_mhz": 200.0}
    monkeypatch.setattr(hardware, "router_cost", lambda *_, **__: cost)
    monkeypatch.setattr(hardware, "delivered", pytest.fail)
    row = hardware.row(BY_NAME["mesh_4x4_collectives"], "ecp5", seeds=10, network_seeds=3)
    assert {row[field] for field in hardware.FIELDS} == {None}
    assert (row["seeds"], row["luteq_per_mhz"]) == (3, 0.04)


def test_a_row_has_what_others_read(monkeypatch):
    area = {"lut4": 500, "dpr": 10, "ff": 9, "luteq": 560}
    monkeypatch.setattr(hardware, "count", lambda *_: area)
    monkeypatch.setattr(hardware, "frequencies", lambda *_: [100.0, 120.0, 110.0])
    run(hardware, "petersen_p2", "--seeds", "3", "--family", "ecp5")
    (row,) = json.loads(hardware.FILE.read_text())
    assert row.items() >= area.items()
    assert (row["fmax_mhz"], row["fmax_best_mhz"], row["network_fmax_mhz"]) == (110.0, 120.0, 110.0)
    assert (row["luteq_per_mhz"], row["network_share"], row["clocks_per_hop"]) == (5.09, 1, 2)
    assert (row["name"], row["family"], row["saturation_1"]) == ("petersen_p2", "ecp5", None)


def test_a_mesh_has_its_throughput_per_area_and_its_bounds(monkeypatch):
    cost = {"lut4": 600, "dpr": 0, "ff": 9, "luteq": 600, "fmax_mhz": 200.0, "fmax_best_mhz": 200.0}
    fields = dict(zip(hardware.FIELDS, (0.3, 99.5, 0.3, 99.5), strict=True))
    monkeypatch.setattr(hardware, "router_cost", lambda *_, **__: cost)
    monkeypatch.setattr(hardware, "network_fmax", lambda *_, **__: 180.0)
    monkeypatch.setattr(hardware, "delivered", lambda *_: fields)
    output = run(hardware, "mesh_4x4_depth2_p2", "--family", "ecp5")
    (row,) = json.loads(hardware.FILE.read_text())
    assert row.items() >= fields.items()
    told = ("Delivered throughput per area", "at most 640", "at least 95")
    assert all(words in output for words in told)
    assert "not met" not in output


def test_routers_that_have_bounds_are_measured_by_themselves(monkeypatch):
    def row(case, family, **_):
        return {"name": case.name, "family": family, **dict.fromkeys(hardware.FIELDS)}

    monkeypatch.setattr(hardware, "row", row)
    run(hardware, "--bounded")
    measured = {(one["name"], one["family"]) for one in json.loads(hardware.FILE.read_text())}
    bounded = [(bound, BY_NAME[name]) for bound in ROUTERS for name in bound.rows]
    assert measured == {(case.name, family) for _, case in bounded for family in case.families}
    assert all(case.places_network for bound, case in bounded if "network_share" in bound.least)


def test_a_tool_that_fails_is_no_lack_of_room():
    with pytest.raises(FailedRunError):
        hardware.frequencies("module top(); nonsense", "ecp5", 1)


@pytest.mark.slow
def test_the_router_of_one_way_rings_is_as_small_as_hoplite_rt_and_faster():
    """What the README says of it."""
    net = BY_NAME["torus_deflection"].net
    found = hardware.router_cost(Network.from_word(net), "ecp5", seeds=3)
    assert found["lut4"] <= 140
    assert found["fmax_mhz"] >= 200


@pytest.mark.slow
def test_a_network_too_large_for_the_part_has_no_frequency():
    assert network_fmax(Network(Hypercube(n=4)), "ice40", seeds=1) is None


@pytest.mark.parametrize(
    ("depth", "width", "needs"),
    # A cell is 16 words of 4 bits; two places of 4 bits, and full or empty where they meet.
    [(16, 4, (9, 1)), (16, 5, (9, 2)), (2, 1, (3, 1)), (17, 8, (11, 4))],
)
def test_what_a_queue_needs(depth, width, needs):
    assert queue(depth, width) == needs


def test_every_part_is_kept_beside_its_floor():
    answers = kept_answers()
    assert answers.keys() == COMPONENTS.keys()
    for name, answer in answers.items():
        floor = COMPONENTS[name].flip_flops, COMPONENTS[name].ram
        assert (int(answer["floor_ff"]), int(answer["floor_dpr"])) == floor
        # No part can need less than its floor, or the floor is wrong.
        assert int(answer["ff"]) >= floor[0]
        assert int(answer["dpr"]) >= floor[1]
        assert int(answer["luteq"]) == int(answer["lut4"]) + 6 * int(answer["dpr"])


def test_a_part_is_measured_by_name_and_the_others_are_kept(monkeypatch, tmp_path):
    path = tmp_path / "components.csv"
    path.write_text(components.ANSWERS.read_text())
    monkeypatch.setattr(components, "ANSWERS", path)
    monkeypatch.setattr(components, "pages", lambda answers: {})
    before = kept_answers()
    run(components, "axi_lite_to_axi4", "--seeds", "1")  # wires alone, which need nothing
    after = kept_answers()
    changed = after.pop("axi_lite_to_axi4")
    assert [changed[name] for name in ("lut4", "ff", "dpr", "seeds")] == ["0", "0", "0", "1"]
    assert after == {name: before[name] for name in after}


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ([], "ecp5;hypercube:n=1;2 gowin;hypercube:n=1;2 ice40;hypercube:n=1;2"),
        (["--family", "ice40"], "ecp5;hypercube:n=1;7 gowin;hypercube:n=1;7 ice40;hypercube:n=1;2"),
        (
            ["hypercube:n=2", "--family", "ecp5"],
            "ecp5;hypercube:n=1;7 ecp5;hypercube:n=2;4 gowin;hypercube:n=1;7 ice40;hypercube:n=1;7",
        ),
    ],
)
def test_cells_are_measured_anew_or_added(monkeypatch, tmp_path, words, rows):
    monkeypatch.setattr(cells, "ROWS", tmp_path / "cells.csv")
    monkeypatch.setattr(cells, "measured", lambda family: [("hypercube:n=1", 7)])
    monkeypatch.setattr(cells, "count", lambda network, family: network.topology.nodes)
    run(cells, *words)
    assert cells.ROWS.read_text().split() == ["family;network;cells", *rows.split()]
