"""Boards at pseudo-terminals: what they say is scripted, what they hear is kept."""

import os
import pty
import re
import select
import threading
import tty

import pytest
from knotwork_boards.measuring import COUNTERS, LINE_WORDS, REPORTED_SETTINGS, SETTINGS
from knotwork_boards.monitor import session


def window_text(name, window, verdict="PASS", **words):
    """Line of a board that measures; words that are not named are 0."""
    values = dict.fromkeys(LINE_WORDS, 0) | {"window": window} | words
    return f"{name} {' '.join(f'{key}={value}' for key, value in values.items())} {verdict}\r\n"


class Peer:
    """Board at a terminal whose path stays while terminals come and go."""

    def __init__(self, path):
        self.path = path
        self.received = b""
        self._ends = ()

    @property
    def port(self):
        return str(self.path)

    def appear(self):
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        self.path.symlink_to(os.ttyname(theirs))
        self._ends = ours, theirs

    def vanish(self):
        self.path.unlink(missing_ok=True)
        ends, self._ends = self._ends, ()
        for end in ends:
            os.close(end)

    def say(self, text):
        os.write(self._ends[0], text if isinstance(text, bytes) else text.encode())

    def hear(self, seconds=0.0):
        """What came within so many seconds."""
        came = b""
        while self._ends and select.select(self._ends[:1], [], [], seconds)[0]:
            came += os.read(self._ends[0], 1024)
            seconds = 0.0
        self.received += came
        return came


class MeasuringBoard(threading.Thread):
    """Board that takes settings and tells a window after the other, by the contract of the UART."""

    def __init__(self, peer, *, name="hypercube_n1", pause=0.02, answer=None, deaf=()):
        super().__init__(daemon=True)
        self.peer, self.reported_name, self.pause, self.deaf = peer, name, pause, deaf
        self.answer = answer or (lambda settings: {})
        self.settings = {key: field.default for key, field in SETTINGS.items()}
        self.window, self.going, self.over = 0, True, threading.Event()
        self.commands = []
        self._text = ""

    def run(self):
        letters = {field.letter: name for name, field in SETTINGS.items()}
        while not self.over.wait(self.pause):
            self._text += self.peer.hear().decode()
            *whole, self._text = self._text.split("\n")
            for command in whole:
                self.commands.append(command)
                found = re.fullmatch(r"([a-z])([0-9a-f]{0,8})", command)
                assert found, command
                letter, digits = found.groups()
                if letter in letters and letters[letter] not in self.deaf:
                    self.settings[letters[letter]] = int(digits, 16)
                self.going = {"g": True, "h": False}.get(letter, self.going)
                self.window = 0 if letter == "c" else self.window
            if self.going:
                settings = {name: self.settings[name] for name in REPORTED_SETTINGS}
                self.peer.say(
                    window_text(self.reported_name, self.window, **{**settings, **self._measured()})
                )
                self.window += 1

    def _measured(self):
        return self.answer(self.settings) if self.settings["mode"] else {}


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(session, "CONFIRM_SECONDS", 0.1)
    monkeypatch.setattr(session, "RETRY_SECONDS", 0.02)
    monkeypatch.setattr(session, "WRITE_SECONDS", 0.1)


@pytest.fixture
def peer(tmp_path):
    made = Peer(tmp_path / "board")
    made.appear()
    yield made
    made.vanish()


@pytest.fixture
def measuring(peer):
    """Maker of a running board that measures."""
    boards = []

    def start(**facts):
        board = MeasuringBoard(peer, **facts)
        board.start()
        boards.append(board)
        return board

    yield start
    for board in boards:
        board.over.set()
        board.join(5)


@pytest.fixture
def line_text():
    """Maker of a line of a board that measures."""
    return window_text


@pytest.fixture
def old_line():
    """Maker of a line of a board that does not measure."""

    def make(window=3, verdict="PASS", name="moebius_n3_twist0", **counts):
        counts = dict.fromkeys(COUNTERS, 0) | counts
        words = " ".join(f"{key}={value}" for key, value in counts.items())
        return f"{name} window={window} {words} {verdict}\r\n"

    return make
