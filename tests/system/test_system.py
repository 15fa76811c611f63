"""A system resolved: its name, its nodes, and whether it is the network alone."""

import pytest
from knotwork import Mesh, Network
from knotwork.system import BusParameters, NodeParameters, Region, System, SystemParameters


def test_a_network_alone_is_plain():
    network = Network(Mesh(x=2, y=2))
    system = System(network)
    assert system.is_plain
    assert system.name == network.name
    assert system.told == {}
    assert System(network, node=NodeParameters(width=32, clock="network")).is_plain


@pytest.mark.parametrize(
    "words",
    [
        "node.width=64",
        "node.3.clock=own",
        "keep=yes",
        "user_width=1",
        "reset=low",
        "node.0.bus=none",
    ],
)
def test_any_other_is_not(words):
    system = System.from_words(["mesh", "x=2", "y=2", words])
    assert not system.is_plain
    key, _, value = words.partition("=")
    assert system.name == f"mesh_x2_y2_{key.replace('.', '_')}{value}"


def test_a_chosen_name_is_the_tops():
    system = System.from_words(["mesh", "x=2", "y=2", "name=chip", "keep=yes"])
    assert system.name == "chip"
    assert [plane.network.name for plane in system.planes] == ["chip_network"]


def test_long_names_end_in_a_digest():
    words = [f"node.{number}.width=8" for number in range(9)]
    first, second = (System.from_words(["mesh", "x=3", "y=4", *w]) for w in (words, words[1:]))
    assert len(first.name) <= 64
    assert first.name != second.name


def test_sides_are_told_apart():
    system = System(
        Network(Mesh(x=2, y=2), data_width=64),
        node=NodeParameters(bus="none"),
        nodes={
            0: NodeParameters(bus="axi4", side="initiator"),
            3: NodeParameters(bus="apb", side="target", clock="own"),
        },
        bus=BusParameters(data_width=32, id_width=2),
        map={"ram": Region(base=0, size=0x1000, node=3)},
        reset="low",
    )
    assert [node.index for node in system.initiators] == [0]
    assert [node.index for node in system.targets] == [3]
    assert system.settings == SystemParameters(reset="low")
    assert system.told["bus.id_width"] == 2
    assert system.told["map.ram.node"] == 3
    assert "node.3.clock=own" in repr(system)
