import time

import pytest
from helpers.refusals import refuses
from knotwork import Network
from knotwork.errors import ToolError
from knotwork_boards.monitor import session as module
from knotwork_boards.monitor.commands import Request, read_words
from knotwork_boards.monitor.session import LONGEST_LINE, SerialLink, Session
from knotwork_boards.monitor.window_line import WindowLine


@pytest.fixture
def reports():
    return []


@pytest.fixture
def link(peer, reports):
    with SerialLink(peer.port, baud=115200, report=reports.append) as made:
        yield made


def windows(link, count):
    lines = [link.line(5) for _ in range(count)]
    assert None not in lines
    return [line.window for line in lines]


def test_lines_come_in_their_order(link, peer, old_line):
    peer.say("".join(old_line(window) for window in (3, 4, 5)))
    assert windows(link, 3) == [3, 4, 5]
    assert link.skipped == 0


def test_a_line_comes_in_halves(link, peer, old_line):
    text = old_line(7)
    peer.say(text[:20])
    assert link.line(0.1) is None
    peer.say(text[20:])
    assert windows(link, 1) == [7]


def test_the_end_of_a_line_is_not_counted_and_garbage_is(link, peer, old_line):
    peer.say(old_line(1)[25:] + "\r\n" + old_line(2) + "garbage\r\n")
    peer.say(b"\xff\x00\x80\r\n" + old_line(3).encode())
    assert windows(link, 2) == [2, 3]
    assert link.skipped == 2


def test_a_line_that_lost_the_beginning_of_its_name_is_skipped(link, peer, old_line):
    peer.say(old_line(1)[4:] + old_line(2))
    assert windows(link, 1) == [2]
    assert link.line(0.2) is None


def test_a_first_line_alone_is_believed_after_a_while(link, peer, old_line):
    peer.say(old_line(1))
    begin = time.monotonic()
    assert windows(link, 1) == [1]
    assert time.monotonic() - begin >= module.CONFIRM_SECONDS


def test_text_without_an_end_is_dropped_and_counted_once(link, peer, old_line):
    peer.say(old_line(1) + old_line(2))
    assert windows(link, 2) == [1, 2]
    for _ in range(3 * LONGEST_LINE // 1000):
        peer.say("z" * 1000)
        link.line(0.02)
    assert len(link._bytes) <= LONGEST_LINE
    peer.say("\r\n" + old_line(3))
    assert windows(link, 1) == [3]
    assert link.skipped == 1


def test_commands_reach_the_board(link, peer):
    link.send(b"r1000\ng\n")
    assert peer.hear(5) == b"r1000\ng\n"


def test_commands_that_a_board_does_not_take_are_reported(link, peer, reports, old_line):
    link.send(b"c\n" * 100_000)  # more than a terminal holds
    assert reports == [
        f"{peer.port}: 200000 bytes of commands must be taken within 0.1 s, and are lost"
    ]
    peer.say(old_line(3) + old_line(4))
    assert windows(link, 2) == [3, 4]
    assert link.openings == 1


def test_a_port_that_vanishes_is_reported_once_and_taken_again(link, peer, reports, old_line):
    peer.say(old_line(1) + old_line(2) + old_line(3)[:30])
    assert windows(link, 2) == [1, 2]
    peer.vanish()
    assert link.line(0.3) is None
    assert not link.is_open
    link.send(b"g\n")  # nobody hears it
    (gone,) = reports
    assert gone.startswith(f"{peer.port}: has vanished, and is waited for: ")
    assert "\n" not in gone
    peer.appear()
    assert link.line(0.1) is None
    assert reports[1:] == [f"{peer.port}: has returned"]
    assert (link.is_open, link.openings) == (True, 2)
    peer.say(old_line(3)[30:] + old_line(4))
    assert windows(link, 1) == [4]
    assert link.skipped == 0


def test_a_port_that_is_not_there_is_reported(tmp_path):
    port = str(tmp_path / "tty")
    with pytest.raises(ToolError) as missing:
        SerialLink(port, baud=115200, report=print)
    assert str(missing.value).startswith(f"{port}: must be a serial port that can be read: ")


def test_two_do_not_read_the_same_port(link, peer):
    with pytest.raises(ToolError, match=r"must be a serial port that can be read: .*lock"):
        SerialLink(peer.port, baud=115200, report=print)


def test_the_end_of_a_name_is_known():
    assert module._is_end("n3", "moebius_n3")
    assert not module._is_end("moebius_n3", "moebius_n3")
    assert WindowLine.parse("a b") is None


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
