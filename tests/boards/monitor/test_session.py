import time

import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.errors import ToolError
from knotwork_boards.monitor.commands import Request, read_words
from knotwork_boards.monitor.serial_link import SerialLink
from knotwork_boards.monitor.session import Session

NETWORK = Network.from_word("hypercube:n=1")


@pytest.fixture
def session(peer):
    """Maker of a session with the board at the terminal."""
    links = []

    def make(network=None, patience=5.0):
        links.append(SerialLink(peer.port, baud=115200, report=lambda what: None))
        return Session(link=links[-1], network=network, patience=patience)

    yield make
    for link in links:
        link.close()


def test_windows_come_under_the_settings_only(session, measuring):
    talk = session()
    board = measuring()
    talk.send(read_words("mode measure rate 0.25 length 4"))
    windows = talk.windows()
    first, second = next(windows), next(windows)
    assert first.measures.items() >= {"mode": 1, "rate": 0x4000, "length": 4}.items()
    assert second.window == first.window + 1
    assert board.commands == ["m1", "r4000", "l4"]


def test_what_is_typed_while_waiting_is_sent(session, measuring):
    talk = session()
    board = measuring()
    windows = talk.windows()
    next(windows)
    typed = ["seed 5 clear"]
    talk.while_waiting = lambda: typed and talk.send(read_words(typed.pop()))
    later = [next(windows) for _ in range(20)]
    assert board.commands == ["s5", "c"]
    assert later[-1].measures["seed"] == 5
    assert later[-1].window < 20


def test_a_setting_that_the_board_does_not_take_is_reported(session, measuring):
    talk = session(patience=0.4)
    measuring(deaf=("length",))
    talk.send(read_words("mode measure length 4"))
    with refuses(
        f"{talk.link.port}: the board must take length 4 within 0.4 s, but its lines say 1",
        ToolError,
    ):
        next(talk.windows())


def test_a_board_that_takes_no_commands_is_reported(session, peer, old_line):
    talk = session(patience=0.3)
    talk.send(Request({"rate": 0x4000}))
    talk.while_waiting = lambda: peer.say(old_line())  # so fast that no command is read in time
    with refuses(
        f"{talk.link.port}: the board must take rate 0.25 within 0.3 s, but its lines do not "
        f"report it",
        ToolError,
    ):
        next(talk.windows())


def test_commands_that_were_lost_are_sent_again(session, measuring, monkeypatch):
    talk = session()
    board = measuring()
    monkeypatch.setattr(talk.link, "send", lambda commands: None)
    talk.send(read_words("rate 0.5"))
    monkeypatch.undo()
    assert next(talk.windows()).measures["rate"] == 0x8000
    assert board.commands[:1] == ["r8000"]


def test_another_network_is_refused(session, measuring):
    talk = session(NETWORK)
    measuring(name="moebius_n3_twist0")
    with refuses(f"{talk.link.port}: the board must carry hypercube_n1, not moebius_n3_twist0"):
        next(talk.windows())


@pytest.mark.parametrize(("noise", "more"), [("", ""), ("noise\r\n" * 4, " 3 other lines came")])
def test_a_silent_board_is_reported(session, peer, noise, more):
    talk = session(patience=0.2)
    peer.say(noise)
    with refuses(
        f"{talk.link.port}: a line of the self-test must arrive within 0.2 s: is the board "
        f"configured with a Knotwork bitstream, and is the baud rate right?{more}",
        ToolError,
    ):
        next(talk.windows())


def test_a_board_that_was_stopped_may_be_silent(session, measuring):
    talk = session(patience=0.3)
    measuring()
    windows = talk.windows()
    next(windows)
    talk.send(read_words("stop"))
    begin = time.monotonic()
    talk.while_waiting = lambda: (
        talk.send(read_words("start")) if talk.halted and time.monotonic() > begin + 0.8 else None
    )
    while time.monotonic() < begin + 0.8:
        next(windows)
    assert not talk.halted


def test_a_board_that_returns_is_reported_its_settings_again(session, peer, measuring):
    talk = session(patience=0.3)
    board = measuring()
    talk.send(read_words("mode measure seed 3"))
    windows = talk.windows()
    next(windows)
    board.over.set()
    board.join(5)
    peer.vanish()
    gone = time.monotonic()
    again = []

    def later():
        if not again and time.monotonic() > gone + 0.6:  # longer than the patience
            peer.appear()
            again.append(measuring())

    talk.while_waiting = later
    while next(windows).measures["seed"] != 3 or not again:
        pass
    assert again[0].commands[:2] == ["m1", "s3"]
