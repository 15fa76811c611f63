"""Tables loaded, and a link cut, in the Verilog of a network with traffic on it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from knotwork import Network
from knotwork.emit import write_network

PROGRAM = Path(__file__).parents[2] / "cocotb" / "loading_testbench.py"
MESH = "mesh:x=4,y=4,data_width=16,buffer_depth=4,tables=loaded,name=noc"
SMALL = "mesh:x=3,y=2,data_width=16,buffer_depth=4,tables=loaded,name=noc"

pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no Icarus")


@pytest.fixture
def run(tmp_path):
    """Run a test of `PROGRAM` on a network, with a fault in its Verilog if one is named."""

    def run(word, test, break_it=lambda text: text, **environment):
        write_network(Network.from_word(word), tmp_path, testbench=True)
        verilog = tmp_path / "noc.v"
        verilog.write_text(break_it(verilog.read_text()))
        shutil.copy(PROGRAM, tmp_path / "test_noc.py")
        done = subprocess.run(
            [sys.executable, "run_noc.py", "icarus", "--seed", "1", "--test", test],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COCOTB_ANSI_OUTPUT": "0"} | environment,
        )
        return done.returncode, done.stdout + done.stderr

    return run


def test_traffic_goes_on_by_each_table(run):
    status, told = run(SMALL, "traffic_goes_on_by_each_table")
    assert status == 0, told


def test_a_link_is_cut_in_a_running_mesh(run):
    status, told = run(MESH, "a_link_is_cut")
    assert status == 0, told


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["virtual_channels=2,buffer_depth=2", "buffer_depth=16"])
def test_links_are_cut_one_after_the_other(run, keys):
    status, told = run(MESH.replace("buffer_depth=4", keys), "a_link_is_cut", ALL_LINKS="1")
    assert status == 0, told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        ("assign ends = held & empty", "assign ends = held", "traffic_goes_on_by_each_table"),
        # Told a cycle late: only the golden model knows.
        ("swaps <= swaps ^ ends", "swaps <= swaps ^ control_swap", "traffic_goes_on"),
        ("assign into = {~bank, place}", "assign into = {bank, place}", "traffic_goes_on"),
        ("assign tells = drops & ~opened & ", "assign tells = drops & ", "a_link_is_cut"),
        ("assign closes = dead & opened", "assign closes = 1'b0", "a_link_is_cut"),
    ],
)
def test_a_fault_is_found(run, before, after, test):
    def broken(text):
        assert before in text
        return text.replace(before, after)

    status, told = run(MESH, test, broken)
    assert status == 1, told
