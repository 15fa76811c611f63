from house.rooms import need_gates, registry, unequal, without_room

PATHS = {"hdl/topology/mesh.py", "hdl/topology/wk/rules.py", "tests/topology/test_mesh.py"}


def test_a_network_without_its_file_is_found():
    assert without_room(["mesh", "wk"], ["hdl/topology"], PATHS) == []
    assert without_room(["mesh", "ring"], ["hdl/topology"], PATHS) == ["hdl/topology/ring"]
    assert without_room(["wk"], ["hdl/topology", "tests/topology"], PATHS) == ["tests/topology/wk"]


def test_networks_need_gates_whose_routers_ask_for_them():
    classes = {"mesh": {"packet"}, "lcan": {"circuit"}, "ccc": {"circuit", "packet"}}
    graph = {
        "knotwork.gateware.packet": set(),
        "knotwork.gateware.packet.inputs": {"knotwork.gateware.parts.lookup", "knotwork.network"},
        "knotwork.gateware.parts.lookup": {"knotwork.gateware.networks"},
        "knotwork.gateware.circuit.switch": {"knotwork.gateware.layouts", "knotwork.network"},
        "knotwork.network": {"knotwork.gateware.networks"},  # nothing that the house allows
    }
    assert need_gates(classes, graph) == ["mesh", "ccc"]


def test_a_registry_that_lacks_a_class_or_knows_one_more_is_found():
    same = {"a": {"packet": 1, "batch": 2}, "b": {"batch": 3, "packet": 4}}
    assert unequal(same) == []
    assert unequal(same | {"c": {"packet": 5}}) == ["c: ['batch'] must be in it as in a"]
    assert unequal(same | {"c": {"packet": 5, "batch": 6, "ring": 7}}) == [
        "c: ['ring'] must be in it as in a"
    ]


def test_a_registry_is_found_by_its_name():
    assert "mesh" in registry("knotwork.topology.TOPOLOGIES")
