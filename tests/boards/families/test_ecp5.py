"""Clocks that are set in what nextpnr has placed."""

import json

import pytest
from knotwork import Hypercube, Network
from knotwork.tools import run_tool
from knotwork_boards.board_top import clock_parameters
from knotwork_boards.build_plan import make_plan
from knotwork_boards.clock import clock_below
from knotwork_boards.selftest import SelfTest
from knotwork_boards.table import board_named

BOARD = board_named("ulx3s_12f")
NETWORK = Network(Hypercube(n=1), data_width=8, buffer_depth=2)
FAST, SLOW = clock_below(BOARD, 150), clock_below(BOARD, 101)

CONFIG = """.tile R35C30:PLC2
arc: A1 W1
word: SLICEB.K0.INIT 0000000011111111
word: SLICEB.K1.INIT 1111111111111111

.tile R35C31:PLC2
word: SLICEB.K1.INIT 0000000000000000

.tile_group MIB_R4C0:PLL0_UL MIB_R5C0:PLL1_UL
word: CLKI_DIV 0000000
word: CLKOS_DIV 0000010
word: CLKOS_CPHASE 0000010
word: CLKOS2_DIV 0000111
enum: MODE EHXPLLL

"""


def test_only_the_words_of_the_named_cells_change(tmp_path):
    tables = {"bit_cycles_0": "X30/Y35/SLICEB.K1", "bit_cycles_1": "X31/Y35/SLICEB.K1"}
    cells = {
        name: {"type": "TRELLIS_COMB", "attributes": {"NEXTPNR_BEL": place}}
        for name, place in tables.items()
    } | {"pll": {"type": "EHXPLLL"}}
    (tmp_path / "top.pnr.json").write_text(json.dumps({"modules": {"top": {"cells": cells}}}))
    (tmp_path / "top.config").write_text(CONFIG)
    dividers = {"CLKI_DIV": 3, "CLKOS_DIV": 6, "CLKOS_CPHASE": 5}
    bits = {"bit_cycles_0": {"INIT": 0}, "bit_cycles_1": {"INIT": 0xFFFF}}
    BOARD.family.retune(tmp_path, {"pll": dividers, **bits})
    changed = {
        "word: SLICEB.K1.INIT 1111111111111111": "word: SLICEB.K1.INIT " + "0" * 16,
        "word: SLICEB.K1.INIT 0000000000000000": "word: SLICEB.K1.INIT " + "1" * 16,
        "word: CLKI_DIV 0000000": "word: CLKI_DIV 0000010",
        "word: CLKOS_DIV 0000010": "word: CLKOS_DIV 0000101",
        "word: CLKOS_CPHASE 0000010": "word: CLKOS_CPHASE 0000101",
    }
    expected = "\n".join(changed.get(line, line) for line in CONFIG.split("\n"))
    assert (tmp_path / "top.config").read_text() == expected


@pytest.mark.slow  # place and route
def test_words_are_set_as_nextpnr_itself_writes_them(tmp_path):
    """To set the clock that was placed changes nothing; another one and back, neither."""
    selftest = SelfTest(NETWORK, clock_hz=round(FAST.hz), tunable=True)
    plan = make_plan(NETWORK, BOARD, FAST, selftest=selftest)
    plan.extract(str(tmp_path))
    *before, _ = json.loads(plan.files["build_top.json"])["commands"]
    for command in before:
        run_tool(command, tmp_path)
    config = tmp_path / "top.config"
    placed = config.read_text()
    for clock, changes in ((FAST, False), (SLOW, True), (FAST, False)):
        BOARD.family.retune(tmp_path, clock_parameters(selftest, BOARD, clock))
        assert (config.read_text() != placed) == changes
