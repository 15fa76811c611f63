"""What all figures share: kinds of files, colours, markers and lines."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knotwork.files import AnyPath

from ... import columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("svg", "png", "pdf")
"""Kinds of figures."""

# Those of Okabe and Ito's colours that are dark enough for lines; in grey, markers and dashes tell
# the lines apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#332288", "#6B6B6B")
MARKERS = "osD^vP"
LINES = ("-", (0, (6, 2)), (0, (1.2, 1.6)), "-.", (0, (8, 2, 1, 2, 1, 2)), (0, (3, 1)))
_DATED = {"svg": "Date", "png": "Software", "pdf": "CreationDate"}  # left out of the files
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "knotwork",  # names in the file are the same each time
    "font.family": "DejaVu Sans",  # matplotlib brings it
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 160,
}


def check_figure(path: AnyPath) -> str:
    """Kind of figure that a file's suffix says.

    Raises
    ------
    ConfigurationError
        A suffix that is none of `KINDS`.
    """
    return columns.require_suffix(path, "a figure", [f".{kind}" for kind in KINDS])[1:]


def check_output(path: Path, *, tables: bool) -> None:
    """Refuse a file that is neither a figure nor, where there are `tables`, a table.

    Raises
    ------
    ConfigurationError
        Another suffix.
    ToolError
        A Parquet file without pyarrow.
    """
    if tables and path.suffix.lower() in columns.SUFFIXES:
        columns.check_table(path)
        return
    check_figure(path)


@contextmanager
def new_figure(size: tuple[float, float], kind: str) -> "Iterator[tuple[Figure, io.BytesIO]]":
    """Empty figure to draw on, and the buffer that has its bytes afterwards.

    Parameters
    ----------
    size : (float, float)
        Width and height, inches.
    kind : str
        One of `KINDS`; the same drawing gives the same bytes.
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


def rule_panels(*panels: "Axes", title: str) -> None:
    """Give panels their grid, and the uppermost one, which is the first, a figure's title."""
    for axes in panels:
        axes.grid(color="#d8dee4", linewidth=0.6)
        axes.set_axisbelow(True)
    panels[0].set_title(title, loc="left", fontsize=11)
