import subprocess
import sys

import knotwork
from knotwork import Hypercube, pictures


def test_networks_and_topologies_are_shown_by_what_was_handed_over():
    drawer = pictures._drawers[0]
    try:
        pictures.draw_with(lambda shown: f"<svg {shown!r}>")
        assert Hypercube(n=2)._repr_svg_() == "<svg Hypercube(n=2)>"
        shown = knotwork.Network(Hypercube(n=2))._repr_svg_()
        assert shown == "<svg Network(Hypercube(n=2))>"
        pictures._drawers.clear()
        assert Hypercube(n=2)._repr_svg_() is None
    finally:
        pictures.draw_with(drawer)
    assert Hypercube(n=2)._repr_svg_().startswith("<svg xmlns=")


def test_what_draws_is_loaded_when_something_is_shown():
    code = (
        "import sys\n"
        "from knotwork import Network, Hypercube\n"
        "network = Network(Hypercube(n=2))\n"
        "assert 'knotwork.drawing' not in sys.modules\n"
        "assert network._repr_svg_().startswith('<svg ')\n"
        "assert 'knotwork.drawing' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
