"""Public names and notebook_display, loaded when first used."""

import ast
import subprocess
import sys
from pathlib import Path

import knotwork
import pytest
from knotwork import Hypercube, gateware, network, notebook_display, topology, version


def test_public_names_are_those_of_modules_networks_and_stub():
    assert knotwork.Network is network.Network
    assert knotwork.Fabric is gateware.Fabric
    assert knotwork.Moebius is topology.Moebius
    assert knotwork.__version__ == version.installed_version()
    assert set(knotwork.__all__) <= set(dir(knotwork))
    assert all(getattr(knotwork, name) is not None for name in knotwork.__all__)
    public = {getattr(knotwork, name) for name in knotwork.__all__}
    assert set(topology.TOPOLOGIES.values()) <= public
    tree = ast.parse(Path(knotwork.__file__).with_suffix(".pyi").read_text())
    names = {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom)
             for alias in node.names}  # fmt: skip
    assert names | {"__version__"} == set(knotwork.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'knotwork' has no attribute 'Moebuis'"):
        _ = knotwork.Moebuis  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        from knotwork import Moebuis  # noqa: F401


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import knotwork", {"numpy", "numba", "amaranth", "click"}),
        ("from knotwork import Moebius", {"amaranth", "click"}),
        ("from knotwork import Network", {"amaranth", "click"}),
    ],
)
def test_only_what_a_name_needs_is_loaded(statement, forbidden):
    script = f"{statement}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not forbidden & set(done.stdout.split())


def test_pictures_are_drawn_by_what_is_loaded_when_something_is_shown():
    drawer = notebook_display._drawers[0]
    try:
        notebook_display.draw_with(lambda shown: f"<svg {shown!r}>")
        assert Hypercube(n=2)._repr_svg_() == "<svg Hypercube(n=2)>"
        shown = knotwork.Network(Hypercube(n=2))._repr_svg_()
        assert shown == "<svg Network(Hypercube(n=2))>"
        notebook_display._drawers.clear()
        assert Hypercube(n=2)._repr_svg_() is None
    finally:
        notebook_display.draw_with(drawer)
    assert Hypercube(n=2)._repr_svg_().startswith("<svg xmlns=")
    code = (
        "import sys\n"
        "from knotwork import Network, Hypercube\n"
        "network = Network(Hypercube(n=2))\n"
        "assert 'knotwork.drawing' not in sys.modules\n"
        "assert network._repr_svg_().startswith('<svg ')\n"
        "assert 'knotwork.drawing' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
