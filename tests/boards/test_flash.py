import os
import stat
import sys

import pytest
from helpers.refusals import refuses
from knotwork.errors import ConfigurationError, ToolError
from knotwork_boards.flash import find_loader, write_flash
from knotwork_boards.table import BOARDS, board_named

FAKE = """#!{python}
import json, sys
json.dump(sys.argv[1:], open({log!r}, "w"))
if {status}:
    print("empty\\nunable to open ftdi device: -3 (device not found)")
sys.exit({status})
"""


@pytest.fixture
def loader(monkeypatch, tmp_path):
    """Put an openFPGALoader on PATH that writes down its words; return where."""

    def install(*, status=0):
        path, log = tmp_path / "bin" / "openFPGALoader", tmp_path / "words.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(FAKE.format(python=sys.executable, log=str(log), status=status))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")
        return log

    return install


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("ulx3s_85f", ["-b", "ulx3s"]),
        ("icebreaker", ["-b", "ice40_generic"]),
        ("icesugar_pro", ["-c", "cmsisdap", "--vid", "0x1d50", "--pid", "0x602b"]),
    ],
)
def test_the_loader_writes_the_bitstream_into_the_boards_flash(loader, tmp_path, board, words):
    log = loader()
    write_flash(board_named(board), tmp_path / "top.bit")
    assert log.read_text().replace('"', "'") == str(
        [*words, "--write-flash", f"{tmp_path}/top.bit"]
    )


def test_what_the_loader_says_last_is_reported(loader, tmp_path):
    loader(status=1)
    with refuses(
        "openFPGALoader: must succeed with ulx3s_12f: "
        "unable to open ftdi device: -3 (device not found)",
        ToolError,
    ):
        write_flash(board_named("ulx3s_12f"), tmp_path / "top.bit")


def test_a_missing_loader_is_reported(monkeypatch, tmp_path):
    monkeypatch.setattr("knotwork_boards.flash.search_path", lambda: str(tmp_path))
    with refuses(
        "openFPGALoader: must be on PATH for --flash: Debian: apt install openfpgaloader", ToolError
    ):
        find_loader(board_named("ulx3s_12f"))
    monkeypatch.setenv("OPENFPGALOADER", "loader")
    with pytest.raises(ToolError, match=r"^loader: must be on PATH"):
        find_loader(board_named("ulx3s_12f"))


def test_a_board_that_the_loader_does_not_know_is_refused(loader):
    loader()
    with pytest.raises(ConfigurationError) as refused:
        find_loader(board_named("icesugar"))
    able = ", ".join(name for name in BOARDS if name != "icesugar")
    assert str(refused.value) == (
        f"icesugar: --flash must be for a board that openFPGALoader can load ({able}); copy the "
        "bitstream to the drive that icesugar shows on USB"
    )
