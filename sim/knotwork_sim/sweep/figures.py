"""What all figures share: kinds of files, colours, markers and lines."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knotwork.errors import ConfigurationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png")
"""Kinds of figures."""

# Those of Okabe and Ito's colours that are dark enough for lines; in grey, markers and dashes tell
# the lines apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#332288", "#6B6B6B")
MARKERS = "osD^vP"
LINES = ("-", (0, (6, 2)), (0, (1.2, 1.6)), "-.", (0, (8, 2, 1, 2, 1, 2)), (0, (3, 1)))
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "knotwork",  # names in the file are the same each time
    "font.family": "DejaVu Sans",  # matplotlib brings it
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 160,
}


def check_figure(path: Path) -> None:
    """Refuse a file whose suffix is no kind of figure.

    Raises
    ------
    ConfigurationError
        A suffix that is not one of `SUFFIXES`.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigurationError(
            f"{path}: a figure must end in {' or '.join(SUFFIXES)}, not {path.suffix!r}"
        )


@contextmanager
def new_figure(size: tuple[float, float], kind: str) -> "Iterator[tuple[Figure, io.BytesIO]]":
    """Empty figure to draw on, and the buffer that has its bytes afterwards.

    Parameters
    ----------
    size : (float, float)
        Width and height, inches.
    kind : str
        ``svg`` or ``png``; the same drawing gives the same bytes.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    data = io.BytesIO()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure, data
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(data, format=kind, metadata=metadata)
