"""Completion of the words that name networks: names, files, keys, and the values of choices."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import ConfigurationError
from ..parameters import Integer
from ..topology import TOPOLOGIES

Keys = Mapping[str, dataclasses.Field]

_FEW = 8
"""Numbers of a range that are listed as values."""


def complete_words(
    before: Sequence[str], incomplete: str, own: Keys, *, several: bool = False
) -> list[str]:
    """Words that may stand behind those of a network.

    Parameters
    ----------
    before : sequence of str
        Words of the argument that are whole.
    incomplete : str
        Beginning of the word that is completed.
    own : mapping
        Keys that the verb has beside those of networks.
    several : bool
        Whether a further network may begin.

    Returns
    -------
    list of str
        Whole words, and keys and names that end in ``=`` or ``:`` and go on.
    """
    name, colon, keys = incomplete.partition(":")
    if colon and "=" not in name:
        return _in_one_word(name, keys)
    key, equals, value = incomplete.partition("=")
    network, taken = _last_network(before)
    if equals:
        field = {**_keys_of(network), **own}.get(key)
        return [f"{key}={word}" for word in _values(field, value)]
    found = []
    if network is None or several:
        found += [*_names(incomplete), *_files(incomplete)]
    if network is not None:
        found += [f"{key}=" for key in _keys_of(network) if key not in taken]
    if network is not None or own:
        named = {word.partition("=")[0] for word in before}
        found += [f"{key}=" for key in own if key not in named]
    return [word for word in dict.fromkeys(found) if word.startswith(incomplete)]


def _in_one_word(name: str, keys: str) -> list[str]:
    """Continuations of ``name:key=value,...``."""
    *whole, last = keys.split(",")
    head = f"{name}:" + "".join(f"{each}," for each in whole)
    known = _keys_of(name)
    key, equals, value = last.partition("=")
    if equals:
        return [f"{head}{key}={word}" for word in _values(known.get(key), value)]
    taken = {each.partition("=")[0] for each in whole}
    return [f"{head}{each}=" for each in known if each.startswith(last) and each not in taken]


def _last_network(words: Iterable[str]) -> tuple[str | None, set[str]]:
    """Last network of some words, None where there is none yet, and the keys that it has."""
    network, taken = None, set()
    for word in words:
        first = word.partition(":")[0]
        if "=" in first:
            taken.add(word.partition("=")[0])
        else:
            network = first
            taken = {each.partition("=")[0] for each in word.partition(":")[2].split(",")}
    return network, taken


def _keys_of(name: str | None) -> Keys:
    """Keys of a network that is named, or named by a file; none where it is not known."""
    if name is not None and name.endswith(".toml"):
        from ..network_words import read_toml

        try:
            name = str(read_toml(Path(name))["network"])
        except ConfigurationError:
            return {}
    if name is None or name not in TOPOLOGIES:
        return {}
    from ..routing.network_keys import all_network_keys

    return all_network_keys(name)


def _names(incomplete: str) -> list[str]:
    """Names of networks, and the form of one word where only one name is left."""
    found = [name for name in TOPOLOGIES if name.startswith(incomplete)]
    return [*found, f"{found[0]}:"] if len(found) == 1 else found


def _files(incomplete: str) -> list[str]:
    """TOML files, and folders to go on into."""
    folder = Path(incomplete[: incomplete.rfind("/") + 1] or ".")
    head = incomplete[: incomplete.rfind("/") + 1]
    if not incomplete or not folder.is_dir():
        return [path.name for path in Path().glob("*.toml")] if not incomplete else []
    entries = sorted(folder.iterdir())
    folders = [f"{head}{path.name}/" for path in entries if path.is_dir() and head]
    return [*folders, *(f"{head}{path.name}" for path in entries if path.suffix == ".toml")]


def _values(field: dataclasses.Field | None, begun: str) -> list[str]:
    """Words that a key's value can be, where they are few."""
    if field is None:
        return []
    kind = field.metadata["kind"]
    words = kind.words
    if isinstance(kind, Integer) and kind.high - kind.low < _FEW:
        words = tuple(map(str, range(kind.low, kind.high + 1)))
    return [word for word in words if word.startswith(begun)]
