"""Networks with dead links and routers: the sets, what each leaves, and whether packets arrive."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Work
from knotwork.network import Network
from knotwork.portable import packed, unpacked
from knotwork.progress import progress
from knotwork.routing.generated import GENERAL, GeneratedRouting
from knotwork.topology import Topology
from knotwork.topology.altered import without
from knotwork.wording import not_one_of

from .columns import Table
from .sweep.channel_load import channel_load, ideal_throughput
from .sweep.load_result import Window
from .sweep.point import measure_point
from .sweep.workers import ClusterWorkers, LocalWorkers, OwnProcess, Workers, work
from .traffic.keys import Traffic

PARTS = ("both", "links", "routers")
"""What of a network may be dead."""
MOST = 1_000_000
"""Sets that are listed one by one, at most."""

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


GENERATED: dict[str, type[GeneratedRouting]] = {routing.name: routing for routing in GENERAL}
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
        routings = {name: asdict(carried) for name, carried in self.carried.items()}
        return {
            "dead": list(self.dead),
            "connected": self.connected,
            "nodes": self.nodes if self.connected else None,
            "routings": routings,
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
    return Network(topology, routing=GENERATED[routing], **keys)


class Trial(NamedTuple):
    """Task of a worker: called, it returns the fates of a network.

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
        results = {name: carried(network, self.measure) for name, network in made.items()}
        return Fate(dead, left.nodes, results)


AT_ONCE = 20
"""Sets of a worker's task."""
QUICK = 6.0
"""Seconds below which no other processes are started."""

_START, _PAIR, _HOP = 4.0, 1.5e-6, 0.2e-6  # seconds: loops compiled; a pair routed; a flit's hop


class Batch(NamedTuple):
    """Sets of a worker's task.

    Members
    -------
    first : int
        Number of the first one.
    """

    first: int

    def __str__(self) -> str:
        return f"the sets from number {self.first + 1} on"


@dataclass(frozen=True, eq=False)
class Survival:
    """What a user requests.

    Parameters
    ----------
    network : Network
        Intact network, direct.
    dead : int
        Links and routers that are dead at the same time.
    parts : str
        One of `dead_sets.PARTS`.
    sets : int or None
        Random sets at most; None for all sets.
    seed : int
        Seed of the random sets.
    routings : tuple of str
        Routings that are generated for what is left.
    measure : int or None
        Cycles that the golden model runs for each; None for none.

    Raises
    ------
    ConfigurationError
        A network that has no generated routing; an unknown routing; more dead parts than there are.
    """

    network: Network
    dead: int
    parts: str = "both"
    sets: int | None = 100
    seed: int = 1
    routings: tuple[str, ...] = SHOWN
    measure: int | None = None

    def __post_init__(self) -> None:
        topology = self.network.topology
        if not topology.is_direct:
            raise ConfigurationError(
                f"survive: NET must be a network whose routers serve nodes directly, not "
                f"{topology.name}"
            )
        for name in self.routings:
            if name not in GENERATED:
                raise ConfigurationError(not_one_of("survive: --routing", GENERATED, name))
        if len(set(self.routings)) < len(self.routings):
            raise ConfigurationError(
                f"survive: --routing must name a routing once, not {','.join(self.routings)}"
            )
        _ = self.drawn

    @cached_property
    def choices(self) -> list[str]:
        """Links and routers that may be dead."""
        return parts_of(self.network.topology, self.parts)

    @cached_property
    def drawn(self) -> list[DeadSet]:
        """Sets to try."""
        return dead_sets(self.choices, self.dead, self.sets, self.seed)

    def work(self, cores: int) -> Work:
        """Time and memory on so many cores."""
        nodes = self.network.topology.nodes
        each = nodes * nodes * _PAIR + 5e-3
        if self.measure is not None:
            each += 3 * self.measure * nodes * 8 * _HOP + 0.1
        seconds = len(self.drawn) * len(self.routings) * each
        return Work(_START + seconds / cores, 300e6 + cores * (150e6 + nodes * nodes * 40.0))


@dataclass(frozen=True, eq=False)
class Survived:
    """Answer of `survive`.

    Members
    -------
    survival : Survival
    own : Carried
        What the intact network carries with its own routing.
    intact : dict of str to Carried
        What the intact network carries with each generated routing.
    fates : tuple of Fate
        In the order of the sets.
    """

    survival: Survival
    own: Carried
    intact: dict[str, Carried]
    fates: tuple[Fate, ...]

    @property
    def connected(self) -> list[Fate]:
        """Those in which the network is connected."""
        return [fate for fate in self.fates if fate.connected]

    @property
    def is_free(self) -> bool:
        """Whether no connected network has a deadlock."""
        every = (one for fate in self.connected for one in fate.carried.values())
        return all(one.deadlock_free for one in every)

    def worst(self, routing: str) -> Fate | None:
        """Connected network that a routing carries least of."""
        if not self.connected:
            return None
        return min(self.connected, key=lambda fate: fate.carried[routing].ideal_throughput)

    def summary(self, routing: str) -> dict[str, Any]:
        """What a routing makes of all sets, by the names that ``survive --json`` promises."""
        results = [fate.carried[routing] for fate in self.connected]
        worst = self.worst(routing)
        answer: dict[str, Any] = {
            "intact": asdict(self.intact[routing]),
            "whole": asdict(self.intact[routing]),  # the name of `intact` in the last release
            "deadlock_free": sum(one.deadlock_free for one in results),
            "virtual_channels": max((one.virtual_channels for one in results), default=None),
            "worst": None if worst is None else list(worst.dead),
        }
        for name in ("ideal_throughput", "average_hops", "accepted"):
            values = [value for one in results if (value := getattr(one, name)) is not None]
            found = (float(np.mean(values)), min(values), max(values)) if values else None
            answer[name] = found and dict(zip(("mean", "least", "most"), found, strict=True))
        ideal, before = answer["ideal_throughput"], self.own.ideal_throughput
        answer["loss"] = ideal and {
            "mean": 1 - ideal["mean"] / before,
            "most": 1 - ideal["least"] / before,
        }
        return answer

    @property
    def table(self) -> Table:
        """Row for each set and routing; unknown where the network falls apart."""
        rows = []
        for fate in self.fates:
            for name in self.survival.routings:
                fields = asdict(fate.carried[name]) if fate.connected else dict.fromkeys(_FIELDS)
                head = {"dead": ",".join(fate.dead), "connected": fate.connected}
                rows.append({**head, "nodes": fate.nodes or None, "routing": name, **fields})
        return Table.of_rows(rows)

    def as_json(self) -> dict[str, Any]:
        """Fields that ``survive --json`` promises."""
        survival = self.survival
        return {
            "network": survival.network.topology.name,
            "parameters": survival.network.parameters,
            "dead": survival.dead,
            "parts": survival.parts,
            "sets": len(self.fates),
            "all": survival.sets is None,
            "seed": survival.seed,
            "connected": len(self.connected),
            "own": asdict(self.own),
            "routings": {name: self.summary(name) for name in survival.routings},
            "fates": [fate.as_json() for fate in self.fates],
        }


_FIELDS = tuple(Carried.__dataclass_fields__)


def run_survival(survival: Survival, *, scheduler: str | None = None) -> Survived:
    """Try all sets.

    Parameters
    ----------
    scheduler : str or None
        Address of a Dask cluster; None for one process per core of this machine.

    Raises
    ------
    ConfigurationError, DeadlockError, ToolError
        The intact network cannot be simulated; the scheduler does not answer, or workers die.
    """
    network = survival.network
    network.require_deadlock_free()
    own = carried(network, survival.measure)
    made = {name: rerouted(network, network.topology, name) for name in survival.routings}
    before = {name: carried(network, survival.measure) for name, network in made.items()}
    batches = [Batch(first) for first in range(0, len(survival.drawn), AT_ONCE)]
    data, found = packed(network), dict[Batch, list[Fate]]()
    workers = _workers(survival, scheduler)
    try:
        with progress("surviving", total=len(survival.drawn), unit="sets") as task:

            def start(batch: Batch) -> Trial:
                some = survival.drawn[batch.first : batch.first + AT_ONCE]
                return Trial(data, some, survival.routings, survival.measure)

            def finish(batch: Batch, fates: list[Fate]) -> None:
                found[batch] = fates
                task(len(fates))

            work(workers, lambda: [one for one in batches if one not in found], start, finish)
    finally:
        workers.close()
    return Survived(survival, own, before, tuple(fate for one in batches for fate in found[one]))


def cores() -> int:
    """Processes that this machine has for it."""
    return len(os.sched_getaffinity(0))


def _workers(survival: Survival, scheduler: str | None) -> Workers:
    if scheduler is not None:
        return ClusterWorkers(scheduler)
    return OwnProcess() if survival.work(1).seconds < QUICK else LocalWorkers(cores())
