"""Testbenches of systems, as users get them, in a simulator."""

import ast
import re

import pytest
from helpers.collectives import FAULTS
from helpers.emitted import FAST, OF_BRIDGES, OF_STREAMS, SIMULATOR, system_and_verilog
from helpers.faults import changing
from helpers.refusals import refuses
from knotwork_sim.testbench import run_tests
from knotwork_soc import System
from knotwork_soc.emit import write_system
from knotwork_soc.emit.testbench import system_testbench_files


def run(folder, words, edit=lambda text: text):
    """Exit status of a system's testbench, its Verilog changed by `edit`."""
    system, _ = system_and_verilog(words)
    write_system(system, folder, testbench=True)
    (folder / "chip.v").write_text(edit((folder / "chip.v").read_text()))
    return run_tests(
        sources=[folder / "chip.v"],
        top="chip",
        tests="test_chip",
        arguments=[SIMULATOR, "--seed", "1"],
        build_args=FAST,
    )


def test_packets_arrive_at_nodes_of_other_widths_and_clocks(tmp_path):
    assert run(tmp_path, OF_STREAMS) == 0


OF_COLLECTIVES = (
    "mesh x=3 y=2 buffer_depth=2 name=chip node.bus=none node.0.bus=stream node.5.bus=stream "
    "node.5.clock=own reset=low collectives=yes groups=all/0-2 operations=sum,max"
)


@pytest.mark.slow
def test_groups_in_a_system_get_what_numpy_says(tmp_path):
    assert run(tmp_path, OF_COLLECTIVES) == 0


@pytest.mark.slow
@pytest.mark.fault
def test_a_fault_in_a_groups_tree_is_seen(tmp_path, capfd):
    fault = changing(*FAULTS["a mask that is not read"])
    assert run(tmp_path, OF_COLLECTIVES, fault) == 1
    assert "chip: collective" in capfd.readouterr().err


@pytest.mark.slow
def test_packets_arrive_at_mesochronous_nodes(tmp_path):
    words = OF_STREAMS.replace("clock=own", "clock=mesochronous")
    assert words != OF_STREAMS
    assert run(tmp_path, words) == 0


@pytest.mark.slow
def test_memories_of_all_buses_hold_what_was_written(tmp_path):
    assert run(tmp_path, OF_BRIDGES) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "wire", "told"),
    [
        (OF_BRIDGES, "wbs_1_dat_w", "must hold"),
        (OF_BRIDGES, "m_axi_3_rdata", "must hold"),
        (OF_BRIDGES, "apbm_2_prdata", "must hold"),
        (OF_STREAMS, "s_axis_0_tdata", "packet 0 must be"),
    ],
)
def test_a_fault_is_seen(words, wire, told, tmp_path, capfd):
    def broken(text):
        """Invert the wire where it leads from or to a pin of the top, and nowhere else."""
        parts, module, top = text.rpartition("\nmodule ")
        found, count = re.subn(rf"\({wire}\)", f"({wire} ^ 1'b1)", top)
        assert count == 1
        return parts + module + found

    assert run(tmp_path, words, broken) == 1
    assert told in capfd.readouterr().err


SILENT = (
    "mesh x=2 y=1 name=chip buffer_depth=2 node.bus=none node.0.bus={} node.0.side=initiator "
    "node.1.bus=axi4 node.1.side=target bus.burst=2 bus.outstanding=1 bus.timeout=16 "
    "map.ram.base=0 map.ram.size=4K map.ram.node=1"
)


@pytest.mark.parametrize(
    "bus", ["axi4", *(pytest.param(bus, marks=pytest.mark.slow) for bus in ("wishbone", "apb"))]
)
def test_a_system_that_never_answers_fails(bus, tmp_path, capfd, monkeypatch):
    """Every test ends with a verdict, however little the system does."""

    def deaf(text):
        """No answer comes to the manager's node."""
        pin = ".responses_m_axis_tvalid({})"
        answers, none = pin.format("responses_m_axis_0_tvalid"), pin.format("1'b0")
        return changing(answers, none)(text)

    assert run(tmp_path, SILENT.format(bus), deaf) == 1
    told = capfd.readouterr().err
    late = "write of 0x0 must be answered, and nothing came for 20032 cycles"
    assert f"every_region: node 0: {late}" in told
    assert "1 of 3 tests passed" in told  # no access to no region is sent


@pytest.mark.parametrize("words", [OF_BRIDGES, OF_STREAMS])
def test_the_tests_are_of_what_the_system_has(words):
    system, _ = system_and_verilog(words)
    files = system_testbench_files(system)
    assert list(files) == ["test_chip.py", "run_chip.py", "Makefile"]
    tree = ast.parse(files["test_chip.py"])
    tests = [each.name for each in tree.body if isinstance(each, ast.AsyncFunctionDef)]
    of_buses = ["every_region", "all_at_once", "no_region"]
    assert tests == ["start", *(of_buses if system.map else ["packets"])]
    assert 'manifest=HERE / "manifest.json",' in files["run_chip.py"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "hypercube n=2 keep=no user_width=3 data_width=12 name=chip",
            "chip: --testbench must be used with streams of whole bytes, not of 12 bits",
        ),
        (
            "lcan d=2 u=2 levels=2 routing=scheduled user_width=3 name=chip",
            "chip: --testbench must be used with streams from every node to every node at any "
            "time, not with lcan routing=scheduled",
        ),
        (
            "banyan d=2 u=2 levels=2 user_width=3 name=chip",
            "chip: --testbench must be used with streams from every node to every node at any "
            "time, not with banyan routing=oneway",
        ),
    ],
)
def test_where_there_is_none_one_line_says_so(words, told, tmp_path):
    with refuses(told):
        write_system(System.from_words(words.split()), tmp_path / "new", testbench=True)
    assert not (tmp_path / "new").exists()


def test_files_that_are_there_stay(tmp_path):
    system, _ = system_and_verilog(OF_STREAMS)
    write_system(system, tmp_path, testbench=True)
    (tmp_path / "test_chip.py").write_text("mine\n")
    again = [file.name for file in write_system(system, tmp_path, testbench=True)]
    assert "test_chip.py" not in again
    assert (tmp_path / "test_chip.py").read_text() == "mine\n"
