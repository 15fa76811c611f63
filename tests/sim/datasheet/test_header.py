import re

from helpers.pages import ROOT
from knotwork import Network
from knotwork.topology import TOPOLOGIES
from knotwork_sim.datasheet.header import PAPERS, errata, header, misprints


def test_misprints_are_those_of_the_page():
    text = (ROOT / "hdl/docs/errata.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in re.findall(r"^\| [A-Z]\d+ .*$", text, re.M)]
    assert misprints() == [row[:4] for row in rows]


def test_each_paper_is_of_known_networks():
    assert {letter for letter, *_ in misprints() for letter in letter[0]} == set(PAPERS)
    assert {name for _, names in PAPERS.values() for name in names} <= set(TOPOLOGIES)
    assert errata("hypercube") is None
    found = errata("moebius")
    assert found is not None
    assert len(found["rows"]) == 23


def test_a_head_tells_the_source():
    head = header(Network.from_words(["ccc", "n=3"]), "ccc n=3")
    assert "Preparata" in head["references"]
    assert head["command"] == "knotwork networks ccc"
    assert "2^n" in head["elsewhere"]
