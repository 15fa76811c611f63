"""What a request names: a network by its words, or one that was drawn on the page."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from reprlib import repr as brief
from typing import Any, Self

from knotwork.designs import Design, design_from_texts, read_design
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.network_words import network_word, network_words
from knotwork.parameters import FromFile
from knotwork.routing.network_keys import all_network_keys
from knotwork.topology import TOPOLOGIES, GraphFile

from ..traffic.keys import Traffic

MOST_WORDS = 200
"""Words of a request, at most."""
LONGEST = 4000
"""Characters of a word, at most."""
DRAWN = "drawn.json"
"""File that a drawn graph is: in the archive, and in the command lines that are request."""


@dataclass(frozen=True)
class NetworkRequest:
    """Network of a request.

    Members
    -------
    design : Design
        Checked and resolved.
    words : str
        How a command line names it.
    graph : object
        Graph that was drawn, as its file holds it; None for none.
    """

    design: Design
    words: str
    graph: object = None

    @property
    def network(self) -> Network:
        """Network without its nodes' adapters."""
        return self.design.network

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Self:
        """Network of a request's ``words``, and its ``graph`` if one was drawn.

        Raises
        ------
        ConfigurationError
            What a command line would refuse; a word that names a file.
        """
        words = words_of(request, "words")
        if not words:
            read_design([])  # which says what is missing
        name, *keys = words = [*network_word(words[0]), *words[1:]]
        require_no_file(name, keys, file_keys())
        graph = request.get("graph")
        if graph is None:
            return cls(read_design(words), shlex.join(words))
        name, texts = network_words(words)
        texts["file"] = GraphFile.from_node_link(DRAWN, graph)
        design = design_from_texts(name, texts)
        return cls(design, shlex.join([name, f"file={DRAWN}", *keys]), graph)


def words_of(request: Mapping[str, Any], key: str) -> list[str]:
    """Words of a request.

    Raises
    ------
    ConfigurationError
        What is no list of words, or too many or too long ones.
    """
    words = request.get(key, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ConfigurationError(f"studio: {key} must be a list of words, not {brief(words)}")
    longest = max(map(len, words), default=0)
    if len(words) > MOST_WORDS or longest > LONGEST:
        raise ConfigurationError(
            f"studio: {key} must be at most {MOST_WORDS} words of at most {LONGEST} characters, "
            f"not {len(words)} of at most {longest}"
        )
    return words


def require_no_file(name: str, keys: Sequence[str], refused: frozenset[str]) -> None:
    """Refuse words that would have a file read: a page may name none.

    Raises
    ------
    ConfigurationError
        A TOML file as a network, or a key whose value is a file.
    """
    if name.endswith(".toml"):
        raise ConfigurationError(
            f"studio: a network must be one of {', '.join(TOPOLOGIES)}, not the file {name!r}"
        )
    for word in keys:
        key = word.partition("=")[0]
        if key in refused:
            raise ConfigurationError(
                f"studio: {key} must not be set here: the studio reads no files"
            )


@cache
def file_keys() -> frozenset[str]:
    """Keys of networks whose values are files."""
    known = (all_network_keys(name).items() for name in TOPOLOGIES)
    return frozenset(
        key for keys in known for key, field in keys if isinstance(field.metadata["kind"], FromFile)
    )


@cache
def traffic_file_keys() -> frozenset[str]:
    """Keys of traffic whose values are files."""
    known = Traffic.keys().items()
    return frozenset(key for key, field in known if isinstance(field.metadata["kind"], FromFile))
