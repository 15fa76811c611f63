"""Result of a simulation, or of several with one seed after another."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..columns import Table
from .class_latency import ClassLatency
from .crossings import Crossings
from .histogram import Histogram
from .latency import Latency
from .links import LinkLoads

if TYPE_CHECKING:
    from pandas import DataFrame

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
