"""Lines of a graph's file."""

from collections.abc import Iterator
from pathlib import Path

from ...files import read_lines

GRAPH_FILE = "graph file"
"""What a graph's file is called in errors."""


def read_graph_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Place and text of each line that says something; comments begin with ``#``.

    Raises
    ------
    ConfigurationError
        A file that cannot be read.
    """
    for number, line in enumerate(read_lines(path, GRAPH_FILE), start=1):
        content = line.partition("#")[0].strip()
        if content:
            yield f"line {number}:", content
