import io

import pytest
from knotwork import Network
from knotwork_boards.monitor.display import ROWS, Screen, bars, cells, columns, faults_text, fields
from knotwork_boards.monitor.window_line import WindowLine
from rich.console import Console

NETWORK = Network.from_word("hypercube:n=2")
MEASURED = {"mode": 1, "rate": 13107, "length": 4, "seed": 9, "cycles": 1000, "flits": 400}
MEASURED |= {"samples": 100, "received": 100, "sent": 100, "latency_min": 2, "latency_sum": 655}
MEASURED |= {"latency_max": 30, "h1": 10, "h2": 60, "h3": 25, "h4": 5}


@pytest.fixture
def drawn():
    """Text of a screen of so many columns, and its lines' lengths checked."""

    def draw(screen, width=80, height=40):
        console = Console(width=width, height=height, file=io.StringIO(), record=True)
        console.print(screen)
        text = console.export_text()
        assert all(len(line) <= width for line in text.splitlines())
        return text

    return draw


def test_a_board_that_measures(drawn, line_text):
    screen = Screen("/dev/ttyUSB1", NETWORK)
    for window in range(3):
        screen.add(WindowLine.parse(line_text("hypercube_n2", window, **MEASURED)))
    screen.typed, screen.message = "rate 0.3", "sent: length 4"
    text = drawn(screen)
    rows = [line.split() for line in text.splitlines()]
    shown = ["2", "PASS", "100", "100", "0", "0.1000", "2", "6.55", "30"]
    assert shown in [row[:9] for row in rows]
    assert rows[0] == ["hypercube_n2", "at", "/dev/ttyUSB1"]
    assert "▂█▄▁" in text
    assert "mode measure  rate 0.2  pattern uniform  length 4  seed 9  cycles 1000" in text
    assert "3 passed, 0 failed" in text
    assert "sent: length 4" in text
    assert "> rate 0.3█" in text


def test_a_board_that_only_tests(drawn, old_line):
    screen = Screen("/dev/ttyUSB1", None)
    screen.add(WindowLine.parse(old_line(4, sent=64, received=64)))
    screen.add(WindowLine.parse(old_line(5, "FAIL", sent=64, received=63, lost=1)))
    screen.skipped = 2
    text = drawn(screen)
    assert "latency" not in text
    assert "window 5: lost 1" in text
    assert "1 passed, 1 failed, 2 other lines" in text
    assert ">" not in text  # nobody types


def test_only_the_last_windows_are_shown(drawn, old_line):
    screen = Screen("p", None)
    for window in range(100, 130):
        screen.add(WindowLine.parse(old_line(window)))
    assert sum("PASS" in line for line in drawn(screen).splitlines()) == ROWS
    low = drawn(screen, height=12)
    assert [line.split()[0] for line in low.splitlines() if "PASS" in line] == ["127", "128", "129"]
    assert "30 passed" in low


def test_before_the_first_window_the_port_is_reported(drawn):
    screen = Screen("/dev/ttyUSB1", None)
    assert drawn(screen).strip() == "/dev/ttyUSB1: waiting for a window"
    screen.message = "/dev/ttyUSB1: has vanished"
    assert drawn(screen).strip() == "/dev/ttyUSB1: has vanished"


def test_packets_that_had_no_room_are_reported(drawn, line_text):
    screen = Screen("p", NETWORK)
    screen.add(WindowLine.parse(line_text("hypercube_n2", 1, **MEASURED, overrun=7)))
    assert "7 packets were not timed" in drawn(screen)


def test_a_terminal_without_unicode_has_plain_characters(line_text):
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    console = Console(width=80, height=30, file=file)
    screen = Screen("p", NETWORK)
    screen.add(WindowLine.parse(line_text("hypercube_n2", 1, **MEASURED)))
    console.print(screen)
    file.flush()
    assert ".@=." in file.buffer.getvalue().decode("ascii").replace(":@=.", ".@=.")


def test_loads_are_of_the_network_where_nobody_knows_its_nodes(line_text):
    line = WindowLine.parse(line_text("hypercube_n2", 3, **MEASURED))
    names = ("accepted", "min", "mean", "max")
    shown = dict(zip(columns(line), cells(line, NETWORK), strict=True))
    assert [shown[name] for name in names] == ["0.1000", "2", "6.55", "30"]
    assert cells(line, None)[8] == "0.4000"
    assert "accepted" not in fields(line, None, 0)
    # Without samples there is no latency.
    line = WindowLine.parse(line_text("hypercube_n2", 3, mode=1, cycles=1000))
    assert cells(line, NETWORK)[8:12] == ["0.0000", "-", "-", "-"]
    assert fields(line, NETWORK, 0)["latency_mean"] is None


def test_faults_are_named(old_line):
    assert faults_text(WindowLine.parse(old_line())) == "failed"
    line = WindowLine.parse(old_line(verdict="FAIL", lost=1, misrouted=2))
    assert faults_text(line) == "lost 1, misrouted 2"
    text = old_line(verdict="FAIL").replace(" FAIL", " answers=9 wrong_answers=3 FAIL")
    assert faults_text(WindowLine.parse(text)) == "wrong_answers 3"


def test_bars_are_as_high_as_their_counts():
    assert bars([0, 1, 50, 100]) == " ▁▄█"
    assert bars([0, 1, 50, 100], plain=True) == " .=@"
    assert bars([0, 0]) == "  "
    assert bars([]) == ""
