"""Tables loaded, and a link cut, in the Verilog of a network with traffic on it."""

import re
import shutil
from pathlib import Path

import pytest
from helpers.emitted import SIMULATOR
from helpers.faults import changing
from knotwork import Network

PROGRAM = Path(__file__).parents[2] / "cocotb" / "loading_testbench.py"
MESH = "mesh:x=4,y=4,data_width=16,buffer_depth=4,tables=loaded,name=noc"
SMALL = "mesh:x=3,y=2,data_width=16,buffer_depth=5,pipeline=3,tables=loaded,name=noc"
"""The one that is sooner ready to run."""


def with_switches(text, topology):
    """Verilog in which a register, ``cut_<wires>``, cuts each way of each link.

    With bit 0 the link is not up and gives no credits, with bit 1 it brings no flits.
    """
    registers = []
    for router, port in zip(*(topology.neighbours >= 0).nonzero(), strict=True):
        wires = f"link_{topology.router_identifier(router)}_{topology.ports[port]}"
        bits = int(re.search(rf"wire (?:\[(\d+):0\] )?{wires}_valid;", text)[1] or 0) + 1
        registers.append(f"  reg [1:0] cut_{wires} = 2'b0;")
        for pin, bit, width in (("o_up", 0, 1), ("o_credit", 0, bits), ("i_valid", 1, bits)):
            wire = f"{wires}_{pin[2:]}"
            text, count = re.subn(
                rf"(\.\w+_{pin})\({wire}\)",
                rf"\1({wire} & {{{width}{{~cut_{wires}[{bit}]}}}})",
                text,
            )
            assert count == 1, wire
    top = text.index("module noc (")
    ports_end = text.index(");\n", top) + 3
    return text[:ports_end] + "\n".join(registers) + "\n" + text[ports_end:]


@pytest.fixture
def run(generated, tmp_path):
    """Run a test of `PROGRAM` on a network, with a fault in its Verilog if one is named."""

    def run(word, test, break_it=lambda text: text, *, cuts=True, **environment):
        def edited(text):
            text = break_it(text)
            return with_switches(text, Network.from_word(word).topology) if cuts else text

        testbench = generated(word, edited)
        shutil.copy(PROGRAM, tmp_path / "test_noc.py")
        return testbench(SIMULATOR, "--test", test, **environment)

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "test", "environment"),
    [
        (SMALL, "traffic_goes_on_by_each_table", {}),
        *(
            (SMALL.replace("buffer_depth=5", keys), "traffic_goes_on_by_each_table", {})
            for keys in ("classes=2,buffer_depth=2", "nodes_per_router=2,parity=yes")
        ),
        (MESH, "a_link_is_cut", {}),
        *(
            (MESH.replace("buffer_depth=4", keys), "a_link_is_cut", {"ALL_LINKS": "1"})
            for keys in ("virtual_channels=2,buffer_depth=2", "buffer_depth=16")
        ),
    ],
)
def test_traffic_goes_on_by_each_table_and_past_dead_links(run, word, test, environment):
    status, told = run(word, test, **environment)
    assert status == 0, told


@pytest.mark.slow
def test_flits_and_credits_along_links_are_waited_for(run, tmp_path):
    (tmp_path / "long.edges").write_text("0 1 3\n1 2\n2 3 2\n3 0\n0 2 4\n")
    word = f"graph:file={tmp_path}/long.edges,data_width=16,tables=loaded,name=noc"
    status, told = run(word, "traffic_goes_on_by_each_table", cuts=False)
    assert status == 0, told


@pytest.mark.slow
@pytest.mark.fault
@pytest.mark.parametrize(
    ("before", "after", "test"),
    [
        ("assign rests = held & empty", "assign rests = held", "traffic_goes_on_by_each_table"),
        # Told a cycle late: only the golden model knows.
        ("swaps <= swaps ^ ends", "swaps <= swaps ^ control_swap", "traffic_goes_on"),
        ("write_address = {~bank, ", "write_address = {bank, ", "traffic_goes_on"),
        ("i_flit_last & ~sending", "i_flit_last", "a_link_is_cut"),
        ("assign closes = dead & ", "assign closes = 1'b0 & ", "a_link_is_cut"),
    ],
)
def test_a_fault_is_found(run, before, after, test):
    status, told = run(MESH, test, changing(before, after, places=None))
    assert status == 1, told
