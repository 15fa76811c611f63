import pytest
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork_boards.bits import build
from knotwork_boards.table import BOARDS, board_named

NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)


@pytest.mark.parametrize(
    ("board", "options"),
    [
        ("icebreaker", ""),
        ("ulx3s_12f", "-nowidelut -nobram"),
    ],
)
def test_what_cannot_be_unpacked_is_left_out(board, options):
    script = build.short_plan(NETWORK, board_named(board)).files["top.ys"]
    line = next(line for line in script.splitlines() if line.strip().startswith("synth_"))
    assert line.split(" -top ")[0].split(maxsplit=1)[1:] == ([options] if options else [])
    assert ("setattr -unset ram_style" in script) == bool(options)


def test_pins_of_clock_and_serial_lines():
    assert build.pins_of(board_named("icebreaker")) == {"clk": "35", "tx": "9", "rx": "6"}


def test_bad_input_is_one_line():
    with pytest.raises(ConfigurationError) as refusal:
        build.bits_sources(NETWORK, "de10")
    assert str(refusal.value) == f"a board must be one of {', '.join(BOARDS)}, not 'de10'"
    with pytest.raises(ConfigurationError) as refusal:
        build.bits_sources(NETWORK, "tang_nano_9k")
    assert str(refusal.value) == (
        "tang_nano_9k: a board whose bits are simulated must be of ice40 or ecp5, not of gowin"
    )
    large = Network.from_word("hypercube:n=9,data_width=8")
    with pytest.raises(
        ConfigurationError, match=r"data_width must be at least .* for the self-test"
    ):
        build.bits_sources(large, "icebreaker")
