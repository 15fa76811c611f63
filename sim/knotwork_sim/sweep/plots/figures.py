"""What all figures share: kinds of files, colours, markers and lines."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knotwork.errors import ConfigurationError

from ... import columns

if TYPE_CHECKING:
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


def check_figure(path: Path) -> str:
    """Kind of figure that a file's suffix says.

    Raises
    ------
    ConfigurationError
        A suffix that is none of `KINDS`.
    """
    kind = path.suffix.lower()[1:]
    if kind not in KINDS:
        raise ConfigurationError(
            f"{path}: a figure must end in .svg, .png or .pdf, not {path.suffix!r}"
        )
    return kind


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
