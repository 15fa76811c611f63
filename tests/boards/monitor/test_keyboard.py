import io
import os
import pty

import pytest
from knotwork_boards.monitor.keyboard import Keyboard, standard_input


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
