"""Network cycles of permutations as a network grows: families of sizes, points, fitted laws."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import exp
from typing import NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.parameters import CircuitParameters
from knotwork.progress import progress
from knotwork.routing.scheduling.messages import (
    NAMES,
    RANDOM_ROUTING,
    WORST,
    is_listed,
    named_permutation,
    random_routing,
    worst_permutation,
)
from knotwork.routing.scheduling.on_line import CHOICES, on_line_cycles
from knotwork.routing.scheduling.rounds import lower_bound
from knotwork.topology import LeastCommonAncestor
from knotwork.wording import entry_named, not_one_of

from ..check.result import half_width_95

FIT_FROM = 16
"""PEs of the smallest network that counts in a fit."""
FIT_POINTS = 3
"""Sizes that a fit needs: two parameters fit any two points."""


class Law(NamedTuple):
    """Law of growth with two parameters.

    Members
    -------
    parameters : tuple of str
        Names of its parameters.
    at : callable
        Network cycles, from the parameters and the numbers of PEs.
    formula : callable
        The law as text, from the parameters.
    """

    parameters: tuple[str, str]
    at: Callable[[float, float, np.ndarray], np.ndarray]
    formula: Callable[[float, float], str]


LAWS = {
    "log": Law(
        ("a", "b"),
        lambda first, second, nodes: first + second * np.log2(nodes),
        lambda first, second: f"{first:.2f} {'+-'[second < 0]} {abs(second):.3f} log2 N",
    ),
    "power": Law(
        ("c", "e"),
        lambda first, second, nodes: first * np.asarray(nodes, float) ** second,
        lambda first, second: f"{first:.2f} N^{second:.3f}",
    ),
}
"""Laws that are fitted: a + b log2 N and c N^e."""


class Fit(NamedTuple):
    """Law that fits points by least squares.

    Members
    -------
    law : str
        Key of `LAWS`.
    first, second : float
        Its parameters.
    r2 : float
        Coefficient of determination, of the measured values.
    """

    law: str
    first: float
    second: float
    r2: float

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """Network cycles by the law."""
        return LAWS[self.law].at(self.first, self.second, nodes)

    @property
    def formula(self) -> str:
        """Law as text."""
        return LAWS[self.law].formula(self.first, self.second)

    def as_json(self) -> dict[str, float]:
        """Parameters by their names, and r2."""
        first, second = LAWS[self.law].parameters
        return {first: self.first, second: self.second, "r2": self.r2}


def fit_laws(nodes: Sequence[int], cycles: Sequence[float]) -> tuple[Fit, ...]:
    """Both laws through the points of at least `FIT_FROM` PEs, the better one first.

    a + b log2 N is fitted to the values, c N^e to their logarithms; the better law is the one with
    the larger R^2 of the values. With fewer than `FIT_POINTS` sizes there is none.
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
    """R^2; 1 if all values are equal, which both laws fit exactly."""
    spread = np.sum((values - np.mean(values)) ** 2)
    return float(1 - np.sum((values - said) ** 2) / spread) if spread else 1.0


_SPAN = re.compile(r"(?<![^,])([a-z_]+)=([0-9]{1,9})-([0-9]{1,9})(?![^,])")


@dataclass(frozen=True)
class Family:
    """Networks that differ in one key, for which a word gives a range.

    Members
    -------
    label : str
        Topology and keys as the user named them, without the range: ``lcan d=2, u=2``.
    parameters : dict
        Parameters of the networks; the key with a range has the range as its value.
    networks : tuple of Network
        In the order of the range; one network if there is no range.
    """

    label: str
    parameters: dict[str, object]
    networks: tuple[Network, ...]

    @classmethod
    def from_word(cls, word: str) -> "Family":
        """Networks of ``lcan:d=2,u=2,levels=2-10``.

        Raises
        ------
        ConfigurationError
            Two ranges, an empty range, a range of a key that the topology does not have, or words
            that describe no network.
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
            raise ConfigurationError(not_one_of("sweep: a key with a range", known, key))
        larger = (
            Network.from_word(f"{before}{value}{after}") for value in range(first + 1, last + 1)
        )
        parameters: dict[str, object] = {**smallest.parameters, key: f"{first}-{last}"}
        return cls(label, parameters, (smallest, *larger))


@dataclass(frozen=True, kw_only=True)
class GrowthPoint:
    """Network cycles that a network takes for a permutation, over several permutations.

    Members
    -------
    nodes, levels : int
        Number of PEs, and of levels of switches.
    network_cycles, ci95 : float
        Mean, and half the width of its 95 % confidence interval.
    min, max : int
        Fewest and most.
    lower_bound : float
        Mean of the least network cycles that the permutations' loads allow.
    """

    nodes: int
    levels: int
    network_cycles: float
    ci95: float
    min: int
    max: int
    lower_bound: float


@dataclass(frozen=True)
class GrowthCurve:
    """Growth of a family.

    Members
    -------
    label : str
        Topology and keys as the user named them.
    network : str
        Name of the topology.
    parameters : dict
        Of its networks, with the range.
    points : tuple of GrowthPoint
        A point per network.
    fits : tuple of Fit
        Both laws, the better one first; none where points are too few.
    """

    label: str
    network: str
    parameters: dict[str, object]
    points: tuple[GrowthPoint, ...]
    fits: tuple[Fit, ...]

    def as_json(self) -> dict[str, object]:
        """Fields that ``sweep --json`` promises."""
        fit: dict[str, object] | None = None
        if self.fits:
            fit = {each.law: each.as_json() for each in sorted(self.fits)}
            fit["better"] = self.fits[0].law
        return {
            "network": self.network,
            "parameters": self.parameters,
            "points": [asdict(point) for point in self.points],
            "fit": fit,
        }


def sweep(
    words: Sequence[str], *, permutation: str, repeat: int, seed: int = 1, choice: str = "lfsr"
) -> list[GrowthCurve]:
    """Measure the mean network cycles of permutations on networks, and fit laws of growth.

    Parameters
    ----------
    words : sequence of str
        Networks, each in one word; a key of its topology may be a range.
    permutation : str
        ``worst``, ``random_routing``, or a name that `named_permutation` knows.
    repeat : int
        Permutations per network, at least 2.
    seed : int
        Seed of the first permutation; the second has seed + 1, and so on. The switches choose by
        the sum of this seed and `network_seed` - 1.
    choice : str
        How they choose, one of `CHOICES`.

    Raises
    ------
    ConfigurationError
        No network, a network whose switches do not choose circuits, or a permutation that a network
        does not have; before anything is measured.
    """
    if not words:
        raise ConfigurationError(
            "sweep: networks must be named, each in one word like lcan:d=2,u=2,levels=2-6"
        )
    if repeat < 2:
        raise ConfigurationError(f"sweep: --repeat must be at least 2, not {repeat}")
    entry_named(CHOICES, "sweep: --choice", choice)
    families = [Family.from_word(word) for word in words]
    for network in (network for family in families for network in family.networks):
        _tree(network)
        draw_permutation(network, permutation, seed)
    total, found = repeat * sum(len(family.networks) for family in families), list[GrowthCurve]()
    with progress("sweeping", total=total, unit="network cycles") as task:
        for family in families:
            points = []
            for network in family.networks:
                task.what = f"sweeping {network.name}"
                points.append(
                    measure(network, permutation, range(seed, seed + repeat), choice, task)
                )
            fits = fit_laws(
                [point.nodes for point in points], [point.network_cycles for point in points]
            )
            name = family.networks[0].topology.name
            found.append(GrowthCurve(family.label, name, family.parameters, tuple(points), fits))
    return found


def _tree(network: Network) -> LeastCommonAncestor:
    """Topology of a network whose switches choose the circuits; every other network is refused."""
    routing = network.routing
    if routing.level_tree is None or not routing.takes_packets_any_time:
        raise ConfigurationError(
            f"{network.name}: --permutation must be used with a network of circuits and "
            f"routing=updown, not routing={routing.name}"
        )
    return routing.level_tree


def draw_permutation(network: Network, permutation: str, seed: int) -> np.ndarray:
    """Destination of each PE, by the permutation's name and a seed; random routing is none.

    Raises
    ------
    ConfigurationError
        A name that is unknown, or not defined for the network.
    """
    rng = np.random.default_rng(seed)
    if permutation == WORST:
        tree = _tree(network).require_one_copy(f"{network.name}: --permutation {WORST}")
        return worst_permutation(tree, rng)
    if permutation == RANDOM_ROUTING:
        return random_routing(network.topology.nodes, rng).destinations
    if permutation not in NAMES and not is_listed(permutation):
        known = (WORST, RANDOM_ROUTING, *NAMES)
        rule = f"one of {', '.join(known)}, or destinations a,b,..."
        raise ConfigurationError(not_one_of("sweep: permutation", known, permutation, rule=rule))
    return named_permutation(network.topology.nodes, permutation, rng, owner="sweep")


def measure(
    network: Network,
    permutation: str,
    seeds: Iterable[int],
    choice: str = "lfsr",
    done: Callable[[], object] = int,
) -> GrowthPoint:
    """Network cycles of a network, with one permutation per seed, at least two; `done` counts."""
    topology = _tree(network)
    sources = np.arange(topology.nodes)
    cycles, bounds = [], []
    for seed in seeds:
        destinations = draw_permutation(network, permutation, seed)
        switches = CircuitParameters.of(network.hardware).network_seed - 1 + seed
        cycles += on_line_cycles(
            topology, sources, destinations, [switches], choice=choice
        ).tolist()
        bounds.append(lower_bound(topology, sources, destinations))
        done()
    return GrowthPoint(
        nodes=topology.nodes,
        levels=topology.levels,
        network_cycles=float(np.mean(cycles)),
        ci95=half_width_95(cycles),
        min=min(cycles),
        max=max(cycles),
        lower_bound=float(np.mean(bounds)),
    )
