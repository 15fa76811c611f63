"""Result of a simulation, or of several: the fates of packets, and their latencies."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from knotwork.network import Network
from knotwork.topology import LeastCommonAncestor

from ..columns import Table
from ..model.record import Record
from ..model.router_model import Tally
from ..scoreboard.score import Score
from ..traffic.packets import EVERYONE, NEVER, Packets
from .links import Crossings, LinkLoads

if TYPE_CHECKING:
    from pandas import DataFrame


NORMAL_95 = 1.96
"""Standard errors to each side of a mean that hold 95 % of a normal distribution."""


_STUDENT_T_95 = (
    *(12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281),
    *(2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860),
)
"""Student's t for 95 % on both sides with 1, 2, ... degrees of freedom."""


def half_width_95(values: Sequence[float] | np.ndarray) -> float:
    """Half the width of the 95 % confidence interval of the values' mean; 0 for a single value."""
    freedom = len(values) - 1
    if freedom < 1:
        return 0.0
    if freedom <= len(_STUDENT_T_95):
        factor = _STUDENT_T_95[freedom - 1]
    else:  # an expansion for many degrees of freedom
        z = NORMAL_95
        factor = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / freedom**2
    return float(factor * np.std(values, ddof=1) / np.sqrt(len(values)))


_EXACT = 64  # below, each cycle has a bin; above, each octave has half as many bins


@dataclass(frozen=True)
class Histogram:
    """Packets by their latency.

    Up to 64 cycles each bin is one cycle wide; above, a bin is at most a 32nd of the latency. The
    edges do not depend on the data, so histograms can be added.

    Members
    -------
    edges : tuple of int
        Cycles; bin i has the latencies from edge i to below edge i + 1. Empty without packets.
    counts : tuple of int
        Packets in each bin; the first and the last are not 0.
    """

    edges: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, cycles: np.ndarray) -> "Histogram":
        """Histogram of the latency of each packet, int64."""
        if not len(cycles):
            return cls()
        edges = bin_edges(int(cycles.max()))
        counts = np.bincount(np.searchsorted(edges, cycles, side="right") - 1)
        first = int(np.nonzero(counts)[0][0])
        return cls(tuple(edges[first : len(counts) + 1].tolist()), tuple(counts[first:].tolist()))

    @classmethod
    def sum(cls, parts: "Sequence[Histogram]") -> "Histogram":
        """Histogram of all packets of several."""
        lowest = [np.repeat(each.edges[:-1], each.counts) for each in parts if each.counts]
        return cls.of(np.concatenate(lowest) if lowest else np.zeros(0, np.int64))

    def as_json(self) -> dict[str, list[int]]:
        """Lists `edges`, one longer, and `counts`."""
        return {"edges": list(self.edges), "counts": list(self.counts)}

    @property
    def table(self) -> Table:
        """Row a bin: its first cycle, the first cycle behind it, and its packets."""
        edges = np.array(self.edges, np.int64)
        counts = np.array(self.counts, np.int64)
        return Table({"from": edges[:-1], "below": edges[1:], "packets": counts})

    def bars(self, *, rows: int = 20, width: int = 40) -> list[tuple[str, int, str]]:
        """Rows to print: range of cycles, packets, and a bar.

        Parameters
        ----------
        rows : int
            Rows at most; neighbouring bins share one where there are more.
        width : int
            Length of the longest bar.
        """
        together = -(-len(self.counts) // rows)
        found = []
        for first in range(0, len(self.counts), together or 1):
            counts = self.counts[first : first + together]
            low, high = self.edges[first], self.edges[first + len(counts)] - 1
            found.append((f"{low}" if low == high else f"{low}-{high}", sum(counts)))
        most = max((count for _, count in found), default=1)
        return [(cycles, count, _bar(count / most * width)) for cycles, count in found]


def bin_edges(highest: int) -> np.ndarray:
    """Edges of the bins up to the one that has `highest`, int64."""
    octaves = range(_EXACT.bit_length() - 1, max(highest, 1).bit_length())
    above = [np.arange(1 << k, 2 << k, (2 << k) // _EXACT) for k in octaves]
    edges = np.concatenate([np.arange(_EXACT), *above])
    end = 2 ** max(highest, _EXACT - 1).bit_length()
    edges = np.append(edges, end)
    return edges[: np.searchsorted(edges, highest, side="right") + 1]


def _bar(length: float) -> str:
    """Bar of blocks, exact to an eighth of a column; never empty where there is something."""
    eighths = max(round(length * 8), 1 if length else 0)
    full, part = divmod(eighths, 8)
    return "█" * full + ("", *"▏▎▍▌▋▊▉")[part]


FIGURES = ("mean", "p50", "p99", "max")
"""Members of `Latency`."""


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Latency of packets in cycles; None in every member where no packet has one.

    Members
    -------
    mean, p50, p99 : float or None
        Mean, median and 99th percentile.
    max : float or None
        Largest.
    """

    mean: float | None = None
    p50: float | None = None
    p99: float | None = None
    max: float | None = None

    @classmethod
    def of(cls, cycles: np.ndarray) -> "Latency":
        """Summary of the latency of each packet, int64."""
        if not len(cycles):
            return cls()
        return cls(
            mean=round(float(cycles.mean()), 4),
            p50=float(np.percentile(cycles, 50)),
            p99=float(np.percentile(cycles, 99)),
            max=int(cycles.max()),
        )

    def as_json(self) -> dict[str, float | None]:
        """Fields ``mean``, ``p50``, ``p99`` and ``max``."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ClassLatency:
    """What became of the packets of one class of traffic.

    Members
    -------
    number : int
        Class.
    delivered : int
        Packets delivered.
    throughput : float
        Flits per node per cycle.
    latency : Latency
        From a packet's creation to its last flit.
    network_latency : Latency
        From the cycle in which the network takes its first flit; unknown where that is.
    network_p999 : float or None
        99.9th percentile of the latter.
    """

    number: int
    delivered: int
    throughput: float
    latency: Latency
    network_latency: Latency
    network_p999: float | None

    def as_json(self) -> dict[str, object]:
        """Fields by the names that ``simulate --json`` promises."""
        p999 = {"p999": self.network_p999}
        return {
            "class": self.number,
            "delivered": self.delivered,
            "throughput": self.throughput,
            "latency": self.latency.as_json(),
            "network_latency": self.network_latency.as_json() | p999,
        }


def class_latencies(
    network: Network, packets: Packets, record: Record, fates: Score
) -> tuple[ClassLatency, ...]:
    """Latencies of all classes; none where there is one class."""
    count = network.traffic_classes
    if count == 1:
        return ()
    nodes, packet = network.topology.nodes // count, fates.deliveries[:, 0]
    taken = np.full(len(packet), -1) if record.injected is None else record.injected[packet]
    found = []
    for number in range(count):
        own = packets.source[packet] // nodes == number
        inside = (fates.arrival - taken)[own & (taken >= 0)]
        flits = int((packets.length - packets.chain_length)[packet[own]].sum())
        found.append(
            ClassLatency(
                number=number,
                delivered=int(own.sum()),
                throughput=round(flits / (nodes * fates.cycles), 6) if fates.cycles else 0.0,
                latency=Latency.of(fates.latency[own]),
                network_latency=Latency.of(inside),
                network_p999=float(np.percentile(inside, 99.9)) if len(inside) else None,
            )
        )
    return tuple(found)


STATUS = ("delivered", "lost", "refused")
"""What can become of a packet."""


def packet_rows(
    network: Network, packets: Packets, record: Record, fates: Score, counted: Tally | None
) -> Table:
    """Row for each packet, in the order of the sources; a multicast has one per destination.

    The columns are ``packet`` (its index), ``source``, ``destination``, ``length`` (flits of data),
    ``offered``, ``injected`` and ``ejected`` (cycles in which the source offers it, the network
    takes its first flit and the destination takes its last), ``latency`` (cycles from offered to
    ejected), ``hops`` (links between routers) and ``status``. A refused packet has no destination.
    Hops are unknown of multicasts and broadcasts, and, but for circuits, where the golden model did
    not run: `counted` is what it counted.
    """
    due = np.array(packets.deliveries(), np.int64).reshape(-1, 2)
    refused = np.nonzero(packets.refused)[0]
    packet = np.concatenate([due[:, 0], refused])
    node = np.concatenate([due[:, 1], np.full(len(refused), -1)])
    cycle = _ejections(fates, packet, node)
    order = np.lexsort((node, packet))
    packet, node, cycle = packet[order], node[order], cycle[order]
    status = np.where(node < 0, 2, np.where(cycle < 0, 1, 0))
    injected = np.full(len(packets), -1) if record.injected is None else record.injected
    hops, alone = np.full(len(packets), -1), ~packets.multicast & (packets.destination != EVERYONE)
    if counted is not None:
        hops = np.where(alone, counted.hops[: len(packets)], -1)
    elif network.routing.has_network_cycles:
        tree = LeastCommonAncestor.of(network.topology)
        goes = packets.destination >= 0
        hops[goes] = tree.distance(packets.source[goes], packets.destination[goes])
    time = fates.time[packet]
    known = cycle >= 0
    return Table(
        {
            "packet": packet,
            "source": packets.source[packet],
            "destination": _known(node, node >= 0),
            "length": (packets.length - packets.chain_length)[packet],
            "offered": _known(time, time < NEVER),
            "injected": _known(injected[packet], injected[packet] >= 0),
            "ejected": _known(cycle, known),
            "latency": _known(cycle - time, known),
            "hops": _known(hops[packet], known & (hops[packet] >= 0)),
            "status": np.array(STATUS)[status],
        }
    )


def _known(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    return np.ma.array(values, mask=~known)


def _ejections(fates: Score, packet: np.ndarray, node: np.ndarray) -> np.ndarray:
    """Cycle in which each delivery was complete; -1 where it never was."""
    cycle = np.full(len(packet), -1)
    if not len(fates.arrival):
        return cycle
    here, seen = packet * fates.nodes + node, fates.deliveries @ [fates.nodes, 1]
    order = np.argsort(seen)
    place = np.minimum(np.searchsorted(seen, here, sorter=order), len(seen) - 1)
    found = (seen[order[place]] == here) & (node >= 0)
    cycle[found] = fates.arrival[order[place[found]]]
    return cycle


FATES = ("injected", "delivered", "lost", "duplicated", "misrouted", "corrupted", "refused")
"""Members of `SimulationResult` that count packets."""

FAULTS = ("lost", "duplicated", "misrouted", "corrupted", "mismatches")
"""Members of `SimulationResult` that are 0 in a network without fault."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SimulationResult:
    """What a simulation found; of several simulations counts are sums, and the rest means.

    Members
    -------
    engine : str
        One of `ENGINES`.
    board : str or None
        Board for which the netlist was synthesised, where one ran.
    network : str
        Name of the network.
    injected, delivered, lost, duplicated, misrouted, corrupted, refused : int
        Packets, as in `Score`.
    cycles : float
        Cycles from the start of the run to the last delivery's, both included.
    latency : Latency
        Of the delivered packets, from creation to the last flit; requests and replies alike.
    round_trip : Latency or None
        From the creation of a request to its reply's last flit; None without replies.
    throughput : float
        Flits per node per cycle.
    latency_histogram : Histogram
        Of the same latencies.
    links : LinkLoads or None
        Load of each channel between routers; None where the golden model did not run, or where it
        does not count (circuits).
    classes : tuple of ClassLatency
        What became of each class of traffic; empty without classes, and of several simulations.
    packets : Table or None
        Row a packet, see `check.fates`; None of several simulations.
    mismatches : int or None
        Differences between the Verilog and the golden model; None where only one of them ran.
    has_network_cycles : bool
        Whether the network works in network cycles.
    network_cycles : float or None
        Their number; None where the network has none, or the Verilog alone ran.
    seed : int
        The traffic's; the first of several.
    first_fault : str or None
        What the scoreboard found wrong first, in words: the packet, where it should be, where it
        is, and the last hops of its way; None where nothing is wrong. Of several simulations, that
        of the first that has one.
    trace, save_file : Path or None
        Waveform, and the GTKWave save file beside it; or a trace of packets, which has none.
    crossings : Crossings or None
        Which packet crossed which channel in which cycle, if that was asked for.
    network_cycles_ci95 : float or None
        Half the width of the 95 % confidence interval of `network_cycles`, over several runs.
    repeat : int or None
        Number of simulations; None for a single one.
    """

    engine: str
    network: str
    injected: int
    delivered: int
    lost: int
    duplicated: int
    misrouted: int
    corrupted: int
    refused: int
    cycles: float
    latency: Latency
    throughput: float
    mismatches: int | None
    has_network_cycles: bool
    network_cycles: float | None
    seed: int
    board: str | None = None
    first_fault: str | None = None
    trace: Path | None = None
    save_file: Path | None = None
    network_cycles_ci95: float | None = None
    repeat: int | None = None
    latency_histogram: Histogram = field(default_factory=Histogram)
    links: LinkLoads | None = field(default=None, compare=False)
    packets: Table | None = field(default=None, compare=False)
    crossings: Crossings | None = field(default=None, compare=False)
    round_trip: Latency | None = None
    classes: tuple[ClassLatency, ...] = ()

    @property
    def faults(self) -> dict[str, int]:
        """Counts that should be 0 and are not, by name."""
        counts = {name: getattr(self, name) for name in FAULTS}
        return {name: count for name, count in counts.items() if count}

    def as_json(self) -> dict[str, object]:
        """Fields that ``simulate --json`` promises."""
        fields: dict[str, object] = {"engine": self.engine}
        if self.board is not None:
            fields["board"] = self.board
        fields["network"] = self.network
        fields |= {name: getattr(self, name) for name in FATES}
        fields |= {
            "cycles": self.cycles,
            "latency": self.latency.as_json(),
            "latency_histogram": self.latency_histogram.as_json(),
            "throughput": self.throughput,
            "links": None if self.links is None else self.links.as_json(),
            "mismatches": self.mismatches,
            "first_fault": self.first_fault,
        }
        if self.has_network_cycles:
            fields["network_cycles"] = self.network_cycles
        if self.round_trip is not None:
            fields["round_trip"] = self.round_trip.as_json()
        if self.classes:
            fields["classes"] = [each.as_json() for each in self.classes]
        fields["seed"] = self.seed
        if self.trace is not None:
            fields["trace"] = str(self.trace)
        if self.save_file is not None:
            fields["save_file"] = str(self.save_file)
        if self.network_cycles_ci95 is not None:
            fields["network_cycles_ci95"] = self.network_cycles_ci95
        if self.repeat is not None:
            fields["repeat"] = self.repeat
        return fields

    def __repr__(self) -> str:
        mean = "unknown" if self.latency.mean is None else f"{self.latency.mean:g} cycles"
        return (
            f"<SimulationResult of {self.network}, engine={self.engine}: {self.delivered} of "
            f"{self.injected} packets delivered, mean latency {mean}, throughput "
            f"{self.throughput:g} flits/node/cycle>"
        )

    def to_pandas(self) -> "DataFrame":
        """Data frame with a row for each packet, or one row of facts for several simulations.

        Raises
        ------
        ToolError
            pandas is not installed.
        """
        if self.packets is not None:
            return self.packets.to_pandas()
        facts: dict[str, object] = {**self.as_json()}
        latency = {f"latency_{name}": value for name, value in self.latency.as_json().items()}
        flat = {key: value for key, value in facts.items() if not isinstance(value, dict)}
        return Table(
            {key: np.array([value]) for key, value in (flat | latency).items()}
        ).to_pandas()
