"""The page of errata: each row has its test, and each that says so its command."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "hdl/docs/errata.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
FILES = {
    "Cube-connected cycles": "test_ccc.py",
    "Möbius cubes": "test_moebius.py",
    "Least-common-ancestor networks": "test_lcan.py",
    "WK-recursive networks": "test_wk.py",
    "Torus-connected Petersen graphs": "test_tcpg.py",
}


def rows(section):
    """What each row of a section's table is shown by, by its number."""
    cells = [
        line.strip("|").split("|") for line in SECTIONS[section].splitlines() if line[:1] == "|"
    ]
    return {row[0].strip(): row[-1].strip() for row in cells if re.match(r" [A-Z]\d", row[0])}


def numbers_tested(section):
    """Numbers that the tests of a section's file name."""
    tree = ast.parse((Path(__file__).parent / FILES[section]).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {m[1].upper() for name in names if (m := re.match(r"test_([a-z]\d+)_", name))}


def test_every_paper_has_a_section():
    assert list(SECTIONS) == list(FILES)


@pytest.mark.parametrize("section", FILES)
def test_every_row_but_readings_has_a_test_of_its_number(section):
    shown = rows(section)
    assert set(shown.values()) <= {"command", "test", "reading"}
    computed = {number for number, way in shown.items() if way != "reading"}
    assert computed - numbers_tested(section) == set()
    assert numbers_tested(section) - set(shown) <= {"T16", "T20"}  # what the paper has right
    assert len(computed) >= 0.8 * len(shown)


COMMANDS = {
    line.partition("  # ")[2]: line.partition("  # ")[0].removeprefix("knotwork ")
    for line in re.findall(r"^knotwork .*$", PAGE, re.MULTILINE)
}
"""Command lines of the page by their comments."""


def numbers(comment):
    return set(re.findall(r"[A-Z]\d+", comment))


@pytest.mark.parametrize("section", FILES)
def test_rows_with_a_command_stand_in_its_comment(section):
    named = {n for comment in COMMANDS if comment in SECTIONS[section] for n in numbers(comment)}
    assert named == {number for number, way in rows(section).items() if way == "command"}


SHOWN = {
    "C1": lambda told: (told["steps"], told["conflict_free"]) == (20, True),
    "C7": lambda told: told["jump"] == [1, 1, 0, 0],
    "C10": lambda told: (told["order"], told["conflict_free"]) == ("descending", True),
    "M1": lambda told: len(told["path"]) == 3,
    "M11": lambda told: len(told["path"]) == 4,
    "M15": lambda told: told["diameter"] == 5,
    "M16": lambda told: round(told["average_distance"], 5) == 4.00018,
    "M18": lambda told: told["path"] == [4, 0, 2],
    "M20": lambda told: told["deadlock_free"] and told["virtual_channels"] <= 3,
    "M22": lambda told: told["contention_free"],
    "L2": lambda told: (told["nodes"], len(told["level_sizes"])) == (8, 2),
    "L5": lambda told: told["nodes"] == 16,
    "L9": lambda told: told["level_sizes"] == [9, 3, 1],
    "L15": lambda told: len(told["rounds"]) == 2,
    "W1": lambda told: told["arrival"].count(None) == 6 * (told["rule"] == "printed"),
    "W2": lambda told: len(told["path"]) == 2,
    "W3": lambda told: told["steps"] == 6,
    "W5": lambda told: told["steps"] == 7,
    "W13": lambda told: told["degree"] == {"min": 2, "max": 3},
    "T10": lambda told: (told["links"], told["simple_links"]) == (280, 240),
    "T11": lambda told: told["networks"][0]["bisection"] == 120,
    "T12": lambda told: told["networks"][1]["diameter"] == 19,
    "T13": lambda told: told["networks"][2]["bisection"] == 20,
    "T19": lambda told: told["steps"] == 7,
}
"""What the command of a row must answer."""


@pytest.mark.parametrize("comment", [each for each in COMMANDS if "status 2" not in each])
def test_commands_answer_what_the_page_says(answer, tmp_path, monkeypatch, comment):
    for name, text in re.findall(r"^```csv (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    line = COMMANDS[comment]
    told = answer(line if line.endswith("--json") else f"{line} --json")
    assert [number for number in numbers(comment) if not SHOWN[number](told)] == []
