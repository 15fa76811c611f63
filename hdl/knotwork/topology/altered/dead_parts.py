"""Links and routers that users name as dead."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...parameters import Text
from ...wording import parse_index
from ..base import Topology


class _Parts(Text):
    """Words separated by commas; a list, as in a TOML file, becomes one text."""

    def read(self, value: object) -> object:
        if isinstance(value, list):
            return ",".join(map(str, value))
        return str(value) if isinstance(value, int) else value


DEAD = _Parts("routers, and links as A-B, by number or @label, separated by commas")
"""How dead links and routers are written: ``0-1,5`` or ``@0.0-@0.1,@1.1``."""


class DeadParts(NamedTuple):
    """What of a network is dead.

    Members
    -------
    routers : tuple of int
        Routers, in the order in which they are named.
    links : tuple of (int, int)
        Pairs of routers whose links are dead, all of them and both ways.
    """

    routers: tuple[int, ...]
    links: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        """Part of an instance's name."""
        links = [f"{a}to{b}" for a, b in self.links]
        return "_".join(["dead", *links, *map(str, self.routers)])


def dead_parts(topology: Topology, text: str) -> DeadParts:
    """Dead links and routers of a network.

    Raises
    ------
    ConfigurationError
        What names no router, routers without a link between them, and what is named twice.
    """
    routers: list[int] = []
    links: list[tuple[int, int]] = []
    for word, ends in _words(topology, text):
        if len(ends) == 1:
            twice = ends[0] in routers
            routers.append(ends[0])
        else:
            a, b = ends
            if not (topology.neighbours[a] == b).any() and not (topology.neighbours[b] == a).any():
                raise ConfigurationError(
                    f"{topology.name}: dead must name routers with a link between them, not {word}"
                )
            twice = (a, b) in links or (b, a) in links
            links.append((a, b))
        if twice:
            raise ConfigurationError(f"{topology.name}: dead must name {word} once, not twice")
    return DeadParts(tuple(routers), tuple(links))


def _words(topology: Topology, text: str) -> Iterator[tuple[str, list[int]]]:
    """Each word, and the routers that it names: one, or both ends of a link."""
    labels: dict[str, int] = {}
    if "@" in text:
        labels = {topology.router_label(number): number for number in range(topology.routers)}
    for written in text.split(","):
        word = written.strip()
        ends = [_router(topology, labels, end) for end in word.split("-")]
        numbers = [end for end in ends if end is not None]
        if len(numbers) < len(ends) or len(ends) > 2:
            last = topology.routers - 1
            raise ConfigurationError(
                f"{topology.name}: dead must be {DEAD.rule}, of routers 0..{last} "
                f"(@{topology.router_label(0)}..@{topology.router_label(last)}), not {word!r}"
            )
        yield word, numbers


def _router(topology: Topology, labels: dict[str, int], word: str) -> int | None:
    """Router that a word names; None for none."""
    if word.startswith("@"):
        return labels.get(word[1:])
    return parse_index(word, topology.routers)


def dead_ports(topology: Topology, parts: DeadParts) -> np.ndarray:
    """Whether each port's link is dead, or leads to a dead router; bool of (routers, ports)."""
    near = topology.neighbours
    dead = np.isin(near, parts.routers) & (near >= 0)
    dead[list(parts.routers)] = True
    for a, b in parts.links:
        dead[a] |= near[a] == b
        dead[b] |= near[b] == a
    return dead
