"""Lint of a network too large to elaborate flat: its router whole, its top around a stub.

Verilator elaborates every instance. Each line of the file is linted all the same: the modules of
the router once, under the router as top, and the top with a router of the same ports that is empty.
"""

import re

import pytest
from helpers.lint import lint
from knotwork.cli.main import run

NODES = 1024


@pytest.mark.slow
def test_every_line_of_1024_routers_is_clean(tmp_path):
    assert run(["generate", "hypercube", "n=10", "-o", str(tmp_path)]) == 0
    file, waivers = tmp_path / "hypercube_n10.v", tmp_path / "hypercube_n10.vlt"
    text = file.read_text()
    assert lint(file, waivers, top="hypercube_n10_router") == ""

    start = text.index("module hypercube_n10 (")
    assert text[start:].count("  hypercube_n10_router router_") == NODES
    router = re.search(
        r"^module hypercube_n10_router \(.*?^endmodule$", text, re.DOTALL | re.MULTILINE
    )
    assert router is not None
    head = router[0].partition(");")[0]
    # What an empty router leaves open is its own matter; all else is the top's.
    quiet = "// verilator lint_off UNDRIVEN\n// verilator lint_off UNUSEDSIGNAL\n"
    loud = "// verilator lint_on UNDRIVEN\n"
    stub = quiet + head + ");\nendmodule\n" + loud
    file.write_text(stub + text[start:])
    assert lint(file, waivers, top="hypercube_n10") == ""

    # A wire that leads nowhere is seen.
    broken = text[start:].replace("link_0000000000_dim3_valid),", "link_of_nobody),", 1)
    assert broken != text[start:]
    file.write_text(stub + broken)
    assert "link_of_nobody" in lint(file, waivers, top="hypercube_n10")
