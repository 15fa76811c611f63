import re

import pytest
from knotwork import Network
from knotwork.emit.collectives import collectives_source
from knotwork_sim.collectives import ports
from knotwork_sim.collectives.simulate import draw_groups
from knotwork_sim.collectives.verilog import collectives_program, run_verilog
from knotwork_sim.traffic.keys import COLLECTIVES, Traffic

MIX = ",".join(f"{name}:1" for name in COLLECTIVES)
NETWORK = Network.from_word("mesh:x=2,y=2").changed(
    collectives=True, operations=("sum", "signed_max"), collective_width=80, element_width=16
)


def run(text, groups, pauses):
    names = [[str(node) for node in group.tree.members] for group in groups]
    return run_verilog(collectives_program("top", text, groups, names).build(), groups, pauses)


def source():
    (group,) = NETWORK.collective_groups
    return collectives_source("top", group.tree, group.form).text


@pytest.mark.parametrize("changing", [False, True])
def test_the_verilog_equals_the_model_in_every_cycle(changing):
    groups = draw_groups(NETWORK, Traffic(traffic=MIX, length=(1, 5), seed=4))
    pauses = ports.Pauses.of(0.2, 0.3, changing=changing, seed=4)
    model, found = ports.run_model(groups, pauses), run(source(), groups, pauses)
    assert found.cycles == model.cycles
    assert ports.differences(model, found) == []
    assert ports.judge(groups, found).first_wrong is None


def test_a_fault_in_the_verilog_is_found():
    groups = draw_groups(NETWORK, Traffic(traffic="all_reduce", length=(4, 4)))
    faulty, count = re.subn(r"(assign m_axis_\w+_tdata = )(.*);", r"\1~(\2);", source(), count=1)
    assert count == 1
    found = run(faulty, groups, ports.Pauses())
    assert ports.judge(groups, found).wrong
    assert ports.differences(ports.run_model(groups, ports.Pauses()), found)
