"""How users write a network: words of a command line, one word among several, a TOML file."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from .errors import ConfigurationError
from .parameters import parse_words
from .topology import TOPOLOGIES, Topology


def network_words(words: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Name and ``{key: text}`` of a network: a name and ``key=value`` words, or a TOML file.

    The file's key ``network`` is the name; words after it override its values.

    Raises
    ------
    ConfigurationError
        No word, one that is not ``key=value``, or a file that `read_toml` refuses.
    """
    if not words:
        raise ConfigurationError(
            f"a network must be named: one of {', '.join(TOPOLOGIES)}, or a .toml file"
        )
    name, *rest = words
    texts: dict[str, object] = {}
    if name.endswith(".toml"):
        texts = read_toml(Path(name))
        name = str(texts.pop("network"))
    return name, texts | parse_words(rest, owner=name)


def network_word(word: str) -> list[str]:
    """Words that one word stands for: ``moebius:n=6,twist=1`` is ``moebius n=6 twist=1``."""
    name, _, keys = word.partition(":")
    # A comma without a key behind it belongs to a list.
    return [name, *filter(None, re.split(r",(?=[^,=]*=|$)", keys))]


def read_toml(path: Path) -> dict[str, object]:
    """Parameters in a TOML file, which must name its ``network``.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, is not TOML, or lacks the name.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # ValueError: a number too long, too
        raise ConfigurationError(f"{path}: must be a readable TOML file: {error}") from None
    if not isinstance(values.get("network"), str):
        raise ConfigurationError(
            f"{path}: the key network must name one of {', '.join(TOPOLOGIES)}"
        )
    return values


def read_node(text: str, topology: Topology, *, owner: str) -> int:
    """Node that a word names: an index, or ``@label``.

    Raises
    ------
    ConfigurationError
        No node has that index or label.
    """
    nodes = topology.nodes
    if text.startswith("@"):
        for node in range(nodes):
            if topology.label(node) == text[1:]:
                return node
        raise ConfigurationError(
            f"{owner}: a label must be one of @{topology.label(0)}..@{topology.label(nodes - 1)}, "
            f"not {text!r}"
        )
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) < nodes):
        raise ConfigurationError(
            f"{owner}: a node must be an index in 0..{nodes - 1} or @label, not {text!r}"
        )
    return int(text)
