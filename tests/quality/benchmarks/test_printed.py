import re

import pytest
from quality.benchmarks import components, printed
from quality.benchmarks.cases import CASES
from quality.benchmarks.collective_costs import HEAD
from quality.benchmarks.cost_errors import HELD_OUT
from quality.benchmarks.hardware import FAMILIES
from quality.benchmarks.page_tables import COLUMNS, PRINTED, Sentence, Table
from quality.benchmarks.printed import ROOT, kept_answers
from quality.benchmarks.saturation import LENGTHS, kept_saturations, under_load

PAGES = {path: path.read_text() for path in [ROOT / "README.md", *ROOT.glob("*/docs/*.md")]}
TABLES = [each for each in (*PRINTED, *components.TABLES) if isinstance(each, Table)]


@pytest.mark.parametrize("module", [printed, components])
def test_pages_print_what_was_measured(module):
    found = module.pages(module.kept_answers())
    assert [path.name for path, text in found.items() if path.read_text() != text] == []


def test_no_page_has_a_figure_of_its_own():
    heads = {each.head for each in TABLES}
    patterns = [each.pattern[:15] for each in PRINTED if isinstance(each, Sentence)]
    for path, text in PAGES.items():
        for head in re.findall(r"^\|.*(?:LUT4|Fmax) \|.*\n\|[-|]+\|\n", text, re.MULTILINE):
            # Two tables have tests of their own, which compare them.
            known = head in heads or head.startswith((f"{HELD_OUT}\n", f"{HEAD}\n"))
            assert known, f"{path.name}: {head}"
        for figure in re.findall(r"takes \d+ LUT4s", text):
            assert any(re.match(pattern, figure) for pattern in patterns), path.name


def test_each_answer_is_of_its_case():
    cases = {case.name: case for case in CASES}
    kept = kept_answers()
    assert {(name, family) for name in kept for family in kept[name]} == printed.needed()
    for name, answers in kept.items():
        for family, answer in answers.items():
            assert answer["network"] == cases[name].net
            assert family in cases[name].families
            assert answer["seeds"] == str(cases[name].seeds * cases[name].placed)
            assert bool(answer["fmax_mhz"]) == cases[name].placed
            luts_per_ram = FAMILIES[family].ram_luts
            assert int(answer["luteq"]) == int(answer["lut4"]) + luts_per_ram * int(answer["dpr"])


def test_what_meshes_deliver_is_of_the_kept_saturations():
    saturations, meshes = kept_saturations(), 0
    for name, families in kept_answers().items():
        for answer in families.values():
            mesh = under_load(answer["network"])
            meshes += mesh is not None
            for length in LENGTHS:
                want = ["", ""]
                if mesh is not None:
                    flits = saturations[mesh, length].offered
                    found = 1000 * flits * float(answer["fmax_mhz"]) / float(answer["luteq"])
                    want = [str(flits), f"{found:.1f}"]
                fields = ("saturation", "throughput_per_area")
                assert [answer[f"{what}_{length}"] for what in fields] == want, name
    assert meshes


ROW = {"name": "ccc_n4_lc2", "network": "ccc:n=4,routing=lc2", "family": "ecp5", "lut4": 135}
ROW |= {"dpr": 0, "ff": 5, "luteq": 135, "fmax_mhz": 230.4, "seeds": 10, "more": 1}


def test_answers_that_pages_print_are_kept_over_those_of_the_same_name(monkeypatch, tmp_path):
    monkeypatch.setattr(printed, "ANSWERS", tmp_path / "hardware.csv")
    printed.keep([ROW, ROW | {"family": "ice40", "lut4": 1234}, ROW | {"name": "petersen_p2"}])
    printed.keep([ROW | {"lut4": 140}])
    kept = kept_answers()
    assert kept.keys() == {"ccc_n4_lc2"}  # no page prints the other
    answers = kept["ccc_n4_lc2"]
    found = {family: answer["lut4"] for family, answer in answers.items()}
    assert found == {"ecp5": "140", "ice40": "1234"}
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
