"""Figures of reports: their style, and the bytes that are the same each time."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DATED = {"svg": "Date", "png": "Software"}  # left out of the files
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "knotwork",  # names in the file are the same each time
    "font.family": "DejaVu Sans",  # matplotlib brings it
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 110,
}


@contextmanager
def new_figure(size: tuple[float, float], kind: str) -> "Iterator[tuple[Figure, io.BytesIO]]":
    """Empty figure of a width and a height in inches, and the buffer that then has its bytes.

    Parameters
    ----------
    size : (float, float)
        Width and height, inches.
    kind : str
        ``svg`` or ``png``.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    data = io.BytesIO()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure, data
        figure.savefig(data, format=kind, metadata={_DATED[kind]: None})


def add_title(figure: "Figure", title: str) -> None:
    """Title of a figure, in letters as large as its width admits."""
    points = min(11.0, 72 * figure.get_figwidth() / (0.66 * len(title)))
    figure.suptitle(title, x=0.01, ha="left", fontsize=points)
