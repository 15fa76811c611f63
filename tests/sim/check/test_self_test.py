import shutil

import pytest
from helpers.refusals import refuses
from knotwork.errors import ToolError
from knotwork_sim.check.self_test import result_of

LINE = "noc window=0 sent=16 received=15 lost=1 duplicated=0 corrupted=0 misrouted=0 refused=0 FAIL"
BOARDS = {"ice40": "icebreaker", "ecp5": "ulx3s_12f"}


def test_a_line_is_told_as_a_simulation_tells_it():
    answer = result_of("noc", "icebreaker", LINE, 1234)
    assert not answer.passed
    assert answer.as_json() == {
        "engine": "bitstream", "board": "icebreaker", "network": "noc", "injected": 16,
        "delivered": 15, "lost": 1, "duplicated": 0, "corrupted": 0, "misrouted": 0, "refused": 0,
        "cycles": 1234, "line": LINE,
    }  # fmt: skip
    assert result_of("noc", "icebreaker", LINE.replace("FAIL", "PASS"), 1).passed


@pytest.mark.parametrize("line", ["", "noc PASS", LINE.replace("FAIL", ""), "sent=x PASS"])
def test_another_line_is_refused(line):
    with refuses(f"noc: the self-test must write a window's line, not {line!r}", ToolError):
        result_of("noc", "icebreaker", line, 1)


@pytest.mark.slow
@pytest.mark.parametrize("family", BOARDS)
def test_the_bits_of_a_bitstream_deliver_every_packet(family, answer):
    if family == "ice40" and shutil.which("icebox_vlog") is None:
        pytest.skip("IceStorm is not installed")
    words = "simulate hypercube n=1 data_width=8 buffer_depth=2 --engine bitstream --board"
    answer = answer(f"{words} {BOARDS[family]}")
    assert answer["injected"] == answer["delivered"] > 0
    assert answer["line"].endswith(" PASS")
