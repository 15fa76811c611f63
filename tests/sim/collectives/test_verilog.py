import pytest
from helpers.operations import Average, ComplexAdd, SaturatingAdd
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork_sim.collectives import ports
from knotwork_sim.collectives.simulate import draw_groups
from knotwork_sim.collectives.verilog import collectives_program, run_network, run_verilog
from knotwork_sim.traffic.keys import COLLECTIVES, Traffic

MIX = ",".join(f"{name}:1" for name in COLLECTIVES)
NETWORK = Network.from_word("mesh:x=2,y=2,pipeline=1,name=net").changed(
    collectives=True,
    groups=("all", "1,3"),
    operations=("sum", "signed_max"),
    collective_width=80,
    element_width=16,
)


@pytest.mark.parametrize("changing", [False, True])
def test_the_verilog_equals_the_model_in_every_cycle(changing):
    groups = draw_groups(NETWORK, Traffic(traffic=MIX, length=(1, 5), seed=4))
    pauses = ports.Pauses.of(0.2, 0.3, changing=changing, seed=4)
    model, found = ports.run_model(groups, pauses), run_network(NETWORK, groups, pauses)
    assert found.cycles == model.cycles
    assert ports.differences(model, found) == []
    assert ports.judge(groups, found).first_wrong is None


@pytest.mark.parametrize(
    ("word", "operations"),
    [
        ("mesh:x=3,y=2,pipeline=1,name=net", ("sum", SaturatingAdd, ComplexAdd)),
        # Of three branches one has no neighbour.
        ("lcan:d=3,u=1,levels=2,name=net", (ComplexAdd, Average)),
    ],
)
def test_operations_of_a_user_are_simulated_in_amaranth_and_in_verilog(word, operations):
    network = Network.from_word(word).changed(
        collectives=True, operations=operations, collective_width=48, element_width=16
    )
    groups = draw_groups(network, Traffic(traffic="all_reduce", length=(1, 6), seed=2))
    reductions = [one.messages[0].header.operation for one in groups[0].rounds]
    assert {*reductions} == {*range(len(operations))}
    pauses = ports.Pauses.of(0.1, 0.2, changing=False, seed=2)
    model, found = ports.run_model(groups, pauses), run_network(network, groups, pauses)
    assert ports.differences(model, found) == []
    assert ports.judge(groups, found).first_wrong is None


def test_one_group_runs_while_others_are_idle():
    groups = draw_groups(NETWORK, Traffic(traffic="reduce", length=(1, 5), seed=4))[1:]
    found = run_network(NETWORK, groups, ports.Pauses())
    assert ports.differences(ports.run_model(groups, ports.Pauses()), found) == []


def test_a_fault_in_the_verilog_is_found():
    groups = draw_groups(NETWORK, Traffic(traffic="all_reduce", length=(4, 4)))
    text = network_verilog(NETWORK)
    names = [[NETWORK.port_names[node] for node in group.tree.members] for group in groups]
    program = collectives_program("net", _with_fault(text), groups, names)
    found = run_verilog(program.build(), groups, ports.Pauses())
    assert ports.judge(groups, found).wrong
    assert ports.differences(ports.run_model(groups, ports.Pauses()), found)


def _with_fault(text):
    """The same Verilog, but what a node receives of a group is inverted."""
    line = "receive_0_o_payload_data = receive_0_o_payload[79:0]"
    assert text.count(line) == 1
    return text.replace(line, line.replace("= ", "= ~"))
