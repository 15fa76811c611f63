import json

import pytest
from click.testing import CliRunner
from quality.coverage import python
from quality.coverage import verilog as verilog_coverage
from quality.coverage.verilog import Point, measure, percent, read_points, shares
from quality.soak.random_networks import Family


def summary(*counts):
    return {"summary": dict(zip(python.FACTS, counts, strict=True))}


def test_files_are_added_by_package(tmp_path, capsys):
    report = {
        "files": {
            "hdl/knotwork/topology/base.py": summary(10, 9, 4, 1),
            "hdl/knotwork/topology/mesh.py": summary(10, 10, 0, 0),
            "sim/knotwork_sim/load.py": summary(5, 0, 0, 0),
        }
    }
    assert python.rows_of(report) == [
        ("knotwork.topology", "95.0 % of 20", "25.0 % of 4"),
        ("knotwork_sim", "0.0 % of 5", "-"),
        ("all", "76.0 % of 25", "25.0 % of 4"),
    ]
    (tmp_path / "python.json").write_text(json.dumps(report))
    python.main(tmp_path / "python.json")
    assert "knotwork.topology" in capsys.readouterr().out


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


def test_instances_of_a_module_are_added_and_shares_are_by_kind():
    counts = read_points(TEXT)
    assert counts[Point("v_line/router", "a.v", "7", "3", "block")] == 5
    assert len(counts) == 5
    found = shares(counts, ["testbench"])
    assert found["line"] == {"points": 2, "reached": 1}
    assert found["toggle"] == {"points": 2, "reached": 1}
    assert shares(counts)["toggle"] == {"points": 3, "reached": 1}
    assert (percent(found["line"]), percent(found["branch"])) == ("50.0 % of 2", "-")


def test_the_table_names_every_family(monkeypatch, tmp_path):
    def row(family, **_):
        return {"family": str(family), "net": "net", **shares(read_points(TEXT)), "missed": []}

    monkeypatch.setattr(verilog_coverage, "measure", row)
    file = tmp_path / "verilog.json"
    words = ["--only", "mesh/dimension", "-o", str(file)]
    done = CliRunner().invoke(verilog_coverage.main, words, standalone_mode=False)
    assert done.exception is None
    names = ["mesh/dimension_order/packet", "mesh/dimension_order/deflection"]
    assert [row["family"] for row in json.loads(file.read_text())] == names
    assert all(name in done.stdout for name in names)


@pytest.mark.slow
def test_a_network_under_traffic_reaches_its_lines():
    found = measure(Family("hypercube", "ecube", "deflection"), seed=1, flits=300)
    assert found["line"]["reached"] > 0.8 * found["line"]["points"] > 0
    assert 0 < found["toggle"]["reached"] < found["toggle"]["points"]
    assert len(found["missed"]) == sum(
        found[kind]["points"] - found[kind]["reached"] for kind in verilog_coverage.KINDS
    )
