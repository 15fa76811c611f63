import json

import pytest
from knotwork_boards.place_and_route import count_cells, read_report, shortage

LOG = """
Info: Device utilisation:
Info: 	         ICESTORM_LC:    6751/   5280   127%
Info: 	        ICESTORM_RAM:      31/     30   103%
Info: 	               SB_IO:       5/     39    12%

ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'ICESTORM_LC'
"""


def test_shortage_names_what_is_short():
    assert shortage(LOG) == "6751 of 5280 ICESTORM_LC, 31 of 30 ICESTORM_RAM"
    assert shortage(LOG.replace("6751", "5280").replace("31/", "30/")) is None
    assert shortage("") is None


@pytest.mark.parametrize(
    ("family", "cells"),
    [
        ("ecp5", {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "block_ram": "DP16KD"}),
        ("ice40", {"lut": "ICESTORM_LC", "block_ram": "ICESTORM_RAM"}),
    ],
)
def test_the_clock_with_the_least_margin_and_the_cells_are_read(tmp_path, family, cells):
    uses = {kind: {"used": place, "available": 100 * place + 1} for place, kind in enumerate(cells)}
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
