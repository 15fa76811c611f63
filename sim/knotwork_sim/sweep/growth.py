"""`sweep --permutation`: how the network cycles of permutations grow with a network's size."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import exp
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.circuits import network_cycles
from knotwork.routing.lcan import Scheduled, UpDown
from knotwork.routing.scheduling.permutations import (
    NAMES,
    WORST,
    named_permutation,
    worst_permutation,
)
from knotwork.routing.scheduling.rounds import lower_bound
from knotwork.topology import LeastCommonAncestor
from rich.console import Console
from rich.progress import Progress

from ..check.confidence import half_width_95

FIT_FROM = 16
"""PEs of the smallest network that counts for a fit."""
FIT_POINTS = 3
"""Sizes that a fit needs: two numbers pass through any two."""

_SPAN = re.compile(r"(?<![^,])([a-z_]+)=([0-9]{1,9})-([0-9]{1,9})(?![^,])")


@dataclass(frozen=True)
class Family:
    """Networks that differ in one key, which a word gives as a range.

    Members
    -------
    label : str
        Topology and keys as the user named them, without the range: ``lcan d=2, u=2``.
    parameters : dict
        Of its networks; the range stands for the key that has one.
    networks : tuple of Network
        In the order of the range; one where there is none.
    """

    label: str
    parameters: dict[str, Any]
    networks: tuple[Network, ...]

    @classmethod
    def from_word(cls, word: str) -> "Family":
        """Networks of ``lcan:d=2,u=2,levels=2-10``.

        Raises
        ------
        ConfigurationError
            Two ranges, an empty one, one of a key that is none of the topology's, and whatever
            makes no network.
        """
        name, _, keys = word.partition(":")
        spans = list(_SPAN.finditer(keys))
        named = [each for each in keys.split(",") if not _SPAN.fullmatch(each)]
        label = f"{name} {', '.join(named)}".rstrip()
        if not spans:
            network = Network.from_word(word)
            return cls(label, network.parameters, (network,))
        if len(spans) > 1:
            raise ConfigurationError(
                f"sweep: one key must be a range, not {' and '.join(span[0] for span in spans)}"
            )
        (span,) = spans
        key, first, last = span[1], int(span[2]), int(span[3])
        if first > last:
            raise ConfigurationError(
                f"sweep: {key} must be a range FIRST-LAST that is not empty, not {first}-{last}"
            )
        before, after = f"{name}:{keys[: span.start()]}{key}=", keys[span.end() :]
        smallest = Network.from_word(f"{before}{first}{after}")
        known = smallest.topology.keys()
        if key not in known:
            raise ConfigurationError(
                f"sweep: a key with a range must be one of {', '.join(known)}, not {key!r}"
            )
        larger = (
            Network.from_word(f"{before}{value}{after}") for value in range(first + 1, last + 1)
        )
        parameters = smallest.parameters | {key: f"{first}-{last}"}
        return cls(label, parameters, (smallest, *larger))


@dataclass(frozen=True, kw_only=True)
class Point:
    """Network cycles of a network, over permutations.

    Members
    -------
    nodes, levels : int
        PEs, and levels of switches.
    network_cycles, ci95 : float
        Mean, and half the width of its 95 % confidence interval.
    min, max : int
        Fewest and most.
    lower_bound : float
        Mean of what the permutations' loads ask for at least.
    """

    nodes: int
    levels: int
    network_cycles: float
    ci95: float
    min: int
    max: int
    lower_bound: float


class Fit(NamedTuple):
    """Law through points, by least squares.

    Members
    -------
    law : str
        ``log``: first + second * log2 N; ``power``: first * N^second.
    first, second : float
        Its numbers.
    r2 : float
        Coefficient of determination, in the measured values.
    """

    law: str
    first: float
    second: float
    r2: float

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """Network cycles that the law says."""
        if self.law == "log":
            return self.first + self.second * np.log2(nodes)
        return self.first * np.asarray(nodes, float) ** self.second

    @property
    def formula(self) -> str:
        """Law in words."""
        if self.law == "log":
            sign = "-" if self.second < 0 else "+"
            return f"{self.first:.2f} {sign} {abs(self.second):.3f} log2 N"
        return f"{self.first:.2f} N^{self.second:.3f}"

    def as_json(self) -> dict[str, float]:
        """Numbers by their names: a, b or c, e, and r2."""
        names = "ab" if self.law == "log" else "ce"
        return {names[0]: self.first, names[1]: self.second, "r2": self.r2}


@dataclass(frozen=True)
class Sweep:
    """Points of a family, and the fits through them, the better one first; () where none is."""

    label: str
    network: str
    parameters: dict[str, Any]
    points: tuple[Point, ...]
    fits: tuple[Fit, ...]

    def as_json(self) -> dict[str, Any]:
        """Fields that ``sweep --json`` promises."""
        fit: dict[str, Any] | None = None
        if self.fits:
            fit = {each.law: each.as_json() for each in sorted(self.fits)}
            fit["better"] = self.fits[0].law
        return {
            "network": self.network,
            "parameters": self.parameters,
            "points": [asdict(point) for point in self.points],
            "fit": fit,
        }


def sweep(words: Sequence[str], *, permutation: str, repeat: int, seed: int = 1) -> list[Sweep]:
    """Measure the mean network cycles of permutations on networks, and fit laws of growth.

    Parameters
    ----------
    words : sequence of str
        Networks, each in one word; a key of its topology may be a range.
    permutation : str
        ``worst``, or what `named_permutation` knows.
    repeat : int
        Permutations a network, at least 2.
    seed : int
        Of the first one, and of the switches in it; seed + 1 for the second, and so on. The
        switches' `network_seed` counts from there.

    Raises
    ------
    ConfigurationError
        No network, one without circuits, a permutation that it does not have; before anything is
        measured.
    """
    if not words:
        raise ConfigurationError(
            "sweep: networks must be named, each in one word like lcan:d=2,u=2,levels=2-6"
        )
    if repeat < 2:
        raise ConfigurationError(f"sweep: --repeat must be at least 2, not {repeat}")
    families = [Family.from_word(word) for word in words]
    for family in families:
        for network in family.networks:
            _topology(network)
            draw_permutation(network, permutation, seed)
    total = repeat * sum(len(family.networks) for family in families)
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("network cycles", total=total)
        found = []
        for family in families:
            points = []
            for network in family.networks:
                bar.update(task, description=network.name)
                seeds = bar.track(range(seed, seed + repeat), task_id=task)
                points.append(measure(network, permutation, seeds))
            fits = fit_laws(
                [point.nodes for point in points], [point.network_cycles for point in points]
            )
            name = family.networks[0].topology.name
            found.append(Sweep(family.label, name, family.parameters, tuple(points), fits))
    return found


def _topology(network: Network) -> LeastCommonAncestor:
    """Topology of a network whose switches choose the circuits; refuses every other."""
    routing = network.routing
    if not isinstance(routing, UpDown) or isinstance(routing, Scheduled):
        raise ConfigurationError(
            f"{network.name}: --permutation must go with a network of circuits and routing=updown, "
            f"not routing={routing.name}"
        )
    return routing.topology


def draw_permutation(network: Network, permutation: str, seed: int) -> np.ndarray:
    """Destination of each PE, by the permutation's name and a seed.

    Raises
    ------
    ConfigurationError
        A name that is not known, or not defined for the network.
    """
    rng = np.random.default_rng(seed)
    if permutation == WORST:
        return worst_permutation(_topology(network), rng)
    if permutation not in NAMES and not re.fullmatch(r"[0-9]+(,[0-9]+)*", permutation):
        raise ConfigurationError(
            f"sweep: permutation must be one of {', '.join((WORST, *NAMES))}, or destinations "
            f"a,b,..., not {permutation!r}"
        )
    return named_permutation(network.topology.nodes, permutation, rng, owner="sweep")


def measure(network: Network, permutation: str, seeds: Iterable[int]) -> Point:
    """Network cycles of a network, one permutation a seed; at least two seeds."""
    topology = _topology(network)
    sources = np.arange(topology.nodes)
    cycles, bounds = [], []
    for seed in seeds:
        destinations = draw_permutation(network, permutation, seed)
        switches = network.hardware.network_seed - 1 + seed
        cycles.append(network_cycles(topology, destinations, seed=switches))
        bounds.append(lower_bound(topology, sources, destinations))
    return Point(
        nodes=topology.nodes,
        levels=topology.levels,
        network_cycles=float(np.mean(cycles)),
        ci95=half_width_95(cycles),
        min=min(cycles),
        max=max(cycles),
        lower_bound=float(np.mean(bounds)),
    )


def fit_laws(nodes: Sequence[int], cycles: Sequence[float]) -> tuple[Fit, ...]:
    """Both laws through the points of at least `FIT_FROM` PEs, the better one first.

    a + b log2 N fits the values, c N^e their logarithms; which is better is decided in the values.
    Without `FIT_POINTS` sizes there are none.
    """
    points = [(n, y) for n, y in zip(nodes, cycles, strict=True) if n >= FIT_FROM]
    if len({n for n, _ in points}) < FIT_POINTS:
        return ()
    sizes, values = np.array([n for n, _ in points]), np.array([y for _, y in points])
    slope, intercept = map(float, np.polyfit(np.log2(sizes), values, 1))
    exponent, logarithm = map(float, np.polyfit(np.log(sizes), np.log(values), 1))
    fits = []
    for law, first, second in (("log", intercept, slope), ("power", exp(logarithm), exponent)):
        said = Fit(law, first, second, 0.0).at(sizes)
        fits.append(Fit(law, first, second, _determination(values, said)))
    return tuple(sorted(fits, key=lambda fit: -fit.r2))


def _determination(values: np.ndarray, said: np.ndarray) -> float:
    """R^2; 1 for values that do not differ, which both laws hit."""
    spread = np.sum((values - np.mean(values)) ** 2)
    return float(1 - np.sum((values - said) ** 2) / spread) if spread else 1.0
