import pytest
from house.floors import FLOORS
from house.imports import loaded, outside, upward, vacant
from house.sources import Module

NETWORKS = ["mesh", "ccc"]


def found(module, name):
    return [
        line
        for package, floors in FLOORS.items()
        for line in upward(module, [name], floors, package, NETWORKS)
    ]


@pytest.mark.parametrize(
    ("module", "name", "way"),
    [
        ("knotwork.topology.mesh", "knotwork.routing.base", "upwards"),
        ("knotwork.topology.mesh", "knotwork.__init__", "upwards"),
        ("knotwork.gateware.packet.router", "knotwork.emit.__init__", "upwards"),
        ("knotwork.cli.main", "knotwork_sim.__init__", "upwards"),
        ("knotwork_boards.flow", "knotwork_sim.model.run", "across"),
        # The second depth.
        ("knotwork.topology.base", "knotwork.topology.mesh", "upwards"),
        ("knotwork.gateware.circuit.switch", "knotwork.gateware.batch.router", "across"),
        ("knotwork.gateware.packet.router", "knotwork.gateware.networks.mesh", "upwards"),
        ("knotwork_boards.table", "knotwork_boards.flow", "upwards"),
    ],
)
def test_an_import_upwards_or_across_is_found(module, name, way):
    assert found(module, name) == [f"{module} imports {way}: {name}"]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("knotwork.topology.mesh", "knotwork.topology.ccc"),
        ("knotwork.emit.verilog", "knotwork.gateware.packet.router"),
        ("knotwork.gateware.packet.router", "knotwork.gateware.networks.__init__"),
        ("knotwork.gateware.__init__", "knotwork.gateware.fabric"),
        ("knotwork_sim.verbs.sweep", "knotwork.__init__"),
    ],
)
def test_an_import_down_is_allowed(module, name):
    assert found(module, name) == []


def test_a_room_without_a_floor_and_a_floor_without_a_room_are_found():
    (line,) = found("knotwork.attic.mesh", "os")
    assert line == "knotwork.attic.mesh: attic must have a floor in knotwork"
    law = {"": ("knotwork",), "knotwork": ("errors | attic.__init__", "NETWORKS __init__")}
    assert vacant(law, {"knotwork", "knotwork.errors"}) == [
        "knotwork.attic has a floor and is not there"
    ]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("knotwork.topology.mesh", "import amaranth.hdl"),
        ("knotwork_sim.model.run", "def f():\n    from amaranth.lib import data"),
        ("knotwork.emit.verilog", "import cocotb_tools"),
    ],
)
def test_an_outside_package_that_a_room_must_do_without_is_found(name, source):
    (line,) = outside(Module(name, source))
    assert line.startswith(f"{name} must not import ")
    assert outside(Module("knotwork.emit.verilog", "import amaranth\nimport numpy")) == []


def test_what_a_statement_loads_is_found():
    assert loaded("import json", "json numba") == ["json"]
