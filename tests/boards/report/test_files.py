import json
import re
from base64 import b64decode
from xml.etree import ElementTree as ET

import pytest
from helpers.refusals import refuses
from knotwork_boards.flow import build_bitstream
from knotwork_boards.report.files import DATA, PAGE, report_files, require_folder

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
def test_a_real_build_is_told_whole(network, board, tmp_path):
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
