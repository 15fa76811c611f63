"""Pictures of networks and topologies in a notebook, drawn by whoever can draw."""

from collections.abc import Callable

_drawers: list[Callable[[object], str]] = []


def draw_with(drawer: Callable[[object], str]) -> None:
    """Have a function draw networks and topologies: from one of them, an SVG."""
    _drawers[:] = [drawer]


class Pictured:
    """What a notebook shows as its drawing.

    The drawing stands above networks and topologies, which must not import it: the package hands it
    over by `draw_with`.
    """

    def _repr_svg_(self) -> str | None:
        return _drawers[0](self) if _drawers else None
