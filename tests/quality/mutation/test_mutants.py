import re

import pytest
from helpers.emitted import module_ports
from helpers.toy import NAME, VERILOG
from knotwork import Network
from knotwork.errors import ToolError
from quality.mutation.mutants import (
    COARSE,
    Mutant,
    input_width,
    list_mutants,
    module_verilog,
    run_yosys,
    switched_network,
    switched_verilog,
)
from quality.mutation.properties import chosen, component, has_proofs, property_table

NETWORK = Network.from_word("hypercube:n=1,data_width=8,buffer_depth=2,pipeline=1")
ROUTER = NETWORK.router_kinds[0].name


def test_mutants_are_numbered_from_1_and_none_is_a_clock(mutants):
    assert [mutant.number for mutant in mutants] == list(range(1, 31))
    assert len({mutant.command for mutant in mutants}) == 30
    assert {mutant.option("mode") for mutant in mutants} >= {"inv", "const0", "const1"}
    assert all(
        mutant.option("port") in {"A", "B", "S", "Y", "D", "Q", "R", "E"} for mutant in mutants
    )


def test_the_same_seed_gives_the_same_mutants_and_another_one_others(mutants):
    assert list_mutants(VERILOG, NAME, count=30) == mutants
    assert list_mutants(VERILOG, NAME, count=30, seed=2) != mutants


def test_no_mutant_is_in_an_assertion():
    """The module has one gate beside what is asserted: all faults are there."""
    text = """
module toy(input clk, input rst, input a, input b, output y);
  assign y = a & b;
  always @(posedge clk) begin
    assert (a ^ b | rst);
  end
endmodule
"""
    cells = {mutant.option("cell") for mutant in list_mutants(text, NAME, count=50)}
    assert len(cells) == 1


def test_a_memory_that_is_read_without_a_clock_has_no_faults_in_what_only_a_clock_has():
    """Yosys cannot write such a memory."""
    text = """
module toy(input clk, input we, input [3:0] at, from, input [1:0] d, output [1:0] q);
  reg [1:0] words [0:15];
  always @(posedge clk) if (we) words[at] <= d;
  assign q = words[from];
endmodule
"""
    mutants = list_mutants(text, NAME, count=200)
    ports = "RD_ADDR RD_DATA WR_ADDR WR_DATA WR_EN"
    assert {mutant.option("port") for mutant in mutants} == set(ports.split())
    assert switched_verilog(text, NAME, mutants)


def test_the_location_of_a_mutant_is_its_wire_or_its_cell():
    mutant = Mutant(7, r" -mode cnot1 -module m -cell $and$1 -port Y -portbit 2 -ctrlbit 3 "
                       r"-wire buffer.full -wirebit 5 -src a.v:3")  # fmt: skip
    assert mutant.location == "buffer.full[5]"
    inner = Mutant(8, r" -mode inv -module m -cell $flatten\buffer.$or$2 -port A -portbit 0")
    assert inner.location == "buffer.$or$2"
    assert inner.option("wire") == ""


@pytest.mark.parametrize(("count", "bits"), [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (300, 9)])
def test_the_input_is_wide_enough_for_the_last_number(count, bits):
    assert input_width([Mutant(number, "") for number in range(1, count + 1)]) == bits


def test_a_switched_module_has_one_more_input(mutants):
    text = switched_verilog(VERILOG, NAME, mutants)
    ports = re.findall(r"^  (input|output) (?:\[(\d):0\] )?(\w+);", text, re.MULTILINE)
    assert set(ports) == {
        *[("input", "", name) for name in ("clk", "rst", "a", "b")],
        *[("output", "", "y"), ("output", "", "z"), ("output", "1", "sum")],
        ("input", "4", "mutant"),
    }


def test_in_a_switched_network_all_routers_of_the_kind_have_the_input():
    mutants = list_mutants(module_verilog(NETWORK, ROUTER), ROUTER, count=5)
    sources = switched_network(NETWORK, ROUTER, mutants)
    text = sources[f"{NETWORK.name}.v"]
    assert module_ports(text, NETWORK.name)["mutant"] == ("input", 3)
    assert text.count(".mutant(mutant)") == NETWORK.topology.routers
    assert sources["testbench.v"].count(".mutant(mutant)") == 1
    assert module_ports(sources["testbench.v"], "testbench")["mutant"] == ("input", 3)


def test_a_failure_of_yosys_is_told(tmp_path):
    with pytest.raises(ToolError) as error:
        run_yosys("read_verilog missing.v\n", tmp_path)
    assert str(error.value) == (
        "yosys: must succeed: ERROR: File `missing.v' not found or is a directory"
    )


def mutant(number, cell):
    return Mutant(number, f" -mode inv -module m -cell {cell} -port Y -portbit 0 -wire w")


def test_mutants_are_chosen_from_every_part_of_a_router_in_turn():
    cell = r"$flatten\output_dim2.\arbiter_vc0.$and$module.v:7$3"
    assert component(mutant(1, cell)) == "output.arbiter"
    assert component(mutant(1, r"$or$module.v:7$3")) == ""
    assert component(mutant(1, "input_U_vc0.buffer.memory")) == "input.buffer.memory"
    cells = [rf"$flatten\{part}.$and$1" for part in ("a_1", "a_2", "a_1", "c_1", "c_1")]
    mutants = [mutant(number, cell) for number, cell in enumerate(cells, 1)]
    assert [one.number for one in chosen(mutants, 4)] == [1, 4, 2, 5]
    assert len(chosen(mutants, 9)) == 5


def test_mutants_for_proofs_are_in_wires_that_keep_their_names():
    verilog = module_verilog(NETWORK, ROUTER)
    parts = {component(one) for one in list_mutants(verilog, ROUTER, count=60, read=COARSE)}
    assert {"input.buffer", "output"} <= parts
    assert has_proofs(NETWORK)
    assert has_proofs(Network.from_word("lcan:d=2,u=2,levels=3,max_packet=64"))


@pytest.mark.slow
def test_proofs_see_faults():
    table = property_table(NETWORK, ROUTER, count=6)
    assert set(table) >= {"buffers", "order_local_vc0"}
    assert sum(table.values()) >= 3
