"""Outside packages that rooms must do without are found."""

import pytest
from house.outside import outside
from house.sources import Module


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("knotwork.topology.mesh", "import amaranth.hdl"),
        ("knotwork.network", "from amaranth import Module"),
        ("knotwork_sim.model.run", "def f():\n    from amaranth.lib import data"),
        ("knotwork.emit.verilog", "import cocotb_tools"),
    ],
)
def test_an_outside_package_that_a_room_must_do_without_is_found(name, source):
    (line,) = outside(Module(name, source))
    assert line.startswith(f"{name} must not import ")
    assert outside(Module("knotwork.emit.verilog", "import amaranth\nimport numpy")) == []
