import pytest
from knotwork import Network
from quality.mutation.mutants import COARSE, Mutant, list_mutants, module_verilog
from quality.mutation.properties import chosen, component, has_proofs, property_table

SMALL = "hypercube:n=1,data_width=8,buffer_depth=2"


def mutant(number, cell):
    return Mutant(number, f" -mode inv -module m -cell {cell} -port Y -portbit 0 -wire w")


def test_a_part_of_a_router_is_named_without_its_port():
    cell = r"$flatten\output_dim2.\arbiter_vc0.$and$module.v:7$3"
    assert component(mutant(1, cell)) == "output.arbiter"
    assert component(mutant(1, r"$flatten\input_local_vc0.\buffer.$procdff$9")) == "input.buffer"
    assert component(mutant(1, r"$or$module.v:7$3")) == ""
    assert component(mutant(1, "input_U_vc0.buffer.memory")) == "input.buffer.memory"


def test_mutants_are_chosen_from_every_part_in_turn():
    cells = [rf"$flatten\{part}.$and$1" for part in ("a_1", "a_2", "a_1", "c_1", "c_1")]
    mutants = [mutant(number, cell) for number, cell in enumerate(cells, 1)]
    assert [one.number for one in chosen(mutants, 4)] == [1, 4, 2, 5]
    assert len(chosen(mutants, 9)) == 5


@pytest.mark.parametrize(
    ("word", "has"),
    [(SMALL, True), ("ccc:n=3,routing=lc2", True), ("hypercube:n=2,parity=yes", False)],
)
def test_routers_that_have_proofs_are_known(word, has):
    assert has_proofs(Network.from_word(word)) == has


def test_mutants_for_proofs_are_in_wires_that_keep_their_names():
    network = Network.from_word(SMALL)
    name = network.module_name("router")
    verilog = module_verilog(network, name)
    parts = {component(one) for one in list_mutants(verilog, name, count=60, read=COARSE)}
    assert {"input.buffer", "output.arbiter"} <= parts


@pytest.mark.slow
def test_proofs_see_faults():
    network = Network.from_word(SMALL)
    table = property_table(network, network.module_name("router"), count=6)
    assert set(table) >= {"buffers", "order_local_vc0"}
    assert sum(table.values()) >= 3
