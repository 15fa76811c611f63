"""The demonstration, with a fake command that answers as the real one promises to."""

import json
import sys
from pathlib import Path

import pytest
from knotwork_boards.demo import BOARD, NETWORK, Demonstration

FAKE = """
import json, pathlib, sys
verb, *words = sys.argv[1:]
if verb == {failing!r}:
    print({printed!r})
    sys.exit("knotwork: error: it must work, not fail")
if verb == "generate":
    folder = pathlib.Path(words[words.index("-o") + 1])
    folder.mkdir(parents=True)
    manifest = dict(network="moebius", parameters=dict(n=3, twist=0), nodes=[{{}}] * 8)
    (folder / "manifest.json").write_text(json.dumps(manifest))
print(json.dumps({{
    "generate": dict(directory="", files=[]),
    "simulate": dict(delivered=5000, lost=0, duplicated=0, misrouted=0, mismatches=0),
    "bitstream": dict(
        board="ulx3s_85f", bitstream="top.bit", fmax_mhz=61.04, clock_mhz=25.0,
        utilization={{
            "TRELLIS_COMB": {{"used": 8364, "available": 83640}},
            "EHXPLLL": {{"used": 0, "available": 4}},
        }},
    ),
}}[verb]))
"""


def demonstration(folder: Path, *, failing: str = "", printed: str = "") -> Demonstration:
    fake = folder / "fake.py"
    fake.write_text(FAKE.format(failing=failing, printed=printed))
    return Demonstration(knotwork=(sys.executable, str(fake)), output=folder / "demo")


def test_table_holds_every_figure(tmp_path, capsys):
    assert demonstration(tmp_path).run() == 0
    out = capsys.readouterr().out
    assert "$ knotwork simulate moebius n=3 data_width=16 rate=0.3 packets=5000 --json" in out
    rows = {cells[1].strip(): cells[2].strip() for cells in map(columns, out.splitlines()) if cells}
    assert rows["network"] == "moebius n=3 twist=0"
    assert rows["nodes"] == "8"
    assert rows["packets delivered"] == "5000"
    assert rows["packets lost"] == rows["packets duplicated"] == "0"
    assert rows["mismatches with the golden model"] == "0"
    assert rows["Fmax"] == "61.0 MHz (clock 25 MHz)"
    assert rows["utilization"] == "TRELLIS_COMB 8364/83640 (10.0%)"
    assert rows["bitstream"] == "top.bit"


def columns(line: str) -> list[str] | None:
    return line.split("│") if line.count("│") == 3 else None


@pytest.mark.parametrize("verb", ["generate", "simulate", "bitstream"])
def test_any_step_that_fails_is_reported_and_fails_the_demonstration(tmp_path, capsys, verb):
    assert demonstration(tmp_path, failing=verb).run() == 1
    out = capsys.readouterr().out
    assert f"{verb} failed with exit status 1:" in out
    assert "knotwork: error: it must work, not fail" in out
    assert "packets delivered" not in out


def test_a_simulation_that_found_faults_still_shows_its_numbers(tmp_path, capsys):
    found = {"delivered": 4999, "lost": 1, "duplicated": 0, "misrouted": 0, "mismatches": 7}
    run = demonstration(tmp_path, failing="simulate", printed=json.dumps(found)).run
    assert run() == 1
    out = capsys.readouterr().out
    assert "4999" in out
    assert "mismatches" in out


def test_an_answer_that_is_not_json_fails(tmp_path):
    fake = tmp_path / "fake.py"
    fake.write_text("print('well')")
    assert Demonstration(knotwork=(sys.executable, str(fake)), output=tmp_path).run() == 1


@pytest.mark.slow
def test_its_clock_is_above_100_mhz(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("bitstream", *NETWORK, "--board", BOARD, "-o", str(tmp_path), "--json")
    made = Demonstration().call(*words)
    assert made.status == 0
    assert made.answer["fmax_mhz"] >= made.answer["clock_mhz"] > 100
