"""Notations of a network: words of a command line, one word among several, a TOML file."""

import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from .errors import ConfigurationError
from .files import read_text
from .parameters import parse_words
from .topology import TOPOLOGIES, Topology
from .wording import parse_index

DEEPEST = 16
"""Tables and lists of a file within one another, at most."""
WIDEST = 128
"""Bits of a number in a file, at most."""


# To parse a key takes the square of its parts.
_MOST_DOTS = 100
_BETWEEN_KEYS = re.compile(r"""[^\w."' \t-]+""")  # between keys with dots


class SplitWords(NamedTuple):
    """Words of a command line, split by network.

    Members
    -------
    networks : list of list of str
        Words of each network: its name or file, and the ``key=value`` words behind it.
    keys : list of str
        ``key=value`` words of the verb itself, of its traffic, say.
    """

    networks: list[list[str]]
    keys: list[str]


def split_networks(words: Iterable[str], *, verb_keys: Collection[str] = ()) -> SplitWords:
    """Split the words of a verb that takes several networks.

    A word that is no ``key=value`` begins a network: its name or a TOML file, alone or with values
    behind a colon. ``key=value`` words belong to the network before them, except those of the verb.

    Parameters
    ----------
    words : iterable of str
        As the user wrote them.
    verb_keys : collection of str
        Keys of the verb itself.

    Raises
    ------
    ConfigurationError
        A network's key before any network.
    """
    split = SplitWords([], [])
    for word in words:
        key, equals, _ = word.partition(":")[0].partition("=")
        if not equals or (word.endswith(".toml") and not split.networks):
            split.networks.append([word])
        elif key in verb_keys:
            split.keys.append(word)
        elif split.networks:
            split.networks[-1].append(word)
        else:
            raise ConfigurationError(f"a key must follow its network, not come first, as {word!r}")
    return split


def network_words(words: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Name and ``{key: text}`` of a network: a name and ``key=value`` words, or a TOML file.

    The file's key ``network`` is the name; words after it override its values. The first word may
    have values behind a colon, as `network_word` reads them.

    Raises
    ------
    ConfigurationError
        No word, one that is not ``key=value``, or a file that `read_toml` refuses.
    """
    if not words:
        raise ConfigurationError(
            f"a network must be named: one of {', '.join(TOPOLOGIES)}, or a .toml file"
        )
    name, *rest = [*network_word(words[0]), *words[1:]]
    for word in rest:
        if word.partition(":")[0] in TOPOLOGIES:
            raise ConfigurationError(f"{name}: one network must be named here, not {word!r} too")
    texts: dict[str, object] = {}
    if name.endswith(".toml"):
        texts = read_toml(Path(name))
        name = str(texts.pop("network"))
    return name, texts | parse_words(rest, owner=name)


def network_word(word: str) -> list[str]:
    """Words that one word stands for: ``moebius:n=6,twist=1`` is ``moebius n=6 twist=1``."""
    if word.endswith(".toml") and "=" not in word.rpartition(":")[2]:
        return [word]  # a file, whose folder may have a colon in its name
    name, _, keys = word.partition(":")
    # A comma without a key behind it belongs to a list.
    return [name, *filter(None, re.split(r",(?=[^,=]*=|$)", keys))]


def join_words(words: Sequence[str]) -> str:
    """One word that stands for a network's words, as `network_word` reads it."""
    name, *keys = words
    return name + ("," if ":" in name else ":") * bool(keys) + ",".join(keys)


def read_toml(path: Path) -> dict[str, object]:
    """Parameters in a TOML file, which must name its ``network``.

    Raises
    ------
    ConfigurationError
        A file that cannot be read, is not TOML, or lacks the name.
    """
    text = read_text(path, "TOML file")
    if any(piece.count(".") > _MOST_DOTS for piece in _BETWEEN_KEYS.split(text)):
        raise ConfigurationError(f"{path}: a key must have at most {_MOST_DOTS} dots, not more")
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number too long, too
        raise ConfigurationError(f"{path}: must be a valid TOML file: {error}") from None
    _require_bounded(path, values)
    if not isinstance(values.get("network"), str):
        raise ConfigurationError(
            f"{path}: the key network must name one of {', '.join(TOPOLOGIES)}"
        )
    return values


def _require_bounded(path: Path, values: object) -> None:
    """Refuse tables and lists that are nested deeply, and numbers of very many bits."""
    pending = [(values, 0)]
    while pending:
        value, depth = pending.pop()
        if depth > DEEPEST:
            raise ConfigurationError(
                f"{path}: tables and lists must be nested at most {DEEPEST} deep, not deeper"
            )
        if isinstance(value, dict | list):
            inner = value.values() if isinstance(value, dict) else value
            pending += [(each, depth + 1) for each in inner]
        elif isinstance(value, int) and value.bit_length() > WIDEST:
            raise ConfigurationError(
                f"{path}: a number must have at most {WIDEST} bits, not {value.bit_length()}"
            )


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
    found = parse_index(text, nodes)
    if found is None:
        raise ConfigurationError(
            f"{owner}: a node must be an index in 0..{nodes - 1} or @label, not {text!r}"
        )
    return found
