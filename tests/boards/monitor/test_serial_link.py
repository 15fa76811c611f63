import time

import pytest
from knotwork.errors import ToolError
from knotwork_boards.monitor import serial_link
from knotwork_boards.monitor.serial_link import LONGEST_LINE, SerialLink
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
    assert time.monotonic() - begin >= serial_link.CONFIRM_SECONDS


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
    assert serial_link._is_end("n3", "moebius_n3")
    assert not serial_link._is_end("moebius_n3", "moebius_n3")
    assert WindowLine.parse("a b") is None
