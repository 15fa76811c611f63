from xml.etree import ElementTree as ET

import pytest
from knotwork_boards.report.critical_path import Stretch, clock_words, critical_paths
from knotwork_boards.report.page import page, path_data, paths_section, picture, table


def cells_of(text):
    """Texts of a table's rows."""
    rows = ET.fromstring(text).iter("tr")
    return [[cell.text for cell in row] for row in rows]


def test_a_table_has_numbers_as_people_write_them():
    assert cells_of(table(("part", "cells"), [("a & b", 12345), ("c", 1.26)])) == [
        ["part", "cells"],
        ["a & b", "12,345"],
        ["c", "1.3"],
    ]


def test_a_path_is_a_sentence_and_what_it_passes(owners, report):
    paths = critical_paths(report, owners)
    sentence, rows = paths_section(paths).split("\n", 1)
    assert "Clock clk: from router 0, input dim0 vc0, count to router 1" in sentence
    assert cells_of(rows) == [
        ["passes", "cells", "in cells, ns", "in wires, ns", "sum, ns"],
        ["router 0, input dim0 vc0", "1", "1.2", "2.0", "3.2"],
        ["router 0, output dim0", "1", "0.5", "3.0", "3.5"],
        ["router 1, input dim0 vc0", "1", "0.8", "0.0", "0.8"],
        ["the whole path", "3", "2.5", "5.0", "7.5"],
    ]


def test_a_path_as_data(owners, report):
    (path,) = critical_paths(report, owners)
    data = path_data(path)
    assert data["from"] == "router 0, input dim0 vc0, count"
    assert data["passes"][1] == {
        "place": "router 0, output dim0",
        "cells": 1,
        "cells_ns": 0.5,
        "wires_ns": 3.0,
    }


def test_a_page_escapes_what_it_is_given():
    text = page("a < b", {"Pictures": [picture(b"<svg/>", 'so "called"', "x & y")]})
    assert "<title>a &lt; b</title>" in text
    assert 'alt="so &quot;called&quot;"' in text
    assert "<figcaption>x &amp; y</figcaption>" in text


def test_a_path_is_told_in_words(owners, report):
    (path,) = critical_paths(report, owners)  # those from pins have no clock to meet
    assert path.clock == "clk"
    assert path.words == (
        "from router 0, input dim0 vc0, count to router 1, input dim0 vc0, buffer, full: 7.5 ns, "
        "of it 5.0 in wires"
    )
    assert path.stretches == (
        Stretch("router 0, input dim0 vc0", 1.25, 2.0, 1),
        Stretch("router 0, output dim0", 0.5, 3.0, 1),
        Stretch("router 1, input dim0 vc0", 0.75, 0.0, 1),
    )
    assert path.tiles == ((1, 1), (1, 2), (2, 4))


def test_parts_sum_up_to_the_whole(owners, report):
    (path,) = critical_paths(report, owners)
    assert path.cells + path.wires == sum(
        step["delay"] for step in report["critical_paths"][0]["path"]
    )


@pytest.mark.parametrize("name", ["cd_sync.clk", "$glbnet$cd_sync.clk", "cd_sync.clk_$glb_clk"])
def test_a_clock_has_its_own_name(name):
    assert clock_words(name) == "cd_sync.clk"
