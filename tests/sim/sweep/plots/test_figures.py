import csv
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from helpers.refusals import refuses
from knotwork.errors import ConfigurationError
from knotwork_sim.sweep.growth import GrowthCurve, GrowthPoint, fit_laws
from knotwork_sim.sweep.plots.figures import KINDS, check_figure, check_output, new_figure
from knotwork_sim.sweep.plots.growth_plots import draw, table, write_figure


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.SVG", "a.pdf"])
def test_kinds_of_figures(name):
    assert check_figure(Path(name)) == name[2:].lower()


def test_a_table_is_an_output_where_there_are_tables():
    check_output(Path("a.csv"), tables=True)
    check_output(Path("a.png"), tables=False)
    with pytest.raises(ConfigurationError, match=r"a figure must end in .*, not '.csv'"):
        check_output(Path("a.csv"), tables=False)


@pytest.mark.parametrize(("name", "said"), [("a.eps", "'.eps'"), ("svg", "''")])
def test_other_kinds_are_refused(name, said):
    with refuses(f"{name}: a figure must end in .svg, .png or .pdf, not {said}"):
        check_figure(Path(name))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_drawing_gives_the_same_bytes(kind):
    def drawn():
        with new_figure((2.0, 1.0), kind) as (figure, data):
            figure.add_subplot().plot([0, 1], [1, 0])
        return data.getvalue()

    assert drawn() == drawn() != b""


def test_matplotlib_is_loaded_for_a_drawing_only():
    code = (
        "import sys, knotwork_sim.verbs.sweep\n"
        "from knotwork_sim.sweep.plots import growth_plots, load_plots\n"
        "assert not {'matplotlib', 'amaranth'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def swept(label, sizes, cycles):
    points = tuple(
        GrowthPoint(nodes=n, levels=n.bit_length() - 1, network_cycles=y, ci95=0.1, min=1, max=9,
                    lower_bound=1.0)
        for n, y in zip(sizes, cycles, strict=True)
    )  # fmt: skip
    return GrowthCurve(label, "lcan", {}, points, fit_laws(sizes, cycles))


LOG = swept("lcan d=2, u=2", [8, 16, 32, 64], [9.0, 2.25, 2.75, 3.25])
POWER = swept("lcan d=4, u=2", [16, 64, 256, 1024], [4.0, 8.0, 16.0, 32.0])
STANDALONE = swept("lcan d=3, u=2", [27], [3.0])


def test_a_drawing_is_the_same_each_time_and_names_what_it_shows():
    drawn = draw([LOG, POWER, STANDALONE], title="Some title", kind="svg")
    assert drawn == draw([LOG, POWER, STANDALONE], title="Some title", kind="svg")
    assert drawn != draw([LOG, POWER], title="Some title", kind="svg")
    text = drawn.decode()
    assert ET.fromstring(text).tag.endswith("svg")
    assert "dc:date" not in text
    # Text is drawn as curves; what it says stands before each in a comment.
    for words in ("Some title", "size N (PEs)", "mean duration (network cycles)"):
        assert f"<!-- {words} -->" in text
    log, power = "0.25 + 0.500 log$_2$ N", "1.00 N$^{0.500}$"
    assert f"{LOG.label}:  {log}  (R² 1.0000)" in text
    assert f"{POWER.label}:  {power}  (R² 1.0000)" in text
    assert f"<!-- {STANDALONE.label} -->" in text
    assert "stroke-dasharray" in text


def test_numbers_are_beside_the_figure(tmp_path):
    beside = write_figure(tmp_path / "a.PNG", [LOG, STANDALONE], title="", notes={"command": "x"})
    assert beside == tmp_path / "a.csv"
    rows = list(csv.DictReader(beside.read_text().splitlines()[1:]))
    assert [row["network"] for row in rows] == [LOG.label] * 4 + [STANDALONE.label]
    assert [float(row["network_cycles"]) for row in rows] == [9.0, 2.25, 2.75, 3.25, 3.0]
    assert [int(row["nodes"]) for row in rows] == [8, 16, 32, 64, 27]
    assert "\r" not in table([LOG], {}).csv()
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")


def test_another_suffix_is_refused(tmp_path):
    file = tmp_path / "a.csv"
    with refuses(f"{file}: a figure must end in .svg, .png or .pdf, not '.csv'"):
        write_figure(file, [LOG], title="", notes={})
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_figure_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="the file must be writable"):
        write_figure(tmp_path / "file" / "a.svg", [LOG], title="", notes={})
