import pytest
from knotwork.errors import ToolError
from knotwork_boards.bits import ice40
from knotwork_boards.table import board_named


def test_ports_are_not_declared_again_as_wires():
    text = "module chip (input clk, output tx);\n\nwire n1, clk, n2;\nwire tx;\nreg n3 = 0;\n"
    assert ice40.wires_once(text, {"clk", "tx"}) == (
        "module chip (input clk, output tx);\n\nwire n1, n2;\n\nreg n3 = 0;\n"
    )


def test_without_icestorm_it_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(ice40.shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolError) as refusal:
        ice40.unpack(tmp_path, board_named("icebreaker"), {"clk": "35", "tx": "9"})
    assert str(refusal.value) == (
        "icebox_vlog must be installed: no wheel has it (Debian: apt install fpga-icestorm)"
    )
