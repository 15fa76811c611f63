import json

import pytest
from knotwork_boards.families import FAMILIES
from knotwork_boards.place_and_route import count_cells, packed, read_report, shortage

LOG = """
Info: Device utilisation:
Info: 	         ICESTORM_LC:    6751/   5280   127%
Info: 	        ICESTORM_RAM:      31/     30   103%
Info: 	               SB_IO:       5/     39    12%

ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'ICESTORM_LC'
"""


def test_shortage_names_what_is_short():
    assert str(shortage(LOG)) == "6751 of 5280 ICESTORM_LC, 31 of 30 ICESTORM_RAM"
    assert shortage(LOG.replace("6751", "5280").replace("31/", "30/")) is None
    assert shortage("") is None
    assert shortage(LOG).cells(FAMILIES["ice40"]) == 6751


def test_an_fpga_that_is_too_full_to_be_placed_is_short_of_room():
    full = LOG.replace("6751", "5279").replace("31/", "20/")
    assert shortage(full) is None
    short = shortage(full + "ERROR: Unable to find legal placement for all cells\n")
    assert str(short) == "5279 of 5280 ICESTORM_LC, for which nextpnr finds no places"
    scarce = (
        "Info: \t                 VCC:       1/      1   100%\n"
        "Info: \t               SB_GB:       8/      8   100%\n"
    )
    assert str(shortage(scarce + full + "ERROR: Unable to find legal placement")) == str(short)
    assert shortage("ERROR: Unable to find legal placement for all cells") is None


@pytest.mark.parametrize(
    ("family", "cells"),
    [
        ("ecp5", {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "block_ram": "DP16KD"}),
        ("ice40", {"lut": "ICESTORM_LC", "block_ram": "ICESTORM_RAM"}),
    ],
)
def test_the_clock_with_the_least_margin_and_the_cells_are_read(tmp_path, family, cells):
    uses = {kind: {"used": place, "available": 100 * place + 1} for place, kind in enumerate(cells)}
    family = FAMILIES[family]
    report = {
        "fmax": {
            "fast": {"achieved": 110.0, "constraint": 100.0},
            "slow": {"achieved": 26.0, "constraint": 25.0},
            "easy": {"achieved": 20.0, "constraint": 1.0},
        },
        "utilization": {cells[kind]: use for kind, use in uses.items()} | {"SB_IO": {}},
    }
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    assert read_report(path, family=family) == (26.0, uses)


def test_what_takes_the_place_of_look_up_tables_is_added(tmp_path):
    names = ("LUT4", "ALU", "RAM16SDP4", "DFF", "BSRAM")
    used = dict(zip(names, (100, 20, 3, 40, 5), strict=True))
    cells = {name: {"used": used[name], "available": 1000} for name in names}
    cells["ALU"]["available"] = 500
    path = tmp_path / "report.json"
    clocks = {"clk": {"achieved": 50.0, "constraint": 27.0}}
    path.write_text(json.dumps({"fmax": clocks, "utilization": cells}))
    assert read_report(path, family=FAMILIES["gowin"]).resources == {
        "lut": {"used": 100 + 20 + 6 * 3, "available": 1000},
        "ff": {"used": 40, "available": 1000},
        "block_ram": {"used": 5, "available": 1000},
    }


def test_the_last_table_of_the_log_is_read():
    assert packed(LOG + LOG.replace("6751", "6000"))["ICESTORM_LC"] == {
        "used": 6000,
        "available": 5280,
    }
    assert packed("") == {}


def test_cells_of_the_top_are_counted(tmp_path):
    kinds = ["SB_DFF", "SB_DFFESR", "SB_LUT4", "SB_DFFE"]
    top = {
        "attributes": {"top": "0001"},
        "cells": {str(i): {"type": k} for i, k in enumerate(kinds)},
    }
    library = {"attributes": {}, "cells": {"0": {"type": "SB_DFF"}}}
    path = tmp_path / "top.json"
    path.write_text(json.dumps({"modules": {"SB_X": library, "top": top}}))
    assert count_cells(path, "SB_DFF") == 3
