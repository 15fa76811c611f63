"""The five papers: their authors and years, wherever the project cites them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAPERS = {  # typed from the papers themselves
    "cube connected cycles": (["Liu Zhiyong", "Liu Qun", "Zhang Xiang"], 1995),
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


@pytest.mark.parametrize("title", PAPERS)
def test_each_paper_is_cited_with_all_of_its_authors(title):
    authors, year = PAPERS[title]
    cited = [each for each in citations() if title in each[0] and each[2] == year]
    assert [each[1] for each in cited] == [[set(name.split()) for name in authors]]


@pytest.mark.parametrize("title", PAPERS)
def test_the_networks_page_names_the_authors(title):
    page = (ROOT / "hdl/docs/networks.md").read_text(encoding="utf-8")
    words = " ".join(page.partition("## Sources")[2].split())
    assert [name for name in PAPERS[title][0] if name not in words] == []
