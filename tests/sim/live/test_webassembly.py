import pytest
from knotwork.errors import ToolError
from knotwork_sim.live import webassembly

COUNTER = """module counter (input clk, output reg [7:0] count = 8'd0);
  always @(posedge clk) count <= count + 1;
endmodule
"""


def test_a_missing_compiler_is_told_in_a_line(monkeypatch):
    monkeypatch.setattr(webassembly, "find_spec", lambda name: None)
    with pytest.raises(ToolError) as missing:
        webassembly.build_module("counter", COUNTER, {})
    assert str(missing.value) == (
        "ziglang: must be installed for modules that run in a page: run `make setup`, or "
        "`pip install ziglang`"
    )


def test_what_the_compiler_says_is_told_in_a_line(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError, match=r"^zig: must succeed: harness\.cpp:1:1: error: .*\Z"):
        webassembly.build_module("counter", COUNTER, {"harness.cpp": "nonsense;\n"})
    assert not [*(tmp_path / "build/live").glob("*/live.wasm")]


def test_what_yosys_says_is_told_in_a_line(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError, match=r"^yosys: must succeed: ERROR: .*\Z"):
        webassembly.build_module("another", COUNTER, {"harness.cpp": ""})
