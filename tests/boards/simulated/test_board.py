"""The simulated board, alone; with commands and measurements in tests/boards/monitor."""

import re

from knotwork import Network
from knotwork_boards.monitor.serial_link import SerialLink
from knotwork_boards.simulated.board import SimulatedBoard

PAIR = Network.from_word("hypercube:n=1,data_width=16,buffer_depth=2")


def test_the_verilog_tells_its_windows_at_a_terminal():
    with SimulatedBoard(PAIR) as board:
        assert re.fullmatch(r"/dev/\S+", board.port)
        with SerialLink(board.port, baud=115200, tell=print) as link:
            lines = [link.line(60) for _ in range(3)]
            assert link.skipped == 0
        assert None not in lines
        first = lines[0]
        assert [line.window - first.window for line in lines] == [0, 1, 2]
        for line in lines:
            assert (line.name, line.verdict, line.faults) == (PAIR.name, "PASS", {})
            assert line.sent == line.received > 1000


def test_a_board_ends_with_its_context():
    board = SimulatedBoard(PAIR)
    process = board._process
    board.close()
    assert process.poll() is not None
