import csv

import pytest
from click.testing import CliRunner
from quality.benchmarks import components
from quality.benchmarks.components import COMPONENTS, kept_answers, pages, queue, row


def test_pages_print_what_was_measured():
    assert all(path.read_text() == text for path, text in pages(kept_answers()).items())


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


@pytest.mark.parametrize(
    ("depth", "width", "needs"),
    # A cell is 16 words of 4 bits; two places of 4 bits, and full or empty where they meet.
    [(16, 4, (9, 1)), (16, 5, (9, 2)), (2, 1, (3, 1)), (17, 8, (11, 4))],
)
def test_what_a_queue_needs(depth, width, needs):
    assert queue(depth, width) == needs


def test_wires_alone_need_nothing(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    found = row("axi_lite_to_axi4", COMPONENTS["axi_lite_to_axi4"], 0)
    assert (found["lut4"], found["ff"], found["dpr"], found["fmax_mhz"]) == (0, 0, 0, None)


def test_a_part_is_measured_by_name_and_the_others_are_kept(monkeypatch, tmp_path):
    path = tmp_path / "components.csv"
    path.write_text(components.ANSWERS.read_text())
    monkeypatch.setattr(components, "ANSWERS", path)
    monkeypatch.setattr(components, "pages", lambda answers: {})
    monkeypatch.setattr(
        components,
        "row",
        lambda name, component, seeds: dict.fromkeys(components.FIELDS, 7) | {"name": name},
    )
    result = CliRunner().invoke(components.main, ["axi4_to_apb"], catch_exceptions=False)
    assert result.exit_code == 0
    lines = {line["name"]: line for line in csv.DictReader(path.open())}
    assert lines.keys() == COMPONENTS.keys()
    assert [name for name, line in lines.items() if line["lut4"] == "7"] == ["axi4_to_apb"]
