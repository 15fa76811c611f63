import re
import sys
from pathlib import Path

import pytest
from knotwork import Moebius, Network
from knotwork.emit import source, verilog
from knotwork_boards import build_plan
from knotwork_boards.build_plan import fingerprint, make_plan
from knotwork_boards.clock import clock_below
from knotwork_boards.table import board_named


def test_no_path_of_this_machine_is_in_the_plan():
    plan = make_plan(Network(Moebius(n=2), data_width=8, buffer_depth=2), board_named("icebreaker"))
    for name, content in plan.files.items():
        text = content if isinstance(content, str) else content.decode()
        for word in (str(Path.cwd()), str(Path.home()), sys.prefix, "site-packages", ".py:"):
            assert word not in text, (name, word)


@pytest.mark.parametrize(("n", "flat"), [(16, True), (17, False)])
def test_each_kind_of_router_of_a_large_network_is_synthesised_once(n, flat):
    network = Network.from_word(
        f"ring:n={n},data_width=16,buffer_depth=2,routing=updown,pipeline=1"
    )
    plan = make_plan(network, board_named("ulx3s_85f"))
    assert ("--router router1" in plan.files["build_top.sh"]) == flat
    script = plan.files["top.ys"].split("\n")
    synthesis = next(line for line in script if "synth_ecp5" in line)
    assert ("-noflatten" in synthesis) != flat
    assert ("flatten" in script) != flat
    assert script[-1] == "write_json top.json"


def test_a_fingerprint_gives_sources_clocks_and_tools_apart(monkeypatch):
    board = board_named("icebreaker")
    network = Network(Moebius(n=2), data_width=8, buffer_depth=2)
    plan, other = make_plan(network, board), make_plan(network.changed(buffer_depth=3), board)
    first = fingerprint(plan, board)
    assert re.fullmatch("[0-9a-f]{16}", first)
    assert first == fingerprint(make_plan(network, board), board)
    assert fingerprint(other, board) != first
    assert fingerprint(make_plan(network, board, clock_below(board, 20)), board) != first
    monkeypatch.setattr(build_plan, "version", lambda package: f"newer {package}")
    assert fingerprint(plan, board) != first


def test_a_fingerprint_is_the_same_in_every_version_that_writes_the_same_hardware(monkeypatch):
    board = board_named("icebreaker")
    found = set()
    for here in ("0.3.0.dev0+0123456789ab", "1.0.0"):
        monkeypatch.setattr(source, "__version__", here)
        verilog._source.cache_clear()
        plan = make_plan(Network(Moebius(n=2), data_width=8, buffer_depth=2), board)
        found.add(fingerprint(plan, board))
    verilog._source.cache_clear()
    assert len(found) == 1
