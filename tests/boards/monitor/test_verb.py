"""The verb as users run it: as text, as JSON and live, with commands both ways."""

import codecs
import fcntl
import io
import json
import os
import pty
import re
import struct
import sys
import termios
import threading
import time

import pytest
from knotwork.cli import main
from knotwork_boards.monitor import session
from knotwork_boards.monitor.verb import Keyboard, standard_input

PROGRAM = "import sys; from knotwork.cli.main import main; main()"
MEASURED = {"sent": 50, "received": 50, "flits": 200, "samples": 50, "latency_min": 2}
MEASURED |= {"latency_sum": 200, "latency_max": 9, "h1": 10, "h2": 30, "h3": 10}


@pytest.fixture
def said(peer, monkeypatch):
    """Have the board say texts once its port is open."""
    opened, open_port = threading.Event(), session.SerialLink._open

    def tell_when_open(link):
        device = open_port(link)
        opened.set()
        return device

    monkeypatch.setattr(session.SerialLink, "_open", tell_when_open)
    threads = []

    def say(*texts):
        def talk():
            opened.wait(10)
            for text in texts:
                peer.say(text)

        threads.append(threading.Thread(target=talk))
        threads[-1].start()

    yield say
    for thread in threads:
        thread.join()


def test_windows_are_shown_as_a_table(peer, said, old_line, capsys):
    said(old_line(3, sent=64, received=64), old_line(4), old_line(5))
    assert main.run(["monitor", peer.port, "--windows", "2"]) == 0
    out, err = capsys.readouterr()
    name, head, first, second = out.splitlines()
    assert err == ""
    assert name == "moebius_n3_twist0"
    assert head.split()[:3] == ["window", "sent", "received"]
    assert first.split() == ["3", "64", "64", "0", "0", "0", "0", "0", "PASS"]
    assert second.split() == ["4", "0", "0", "0", "0", "0", "0", "0", "PASS"]
    assert len(head) == len(first) == len(second)


def test_a_failed_window_ends_it_with_status_1(peer, said, old_line, capsys):
    said(old_line(3), old_line(4, "FAIL"), old_line(5))
    assert main.run(["monitor", peer.port]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split()[-1] == "FAIL"
    assert err == (
        "knotwork: error: moebius_n3_twist0: window 4 must pass, but its line says FAIL\n"
    )


def test_json_is_one_line_per_window(peer, said, old_line, capsys):
    said(old_line(3), "garbage\r\n", old_line(4, "FAIL", lost=1))
    assert main.run(["monitor", peer.port, "--json"]) == 1
    lines = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [line["verdict"] for line in lines] == ["PASS", "FAIL"]
    assert lines[1]["lost"] == 1
    assert sum(line["skipped"] for line in lines) == 1


def test_settings_are_commanded_and_measured_windows_shown(peer, measuring, capsys):
    board = measuring(answer=lambda settings: MEASURED | {"cycles": settings["cycles"]})
    options = ["--rate", "0.2", "--pattern", "successor", "--length", "4", "--cycles", "500"]
    command = ["monitor", peer.port, "hypercube", "n=1", *options, "--clear", "--windows", "1"]
    assert main.run([*command, "--json"]) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert board.commands == ["r3333", "p1", "l4", "w1f4", "m1", "c"]
    assert (line["rate"], line["pattern"], line["accepted"]) == (13107, 1, 0.2)
    assert (line["latency_mean"], line["latency_max"], line["h2"]) == (4.0, 9, 30)
    assert main.run(command) == 0
    name, head, row = capsys.readouterr().out.splitlines()
    assert name == "hypercube_n1"
    assert head.split()[-5:] == ["accepted", "min", "mean", "max", "verdict"]
    assert row.split()[-5:] == ["0.2000", "2", "4.00", "9", "PASS"]


def test_a_board_is_stopped_and_that_is_all(peer, run):
    assert run(f"monitor {peer.port} --stop") == (0, "", "")
    assert peer.hear(5) == b"h\n"


def test_commands_come_through_a_pipe(peer, measuring, capsys, monkeypatch):
    board = measuring()
    end, start = os.pipe()
    os.write(start, b"seed 7\n")
    with os.fdopen(end) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert main.run(["monitor", peer.port, "--windows", "3"]) == 0
        assert board.commands == ["s7"]
        os.write(start, b"sed 7\n")
        assert main.run(["monitor", peer.port]) == 2
    os.close(start)
    assert "not 'sed'; did you mean seed?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("simulated", "monitor: simulated must be used with a network, as in hypercube n=2"),
        ("/dev/null --patience 0", "monitor: patience must be positive seconds, not 0"),
        ("/dev/null --patience nan", "monitor: --patience must be a number, not 'nan'"),
        ("/dev/null --rate 2", "monitor: rate must be a number in 0..1, not '2'"),
        ("/dev/null --mode x", "monitor: mode must be one of self-test, measure, not 'x'"),
        ("/dev/null --table t.json", "monitor: --table must be used with a network, as in ccc n=3"),
        ("/dev/null hypercube n=99", "hypercube: n must be an integer in 1..20, not 99"),
        (
            "/dev/null hypercube n=1 --table t.json",
            "hypercube_n1: a table must be one of routing=lc1 or lc2, not ecube",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_the_port_is_opened(words, complaint, refusal):
    assert refusal(f"monitor {words}") == complaint


def test_a_port_that_is_not_there_is_reported(tmp_path, refusal):
    line = refusal(f"monitor {tmp_path}/tty")
    assert line.startswith(f"{tmp_path}/tty: must be a serial port that can be ")


def test_on_a_terminal_a_table_goes_on_and_commands_are_typed(peer, measuring):
    board = measuring(pause=0.1, answer=lambda settings: MEASURED | {"cycles": settings["cycles"]})
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover - the program under test
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 80, 0, 0))
        os.environ["TERM"] = "xterm"
        os.execv(sys.executable, [sys.executable, "-c", PROGRAM, "monitor", peer.port])
    shown, decoder = "", codecs.getincrementaldecoder("utf-8")()  # reads may part a letter

    def until(pattern, seconds=30):
        nonlocal shown
        end = time.monotonic() + seconds
        while not re.search(pattern, shown):
            assert time.monotonic() < end, shown[-2000:]
            shown += decoder.decode(os.read(terminal, 65536))

    until("hypercube_n1 at ")
    os.write(terminal, b"rate 0.2 mode measure\r")
    until("sent: rate 0.2 mode measure")
    until("rate 0.2  pattern uniform")
    until("▁█▁|▃█▃")
    os.write(terminal, b"rate 7\r")
    until("monitor: rate must be a number in 0..1, not '7'")
    assert board.commands == ["r3333", "m1"]
    os.write(terminal, b"\x03")
    until("interrupted")
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    os.close(terminal)
    assert "\x1b[?25h" in shown  # the cursor is back


@pytest.fixture
def pipe():
    end, start = os.pipe()
    with os.fdopen(end) as stream:
        yield Keyboard(stream), lambda text: os.write(start, text.encode()), lambda: os.close(start)


def test_lines_come_when_they_are_finished(pipe):
    keyboard, write, close = pipe
    assert keyboard.lines() == []
    write("rate 0.2\nsta")
    assert keyboard.lines() == ["rate 0.2"]
    assert keyboard.typed == "sta"
    write("rt\n\n  stop \n")
    assert keyboard.lines() == ["start", "stop"]
    close()
    assert keyboard.lines() == keyboard.lines() == []


def test_keys_erase(pipe):
    keyboard, write, _ = pipe
    write("ratx\x7fe 0.1\x1b\nwrong\x15stop\r")
    assert keyboard.lines() == ["rate 0.1", "stop"]


def test_a_terminal_does_not_echo_while_it_is_open():
    import termios

    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as stream:
        keyboard = Keyboard(stream)
        assert keyboard.is_terminal
        keyboard._handle = theirs  # which is not this process's own terminal
        before = termios.tcgetattr(theirs)
        with keyboard.open():
            assert not termios.tcgetattr(theirs)[3] & (termios.ECHO | termios.ICANON)
            os.write(ours, b"g")
            keyboard.lines()
            assert keyboard.typed == "g"
        assert termios.tcgetattr(theirs) == before
    os.close(ours)


def test_what_cannot_be_read_has_no_lines():
    assert Keyboard(io.StringIO("stop\n")).lines() == []
    assert standard_input().lines() == []  # pytest's own
