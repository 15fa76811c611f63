"""Upsets in the buffers of a network with parity, in a simulator."""

import shutil
from types import SimpleNamespace

import pytest
from helpers.refusals import refuses
from knotwork import Network
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
def test_a_flipped_bit_is_marked_or_told(generated, keys, is_marked):
    def edit(text):
        assert text.count(MARK) == 1
        return text if is_marked else text.replace(MARK, "assign m_axis_tuser = 1'b0;")

    testbench = generated(f"hypercube:n=1,parity=yes,data_width=8,{keys},name=noc", edit)
    status, told = testbench("icarus", "--test", "upsets")
    assert status == (0 if is_marked else 1), told
    assert is_marked or "upsets: noc: packet 0 must have tuser 1, not 0" in told


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
    with refuses(told):
        flip.send(None)
