import pytest
from amaranth import vendor
from helpers.refusals import refuses
from knotwork_boards.table import BOARDS, board_named

VENDORS = {
    "ecp5": vendor.LatticeECP5Platform,
    "ice40": vendor.LatticeICE40Platform,
    "gowin": vendor.GowinPlatform,
}


def test_the_required_boards():
    ulx3s, icebreaker = board_named("ulx3s_85f"), board_named("icebreaker")
    assert (ulx3s.family.name, ulx3s.luts, ulx3s.clock_mhz) == ("ecp5", 83640, 25)
    assert (icebreaker.family.name, icebreaker.luts, icebreaker.clock_mhz) == ("ice40", 5280, 12)


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_what_the_self_test_asks_for(name):
    board = BOARDS[name]
    platform = board.make_platform()
    assert platform.lookup("uart", 0)
    assert len(set(board.leds)) == 3
    for led in board.leds:
        lines = platform.lookup(led.name, led.number).ios
        assert not led.colour or led.colour in [line.name for line in lines]
    assert board.name == name
    assert board.luts > 0
    assert board.clock_hz >= 12_000_000
    assert issubclass(board.platform_class, VENDORS[board.family.name])
    assert set(board.uart) == {"tx", "rx"}


def test_an_unknown_board_is_refused():
    with refuses(f"a board must be one of {', '.join(BOARDS)}, not 'ulx4s'"):
        board_named("ulx4s")


def test_boards_share_a_die_whatever_the_package():
    dies = {
        name: {other.name for other in BOARDS.values() if board.has_die_of(other)}
        for name, board in BOARDS.items()
    }
    assert dies["icebreaker"] == {"icebreaker", "icesugar"}
    assert dies["tang_nano_20k"] == {"tang_nano_20k", "tang_primer_20k"}
    assert dies["tang_nano_9k"] == {"tang_nano_9k"}
    assert "orangecrab_25f" in dies["ulx3s_12f"]
