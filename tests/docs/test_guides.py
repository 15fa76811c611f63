"""The page of each network of the five papers is whole, and its numbers are those of `describe`."""

import json
import re

import pytest
from helpers.pages import ROOT, Page
from knotwork.cli.main import run

PAPERS = {
    "ccc": (["Liu Zhiyong", "Liu Qun", "Zhang Xiang"], "1995"),
    "moebius": (["D. Kocík", "P. Cull", "S. M. Larson"], "2016"),
    "lcan": (["Isaac D. Scherson", "Chi-Kai Chien"], ""),
    "wk": (["Jywe-Fei Fang", "Wen-Yew Liang", "Hong-Ren Chen", "Ka-Lok Ng"], "2007"),
    "tcpg": (["Liu You-yao", "Han Jun-gang"], "2008"),
}
"""Authors and year, typed from the papers; that of `lcan` prints no year."""


def costs(page):
    """Rows of the page's table of costs, by the heads of its columns."""
    table = re.search(r"^\| network \|.*\n\|[-|]+\n((?:\|.*\n)+)", page.text, re.MULTILINE)
    heads = [head.strip() for head in table[0].splitlines()[0].strip("|").split("|")]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table[1].splitlines()]
    return [dict(zip(heads, row, strict=True)) for row in rows]


def estimated(row, capsys):
    """The same row as `describe --cost` tells it."""
    capsys.readouterr()
    assert run(["describe", *row["network"].strip("`").split(), "--cost", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    router, whole = facts["cost"]["router"], facts["cost"]["network"]
    numbers = {
        "nodes": facts["nodes"],
        "links": facts["links"],
        "diameter": facts["diameter"],
        "LUTeq of the largest router": router["luteq"],
        "LUTeq of all": whole["luteq"],
        "MHz": round(router["fmax_mhz"]),
    }
    return {head: row[head] if head == "network" else f"{numbers[head]:,}" for head in row}


@pytest.mark.parametrize("name", PAPERS)
def test_its_numbers_are_those_of_describe(name, capsys):
    rows = costs(Page(f"hdl/docs/{name}.md"))
    assert len(rows) >= 4
    assert [estimated(row, capsys) for row in rows] == rows


def test_a_wrong_number_is_caught(capsys):
    row = costs(Page("hdl/docs/ccc.md"))[0] | {"LUTeq of all": "1"}
    assert estimated(row, capsys) != row


@pytest.mark.parametrize("name", PAPERS)
def test_it_tells_of_paper_picture_corrections_checks_and_keys(name):
    page = Page(f"hdl/docs/{name}.md")
    words = " ".join(page.prose.split())
    authors, year = PAPERS[name]
    assert [each for each in [*authors, year] if each not in words] == []
    assert "](errata.md#" in words
    assert f"tests/errata/test_{name}.py" in page.text
    assert (ROOT / f"tests/errata/test_{name}.py").is_file()
    assert "## Its keys, and what they cost" in page.text
    pictured = "![" in page.text or (name == "moebius" and "![A Möbius" in Page("README.md").text)
    assert pictured
