import re

import pytest
from knotwork.network import Network
from quality.benchmarks import components, printed
from quality.benchmarks.cases import CASES
from quality.benchmarks.cost_errors import HELD_OUT
from quality.benchmarks.hardware import FAMILIES
from quality.benchmarks.page_tables import COLUMNS, PRINTED, Sentence, Table
from quality.benchmarks.printed import ROOT, kept_answers, pages
from quality.benchmarks.saturation import LENGTHS, kept_saturations, under_load

PAGES = [ROOT / "README.md", *ROOT.glob("*/docs/*.md")]


def test_pages_print_what_was_measured():
    changed = [path for path, text in pages(kept_answers()).items() if path.read_text() != text]
    assert [path.name for path in changed] == []


def test_no_page_has_a_table_of_cost_of_its_own():
    heads = {each.head for each in (*PRINTED, *components.TABLES) if isinstance(each, Table)}
    for path in PAGES:
        for head in re.findall(
            r"^\|.*(?:LUT4|Fmax) \|.*\n\|[-|]+\|\n", path.read_text(), re.MULTILINE
        ):
            known = head in heads or head.startswith(f"{HELD_OUT}\n")  # its own test compares it
            assert known, f"{path.name}: {head}"
    sentences = [each for each in PRINTED if isinstance(each, Sentence)]
    for path in PAGES:
        for figure in re.findall(r"takes \d+ LUT4s", path.read_text()):
            assert any(re.match(each.pattern[:15], figure) for each in sentences), path.name


def test_each_answer_is_of_its_case():
    cases = {case.name: case for case in CASES}
    for name, answers in kept_answers().items():
        for family, answer in answers.items():
            assert answer["network"] == cases[name].net
            assert family in cases[name].families
            assert answer["seeds"] == str(cases[name].seeds * cases[name].placed)
            assert bool(answer["fmax_mhz"]) == cases[name].placed
            luts_per_ram = FAMILIES[family].ram_luts
            assert int(answer["luteq"]) == int(answer["lut4"]) + luts_per_ram * int(answer["dpr"])
            Network.from_word(answer["network"])


def test_what_meshes_deliver_is_of_the_kept_saturations():
    saturations, meshes = kept_saturations(), 0
    for name, families in kept_answers().items():
        for answer in families.values():
            mesh = under_load(answer["network"])
            meshes += mesh is not None
            for length in LENGTHS:
                flits = mesh and saturations[mesh, length].accepted
                told = [
                    answer[f"{what}_{length}"] for what in ("saturation", "throughput_per_area")
                ]
                if flits is None:
                    assert told == ["", ""], name
                else:
                    found = 1000 * flits * float(answer["fmax_mhz"]) / float(answer["luteq"])
                    assert told == [str(flits), f"{found:.1f}"], name
    assert meshes


def test_every_router_that_is_printed_is_measured_and_kept():
    kept = {(name, family) for name, answers in kept_answers().items() for family in answers}
    assert kept == printed.needed()
    assert kept <= {(case.name, family) for case in CASES for family in case.families}


ROW = {
    "name": "torus_deflection",
    "network": "torus:x=4,y=4",
    "family": "ecp5",
    "lut4": 135,
    "dpr": 0,
    "ff": 5,
    "luteq": 135,
    "fmax_mhz": 230.4,
    "seeds": 10,
    "more": 1,
}


def test_answers_are_kept_over_those_of_the_same_name(monkeypatch, tmp_path):
    path = tmp_path / "hardware.csv"
    monkeypatch.setattr(printed, "ANSWERS", path)
    printed.keep([ROW, ROW | {"family": "ice40", "lut4": 1}, ROW | {"name": "petersen_p1"}])
    assert {name: answers.keys() for name, answers in kept_answers().items()} == {
        "torus_deflection": {"ecp5"}
    }
    printed.keep([ROW | {"lut4": 140, "luteq": 140}])
    assert kept_answers()["torus_deflection"]["ecp5"]["lut4"] == "140"
    assert path.read_text().count("\n") == 2


def test_both_families_of_a_router_are_kept_where_a_page_prints_both(monkeypatch, tmp_path):
    monkeypatch.setattr(printed, "ANSWERS", tmp_path / "hardware.csv")
    row = ROW | {"name": "ccc_n4_lc2", "network": "ccc:n=4,routing=lc2"}
    printed.keep([row, row | {"family": "ice40", "lut4": 1234}])
    answers = kept_answers()["ccc_n4_lc2"]
    assert {family: answer["lut4"] for family, answer in answers.items()} == {
        "ecp5": "135",
        "ice40": "1234",
    }
    assert COLUMNS["LUT4 (iCE40)"](answers) == "1,234"
    # 5 · 2^y beats of one word, 2^y = 4 nodes on each ring of n = 4
    assert COLUMNS["cycles per batch"](answers) == "20"


def test_a_figure_that_was_not_measured_is_written_anew():
    table = next(each for each in PRINTED if isinstance(each, Table))
    answers = kept_answers()
    right = table.text(answers)
    page = f"before\n\n{right.replace('MHz', 'GHz')}\nafter\n"
    assert table.written(page, answers) == f"before\n\n{right}\nafter\n"
    sentence = Sentence("page", r"takes (\d+) LUTs", "lut4", "torus_deflection")
    answers = {"torus_deflection": {"ecp5": ROW}}
    assert sentence.written("It takes 7 LUTs.", answers) == "It takes 135 LUTs."


@pytest.mark.parametrize("each", PRINTED, ids=lambda each: each.page)
def test_every_table_is_on_its_page(each):
    text = (ROOT / each.page).read_text()
    assert each.written(text, kept_answers()) == text
