"""Wiring plans: every net has one driver, every port of every instance is connected."""

import re

import pytest
from helpers.long_links import network_of
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.gateware.wiring_plan import link_latencies, wiring_plan

WORDS = (
    "mesh:x=2,y=2,nodes_per_router=2,counters=yes",
    "mesh:x=3,y=2,pipeline=1",
    "ring:n=3,routing=updown,tables=loaded,counters=yes",
    "kyklos:k=2,levels=2",
    "lcan:d=2,u=2,levels=2",
    "hypercube:n=2,routing=lc1",
    "moebius:n=3,router=deflection",
    "mesh:x=2,y=2,collective_watchdog=9,collectives=yes,groups=all/0-1",
)


@pytest.mark.parametrize("word", WORDS)
def test_every_net_has_one_driver_and_a_reader(word):
    plan = wiring_plan(Network.from_word(word))
    senders = [port.key for port in plan.ports if port.receives]
    receivers = [port.key for port in plan.ports if not port.receives]
    for instance in plan.instances:
        ports = {port.key: port for port in instance.module.ports}
        assert instance.connections.keys() == ports.keys()
        for key, connection in instance.connections.items():
            if not isinstance(connection, str | list):
                assert ports[key].receives
                assert len(connection) == ports[key].width
                continue
            names = [connection] if isinstance(connection, str) else connection
            (receivers if ports[key].receives else senders).extend(names)
    names = [net.name for net in plan.nets] + [port.key for port in plan.ports]
    assert sorted(senders) == sorted(names)
    assert {*receivers} == {*names}


@pytest.mark.parametrize("word", WORDS)
def test_instances_and_modules_have_names_of_their_own(word):
    plan = wiring_plan(Network.from_word(word))
    for names in (
        [one.name for one in plan.modules],
        [one.name for one in plan.instances],
        [one.name for one in plan.nets],
    ):
        assert len({*names}) == len(names)
    assert {id(one.module) for one in plan.instances} == {id(one) for one in plan.modules}


def connections(network):
    """What is connected in each instance, by its name."""
    return {one.name: one.connections for one in wiring_plan(network).instances}


def test_each_copy_of_a_node_has_nets_of_its_own():
    network = Network.from_word("kyklos:k=2,levels=2,data_width=8,max_packet=2,name=two")
    topology, found = network.topology, connections(network)
    for node in range(4):
        label = topology.label(node)
        chooser, interface = found[f"chooser_{label}"], found[f"node_{label}"]
        assert chooser["sent"] == interface["o"] == f"link_node_{label}"
        assert chooser["given"] == interface["i"] == f"link_chooser_{label}"
        for copy in range(2):
            router = topology.router_label(copy * 3 + topology.position_in_copy(copy, node) // 2)
            port = topology.position_in_copy(copy, node) % 2
            switch = found[f"router_{router}"]
            assert chooser[f"o{copy}"] == switch[f"a{port}"] == f"link_node_{label}_{copy}"
            assert chooser[f"i{copy}"] == switch[f"c{port}"] == f"link_{router}_c{port}"


def test_a_node_with_one_link_has_no_chooser():
    network = Network.from_word("lcan:d=2,u=2,levels=2,data_width=8,max_packet=2")
    assert "chooser" not in network_verilog(network)
    assert connections(network)[f"router_{network.topology.router_label(0)}"]["a0"] == (
        f"link_node_{network.topology.label(0)}"
    )


def test_registers_stand_between_the_ends_of_a_long_link():
    network = network_of([(0, 1, 3), (1, 2), (2, 0, 2)], directed=True, data_width=8, name="net")
    text, found = network_verilog(network), connections(network)
    top = text[text.index("module net (") :]
    assert link_latencies(network) == [2, 3]
    assert sorted(re.findall(r"^module (net_link\d+) ", text, re.M)) == ["net_link2", "net_link3"]
    placed = dict(re.findall(r"(net_link\d+) along_(\w+) \(", top))
    assert placed == {"net_link3": "0_link0", "net_link2": "2_link0"}
    for sender, receiver, end in ((0, 1, "_end"), (1, 2, ""), (2, 0, "_end")):
        wires = f"link_{sender}_link0"
        assert found[f"router_{sender}"]["link0_o"] == wires
        assert found[f"router_{receiver}"]["link0_i"] == f"{wires}{end}"
        if end:
            assert found[f"along_{sender}_link0"] == {"i": wires, "o": f"{wires}{end}"}


def test_a_hierarchy_that_is_kept_keeps_the_registers_of_links():
    network = network_of([(0, 1, 3)], data_width=8, name="net")
    kept = network_verilog(network, keep_hierarchy=True)
    assert '(* keep_hierarchy = "yes" *)\nmodule net_link3 (' in kept
    assert "link" not in re.findall(r"^module (\w+) ", network_verilog(network_of([(0, 1)])), re.M)


@pytest.mark.parametrize("word", WORDS[:-1])
def test_no_wire_joins_a_groups_tree_to_the_network_or_to_another_tree(word):
    plain = Network.from_word(word)
    beside = plain.changed(collectives=True, groups="all/0-1/0", name=plain.name)
    without, plan = wiring_plan(plain), wiring_plan(beside)
    count = len(without.instances)
    trees = plan.instances[count:]
    assert [one.name for one in trees] == ["collective0", "collective1", "collective2"]
    assert plan.nets == without.nets
    for one, other in zip(plan.instances[:count], without.instances, strict=True):
        assert (one.name, one.module.name) == (other.name, other.module.name)
        assert repr(one.connections) == repr(other.connections)
    own = [port.key for port in plan.ports[len(without.ports) :]]
    joined = [name for tree in trees for name in tree.connections.values()]
    assert joined == own
    assert len({*own}) == len(own)
    assert not {*own} & {port.key for port in without.ports}
