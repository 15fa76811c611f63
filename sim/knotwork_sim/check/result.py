"""Result of a simulation, or of several with one seed after another."""

from dataclasses import dataclass
from pathlib import Path

from .latency import Latency

FATES = ("injected", "delivered", "lost", "duplicated", "misrouted", "corrupted", "refused")
"""Members of `SimulationResult` that count packets."""

FAULTS = ("lost", "duplicated", "misrouted", "corrupted", "mismatches")
"""Members of `SimulationResult` that are 0 in a network without fault."""


@dataclass(frozen=True, kw_only=True)
class SimulationResult:
    """What a simulation found; of several simulations counts are sums, and the rest means.

    Members
    -------
    engine : str
        One of `ENGINES`.
    network : str
        Name of the network.
    injected, delivered, lost, duplicated, misrouted, corrupted, refused : int
        Packets, as in `Score`.
    cycles : float
        Cycles from the start of the run to the last delivery's, both included.
    latency : Latency
        Of the delivered packets.
    throughput : float
        Flits per node per cycle.
    mismatches : int or None
        Differences between the Verilog and the golden model; None where only one of them ran.
    has_network_cycles : bool
        Whether the network works in network cycles.
    network_cycles : float or None
        Their number; None where the network has none, or the Verilog alone ran.
    seed : int
        The traffic's; the first of several.
    trace, save_file : Path or None
        Waveform, and the GTKWave save file beside it.
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
    trace: Path | None = None
    save_file: Path | None = None
    network_cycles_ci95: float | None = None
    repeat: int | None = None

    @property
    def faults(self) -> dict[str, int]:
        """Counts that should be 0 and are not, by name."""
        counts = {name: getattr(self, name) for name in FAULTS}
        return {name: count for name, count in counts.items() if count}

    def as_json(self) -> dict[str, object]:
        """Fields that ``simulate --json`` promises."""
        fields: dict[str, object] = {"engine": self.engine, "network": self.network}
        fields |= {name: getattr(self, name) for name in FATES}
        fields |= {
            "cycles": self.cycles,
            "latency": self.latency.as_json(),
            "throughput": self.throughput,
            "mismatches": self.mismatches,
        }
        if self.has_network_cycles:
            fields["network_cycles"] = self.network_cycles
        fields["seed"] = self.seed
        if self.trace is not None:
            fields |= {"trace": str(self.trace), "save_file": str(self.save_file)}
        if self.network_cycles_ci95 is not None:
            fields["network_cycles_ci95"] = self.network_cycles_ci95
        if self.repeat is not None:
            fields["repeat"] = self.repeat
        return fields
