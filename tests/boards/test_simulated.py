"""The simulated board, alone; with commands and measurements in tests/boards/monitor."""

import re

import pytest
from knotwork import Network
from knotwork.errors import ToolError
from knotwork_boards.monitor.session import SerialLink
from knotwork_boards.simulated import SimulatedBoard

PAIR = Network.from_word("hypercube:n=1,data_width=16,buffer_depth=2")


@pytest.mark.slow
def test_the_verilog_gives_its_windows_at_a_terminal():
    with SimulatedBoard(PAIR) as board:
        assert re.fullmatch(r"/dev/\S+", board.port)
        with SerialLink(board.port, baud=115200, report=print) as link:
            lines = [link.line(60) for _ in range(3)]
            assert link.skipped == 0
        assert None not in lines
        first = lines[0]
        assert [line.window - first.window for line in lines] == [0, 1, 2]
        for line in lines:
            assert (line.name, line.verdict, line.faults) == (PAIR.name, "PASS", {})
            assert line.sent == line.received > 1000
        assert board._process.poll() is None
    assert board._process.poll() is not None


@pytest.mark.slow
def test_a_machine_without_terminals_is_reported_in_a_line(monkeypatch):
    """A container without ``/dev/pts`` has none."""

    def none_is_free():
        raise OSError("out of pty devices")

    monkeypatch.setattr("pty.openpty", none_is_free)
    line = "simulated: the machine must have a free pseudo-terminal: out of pty devices"
    with pytest.raises(ToolError, match=re.escape(line)):
        SimulatedBoard(PAIR)
