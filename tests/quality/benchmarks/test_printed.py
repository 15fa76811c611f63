import re

import pytest
from knotwork.network import Network
from quality.benchmarks import printed
from quality.benchmarks.cases import CASES
from quality.benchmarks.hardware import SEEDS
from quality.benchmarks.printed import PRINTED, ROOT, Sentence, Table, kept_answers, pages

PAGES = [ROOT / "README.md", *ROOT.glob("*/docs/*.md")]


def test_pages_print_what_was_measured():
    changed = [path for path, text in pages(kept_answers()).items() if path.read_text() != text]
    assert [path.name for path in changed] == []


def test_no_page_has_a_table_of_cost_of_its_own():
    heads = {each.head for each in PRINTED if isinstance(each, Table)}
    for path in PAGES:
        for head in re.findall(
            r"^\|.*(?:LUT4|Fmax) \|.*\n\|[-|]+\|\n", path.read_text(), re.MULTILINE
        ):
            assert head in heads or path.name in printed.BY_HAND, f"{path.name}: {head}"
    sentences = [each for each in PRINTED if isinstance(each, Sentence)]
    for path in PAGES:
        for figure in re.findall(r"takes \d+ LUT4s", path.read_text()):
            assert any(re.match(each.pattern[:15], figure) for each in sentences), path.name


def test_each_answer_is_of_its_case():
    cases = {case.name: case for case in CASES}
    for name, answer in kept_answers().items():
        assert answer["network"] == cases[name].net
        assert (answer["family"], answer["seeds"]) == ("ecp5", str(SEEDS))
        assert int(answer["luteq"]) == int(answer["lut4"]) + 6 * int(answer["dpr"])
        Network.from_word(answer["network"])


def test_every_router_that_is_printed_is_measured_and_kept():
    needed = {name for each in PRINTED for name in printed._names(each)}
    assert needed <= {case.name for case in CASES}
    assert needed == set(kept_answers())


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
    assert kept_answers().keys() == {"torus_deflection"}
    printed.keep([ROW | {"lut4": 140, "luteq": 140}])
    assert kept_answers()["torus_deflection"]["lut4"] == "140"
    assert path.read_text().count("\n") == 2


def test_a_figure_that_was_not_measured_is_written_anew():
    table = next(each for each in PRINTED if isinstance(each, Table))
    answers = kept_answers()
    right = table.text(answers)
    page = f"before\n\n{right.replace('MHz', 'GHz')}\nafter\n"
    assert table.written(page, answers) == f"before\n\n{right}\nafter\n"
    sentence = Sentence("page", r"takes (\d+) LUTs", "lut4", "torus_deflection")
    assert sentence.written("It takes 7 LUTs.", {"torus_deflection": ROW}) == "It takes 135 LUTs."


@pytest.mark.parametrize("each", PRINTED, ids=lambda each: each.page)
def test_every_table_is_on_its_page(each):
    text = (ROOT / each.page).read_text()
    assert each.written(text, kept_answers()) == text
