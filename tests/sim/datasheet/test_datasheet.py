"""Parts of a page, and the page: each is what the commands answer, or says why it is not there."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
from helpers.emitted import lint
from helpers.pages import ROOT
from helpers.pictures import VISIONS, contrast, nearest
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network
from knotwork.drawing.marks import PALETTE
from knotwork.emit.verilog import lint_waivers, network_verilog
from knotwork.errors import ConfigurationError
from knotwork.topology import TOPOLOGIES
from knotwork_sim.datasheet import pictures
from knotwork_sim.datasheet.document import (
    PAPERS,
    SCRIPTS,
    errata,
    header,
    misprints,
    page_file,
    running,
    script_safe,
    write_datasheet,
)
from knotwork_sim.datasheet.pictures import drawing, graph
from knotwork_sim.datasheet.routes import packed
from knotwork_sim.datasheet.tables import (
    Table,
    comparison,
    curve_sweep,
    curves,
    facts,
    group_ports,
    instance,
    node_ports,
    or_reason,
    proofs,
    shared_ports,
)
from knotwork_sim.sweep.workers import OwnProcess


def of(words):
    return Network.from_words(words.split())


def test_points_of_a_curve_are_those_of_the_sweep(answer, monkeypatch):
    monkeypatch.setattr("knotwork_sim.sweep.load.LocalWorkers", lambda _: OwnProcess())
    words = "hypercube n=2"
    (found,) = curves(curve_sweep([of(words)], [words], "0.2:0.4:0.2", 200), "0.2:0.4:0.2")
    points = answer(found["command"].removeprefix("knotwork "))["sweeps"][0]["points"]
    assert found["points"] == [
        [point["offered"], point["accepted"], point["latency"]["mean"], point["saturated"]]
        for point in points
    ]


@pytest.mark.parametrize("words", ["moebius n=3", "lcan d=2 u=2 levels=2", "torus x=2 y=3"])
def test_every_channel_has_its_link_in_the_drawing(words, monkeypatch):
    network = of(words)
    described = graph(network)
    svg = drawing(network, words)["svg"]
    monkeypatch.setattr(pictures, "MOST_ELEMENTS", 0)
    places = drawing(network, words)
    named = {line[0] for line in places["lines"]}
    for router, port, far, far_port in described["links"]:
        first = min((router, port), (far, far_port))
        name = f"link-{first[0]}-{first[1]}"
        assert name in named
        assert f'id="{name}"' in svg
    for router, port, _ in described["attached"]:
        assert f"link-{router}-{port}" in named
    boxes = {box[0] for box in places["boxes"]}
    assert {f"router-{router}" for router in range(network.topology.routers)} <= boxes
    if described["attached"]:
        assert {f"node-{node}" for node in range(network.topology.nodes)} <= boxes
    assert all(line[1].startswith("M") and line[2].startswith("#") for line in places["lines"])


def test_a_head_has_its_source_and_the_misprints_of_the_page_and_a_graph_its_names():
    described = graph(of("hypercube n=2"))
    assert described["nodes"] == ["00", "01", "10", "11"]
    assert described["ports"] == ["local", "dim0", "dim1"]
    assert [0, 1, 1, 1] in described["links"]
    head = header(of("ccc n=3"), "ccc n=3")
    assert "Preparata" in head["references"]
    assert head["command"] == "knotwork networks ccc"
    assert "2^n" in head["elsewhere"]
    text = (ROOT / "hdl/docs/errata.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in re.findall(r"^\| [A-Z]\d+ .*$", text, re.M)]
    assert misprints() == [row[:4] for row in rows]
    assert {letter for letter, *_ in misprints() for letter in letter[0]} == set(PAPERS)
    assert {name for _, names in PAPERS.values() for name in names} <= set(TOPOLOGIES)
    assert errata("hypercube") is None
    assert len(errata("moebius")["rows"]) == 28


@pytest.mark.parametrize(
    ("part", "line"),
    [
        (lambda: drawing(of("hypercube n=12"), "hypercube n=12"), "to be drawn, not 4096"),
        (
            lambda: curve_sweep([of("ring n=4")], ["ring n=4"], "fast"),
            "must be FIRST:LAST:STEP, or",
        ),
        (
            lambda: running(of("hypercube n=3 routing=lc1"), ""),
            "live: hypercube_n3_lc1 must take packets",
        ),
    ],
)
def test_what_a_page_cannot_have_is_refused(part, line):
    with pytest.raises(ConfigurationError, match=line):
        part()


def test_packed_bytes_come_back_and_scripts_are_all_there():
    numbers = np.arange(300, dtype="<u4")
    assert zlib.decompress(base64.b64decode(packed(numbers))) == numbers.tobytes()
    assert len(packed(bytes(100_000))) < 200
    assert len(set(SCRIPTS)) == len(SCRIPTS)
    assert all(page_file(f"scripts/{name}.js").startswith("// ") for name in SCRIPTS)
    assert page_file(f"scripts/{SCRIPTS[-1]}.js").endswith("\nstart();\n")


@pytest.mark.parametrize("vision", VISIONS)
def test_links_of_a_drawing_have_colours_on_dark_paper_that_are_told_apart(vision):
    css = page_file("page.css")
    dark = dict(re.findall(r"--drawn-(\w+): (#\w+);", css))
    assert list(dark) == [colour[1:] for colour in PALETTE]
    assert nearest(list(dark.values()), vision)[0] > 14
    papers = re.findall(r"--paper: (#\w+);", css)
    assert min(contrast(colour, papers[1]) for colour in dark.values()) >= 3


def cells(table):
    return {row[0]: row[1] for row in table["rows"]}


def test_facts_and_proofs_are_those_of_the_commands_and_networks_are_compared(answer):
    of_describe, of_cost, of_check = facts(of("ccc n=3"), "ccc n=3")
    assert cells(of_describe)["links"] == str(answer("describe ccc n=3")["links"])
    assert cells(of_check)["channels"] == str(answer("check ccc n=3")["channels"])
    assert of_describe["command"] == "knotwork describe ccc n=3"
    luteq = answer("describe ccc n=3 --cost")["cost"]["network"]["luteq"]
    assert cells(of_cost)["all routers"].startswith(f"about {luteq:,} LUTeq: ")
    assert of_cost["command"] == "knotwork describe ccc n=3 --cost"
    assert proofs(of("ccc n=2"), "ccc n=2")["command"] == "knotwork verify ccc n=2"
    words = ["hypercube:n=3", "moebius:n=3"]
    networks = [Network.from_word(word) for word in words]
    assert comparison(networks[:1], words[:1]) is None
    table = comparison(networks, words)
    assert table["columns"] == ("fact", "hypercube_n3", "moebius_n3_twist0")
    assert ["diameter", "3", "2"] in table["rows"]


def test_what_cannot_be_estimated_or_checked_and_a_deadlock_are_reported():
    words = "hypercube n=3 routing=lc1 words=2"
    _, of_cost, _ = facts(of(words), words)
    line = "hypercube_n3_lc1_words2: the cost of packets of several words cannot be estimated"
    assert of_cost["reason"] == line
    words = "moebius n=10 routing=approx_spr"
    assert facts(of(words), words)[2]["reason"].startswith("moebius: ")
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    _, of_cost, of_check = facts(network, "ring")
    assert of_cost["reason"].endswith("the cost of rules of your own cannot be estimated")
    assert cells(of_check)["deadlock free"] == "no"
    assert "cycle" in cells(of_check)


def test_cells_are_worded_as_on_the_command_line_and_refusals_give_the_line():
    table = Table.of_facts("Facts", "knotwork x", {"deadlock_free": True, "mean": 2.133333333})
    assert table.rows == [["deadlock free", "yes"], ["mean", "2.13333"]]
    assert table.as_json()["command"] == "knotwork x"
    assert Table.of_rows("T", "", ["a", "b"], [(1, None)]).rows == [["1", "-"]]

    def refuse():
        raise ConfigurationError("routers must be few")

    assert or_reason(refuse) == {"reason": "routers must be few"}
    assert or_reason(lambda: {"a": 1}) == {"a": 1}


COMMAND = "knotwork datasheet </script> -o x.html"


def written():
    words = ["hypercube n=2", "ring n=3"]
    networks = [Network.from_words(word.split()) for word in words]
    return write_datasheet(networks, words, command=COMMAND)


def test_the_page_has_all_of_itself_within_its_data_ends_no_script_and_it_is_the_same_again():
    page = written()
    assert not re.search(r"""(?:src|href)="(?!data:)""", page)
    assert "http" not in re.sub(r"http://www\.w3\.org/\w+/svg|http-equiv", "", page)
    assert "default-src 'none'" in page
    assert "{{" not in page
    for name in SCRIPTS:
        assert page_file(f"scripts/{name}.js") in page
    assert page == written()
    text = re.search(r'<script type="application/json" id="datasheet">(.*?)</script>', page, re.S)
    data = json.loads(text[1])
    assert data["command"] == COMMAND
    assert [one["head"]["name"] for one in data["networks"]] == ["hypercube_n2", "ring_n3"]
    assert data["compare"]["columns"][0] == "fact"
    hostile = "</script><!--\u2028&"
    assert "<" not in script_safe(json.dumps(hostile))
    assert json.loads(script_safe(json.dumps(hostile))) == hostile


def test_ports_are_those_of_the_verilog():
    collectives = "mesh x=4 y=3 collectives=yes groups=all/1,11 collective_watchdog=5"
    for words in (
        *("hypercube n=2 counters=yes", "lcan d=2 u=2 levels=2", "ccc n=2 routing=lc2"),
        *(collectives, "lcan d=2 u=2 levels=2 collectives=yes"),
    ):
        network = Network.from_words(words.split())
        top = re.search(rf"module {network.name} \((.*?)\);", network_verilog(network), re.DOTALL)
        declared = set(re.findall(r"(\w+),?$", top[1], re.MULTILINE))
        named = {port.name for port in shared_ports(network)}
        for node in range(network.topology.nodes):
            named |= {port.name.replace("<i>", str(node)) for port in node_ports(network)}
        for members, ports in group_ports(network):
            named |= {port.name.replace("<i>", str(node)) for node in members for port in ports}
        assert named == declared


@pytest.mark.parametrize(
    "words", ["hypercube n=2", "lcan d=2 u=2 levels=2", "mesh x=2 y=2 collectives=yes groups=all/0"]
)
def test_the_instance_fits(words, tmp_path):
    """Verilator sees every pin, and wires that nothing drives or reads but no other fault."""
    network = Network.from_words(words.split())
    (tmp_path / f"{network.name}.v").write_text(network_verilog(network))
    (tmp_path / "waivers.vlt").write_text(lint_waivers(network))
    board = tmp_path / "board.v"
    text = f"module board ();\n{instance(network)}\nendmodule\n"
    free = "/* verilator lint_off UNDRIVEN */\n/* verilator lint_off UNUSEDSIGNAL */\n"
    board.write_text(free + text)
    options = [str(tmp_path / f"{network.name}.v")]
    assert lint(board, tmp_path / "waivers.vlt", top="board", options=options) == ""
    board.write_text(free + text.replace(".refused_1(refused_1),", "", 1))
    assert "PINMISSING" in lint(board, tmp_path / "waivers.vlt", top="board", options=options)
