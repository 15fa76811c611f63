"""Schedules of least-common-ancestor networks: read, and replayed on the links."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...topology import LeastCommonAncestor
from .rounds import Round


def read_rounds(topology: LeastCommonAncestor, data: Any) -> list[Round]:
    """Rounds from plain data, as `schedule --json` prints them; other keys are ignored.

    Raises
    ------
    ConfigurationError
        The data are not a list of rounds, do not fit the network, or fail `check_rounds`.
    """
    if isinstance(data, dict):
        data = data.get("rounds")
    if not isinstance(data, list) or not all(isinstance(messages, list) for messages in data):
        raise ConfigurationError("schedule: the rounds must be a list of lists of messages")
    if not any(data):
        raise ConfigurationError("schedule: the rounds must have a message, not none at all")
    rounds = [_read_round(topology, number, data[number]) for number in range(len(data))]
    check_rounds(topology, rounds)
    return rounds


def _read_round(topology: LeastCommonAncestor, number: int, data: list[Any]) -> Round:
    sources, destinations, words = [], [], []
    for message in data:
        known: dict[str, Any] = message if isinstance(message, dict) else {}
        s, t, word = (known.get(key, ()) for key in ("source", "destination", "word"))
        if not (isinstance(word, list) and all(map(_is_integer, (s, t, *word)))):
            raise ConfigurationError(
                f"schedule: round {number}: a message must have a source, a destination and a "
                f"word, a list of uppers, not {message!r}"
            )
        for pe in (s, t):
            if not 0 <= pe < topology.nodes:
                raise ConfigurationError(
                    f"schedule: round {number}: a PE must be in 0..{topology.nodes - 1}, not {pe}"
                )
        level = topology.lca_level(s, t)
        if len(word) != level:
            raise ConfigurationError(
                f"schedule: round {number}: the word of {s}>{t} must have {level} uppers, one "
                f"for each level below its LCA, not {len(word)}"
            )
        sources.append(s)
        destinations.append(t)
        words.append([*word, *[-1] * (topology.levels - 1 - level)])
    shape = (len(data), topology.levels - 1)
    return Round(
        np.array(sources, np.int64),
        np.array(destinations, np.int64),
        np.array(words, np.int64).reshape(shape),
    )


def _is_integer(value: Any) -> bool:
    """Whether plain data is an integer that a machine word holds."""
    return type(value) is int and -(2**63) <= value < 2**63


def check_rounds(topology: LeastCommonAncestor, rounds: Sequence[Round]) -> None:
    """Replay rounds on the links: each link must carry at most one packet of a round.

    Raises
    ------
    ConfigurationError
        Two packets on one link, or an upper that a switch does not have: with the level and the
        switch.
    """
    for number, messages in enumerate(rounds):
        names = [f"{s}>{t}" for s, t in zip(messages.sources, messages.destinations, strict=True)]
        for use in _uses(topology, messages):
            where = f"schedule: round {number}: level {use.level}, switch"
            if use.uppers is not None:
                for packet in use.packets[(use.port < 0) | (use.port >= use.uppers)][:1]:
                    upper = messages.words[packet, use.level]
                    raise ConfigurationError(
                        f"{where} {use.switch[use.packets == packet][0]}: the upper of "
                        f"{names[packet]} must be in 0..{use.uppers - 1}, not {upper}"
                    )
            owner: dict[tuple[int, int], int] = {}
            for w, port, packet in zip(use.switch, use.port, use.packets, strict=True):
                first = owner.setdefault((int(w), int(port)), int(packet))
                if first != packet:
                    rule = use.rule.format(port=port, pe=w * topology.radices[0] + port)
                    raise ConfigurationError(
                        f"{where} {w}: {rule}, not {names[first]} and {names[packet]}"
                    )


class _Use(NamedTuple):
    """Links of a level in one direction: the switch below each, its port, and the packet on it.

    `uppers` is the number of ports, where a word may name one that does not exist.
    """

    level: int
    switch: np.ndarray
    port: np.ndarray
    packets: np.ndarray
    rule: str
    uppers: int | None = None


def _uses(topology: LeastCommonAncestor, messages: Round) -> Iterator[_Use]:
    """Every use of a link, level by level."""
    sources, destinations, words = messages
    level_of = topology.lca_level(sources, destinations)
    every = np.arange(len(sources))
    for ends, does in ((sources, "send"), (destinations, "get")):
        place = np.divmod(ends, topology.radices[0])
        yield _Use(0, *place, every, f"PE {{pe}} must {does} one packet")
    rising, falling = sources // topology.radices[0], destinations // topology.radices[0]
    for level in range(topology.levels - 1):
        going = np.nonzero(level_of > level)[0]
        upper, uppers = words[going, level], topology.uppers[level]
        rule = "upper {port} must carry one packet"
        yield _Use(level, rising[going], upper, going, f"{rule} up", uppers)
        falls = upper
        if topology.is_tree:  # any wire will do: the switch above hands them out
            order = np.argsort(falling[going], kind="stable")
            switch = falling[going][order]
            falls = np.empty(len(going), np.int64)
            falls[order] = (np.arange(len(going)) - np.searchsorted(switch, switch)) % uppers
        yield _Use(level, falling[going], falls, going, f"{rule} down")
        rising[going] = topology.up(level, rising[going], upper)[0]
        falling[going] = topology.up(level, falling[going], upper)[0]
