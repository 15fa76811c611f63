"""FuseSoC runs the targets of a core: lint, simulation, an ECP5."""

import json
import re
import shutil
import subprocess
import sys

import pytest
from helpers.edalize_tools import edalize_environment
from helpers.faults import changing
from knotwork import Network
from knotwork.emit import write_network
from knotwork.emit.flows.fusesoc import fusesoc_files, fusesoc_parts, pins_files, pins_parts
from knotwork_soc import System
from knotwork_soc.emit import write_system
from knotwork_soc.emit.package import system_top

WORD = "mesh:x=2,y=2,data_width=8,pipeline=1,name=noc"

icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")


SYSTEM = (
    "mesh x=2 y=1 name=noc data_width=40 bus.burst=16 node.0.bus=axi4 node.0.side=initiator "
    "node.1.bus=apb node.1.side=target node.1.clock=own reset=low map.ram.base=0 map.ram.size=4K "
    "map.ram.node=1"
)


@pytest.fixture
def fusesoc(tmp_path):
    """What runs a target of a core: its status, the folder where it worked, what was printed."""
    folder, environment = tmp_path / "cores", edalize_environment(tmp_path / "programs")

    def run(target, change=lambda text: text, *, system=""):
        if system:
            write_system(System.from_words(system.split()), folder, flows=["fusesoc"])
        else:
            write_network(Network.from_word(WORD), folder, flows=["fusesoc"])
        verilog = folder / "noc.v"
        verilog.write_text(change(verilog.read_text()))
        words = ("--cores-root", ".", "run", f"--target={target}", "knotwork:noc:noc")
        done = subprocess.run(
            [sys.executable, "-m", "fusesoc.main", *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        (work,) = folder.glob(f"build/*/{target}*")
        return done.returncode, work, done.stdout + done.stderr

    return run


def test_lint_is_silent_and_can_speak(fusesoc):
    assert fusesoc("lint")[0] == 0
    status, _, told = fusesoc("lint", changing("  input [1:0] address,", "", places=None))
    assert status != 0
    assert "%Error" in told


@icarus
def test_the_simulation_judges_packets(fusesoc):
    status, _, told = fusesoc("sim")
    assert status == 0, told
    assert re.search(r"^noc_tb: 64 packets arrived in \d+ cycles", told, re.MULTILINE)


EJECTED = "{i_flit[12:11], i_flit[8:0]}"
"""Source, mark of a tail and data of a packet that reaches its node."""


@icarus
@pytest.mark.parametrize(
    "found, put, fault",
    [
        (EJECTED, "{i_flit[12:8], i_flit[7:0] ^ 8'd1}", "the data must be"),
        (EJECTED, "{i_flit[12:11], 1'b1, i_flit[7:0]}", "tlast"),
        ("assign eject_valid = i_valid;", "assign eject_valid = 1'b0;", "are missing"),
        ("assign o_valid = i_valid & ~drop;", "assign o_valid = i_valid;", None),
    ],
)
def test_the_simulation_ends_with_an_error_at_a_fault(fusesoc, found, put, fault):
    status, _, told = fusesoc("sim", changing(found, put, places=None))
    if fault is None:  # no packet is to be dropped here
        assert status == 0
    else:
        assert status != 0
        assert fault in told


@pytest.mark.slow
def test_the_same_testbench_in_verilator(fusesoc):
    status, _, told = fusesoc("sim_verilator")
    assert status == 0, told
    assert re.search(r"^noc_tb: 64 packets arrived in \d+ cycles", told, re.MULTILINE)


@pytest.mark.slow
def test_place_and_route_for_an_ecp5_leaves_a_bitstream(fusesoc):
    status, work, told = fusesoc("ecp5")
    assert status == 0, told
    assert (next(work.glob("*.bit"))).stat().st_size > 10_000
    assert "Max frequency for clock" in told
    cells = json.loads(next(work.glob("*.json")).read_text())["modules"]["noc_pins"]["cells"]
    kinds = [cell["type"] for cell in cells.values()]
    # A router's buffers have 16 flits of data, last and source (11 bits), from x also the y that is
    # still to go (12), from the node x and y (13); a memory has 4 bits of 16 flits.
    assert kinds.count("TRELLIS_DPR16X4") == 4 * (3 + 3 + 4)


def test_a_system_and_a_network_that_needs_a_table_first_have_a_top_of_pins_alone():
    network = Network.from_word("ccc:n=3,routing=lc2")
    assert list(fusesoc_files(network)) == [f"{network.name}_pins.v"]
    top = system_top(System.from_words(SYSTEM.split()))
    assert list(pins_files(top)) == ["noc_pins.v"]
    for parts in (fusesoc_parts(network), pins_parts(top)):
        assert list(parts.filesets) == ["pins"]
        assert "sim:" not in parts.targets


def test_lint_of_a_system_is_silent(fusesoc):
    status, _, told = fusesoc("lint", system=SYSTEM)
    assert status == 0, told


@pytest.mark.slow
def test_place_and_route_of_a_system(fusesoc):
    status, work, told = fusesoc("ecp5", system=SYSTEM)
    assert status == 0, told
    assert (next(work.glob("*.bit"))).stat().st_size > 10_000
    assert told.count("Max frequency for clock") >= 2
