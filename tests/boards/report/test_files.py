import json
import re
from base64 import b64decode
from xml.etree import ElementTree as ET

import pytest
from helpers.refusals import refuses
from knotwork_boards.flow import build_bitstream
from knotwork_boards.report.critical_path import Stretch, clock_words, critical_paths
from knotwork_boards.report.files import (
    DATA,
    PAGE,
    page,
    path_data,
    paths_section,
    picture,
    report_files,
    require_folder,
    table,
)

FILES = pytest.StashKey[dict]()


@pytest.fixture
def files(network, board, build, resources, request):
    """Files of a report, drawn once."""
    kept = request.config.stash
    if FILES not in kept:
        kept[FILES] = report_files(network, board, build, resources)
    return kept[FILES]


def test_a_report_is_a_page_its_data_and_its_pictures(files):
    assert set(files) == {PAGE, DATA, "floorplan.svg", "routers.svg", "utilization.svg"}
    for name in files:
        if name.endswith(".svg"):
            assert ET.fromstring(files[name]).tag.endswith("svg")


def test_the_page_needs_no_other_file(files):
    page = files[PAGE]
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert [b64decode(picture) for picture in pictures] == [
        files[name] for name in ("floorplan.svg", "routers.svg", "utilization.svg")
    ]
    assert page.count("src=") + page.count("href=") == len(pictures)
    assert "from router 0, input dim0 vc0, count to router 1" in page


def test_the_data_has_what_the_tools_told(files, resources):
    data = json.loads(files[DATA])
    assert data["name"].startswith("hypercube_n1")
    assert data["board"] == "icebreaker"
    assert data["clocks"] == {"clk": {"fmax_mhz": 133.3, "aim_mhz": 12.0}}
    assert data["utilization"] == resources
    (path,) = data["critical_paths"]
    assert (path["ns"], path["wires_ns"], len(path["passes"])) == (7.5, 5.0, 3)
    assert data["parts"] == {
        "router": {"lut": 3, "ff": 1, "block_ram": 1},
        "node interface": {"lut": 1},
        "node test": {"lut": 1},
        "self-test": {"lut": 1, "ff": 1},
    }
    assert data["routers"] == [
        {
            "router": "0",
            "cells": {
                "router": {"lut": 2, "block_ram": 1},
                "node interface": {"lut": 1},
                "node test": {},
            },
        },
        {
            "router": "1",
            "cells": {"router": {"lut": 1, "ff": 1}, "node interface": {}, "node test": {"lut": 1}},
        },
    ]


def test_the_same_build_gives_the_same_bytes(files, network, board, build, resources):
    assert report_files(network, board, build, resources) == files


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for folder in (file, file / "deep"):
        with refuses(f"{folder / PAGE}: the file must be writable: Not a directory"):
            require_folder(folder)
    require_folder(tmp_path / "new" / "deep")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
@pytest.mark.parametrize("board", ["icebreaker", "ulx3s_12f", "tang_nano_9k"], indirect=True)
def test_a_real_build_is_reported_whole(network, board, tmp_path):
    answer = build_bitstream(
        network, board, tmp_path / "out", clock_mhz="board", report=tmp_path / "report"
    )
    assert answer["report"] == str(tmp_path / "report" / PAGE)
    data = json.loads((tmp_path / "report" / DATA).read_text())
    for kind, use in answer["utilization"].items():
        assert sum(part.get(kind, 0) for part in data["parts"].values()) == use["used"]
    for row in data["routers"]:
        assert row["cells"]["router"]["lut"] > 20
        assert row["cells"]["node test"]["lut"] > 20
    worst = min(path["ns"] for path in data["critical_paths"])
    assert worst <= 1000 / answer["fmax_mhz"] + 0.1


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
        ["total", "3", "2.5", "5.0", "7.5"],
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


def test_a_path_is_reported_in_words(owners, report):
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
