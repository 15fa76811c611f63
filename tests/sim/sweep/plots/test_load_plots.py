import csv
import dataclasses
import json
from xml.etree import ElementTree as ET

import pytest
from knotwork_sim.check.result import Latency
from knotwork_sim.sweep.load_result import LoadCurve, LoadPoint, LoadResult, Window, table_of
from knotwork_sim.sweep.plots.load_plots import HEADINGS, cells, draw, facts, title, write_sweep
from knotwork_sim.traffic.keys import Traffic


def point(offered, accepted, mean, ci95=0.2):
    latency = Latency(mean=mean, p50=mean, p99=mean, max=mean)
    return LoadPoint(
        offered=offered, accepted=accepted, accepted_ci95=0.01, accepted_least=None,
        latency=latency, latency_ci95=None if mean is None else ci95, saturated=mean is None,
        packets=100, warmup=0,
    )  # fmt: skip


def swept(label, ideal, zero, *points):
    return LoadCurve(
        network=label, label=label, parameters={}, points=points, rtl_points=None,
        ideal_throughput=ideal, zero_load_latency=zero,
    )  # fmt: skip


MESH = swept("mesh:x=8,y=8", 0.492, 9.3,
             point(0.1, 0.1, 10.0), point(0.3, 0.3, 15.0), point(0.4, 0.38, None))  # fmt: skip
CUBE = swept("hypercube:n=6", 1.0, 6.0, point(0.1, 0.1, 7.0), point(0.4, 0.4, 11.0))
LARGE = swept("big$.toml", None, None, point(0.1, 0.05, None))


def test_a_drawing_is_the_same_each_time_and_names_what_it_shows():
    drawn = draw([MESH, CUBE, LARGE], title="Some title", kind="svg")
    assert drawn == draw([MESH, CUBE, LARGE], title="Some title", kind="svg")
    assert drawn != draw([MESH, CUBE], title="Some title", kind="svg")
    text = drawn.decode()
    for words in ("Some title", "offered load (flits per node per cycle)", "mean latency (cycles)",
                  "mesh:x=8,y=8:  0.300 of 0.492",
                  "hypercube:n=6:  not reached up to 0.4 (ideal: 1.000)",
                  "big$.toml:  below 0.1"):  # fmt: skip
        assert f"<!-- {words}" in text
    ET.fromstring(text)


def test_a_figure_without_saturation_marks_none():
    assert "<!-- to saturation -->" in draw([MESH, CUBE], title="", kind="svg").decode()
    assert "<!-- to saturation -->" not in draw([CUBE], title="", kind="svg").decode()


def test_the_ideal_is_explained_where_the_figure_reaches_it():
    reached = dataclasses.replace(MESH, ideal_throughput=0.35)
    assert "<!-- ideal throughput -->" in draw([reached], title="", kind="svg").decode()
    assert "<!-- ideal throughput -->" not in draw([MESH], title="", kind="svg").decode()


def test_facts_tell_where_saturation_was_not_reached():
    assert facts(MESH)[1] == (
        "saturation throughput: 0.300 flits/node/cycle, accepted at overload: 0.380"
    )
    assert facts(CUBE) == [
        "zero load latency: 6 cycles",
        "saturation throughput: not reached up to 0.4 flits/node/cycle",
        "ideal throughput: 1.000 flits/node/cycle",
    ]
    ends = [line.rpartition(" ")[2] for line in facts(LARGE)]
    assert ends == ["unknown", "0.050", "unknown"]


@pytest.mark.parametrize("sweeps", [[LARGE], [CUBE], [MESH] * 12])
def test_few_and_many_networks_can_be_drawn(sweeps):
    assert draw(sweeps, title="", kind="png").startswith(b"\x89PNG")


def test_a_title_tells_the_traffic():
    assert title(Traffic(length=(4, 4)), "model") == "Uniform traffic, packets of 4 flits"
    assert title(Traffic(), "model") == "Uniform traffic, packets of 1 flit"
    drawn = Traffic(traffic="permutation", permutation="random", length=(1, 8))
    assert title(drawn, "model") == "Permutation random traffic, packets of 1 to 8 flits"
    listed = Traffic(traffic="permutation", permutation="1,0", length=(4, 4))
    assert title(listed, "rtl") == (
        "Permutation as listed traffic, packets of 4 flits, measured on the Verilog"
    )


def rows_of(file):
    """Lines of a table without its notes."""
    return [line for line in file.read_text().splitlines() if not line.startswith("#")]


def test_numbers_are_written_beside_the_figure(tmp_path):
    curves, traffic = (MESH, CUBE, LARGE), Traffic(length=(4, 4))
    answer = LoadResult(
        traffic=traffic, engine="model", window=Window(), curves=curves, version="9", command="x"
    )
    files = write_sweep(tmp_path / "a.svg", answer)
    assert [file.name for file in files] == ["a.svg", "a.csv", "a.json"]
    rows = list(csv.DictReader(rows_of(files[1])))
    assert len(rows) == 6
    assert rows[1]["network"] == "mesh:x=8,y=8"
    assert (float(rows[1]["offered"]), float(rows[1]["latency_mean"])) == (0.3, 15.0)
    assert rows[2]["latency_mean"] == rows[2]["latency_p99"] == ""
    whole = json.loads(files[2].read_text())
    assert [curve["saturated_between"] for curve in whole["sweeps"]] == [[0.3, 0.4], None, [0, 0.1]]
    assert whole == json.loads(json.dumps(answer.as_json()))


def test_tables_have_a_cell_a_heading():
    assert {len(row) for row in cells(MESH.points)} == {len(HEADINGS)}
    assert cells(MESH.points)[2][-1] is True
    long = dataclasses.replace(
        MESH.points[0],
        accepted=0.0998765,
        latency=Latency(mean=12.34567, p50=6.5, p99=56.14, max=86),
        latency_ci95=1.5031,
    )
    assert cells([long]) == [[0.1, 0.0999, 0.01, 12.35, 1.5, 6.5, 56.1, 86, False]]


def test_points_of_the_verilog_are_in_table_and_figure():
    beside = dataclasses.replace(MESH, rtl_points=MESH.points[:1])
    rows = list(csv.DictReader(table_of([beside], "model").csv().splitlines()))
    assert [row["engine"] for row in rows] == ["model"] * 3 + ["rtl"]
    rows = list(csv.DictReader(table_of([MESH], "rtl").csv().splitlines()))
    assert [row["engine"] for row in rows] == ["rtl"] * 3
    plain, ringed = (draw([each], title="Title", kind="svg").decode() for each in (MESH, beside))
    assert plain.count("<path") < ringed.count("<path")
