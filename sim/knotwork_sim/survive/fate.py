"""Sets of dead links and routers, and what each leaves of a network."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.portable import unpacked
from knotwork.routing.generated import GENERAL, GeneratedRouting
from knotwork.topology import Topology
from knotwork.topology.altered import without

from ..sweep.channel_load import channel_load, ideal_throughput
from ..sweep.load_result import Window
from ..sweep.point import measure_point
from ..traffic.keys import Traffic

PARTS = ("both", "links", "routers")
"""What of a network may be dead."""
MOST = 1_000_000
"""Sets that are told one by one at most."""

DeadSet = tuple[str, ...]
"""Links and routers as `topology.altered` takes them: ``("0-1", "5")``."""


def parts_of(topology: Topology, which: str) -> list[str]:
    """Links and routers of a network, or one kind of them; parallel links are one part.

    Parameters
    ----------
    which : str
        One of `PARTS`.
    """
    routers, ports = np.nonzero(topology.neighbours >= 0)
    ends = np.stack([routers, topology.neighbours[routers, ports]], axis=1)
    pairs = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0).tolist()
    links = [f"{first}-{second}" for first, second in pairs]
    alone = [str(router) for router in range(topology.routers)]
    return {"both": links + alone, "links": links, "routers": alone}[which]


def dead_sets(parts: list[str], dead: int, most: int | None, seed: int) -> list[DeadSet]:
    """Sets of so many parts: all of them where they are no more than `most`, else so many random.

    Parameters
    ----------
    most : int or None
        None for all sets.

    Raises
    ------
    ConfigurationError
        Fewer parts than shall be dead; more than `MOST` sets.
    """
    if dead > len(parts):
        raise ConfigurationError(
            f"survive: --dead must be at most the {len(parts)} parts that can die, not {dead}"
        )
    count = comb(len(parts), dead)
    if most is None and count > MOST:
        raise ConfigurationError(
            f"survive: --all must mean at most {MOST:,} sets, not {count:,}; --sets draws some"
        )
    if most is None or count <= most:
        return list(combinations(parts, dead))
    random = np.random.default_rng(seed)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < most:
        drawn = random.choice(len(parts), dead, replace=False)
        found[tuple(sorted(drawn.tolist()))] = None
    return [tuple(parts[place] for place in places) for places in found]


MADE: dict[str, type[GeneratedRouting]] = {routing.name: routing for routing in GENERAL}
"""Routings that can be made for what is left, by name."""
SHOWN = ("updown", "shortest")
"""Those that are made unless others are named."""

_KEPT = ("data_width", "buffer_depth", "pipeline")  # keys that survivors keep


@dataclass(frozen=True)
class Carried:
    """What a routing makes of a network.

    Members
    -------
    deadlock_free : bool
        Whether its check found no cycle.
    virtual_channels : int
        As many as it has.
    ideal_throughput : float
        Flits per node per cycle, of the nodes that are left, under uniform traffic.
    average_hops : float
        Hops per packet.
    accepted : float or None
        Flits per node per cycle that the golden model accepts if a flit is offered in each cycle;
        None where that is not measured.
    """

    deadlock_free: bool
    virtual_channels: int
    ideal_throughput: float
    average_hops: float
    accepted: float | None = None


@dataclass(frozen=True)
class Fate:
    """What becomes of a network.

    Members
    -------
    dead : tuple of str
        Links and routers that are dead.
    nodes : int
        Nodes that are left, of a network that is connected.
    carried : dict of str to Carried
        What each made routing makes of it; empty where it falls apart.
    """

    dead: DeadSet
    nodes: int
    carried: dict[str, Carried]

    @property
    def connected(self) -> bool:
        """Whether two nodes or more are left, and every router reaches every other one."""
        return bool(self.carried)

    def as_json(self) -> dict[str, Any]:
        """Fields that ``survive --json`` promises."""
        told = {name: asdict(carried) for name, carried in self.carried.items()}
        return {
            "dead": list(self.dead),
            "connected": self.connected,
            "nodes": self.nodes if self.connected else None,
            "routings": told,
        }


def carried(network: Network, measure: int | None) -> Carried:
    """What a network carries of uniform traffic.

    Parameters
    ----------
    measure : int or None
        Cycles of the golden model's measurement; None for none.
    """
    traffic = Traffic()
    load = channel_load(network, traffic)
    ideal = ideal_throughput(network, traffic, load)
    if load is None or ideal is None:
        raise ConfigurationError(
            f"survive: {network.name} must have fewer nodes than {network.topology.nodes}"
        )
    accepted = None
    if measure is not None:
        point = measure_point(network, traffic, 1.0, window=Window(measure=measure))
        accepted = point.accepted
    return Carried(
        network.deadlock_report.deadlock_free,
        network.virtual_channels,
        ideal,
        load.average_hops,
        accepted,
    )


def rerouted(network: Network, topology: Topology, routing: str) -> Network:
    """Network of packet routers with a made routing, and otherwise the keys of another one."""
    keys: dict[str, Any] = {
        key: network.parameters[key] for key in _KEPT if key in network.parameters
    }
    return Network(topology, routing=MADE[routing], **keys)


class Trial(NamedTuple):
    """Task of a worker: called, it tells the fates of a network.

    Members
    -------
    packed : bytes
        Whole network.
    sets : sequence of DeadSet
        What is dead each time.
    routings : sequence of str
        Names of the routings that are made.
    measure : int or None
        See `carried`.
    """

    packed: bytes
    sets: Sequence[DeadSet]
    routings: Sequence[str]
    measure: int | None

    def __call__(self) -> list[Fate]:
        """Fates, in the order of the sets."""
        network: Network = unpacked(self.packed)
        return [self._fate(network, dead) for dead in self.sets]

    def _fate(self, network: Network, dead: DeadSet) -> Fate:
        try:
            left = without(network.topology, ",".join(dead))
        except ConfigurationError:  # the parts are the network's own: what is left falls apart
            return Fate(dead, 0, {})
        if left.nodes < 2:
            return Fate(dead, 0, {})
        made = {name: rerouted(network, left, name) for name in self.routings}
        told = {name: carried(network, self.measure) for name, network in made.items()}
        return Fate(dead, left.nodes, told)
