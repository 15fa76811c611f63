"""Upsets in the buffers of a network with parity, in a simulator."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from knotwork import Network
from knotwork.emit import write_network
from knotwork.errors import ConfigurationError
from knotwork_sim.scoreboard import Scoreboard
from knotwork_sim.testbench import upset

MARK = "assign m_axis_tuser = node_interface_eject_payload_flags;"


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")
@pytest.mark.parametrize(
    "keys",
    ["buffer_depth=2", "buffer_depth=4", "buffer_depth=4,pipeline=2,virtual_channels=2"],
    ids=["registers", "memories", "credits"],
)
@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "unmarked"])
def test_a_flipped_bit_is_marked_or_told(tmp_path, keys, is_marked):
    word = f"hypercube:n=1,parity=yes,data_width=8,{keys},name=noc"
    write_network(Network.from_word(word), tmp_path, testbench=True)
    verilog = tmp_path / "noc.v"
    assert verilog.read_text().count(MARK) == 1
    if not is_marked:
        verilog.write_text(verilog.read_text().replace(MARK, "assign m_axis_tuser = 1'b0;"))
    done = subprocess.run(
        [sys.executable, "run_noc.py", "icarus", "--seed", "1", "--test", "upsets"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COCOTB_ANSI_OUTPUT": "0"},
    )
    assert done.returncode == (0 if is_marked else 1), done.stdout
    assert is_marked or "upsets: noc: packet 0 must have tuser 1, not 0" in done.stderr


@pytest.mark.parametrize(
    ("word", "bit", "told"),
    [
        ("hypercube:n=1", 0, "hypercube_n1: an upset must go with parity=yes, not without"),
        ("hypercube:n=1,parity=yes,name=noc", 32, "noc: a bit must be in 0..31, not 32"),
    ],
)
def test_what_cannot_be_upset_is_refused(word, bit, told):
    network = Network.from_word(word)
    packet = Scoreboard(network).sent(0, 1, [5])
    flip = upset(SimpleNamespace(network=network), packet, bit=bit)
    with pytest.raises(ConfigurationError) as error:
        flip.send(None)
    assert str(error.value) == told
