"""Text of a graph's file, and its lines."""

from collections.abc import Iterator
from pathlib import Path

from ...errors import ConfigurationError


def text_of(path: Path) -> str:
    """Whole text.

    Raises
    ------
    ConfigurationError
        A file that cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path}: must be a readable graph file: {error}") from None


def lines_of(path: Path) -> Iterator[tuple[str, str]]:
    """Place and text of each line that says something; comments begin with ``#``."""
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        said = line.partition("#")[0].strip()
        if said:
            yield f"line {number}:", said
