"""Commands as users write them: ``rate 0.2 pattern uniform``, ``start``, permutation files."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.routing.scheduling.messages import read_permutation
from knotwork.wording import not_one_of, parse_index, parse_real

from ..measuring import (
    CLEAR,
    GO,
    HALT,
    PATTERNS,
    RATE_ONE,
    SETTINGS,
    available_patterns,
    command,
)

MODES = ("self-test", "measure")
"""Modes by their number."""

ACTIONS = {"start": GO, "stop": HALT, "clear": CLEAR}
"""Words without a value, and their commands."""

WORDS = (*ACTIONS, *SETTINGS)
"""All words."""

_EXAMPLES = {"mode": "measure", "rate": "0.2"}


class Request(NamedTuple):
    """Settings and actions that a user requests of a board.

    Members
    -------
    settings : dict of str to int
        Settings that change, by name.
    actions : tuple of str
        Words of `ACTIONS`, in their order.
    """

    settings: dict[str, int]
    actions: tuple[str, ...] = ()

    @property
    def commands(self) -> bytes:
        """Commands, the settings first."""
        sets = [command(SETTINGS[name].letter, value) for name, value in self.settings.items()]
        return b"".join([*sets, *(command(ACTIONS[action]) for action in self.actions)])


def read_words(text: str, network: Network | None = None) -> Request:
    """Request that a line of words makes; ``rate=0.2`` is as good as ``rate 0.2``.

    Parameters
    ----------
    text : str
        Words.
    network : Network, optional
        Network on the board, which may not have every pattern.

    Raises
    ------
    ConfigurationError
        An unknown word, a value that is missing or out of range.
    """
    words = re.findall(r"[^\s=]+", text)
    settings: dict[str, int] = {}
    actions: list[str] = []
    while words:
        word = words.pop(0)
        if word in ACTIONS:
            actions.append(word)
            continue
        if word not in SETTINGS:
            raise ConfigurationError(not_one_of("monitor: a command", WORDS, word))
        if not words:
            like = _EXAMPLES.get(word) or format_setting(word, SETTINGS[word].default)
            raise ConfigurationError(f"monitor: {word} must have a value, as in `{word} {like}`")
        settings[word] = read_setting(word, words.pop(0), network)
    return Request(settings, tuple(actions))


def read_setting(name: str, text: str, network: Network | None = None) -> int:
    """Value of a setting as its command carries it.

    Raises
    ------
    ConfigurationError
        Text of another form, or a value out of range.
    """
    if name in _READERS:
        return _READERS[name](text, network)
    field = SETTINGS[name]
    value = parse_index(text, field.most + 1)
    if value is None or value < field.least:
        raise ConfigurationError(
            f"monitor: {name} must be an integer in {field.least}..{field.most}, not {text!r}"
        )
    return value


def rate_word(rate: float) -> int:
    """Rate in flits per node per cycle as a command carries it."""
    return round(rate * RATE_ONE)


def format_setting(name: str, value: int) -> str:
    """Value of a setting as a user writes it."""
    if name == "rate":
        texts = (f"{value / RATE_ONE:.{digits}g}" for digits in range(1, 9))
        return next(text for text in texts if rate_word(float(text)) == value)
    names: Sequence[str] = {"mode": MODES, "pattern": PATTERNS}.get(name, ())
    return names[value] if value < len(names) else str(value)


def _read_rate(text: str, _: Network | None) -> int:
    try:
        rate = parse_real(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise ConfigurationError(f"monitor: rate must be a number in 0..1, not {text!r}")
    return rate_word(rate)


def _read_mode(text: str, _: Network | None) -> int:
    if text not in MODES:
        raise ConfigurationError(not_one_of("monitor: mode", MODES, text))
    return MODES.index(text)


def _read_pattern(text: str, network: Network | None) -> int:
    known = range(len(PATTERNS)) if network is None else available_patterns(network.topology)
    names = [PATTERNS[number] for number in known]
    if text not in names:
        raise ConfigurationError(not_one_of("monitor: pattern", names, text))
    return PATTERNS.index(text)


_READERS: dict[str, Callable[[str, Network | None], int]] = {
    "rate": _read_rate,
    "mode": _read_mode,
    "pattern": _read_pattern,
}


def permutation_commands(network: Network, file: Path) -> bytes:
    """Commands that load a permutation and its jump table.

    Parameters
    ----------
    network : Network
        Network on the board.
    file : Path
        JSON list of the nodes' destinations.

    Raises
    ------
    ConfigurationError
        A network without batches, a file that holds no permutation of the nodes, or one that has
        no jump table.
    """
    if not isinstance(network.routing, BatchRouting):
        raise ConfigurationError(
            f"{network.name}: a table must be one of routing=lc1 or lc2, not {network.routing.name}"
        )
    destinations = read_permutation(file, network.topology.nodes).tolist()
    from ..selftest.batch.tables import permutation_words, table_commands

    return "".join(table_commands(permutation_words(network, destinations))).encode("ascii")
