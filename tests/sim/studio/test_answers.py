"""What requests name, and what the page shows and hands over for it: the commands' own answers."""

import base64
import io
import json
import zipfile

import pytest
from helpers.refusals import refuses
from helpers.studio import AMPLE
from knotwork import Network
from knotwork.cli.answers.describe import describe_network
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from knotwork_sim.studio import answers
from knotwork_sim.studio.requests import (
    LARGEST,
    LONGEST,
    MOST_WORDS,
    NetworkRequest,
    file_keys,
    form,
    starting_values,
    traffic_file_keys,
)
from knotwork_sim.studio.sweeping import planned, sweep
from knotwork_sim.sweep import load
from knotwork_sim.sweep.load import LoadSweep, run_sweep, split_nets
from knotwork_sim.sweep.load_result import Window
from knotwork_sim.sweep.workers import OwnProcess
from knotwork_soc import System
from knotwork_soc.emit import write_system

SQUARE = {
    "directed": False,
    "nodes": [{"id": str(n)} | ({"nodes": 2} if n == 0 else {}) for n in range(4)],
    "links": [{"source": str(n), "target": str((n + 1) % 4)} for n in range(4)],
}


@pytest.mark.parametrize(
    "words", [["moebius", "n=4", "routing=spr"], ["moebius:n=4", "routing=spr"]]
)
def test_words_name_a_network_as_on_the_command_line(words):
    named = NetworkRequest.of({"words": words})
    assert named.network.name == Network.from_words(words).name
    assert named.words == "moebius n=4 routing=spr"
    assert named.graph is None
    assert named.design.is_plain
    assert not NetworkRequest.of({"words": [*words, "node.width=64"]}).design.is_plain


def test_a_drawn_graph_is_one_of_a_file_and_lies_beside_its_verilog():
    named = NetworkRequest.of({"words": ["graph", "data_width=16"], "graph": SQUARE})
    assert named.words == "graph file=drawn.json data_width=16"
    assert (named.network.topology.routers, named.network.topology.nodes) == (4, 5)
    assert named.graph == SQUARE
    reply = answers.files({"words": ["graph"], "graph": PAIR, "testbench": False}, AMPLE)
    texts = unpacked(reply)
    assert json.loads(texts["graph_drawn/drawn.json"]) == PAIR
    assert not [name for name in texts if "test_" in name]


MOST = f"studio: words must be at most 200 words of at most {LONGEST} characters,"
NO_FILE = "must not be set here: the studio reads no files"


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ({}, "a network must be named: one of hypercube, "),
        ({"words": ["hypercube", "n=99"]}, "hypercube: n must be an integer in 1..20, not 99"),
        ({"words": ["hypercub"]}, "a network must be one of hypercube, "),
        ({"words": "ring n=3"}, "studio: words must be a list of words, not 'ring n=3'"),
        ({"words": ["mesh", 3]}, "studio: words must be a list of words, not ['mesh', 3]"),
        (
            {"words": "ring" * 999},
            "studio: words must be a list of words, not 'ringringring...gringringring'",
        ),
        ({"words": ["mesh"] * (MOST_WORDS + 1)}, f"{MOST} not 201 of at most 4"),
        ({"words": ["hypercube", "n" * LONGEST * 2]}, f"{MOST} not 2 of at most {LONGEST * 2}"),
        ({"words": ["../secret.toml"]}, "studio: a network must be one of hypercube, "),
        ({"words": ["graph", "file=/etc/passwd.json"]}, f"studio: file {NO_FILE}"),
        ({"words": ["graph:file=x.edges"]}, f"studio: file {NO_FILE}"),
        (
            {"words": ["mesh", "x=2", "y=2", "routing=table", "table_file=x.csv"]},
            f"studio: table_file {NO_FILE}",
        ),
        ({"words": ["graph"]}, "graph: file must be given: a file ending in "),
        (
            {"words": ["graph"], "graph": {"nodes": 3, "links": []}},
            "drawn.json: must be an object with the lists nodes and links, not another",
        ),
        (
            {"words": ["graph"], "graph": {"nodes": [{"id": "0"}, {"id": "1"}], "links": []}},
            "drawn.json: router 1 (@1) must be reachable from router 0 (@0), which has no path to "
            "it",
        ),
    ],
)
def test_what_cannot_be_is_refused_as_the_command_line_does(reply, line):
    with pytest.raises(ConfigurationError) as refused:
        NetworkRequest.of(reply)
    assert str(refused.value).startswith(line)


def test_every_key_that_reads_a_file_is_known():
    assert file_keys() == {"file", "table_file", "routing_matrix"}
    assert traffic_file_keys() == {"matrix", "replay"}


@pytest.fixture(scope="module")
def reply():
    return form({})


def test_all_networks_are_there_with_their_routings_and_keys_with_their_ranges(reply):
    assert [network["name"] for network in reply["networks"]] == list(TOPOLOGIES)
    for network in reply["networks"]:
        offered = [routing["name"] for routing in network["routings"]]
        assert set(routings_of(network["name"])) - {"table"} <= set(offered)
        assert "table" not in offered  # which must be given a file
    assert [network["name"] for network in reply["networks"] if network["drawn"]] == ["graph"]
    ring = next(network for network in reply["networks"] if network["name"] == "ring")
    places = ring["routings"][0]["keys"]["packet"]
    keys = {reply["keys"][place]["key"]: reply["keys"][place] for place in places}
    assert (keys["n"]["low"], keys["n"]["high"], keys["n"]["required"]) == (2, 4096, True)
    assert keys["directions"]["words"] == ["two", "one"]
    assert keys["data_width"]["default"] == 32
    assert not {"routing", "router", "table_file"} & set(keys)


@pytest.mark.parametrize("name", [name for name in TOPOLOGIES if name != "graph"])
def test_the_form_begins_with_a_network_that_can_be_built(name):
    words = [f"{key}={value}" for key, value in starting_values(TOPOLOGIES[name]).items()]
    assert Network.from_words([name, *words]).topology.nodes <= LARGEST


RING = {"words": ["ring", "n=3"]}
SMALL = ["hypercube", "n=1", "data_width=8", "buffer_depth=2"]
PAIR = {"nodes": [{"id": "0"}, {"id": "1"}], "links": [{"source": "0", "target": "1"}]}


def unpacked(answer):
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(answer["archive"])))
    assert archive.testzip() is None
    return {name: archive.read(name).decode() for name in archive.namelist()}


def test_facts_are_those_of_describe_and_a_large_network_has_no_drawing():
    reply = answers.facts({"words": ["moebius", "n=4"]}, AMPLE)
    cells = describe_network(System.from_words(["moebius", "n=4"]).network).cells()
    rows = dict(reply["tables"][0]["rows"])
    assert rows["nodes"] == str(cells["nodes"]) == "16"
    _, cost, check = reply["tables"]
    assert cost["command"] == "knotwork describe moebius n=4 --cost"
    assert dict(cost["rows"])["frequency"].startswith("about ")
    assert dict(check["rows"])["deadlock free"] == "yes"
    facts = (reply["name"], reply["words"], reply["drawn"])
    assert facts == ("moebius_n4_twist0", "moebius n=4", True)
    reply = answers.facts({"words": ["hypercube", "n=11"]}, AMPLE)
    assert dict(reply["tables"][0]["rows"])["nodes"] == str(2**11)
    assert reply["undrawn"] == "Networks of up to 1024 routers and nodes are drawn."
    with refuses("draw: hypercube_n11 must have at most 1024 routers and nodes, not 2048"):
        answers.sheet_of({"words": ["hypercube", "n=11"]}, AMPLE)


def test_a_long_check_is_left_to_its_command(monkeypatch):
    monkeypatch.setattr(answers, "CHECK_SECONDS", 0.0)
    reply = answers.facts(RING, AMPLE)["tables"][1]
    assert reply["command"] == "knotwork check ring n=3"
    assert reply["reason"].startswith("The check takes about ")


def test_a_sheet_is_that_of_the_datasheet_and_systems_say_what_is_left_out():
    reply = answers.facts({"words": ["ring", "n=3", "node.width=64"]}, AMPLE)
    assert reply["note"].startswith("The facts, the drawing and the sweep are of the network alone")
    assert answers.facts(RING, AMPLE)["note"] is None
    reply = answers.sheet_of(RING, AMPLE)
    assert reply["drawing"]["command"] == "knotwork draw ring n=3"
    assert len(reply["graph"]["nodes"]) == 3


def test_the_archive_holds_what_generate_writes(tmp_path):
    reply = answers.files({"words": SMALL, "flows": ["litex"]}, AMPLE)
    system = System.from_words(SMALL)
    write_system(system, tmp_path, testbench=True, flows=["litex"])
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert unpacked(reply) == {f"{system.name}/{name}": text for name, text in written.items()}
    assert reply["name"] == f"{system.name}.zip"
    assert reply == answers.files({"words": SMALL, "flows": ["litex"]}, AMPLE)
    assert {"manifest.json", f"{system.name}.core", f"test_{system.name}.py"} <= set(reply["files"])


SWEEP = {"words": ["ring", "n=4"], "rates": "0.1:0.3:0.1", "measure": 200, "traffic": ["seed=3"]}


def test_points_are_those_of_sweep(monkeypatch):
    monkeypatch.setattr(load, "LocalWorkers", lambda _: OwnProcess())
    replies = []
    reply = sweep(SWEEP, AMPLE, lambda so_far: replies.append(dict(so_far)))
    entries, traffic = split_nets(["ring:n=4", "seed=3"])
    loads = LoadSweep(entries, traffic, rates=(0.1, 0.2, 0.3), window=Window(measure=200))
    expected = run_sweep(loads).curves[0]
    assert [point[0] for point in reply["points"]] == [0.1, 0.2, 0.3]
    assert [point[2] for point in reply["points"]] == [p.latency.mean for p in expected.points]
    assert reply["command"] == "knotwork sweep ring n=4 seed=3 --rates 0.1:0.3:0.1 --measure 200"
    assert [each["done"] for each in replies] == [0, 1, 2, 3]
    assert [each["total"] for each in replies] == [3, 3, 3, 3]
    assert replies[-1]["points"] == reply["points"]


def test_without_loads_saturation_is_searched():
    made, command = planned({"words": ["ring", "n=4"]})
    assert made.rates is None
    assert command == "knotwork sweep ring n=4 --measure 2000"


LOOP = ["ring", "n=5", "virtual_channels=1", "routing=dimension_order"]


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ({"words": SMALL, "flows": ["icarus"]}, "generate: --for must be one of fusesoc, "),
        ({"words": LOOP}, "ring_n5_virtual_channels1: routing=dimension_order must be free of dea"),
        ({"words": ["hypercube", "n=8"]}, "generate hypercube_n8 must stay within 1 s, but takes "),
        (SWEEP | {"rates": "fast"}, "sweep: --rates must be FIRST:LAST:STEP, or loads, 0.1 or 0."),
        (SWEEP | {"rates": 0.1}, "sweep: --rates must be FIRST:LAST:STEP, or loads, 0.1 or 0."),
        (SWEEP | {"measure": 99}, "sweep: --measure must be an integer in 100..10000000, not 99"),
        (SWEEP | {"measure": "9"}, "sweep: --measure must be an integer in 100..10000000, not '9'"),
        (SWEEP | {"traffic": ["rate=2"]}, "traffic: rate must be a number in 0.0001..1, not 2"),
        (SWEEP | {"traffic": ["replay=/etc/passwd"]}, f"studio: replay {NO_FILE}"),
        (SWEEP | {"measure": 10_000_000}, "sweep ring n=4 must stay within 1 s, but takes about "),
    ],
)
def test_what_generate_and_sweep_refuse_is_refused(reply, line):
    limit = Limit(1.0, 1e12) if "within 1 s" in line else AMPLE
    with pytest.raises(ConfigurationError) as refused:
        if "rates" in reply:
            sweep(reply, limit, lambda _: None)
        else:
            answers.files(reply, limit)
    assert str(refused.value).startswith(line)
