"""Networks of every router class with collectives: packets and collectives at once, in Verilog."""

import shutil
from pathlib import Path

import pytest
from helpers.emitted import SIMULATOR

PROGRAMS = Path(__file__).parents[2] / "cocotb"
KEYS = (
    "collectives=yes,collective_width=32,groups=all/0-1,operations=sum,signed_min,element_width=8,"
    "name=noc"
)

QUICK = [] if SIMULATOR == "icarus" else [pytest.mark.slow]  # others compile for a minute


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("mesh:x=2,y=2,data_width=16,buffer_depth=4", marks=QUICK),
        pytest.param("mesh:x=3,y=3,data_width=16,buffer_depth=4", marks=pytest.mark.slow),
        pytest.param("mesh:x=3,y=3,data_width=16,pipeline=1", marks=pytest.mark.slow),
        pytest.param("mesh:x=3,y=3,data_width=16,dead=1-4,parity=yes", marks=pytest.mark.slow),
        pytest.param("mesh:x=2,y=2,data_width=16,nodes_per_router=2", marks=pytest.mark.slow),
        pytest.param("moebius:n=3,data_width=16,watchdog=9,counters=yes", marks=pytest.mark.slow),
        pytest.param("torus:x=3,y=3,data_width=16,router=deflection", marks=pytest.mark.slow),
        pytest.param("lcan:d=2,u=2,levels=2,data_width=16", marks=pytest.mark.slow),
        pytest.param("fattree:r=2,2,u=1,2,data_width=16", marks=pytest.mark.slow),
        pytest.param("ccc:n=2,routing=lc2,data_width=16", marks=pytest.mark.slow),
    ],
)
def test_packets_and_collectives_are_as_their_models_say_at_once(generated, tmp_path, word):
    run = generated(f"{word},{KEYS}")
    shutil.copy(PROGRAMS / "composed_testbench.py", tmp_path / "test_noc.py")
    status, said = run(SIMULATOR)
    assert status == 0, said[-2000:]
