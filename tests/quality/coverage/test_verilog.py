import json

import pytest
from click.testing import CliRunner
from quality.coverage import verilog as verilog_coverage
from quality.coverage.verilog import Point, measure, percent, read_points, shares
from quality.soak.random_networks import Family, families


def line(page, number, count, *, what="block", instance="top"):
    """Line of a coverage file, as Verilator 5 writes it."""
    pairs = {"f": "a.v", "l": number, "n": 3, "page": page, "o": what, "h": instance}
    return "C '" + "".join(f"\x01{k}\x02{v}" for k, v in pairs.items()) + f"' {count}\n"


TEXT = (
    "# SystemC::Coverage-3\n"
    + line("v_line/router", 7, 0, instance="top.a")
    + line("v_line/router", 7, 5, instance="top.b")
    + line("v_line/router", 9, 0)
    + line("v_toggle/router", 2, 3, what="data[0]:0->1")
    + line("v_toggle/router", 2, 0, what="data[0]:1->0")
    + line("v_toggle/testbench", 1, 0, what="clk:0->1")
)


def test_instances_of_a_module_are_added():
    counts = read_points(TEXT)
    assert counts[Point("v_line/router", "a.v", "7", "3", "block")] == 5
    assert counts[Point("v_line/router", "a.v", "9", "3", "block")] == 0
    assert len(counts) == 5


def test_shares_are_by_kind_without_the_testbench():
    told = shares(read_points(TEXT), ["testbench"])
    assert told["line"] == {"points": 2, "reached": 1}
    assert told["toggle"] == {"points": 2, "reached": 1}
    assert told["branch"] == {"points": 0, "reached": 0}
    assert shares(read_points(TEXT))["toggle"] == {"points": 3, "reached": 1}
    assert percent(told["line"]) == "50.0 % of 2"
    assert percent(told["branch"]) == "-"


def test_the_table_names_every_family(monkeypatch, tmp_path):
    def told(family, **_):
        return {"family": str(family), "net": "net", **shares(read_points(TEXT)), "missed": []}

    monkeypatch.setattr(verilog_coverage, "measure", told)
    file = tmp_path / "verilog.json"
    words = ["--only", "mesh", "-o", str(file)]
    done = CliRunner().invoke(verilog_coverage.main, words, standalone_mode=False)
    assert done.exception is None
    names = ["mesh/dimension_order/packet", "mesh/dimension_order/deflection"]
    assert [row["family"] for row in json.loads(file.read_text())] == names
    assert all(name in done.stdout for name in names)


@pytest.mark.parametrize("family", families(), ids=str)
def test_every_family_has_a_network_that_is_small_enough(family, monkeypatch):
    networks = []

    def stop(network, *_, **__):
        networks.append(network)
        raise InterruptedError

    monkeypatch.setattr(verilog_coverage, "draw_traffic", stop)
    with pytest.raises(InterruptedError):
        measure(family, seed=1, flits=300)
    kinds = networks[0].router_kinds
    assert max(len(kind.ports) for kind in kinds) <= verilog_coverage.PORTS


@pytest.mark.slow
def test_a_network_under_traffic_reaches_its_lines():
    told = measure(Family("hypercube", "ecube", "deflection"), seed=1, flits=300)
    assert told["line"]["reached"] > 0.8 * told["line"]["points"] > 0
    assert 0 < told["toggle"]["reached"] < told["toggle"]["points"]
    assert len(told["missed"]) == sum(
        told[kind]["points"] - told[kind]["reached"] for kind in verilog_coverage.KINDS
    )
