"""Pages and papers: facts and numbers of the guides, the tutorial, the list of changes."""

import json
import re
from itertools import pairwise

import pytest
from helpers.pages import ROOT, Page
from knotwork import Moebius, Network
from knotwork.cli.main import run
from knotwork.emit.manifest import manifest
from knotwork.version import RELEASE

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


CHANGES = Page("CHANGELOG.md").text


def _next(release):
    """Release that follows with the next feature."""
    major, minor, _ = release.split(".")
    return f"{major}.{int(minor) + 1}.0"


def test_versions_and_names_of_the_list_of_changes_are_there():
    unreleased, newest, *older = re.findall(r"^## \[(.*)\](.*)$", CHANGES, re.MULTILINE)
    assert unreleased == ("Unreleased", "")
    assert RELEASE in (newest[0], f"{_next(newest[0])}.dev0")
    assert re.fullmatch(r" - \d{4}-\d\d-\d\d", newest[1])
    assert [name for name, _ in older] == ["0.1.0"]
    cited = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited == [newest[0]]
    note = CHANGES.partition("### Migration from 0.1\n")[2].partition("\n### ")[0]
    network = Network(Moebius(n=3), data_width=16)
    assert f"`{network.name}`" in note
    facts = manifest(network)
    for name in re.findall(r"`((?:clock|reset)\.\w+)`", note):
        first, second = name.split(".")
        assert facts[first][second] in {"clk", "rst"}
    for key, value in re.findall(r"`(virtual_channels|allow_deadlock)=(\d|False)`", note):
        assert str(getattr(network.hardware, key)) == value
    assert Network(Moebius(n=3), pipeline=2, virtual_channels=2).has_credits


TUTORIAL = Page("hdl/docs/tutorial.md")
BLOCKS = TUTORIAL.blocks
SHOWN = [
    pytest.param(session, text, marks=pytest.mark.slow if command.is_slow else (), id=str(session))
    for session, text in pairwise(BLOCKS)
    if (session.language, text.language) == ("sh", "text")
    for command in session.commands[-1:]
]


def lines(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def printed(command, folder, monkeypatch, capsys):
    """Lines that a command prints on a terminal of 80 columns."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    assert run(command.words[1:]) == command.status
    return lines(capsys.readouterr().out)


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("session", "text"), SHOWN)
def test_what_is_shown_is_what_is_printed(session, text, tmp_path, monkeypatch, capsys):
    assert printed(session.commands[-1], tmp_path, monkeypatch, capsys) == lines(text.text)


def test_the_tutorial_is_short_and_has_one_network():
    assert len(SHOWN) == len(TUTORIAL.of("text")) == 3
    assert len(TUTORIAL.text.splitlines()) <= 150
    nets = re.findall(r"(moebius n=2[^\n]*?buffer_depth=2)", TUTORIAL.text)
    assert len(nets) == 8
    assert len(set(nets)) == 1


CITED = {  # typed from the papers themselves
    "... connected cycles": (["Liu Zhiyong", "Liu Qun", "Zhang Xiang"], 1995),
    "möbius cubes": (["David Kocík"], 2016),
    "common ancestor networks": (["Isaac D. Scherson", "Chi-Kai Chien"], None),
    "complete recursive network": (
        ["Jywe-Fei Fang", "Wen-Yew Liang", "Hong-Ren Chen", "Ka-Lok Ng"],
        2007,
    ),
    "torus connected petersen graph": (["Liu You-yao", "Han Jun-gang"], 2008),
}


def citations() -> list[tuple[str, list[set[str]], int | None]]:
    """Title, words of each author's name, and year if any, of each reference in CITATION.cff."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8").partition("references:\n")[2]
    found = []
    for entry in re.split(r"^  - type: ", text, flags=re.MULTILINE)[1:]:
        title = re.search(r"title:(?: >-)?\s+(.+)", entry)
        year = re.search(r"^    year: (\d{4})$", entry, re.MULTILINE)
        names = re.findall(r"family-names: (.+)\n\s+given-names: (.+)", entry)
        assert title, entry
        authors = [set(" ".join(name).split()) for name in names]
        found.append((title[1].lower(), authors, int(year[1]) if year else None))
    return found


@pytest.mark.parametrize("title", CITED)
def test_each_paper_is_cited_with_all_of_its_authors(title):
    authors, year = CITED[title]
    cited = [each for each in citations() if title in each[0] and each[2] == year]
    assert [each[1] for each in cited] == [[set(name.split()) for name in authors]]


@pytest.mark.parametrize("title", CITED)
def test_the_networks_page_names_the_authors(title):
    page = (ROOT / "hdl/docs/networks.md").read_text(encoding="utf-8")
    words = " ".join(page.partition("## Sources")[2].split())
    assert [name for name in CITED[title][0] if name not in words] == []
