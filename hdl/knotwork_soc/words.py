"""How users write a system: dotted keys, and tables in a TOML file, beside a network's keys."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from knotwork.errors import ConfigurationError
from knotwork.wording import not_one_of

from .parameters import BusParameters, NodeParameters, Region, SystemParameters

TABLES = ("node", "bus", "map")
"""Heads of dotted keys, and names of tables."""


class SystemKeys(NamedTuple):
    """Keys of a system and of its network, apart.

    Members
    -------
    network : dict
        Texts of the network's keys.
    system : dict
        Arguments of `System`.
    """

    network: dict[str, object]
    system: dict[str, Any]


def part_keys(name: str, texts: Mapping[str, object]) -> SystemKeys:
    """Keys of a system and of its network from ``{key: text}``, dotted or in tables.

    Parameters
    ----------
    name : str
        Name of the network's topology.
    texts : mapping of str to object
        As `network_words` reads them.

    Raises
    ------
    ConfigurationError
        An unknown table, or a value that breaks its rule.
    """
    network: dict[str, object] = {}
    tables: dict[str, dict[str, object]] = {}
    own = SystemParameters.keys()
    system: dict[str, object] = {}
    for key, text in _flat(texts).items():
        head, dot, rest = key.partition(".")
        if key in own:
            system[key] = text
        elif not dot and head not in TABLES:
            network[key] = text
        elif head not in TABLES:
            raise ConfigurationError(not_one_of(f"{name}: a table of keys", TABLES, head))
        elif rest:
            tables.setdefault(head, {})[rest] = text
        elif text != {}:
            raise ConfigurationError(
                f"{name}: {head} must have a key behind a dot, as {_EXAMPLES[head]}, not {text!r}"
            )
    nodes = _sorted_nodes(tables.get("node", {}))
    given: dict[str, Any] = dict(system)
    given["node"] = _read(NodeParameters, "node", nodes.pop("", {}))
    given["nodes"] = {
        int(index): _read(NodeParameters, f"node {index}", keys) for index, keys in nodes.items()
    }
    given["bus"] = _read(BusParameters, "bus", tables.get("bus", {}))
    given["map"] = {
        region: _read(Region, f"map.{region}", keys)
        for region, keys in _sorted_regions(tables.get("map", {})).items()
    }
    return SystemKeys(network, given)


SYSTEM_KEYS = (*SystemParameters.keys(), *(f"{head}.*" for head in TABLES))
"""Keys that a system has beside those of its network, as a line that refuses others names them."""

_EXAMPLES = {"node": "node.width=64", "bus": "bus.data_width=64", "map": "map.ram.base=0x0"}


def _flat(texts: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Dotted keys of nested tables; empty tables stay."""
    flat: dict[str, object] = {}
    for key, value in texts.items():
        if isinstance(value, dict) and value:
            flat |= _flat(value, f"{before}{key}.")
        else:
            flat[f"{before}{key}"] = value
    return flat


def _sorted_nodes(keys: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Keys by a node's index; those of all nodes under an empty one."""
    nodes: dict[str, dict[str, object]] = {}
    for key, text in keys.items():
        index, dot, rest = key.partition(".")
        if not dot and (text != {} or not index.isdecimal()):
            nodes.setdefault("", {})[key] = text
        elif not re.fullmatch(r"[0-9]{1,9}", index, re.ASCII):
            raise ConfigurationError(
                f"node: a node must be an index, as node.3.{rest}, not {index!r}"
            )
        elif rest:
            nodes.setdefault(str(int(index)), {})[rest] = text
    return nodes


def _sorted_regions(keys: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Keys by a region's name."""
    regions: dict[str, dict[str, object]] = {}
    for key, text in keys.items():
        name, dot, rest = key.partition(".")
        if not dot or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,127}", name):
            raise ConfigurationError(
                "map: a region must have a name of at most 128 letters, digits and _, and a key, "
                f"as map.ram.base=0x0, not map.{key}"
            )
        regions.setdefault(name, {})[rest] = text
    return regions


def _read(kind: Any, owner: str, texts: dict[str, object]) -> Any:
    """Parameters of texts; errors name the owner."""
    try:
        return kind.from_texts(texts)
    except ConfigurationError as error:
        message = str(error).replace(f"{kind.name}:", f"{owner}:", 1)
        raise ConfigurationError(message) from None
