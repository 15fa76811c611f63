import pytest
from house.floors import FLOORS
from house.upward import upward, vacant

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
        ("knotwork.topology.mesh", "knotwork.network", "upwards"),
        ("knotwork.topology.mesh", "knotwork.__init__", "upwards"),
        ("knotwork.gateware.packet.router", "knotwork.emit.__init__", "upwards"),
        ("knotwork.formal.proofs", "knotwork.cli.output", "upwards"),
        ("knotwork.cli.main", "knotwork_sim.__init__", "upwards"),
        ("knotwork_boards.flow", "knotwork_sim.model.run", "across"),
        ("knotwork_sim.model.run", "knotwork_boards.table", "across"),
        # The second depth.
        ("knotwork.topology.base", "knotwork.topology.mesh", "upwards"),
        ("knotwork.gateware.circuit.switch", "knotwork.gateware.batch.router", "across"),
        ("knotwork.gateware.parts.buffer", "knotwork.gateware.packet.router", "upwards"),
        ("knotwork.gateware.packet.router", "knotwork.gateware.networks.mesh", "upwards"),
        ("knotwork.formal.prover", "knotwork.formal.proofs", "upwards"),
        ("knotwork_sim.traffic.keys", "knotwork_sim.rtl.driver", "upwards"),
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
        ("knotwork_boards.flow", "knotwork.emit.__init__"),
    ],
)
def test_an_import_down_is_allowed(module, name):
    assert found(module, name) == []


def test_a_room_without_a_floor_is_found():
    (line,) = found("knotwork.attic.mesh", "os")
    assert line == "knotwork.attic.mesh: attic must have a floor in knotwork"


def test_a_floor_of_what_is_not_there_is_found():
    law = {"": ("knotwork",), "knotwork": ("errors | attic.__init__", "NETWORKS __init__")}
    assert vacant(law, {"knotwork", "knotwork.errors"}) == [
        "knotwork.attic has a floor and is not there"
    ]
