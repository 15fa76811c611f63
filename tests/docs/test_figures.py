"""The page of figures names every figure and table of the papers, with a command or why not."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "hdl/docs/figures.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))

# Counted in the papers themselves; the paper on cycles has none that can be read.
FIGURES = {
    "Möbius cubes": {
        f"{chapter}.{number}"
        for chapter, most in ((1, 11), (2, 14), (3, 6), (4, 5))
        for number in range(1, most + 1)
    },
    "Cube-connected cycles": set(),
    "Least-common-ancestor networks": set("12345678"),
    "WK-recursive networks": set("123"),
    "Torus-connected Petersen graphs": {*(f"figure {n}" for n in "1234"), "table 1"},
}
NUMBER = r"\d\.\d+|(?:figure|table) \d|(?<![\d.,])\d(?![\d.,])"


def shown(section):
    """Figures that the comments of commands name, before what they say of them."""
    comments = re.findall(r"^knotwork .*?  # (.*)$", SECTIONS[section], re.MULTILINE)
    heads = [re.split(r": |\(", comment)[0] for comment in comments]
    named = [number for head in heads for number in re.findall(r"[\w .]+", head)]
    return {found[0] for each in named if (found := re.findall(NUMBER, each))}


def reasoned(section):
    """Figures of the table of those without a command."""
    rows = re.findall(r"^\| ([^|]*?) \| ([^|]*?) \|$", SECTIONS[section], re.MULTILINE)
    told = {number: why for what, why in rows for number in re.findall(NUMBER, what)}
    assert all(told.values())
    return set(told)


@pytest.mark.parametrize("section", FIGURES)
def test_every_figure_has_a_command_or_a_reason(section):
    assert list(SECTIONS) == list(FIGURES)
    with_command, without = shown(section), reasoned(section)
    if FIGURES[section]:
        assert with_command | without == FIGURES[section]
        assert not with_command & without
    else:
        assert "knotwork" in SECTIONS[section]


def test_a_figure_that_is_left_out_is_missed():
    assert "1.8" in reasoned("Möbius cubes")
    assert {"1.10", "2.2", "2.8", "3.1", "3.2"} <= shown("Möbius cubes")
    assert "2.15" not in shown("Möbius cubes")
