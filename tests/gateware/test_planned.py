"""Parts of a wiring plan: how ports are named and grouped."""

from knotwork.gateware.planned import PlannedModule, PlannedPort


def test_a_port_of_several_is_known_by_its_suffix_and_stands_in_one_group():
    into = PlannedPort("dim0_i", "link", True, lambda component: component.i)
    out = into._replace(name="dim0_o", receives=False)
    refused = PlannedPort("refused", "", False, lambda component: component.refused, suffix="_3")
    module = PlannedModule("router", object, ((refused,), (into, out)))
    assert [port.key for port in module.ports] == ["refused_3", "dim0_i", "dim0_o"]
    assert module.group_of["dim0_o"] == (into, out)
    assert module.group_of["refused_3"] == (refused,)
