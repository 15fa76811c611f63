"""What the page shows and hands over: the commands' own answers, and the files of `generate`."""

import base64
import io
import json
import re
import zipfile

import pytest
from helpers.refusals import refuses
from knotwork.cli.answers.describe import describe_network
from knotwork.emit.system import write_system
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit
from knotwork.system import System
from knotwork_sim.studio import answers

AMPLE = Limit(600.0, 8e9)
RING = {"words": ["ring", "n=3"]}
SMALL = ["hypercube", "n=1", "data_width=8", "buffer_depth=2"]
PAIR = {"nodes": [{"id": "0"}, {"id": "1"}], "links": [{"source": "0", "target": "1"}]}


def unpacked(answer):
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(answer["archive"])))
    assert archive.testzip() is None
    return {name: archive.read(name).decode() for name in archive.namelist()}


def test_facts_are_those_of_describe():
    told = answers.facts({"words": ["moebius", "n=4"]}, AMPLE)
    cells = describe_network(System.from_words(["moebius", "n=4"]).network).cells()
    rows = dict(told["tables"][0]["rows"])
    assert rows["nodes"] == str(cells["nodes"]) == "16"
    _, cost, check = told["tables"]
    assert cost["command"] == "knotwork describe moebius n=4 --cost"
    assert dict(cost["rows"])["frequency"].startswith("about ")
    assert dict(check["rows"])["deadlock free"] == "yes"
    facts = (told["name"], told["words"], told["drawn"])
    assert facts == ("moebius_n4_twist0", "moebius n=4", True)


def test_a_large_network_has_facts_and_no_drawing():
    told = answers.facts({"words": ["hypercube", "n=11"]}, AMPLE)
    assert dict(told["tables"][0]["rows"])["nodes"] == str(2**11)
    assert told["undrawn"] == "Networks of up to 1024 routers and nodes are drawn."
    with refuses("draw: hypercube_n11 must have at most 1024 routers and nodes, not 2048"):
        answers.sheet_of({"words": ["hypercube", "n=11"]}, AMPLE)


def test_a_long_check_is_left_to_its_command(monkeypatch):
    monkeypatch.setattr(answers, "CHECK_SECONDS", 0.0)
    told = answers.facts(RING, AMPLE)["tables"][1]
    assert told["command"] == "knotwork check ring n=3"
    assert told["reason"].startswith("The check takes about ")


def test_a_system_says_what_is_left_out():
    told = answers.facts({"words": ["ring", "n=3", "node.width=64"]}, AMPLE)
    assert told["note"].startswith("What is told, drawn and swept is the network alone")
    assert answers.facts(RING, AMPLE)["note"] is None


def test_a_sheet_is_that_of_the_datasheet():
    told = answers.sheet_of(RING, AMPLE)
    assert told["drawing"]["command"] == "knotwork draw ring n=3"
    assert len(told["graph"]["nodes"]) == 3


def test_the_archive_holds_what_generate_writes(tmp_path):
    told = answers.files({"words": SMALL, "flows": ["litex"]}, AMPLE)
    system = System.from_words(SMALL)
    write_system(system, tmp_path, testbench=True, flows=["litex"])
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert unpacked(told) == {f"{system.name}/{name}": text for name, text in written.items()}
    assert told["name"] == f"{system.name}.zip"
    assert told == answers.files({"words": SMALL, "flows": ["litex"]}, AMPLE)
    assert {"manifest.json", f"{system.name}.core", f"test_{system.name}.py"} <= set(told["files"])


def test_a_drawn_graph_lies_beside_its_verilog():
    told = answers.files({"words": ["graph"], "graph": PAIR, "testbench": False}, AMPLE)
    texts = unpacked(told)
    assert json.loads(texts["graph_drawn/drawn.json"]) == PAIR
    assert not [name for name in texts if "test_" in name]


@pytest.mark.parametrize(
    ("words", "limit", "line"),
    [
        (SMALL, AMPLE, "generate: --for must be one of fusesoc, "),
        (
            ["ring", "n=5", "virtual_channels=1", "routing=dimension_order"],
            AMPLE,
            "ring_n5_virtual_channels1: routing=dimension_order must be free of deadlock with ",
        ),
        (
            ["hypercube", "n=8"],
            Limit(1.0, 8e9),
            "generate hypercube_n8 must stay within 1 s, but takes about ",
        ),
    ],
)
def test_what_generate_refuses_is_refused(words, limit, line):
    flows = ["icarus"] if words == SMALL else []
    with pytest.raises(ConfigurationError, match=f"^{re.escape(line)}"):
        answers.files({"words": words, "flows": flows}, limit)
