"""Requests of the studio's page: what its form offers, and the network that a request names."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from reprlib import repr as brief
from typing import Any, Self

from knotwork import __version__
from knotwork.cli.answers.networks import first_line
from knotwork.cli.verbs.generate import FLOWS
from knotwork.designs import Design, design_from_texts, read_design
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.network_words import network_word, network_words
from knotwork.parameters import FromFile, Integer, Integers, display_value
from knotwork.routing import all_routings_of
from knotwork.routing.network_keys import all_network_keys, network_keys, router_names
from knotwork.topology import TOPOLOGIES, GraphFile, Topology

from ..traffic.keys import PATTERNS, Traffic

Data = dict[str, Any]

SIZES = (3, 4, 2, 5, 8, 1)
"""Values with which the sizes of a network begin, the first that fit."""
SMALLEST, LARGEST = 8, 64
"""Nodes of a network with which the form begins, where a size gives so many."""
CHOSEN_APART = ("routing", "router")
"""Keys that have a field of their own."""


def form(_: Mapping[str, object]) -> Data:
    """All that the form needs to know; each key is declared once, and named by its place."""
    declared: list[Data] = []
    networks = [network_form(name, declared) for name in TOPOLOGIES]
    return {
        "version": __version__,
        "networks": [network for network in networks if network["routings"]],
        "keys": declared,
        "flows": list(FLOWS),
        "patterns": list(PATTERNS),
    }


def network_form(name: str, declared: list[Data]) -> Data:
    """A network, with the keys that each of its routings and routers has.

    Parameters
    ----------
    name : str
        Of the registry.
    declared : list of dict
        Declarations of keys so far; new ones are added.
    """
    topology = TOPOLOGIES[name]
    routings = []
    for routing, made in all_routings_of(name).items():
        keys = {
            router: [
                _place(declared, declaration(key, field))
                for key, field in network_keys(name, routing, router).items()
                if key not in CHOSEN_APART and not is_file(field)
            ]
            for router in router_names(made)
        }
        if not any(map(needs_file, made.options_class.keys().values())):
            summary = first_line(made).removeprefix(f"{made.name}: ")
            routings.append({"name": routing, "summary": summary, "keys": keys})
    drawn = any(
        is_file(field) and field.metadata["kind"].content_class is GraphFile
        for field in topology.keys().values()
    )
    return {
        "name": name,
        "summary": first_line(topology),
        "drawn": drawn,
        "routings": routings,
        "start": {} if drawn else starting_values(topology),
    }


def _place(declared: list[Data], declaration: Data) -> int:
    """Place of a declaration in the list, at whose end it is put if it is new."""
    if declaration not in declared:
        declared.append(declaration)
    return declared.index(declaration)


def is_file(field: dataclasses.Field) -> bool:
    """Whether a key's value is a file."""
    return isinstance(field.metadata["kind"], FromFile)


def needs_file(field: dataclasses.Field) -> bool:
    """Whether a key must be given a file."""
    return is_file(field) and field.default is dataclasses.MISSING


def declaration(key: str, field: dataclasses.Field) -> Data:
    """A key as the form shows it: its rule, its words or bounds, its default and its meaning."""
    kind = field.metadata["kind"]
    required = field.default is dataclasses.MISSING
    whole = isinstance(kind, Integer)
    return {
        "key": key,
        "rule": kind.rule,
        "words": list(kind.words),
        "low": kind.low if whole else None,
        "high": kind.high if whole else None,
        "required": required,
        "default": None if required else display_value(field, field.default),
        "help": field.metadata["help"],
    }


def starting_values(topology: type[Topology]) -> dict[str, str]:
    """Values of the keys that must be given, of a small network; none where none is found."""
    needed = [key for key, field in topology.keys().items() if field.default is dataclasses.MISSING]
    fallback: dict[str, str] = {}
    for size in SIZES:
        values = {key: _text(topology.keys()[key].metadata["kind"], size) for key in needed}
        try:
            nodes = topology.from_texts(dict(values)).nodes
        except ConfigurationError:
            continue
        if SMALLEST <= nodes <= LARGEST:
            return values
        if nodes <= LARGEST and not fallback:
            fallback = values
    return fallback


def _text(kind: object, size: int) -> str:
    """A size as a kind spells it, within its bounds."""
    if not isinstance(kind, Integer | Integers):
        return ""
    within = str(min(max(size, kind.low), kind.high))
    return f"{within},{within}" if isinstance(kind, Integers) else within


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
