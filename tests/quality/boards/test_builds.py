import json
import stat
import sys

import pytest
from knotwork.errors import ConfigurationError
from knotwork_boards.capacity.placed import PLACED, TOO_LARGE, TOO_LATE
from quality.boards import builds
from quality.boards.builds import is_fresh, measure, sources_of

NET = "hypercube:n=1,data_width=8,buffer_depth=2"
ANSWER = {
    "utilization": {kind: {"used": 7, "available": 9} for kind in ("lut", "ff", "block_ram")},
    "fmax_mhz": 30.5,
    "clock_mhz": 12.0,
    "seconds": 4.2,
    "sources": "00ff",
}
FAKE = """#!{python}
import json, sys, time
json.dump(sys.argv[1:], open({words!r}, "w"))
{body}
"""


@pytest.fixture
def command(tmp_path):
    """Make a ``knotwork`` that does as it is told and keeps its words."""

    def install(body):
        path = tmp_path / "knotwork"
        words = str(tmp_path / "words.json")
        path.write_text(FAKE.format(python=sys.executable, words=words, body=body))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return install


def test_a_bitstream_becomes_a_row(command, tmp_path):
    path = command(f"print({json.dumps(ANSWER)!r})")
    row = measure("icebreaker", NET, seconds=60, knotwork=path)
    assert row == ("icebreaker", NET, 2, PLACED, 7, 7, 7, 30.5, 12.0, 4.2, "00ff")
    words = json.loads((tmp_path / "words.json").read_text())
    assert words[:4] == ["bitstream", "hypercube", "n=1", "data_width=8"]
    assert {"clock_mhz=board", "icebreaker", "--json"} <= set(words)


def test_a_network_that_is_too_large_becomes_a_row(command):
    line = "knotwork: error: x: the network must fit y, but needs 6751 of 5280 ICESTORM_LC; take"
    row = measure("icebreaker", NET, seconds=60, knotwork=command(f"sys.exit({line!r})"))
    assert (row.outcome, row.lut, row.fmax_mhz) == (TOO_LARGE, 6751, None)
    assert row.sources == sources_of("icebreaker", NET)


def test_a_build_that_takes_too_long_is_ended(command):
    row = measure("icebreaker", NET, seconds=0.2, knotwork=command("time.sleep(60)"))
    assert row.outcome == TOO_LATE
    assert row.seconds < 30
    assert is_fresh(row, seconds=0.1)
    assert not is_fresh(row, seconds=60)


def test_any_other_failure_is_told(command):
    path = command("sys.exit('knotwork: error: yosys: must succeed')")
    with pytest.raises(ConfigurationError) as failed:
        measure("icebreaker", NET, seconds=60, knotwork=path)
    assert str(failed.value) == (
        f"boards: {NET} must be built for icebreaker: knotwork: error: yosys: must succeed"
    )


def test_a_row_is_fresh_while_its_sources_are(command, monkeypatch):
    answer = ANSWER | {"sources": sources_of("icebreaker", NET)}
    row = measure("icebreaker", NET, seconds=60, knotwork=command(f"print({json.dumps(answer)!r})"))
    assert is_fresh(row, seconds=60)
    assert not is_fresh(row._replace(board="icesugar"), seconds=60)
    assert not is_fresh(row._replace(network="hypercube:n=99"), seconds=60)
    monkeypatch.setattr(builds, "fingerprint", lambda plan, board: "other")
    assert not is_fresh(row, seconds=60)
