"""`sweep --permutation`: how many network cycles permutations take as networks grow."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

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

from ..check.confidence import half_width_95
from .families import Family
from .laws import Fit, fit_laws


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
