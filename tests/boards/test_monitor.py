import json
import os
import pty
import threading

import pytest
import serial
from knotwork.cli import main
from knotwork.errors import ToolError
from knotwork_boards.monitor import WindowLine, read_lines

COUNTS = "lost=0 duplicated=0 corrupted=0 misrouted=0 refused=0"
GOOD = f"moebius_n3_twist0 window=3 sent=64 received=64 {COUNTS} PASS\r\n"
BAD = (
    "moebius_n3_twist0 window=4 sent=64 received=63 "
    "lost=1 duplicated=0 corrupted=0 misrouted=0 refused=0 FAIL\r\n"
)


@pytest.fixture
def board(monkeypatch):
    """Maker of a serial port at which a board sends `texts` once the port is opened."""
    ends = []
    opened = threading.Event()
    open_port = serial.serial_for_url

    def tell_when_open(*arguments, **settings):
        port = open_port(*arguments, **settings)
        opened.set()
        return port

    monkeypatch.setattr(serial, "serial_for_url", tell_when_open)

    def start(*texts):
        ours, theirs = pty.openpty()
        ends.extend([ours, theirs])

        def talk():
            opened.wait(10)
            for text in texts:
                os.write(ours, text.encode())

        thread = threading.Thread(target=talk)
        thread.start()
        ends.append(thread)
        return os.ttyname(theirs)

    yield start
    for end in reversed(ends):
        if isinstance(end, int):
            os.close(end)
        else:
            end.join()


def test_a_line_is_parsed():
    line = WindowLine.parse(BAD)
    assert line is not None
    assert line.as_dict() == {
        "name": "moebius_n3_twist0",
        "window": 4,
        "sent": 64,
        "received": 63,
        "lost": 1,
        "duplicated": 0,
        "corrupted": 0,
        "misrouted": 0,
        "refused": 0,
        "verdict": "FAIL",
    }
    assert not line.passed


@pytest.mark.parametrize("text", ["", "PASS\r\n", GOOD[10:30], GOOD.replace("64", "x"), GOOD[20:]])
def test_text_that_is_not_a_line_is_none(text):
    assert WindowLine.parse(text) is None


def test_the_end_of_a_line_and_noise_are_skipped(board):
    port = board(GOOD[30:], "\xff\x00\r\n", GOOD, BAD)
    lines = read_lines(port, baud=115200, patience=5)
    assert [next(lines), next(lines)] == [WindowLine.parse(GOOD), WindowLine.parse(BAD)]


def test_a_silent_port_is_told(board):
    port = board()
    with pytest.raises(ToolError) as silent:
        next(read_lines(port, baud=115200, patience=0.1))
    assert str(silent.value) == (
        f"{port}: a line of the self-test must come within 0.1 s: is the board configured with a "
        f"Knotwork bitstream, and is the baud rate right?"
    )


def test_a_port_that_talks_nonsense_is_told(board):
    port = board("nonsense\r\n" * 20)
    with pytest.raises(ToolError, match="a line of the self-test must come"):
        next(read_lines(port, baud=115200, patience=5))


def test_a_port_that_is_not_there_is_told(tmp_path):
    port = str(tmp_path / "tty")
    with pytest.raises(ToolError) as missing:
        next(read_lines(port, baud=115200, patience=5))
    assert str(missing.value).startswith(f"{port}: must be a serial port that can be read: ")


def test_windows_are_shown_as_a_table(board, capsys):
    port = board(GOOD, GOOD.replace("window=3", "window=4"), GOOD)
    assert main.run(["monitor", port, "--windows", "2"]) == 0
    out, err = capsys.readouterr()
    name, head, first, second = out.splitlines()
    assert err == ""
    assert name == "moebius_n3_twist0"
    assert head.split()[:3] == ["window", "sent", "received"]
    assert first.split() == ["3", "64", "64", "0", "0", "0", "0", "0", "PASS"]
    assert second.split() == ["4", "64", "64", "0", "0", "0", "0", "0", "PASS"]
    assert len(head) == len(first) == len(second)


def test_a_failed_window_ends_it_with_status_1(board, capsys):
    assert main.run(["monitor", board(GOOD, BAD, GOOD)]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split()[-1] == "FAIL"
    assert err == (
        "knotwork: error: moebius_n3_twist0: window 4 must pass, but its line says FAIL\n"
    )


def test_json_is_one_line_per_window(board, capsys):
    assert main.run(["monitor", board(GOOD, BAD), "--json"]) == 1
    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [line["verdict"] for line in lines] == ["PASS", "FAIL"]
    assert lines[1]["lost"] == 1


@pytest.mark.parametrize("patience", ["0", "-1", "nan"])
def test_a_patience_that_is_not_positive_is_refused(capsys, patience):
    assert main.run(["monitor", "/dev/null", "--patience", patience]) == 2
    assert capsys.readouterr().err == (
        f"knotwork: error: monitor: patience must be positive seconds, not {float(patience):g}\n"
    )
