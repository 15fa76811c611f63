"""What a load sweep finds: points, a curve of them per network, and the whole answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from ..check.latency import Latency
from ..columns import Table
from ..traffic.keys import Traffic

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, kw_only=True)
class Window:
    """Cycles of a point's run.

    Parameters
    ----------
    warmup : int or None
        Cycles before the measurement; None to find them, at most `measure`.
    measure : int
        Cycles of the measurement; the drain has at least as many.
    """

    warmup: int | None = None
    measure: int = 10_000

    @property
    def longest_warmup(self) -> int:
        """Cycle in which the measurement begins at the latest."""
        return self.measure if self.warmup is None else self.warmup

    @property
    def cycles(self) -> int:
        """Cycles of the whole run."""
        return self.longest_warmup + 2 * self.measure


@dataclass(frozen=True, kw_only=True)
class LoadPoint:
    """Network under one offered load.

    Members
    -------
    offered, accepted : float
        Flits per node per cycle.
    accepted_ci95 : float or None
        Half the width of the 95 % confidence interval of `accepted`; None where a board measured.
    latency : Latency
        Cycles from a packet's creation to its last flit's ejection; unknown if `saturated`.
    latency_ci95 : float or None
        Half the width of the 95 % confidence interval of its mean; None where a board measured.
    saturated : bool
        Whether the accepted load stayed significantly below the offered one, or measured packets
        were left at the end of the drain.
    packets : int
        Packets that were measured.
    warmup : int
        Cycles before the measurement.
    """

    offered: float
    accepted: float
    accepted_ci95: float | None
    latency: Latency
    latency_ci95: float | None
    saturated: bool
    packets: int
    warmup: int

    def as_json(self) -> dict[str, object]:
        """Fields of a point that ``sweep --json`` promises."""
        return asdict(self)

    def as_row(self) -> dict[str, Any]:
        """Cells of a table, by column; None where a value is unknown."""
        latency = self.latency
        return {
            "offered": self.offered,
            "accepted": self.accepted,
            "accepted_ci95": self.accepted_ci95,
            "latency_mean": latency.mean,
            "latency_ci95": self.latency_ci95,
            "latency_p50": latency.p50,
            "latency_p99": latency.p99,
            "latency_max": latency.max,
            "saturated": self.saturated,
            "packets": self.packets,
            "warmup": self.warmup,
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Point whose `as_json` this was."""
        return cls(**{**fields, "latency": Latency(**fields["latency"])})


@dataclass(frozen=True, kw_only=True)
class LoadCurve:
    """Network under rising load.

    Members
    -------
    network, label : str
        Its name, and the word that named it on the command line.
    parameters : dict
        All its parameters.
    points : tuple of LoadPoint
        By rising load, at least one.
    rtl_points : tuple of LoadPoint or None
        Points that were measured on the Verilog too; None where none were asked for.
    zero_load_latency : float or None
        Cycles; None where it is not known.
    ideal_throughput : float or None
        Flits per node per cycle; None where it is not known.
    """

    network: str
    label: str
    parameters: dict[str, object]
    points: tuple[LoadPoint, ...]
    rtl_points: tuple[LoadPoint, ...] | None
    zero_load_latency: float | None
    ideal_throughput: float | None

    @property
    def saturation_throughput(self) -> float | None:
        """Largest accepted load, flits per node per cycle; None where no point is saturated."""
        if not any(point.saturated for point in self.points):
            return None
        return max(point.accepted for point in self.points)

    @property
    def highest_load(self) -> float:
        """Largest offered load, flits per node per cycle."""
        return max(point.offered for point in self.points)

    @property
    def told_saturation(self) -> str:
        """Saturation throughput in words."""
        if self.saturation_throughput is None:
            return f"not reached up to {self.highest_load:g}"
        return f"{self.saturation_throughput:.3f}"

    @property
    def saturated_between(self) -> tuple[float, float] | None:
        """Highest steady load and lowest saturated one; None without saturation."""
        saturated = [point.offered for point in self.points if point.saturated]
        if not saturated:
            return None
        steady = [point.offered for point in self.points if point.offered < min(saturated)]
        return max(steady, default=0.0), min(saturated)

    def as_json(self) -> dict[str, object]:
        """Fields of a network that ``sweep --json`` promises."""
        fields: dict[str, object] = {
            "network": self.network,
            "label": self.label,
            "parameters": self.parameters,
            "points": [point.as_json() for point in self.points],
        }
        if self.rtl_points is not None:
            fields["rtl_points"] = [point.as_json() for point in self.rtl_points]
        return fields | {
            "saturation_throughput": self.saturation_throughput,
            "saturated_between": self.saturated_between,
            "zero_load_latency": self.zero_load_latency,
            "ideal_throughput": self.ideal_throughput,
        }


def table_of(curves: Sequence[LoadCurve], engine: str) -> Table:
    """Row a point, with the network's label and the engine that measured it."""
    return Table.of_rows(
        [
            {"network": curve.label, "engine": measured, **point.as_row()}
            for curve in curves
            for measured, points in ((engine, curve.points), ("rtl", curve.rtl_points or ()))
            for point in points
        ]
    )


@dataclass(frozen=True, kw_only=True, repr=False)
class LoadResult:
    """Answer of a load sweep.

    Members
    -------
    traffic : Traffic
        The same for all networks.
    engine : str
        What measured the points: one of `SWEEP_ENGINES`.
    window : Window
        Cycles of each point.
    curves : tuple of LoadCurve
        In the order in which the networks were named.
    """

    traffic: Traffic
    engine: str
    window: Window
    curves: tuple[LoadCurve, ...]

    def __repr__(self) -> str:
        told = "; ".join(f"{each.label}: saturation {each.told_saturation}" for each in self.curves)
        return f"<LoadResult, engine={self.engine}, in flits/node/cycle: {told}>"

    @property
    def table(self) -> Table:
        """Row a point, with the network's label and the engine that measured it."""
        return table_of(self.curves, self.engine)

    def to_pandas(self) -> "DataFrame":
        """Data frame with a row for each point.

        Raises
        ------
        ToolError
            pandas is not installed.
        """
        return self.table.to_pandas()

    def as_json(self) -> dict[str, object]:
        """Fields that ``sweep --json`` promises."""
        keys = self.traffic.as_dict()
        return {
            "traffic": {key: value for key, value in keys.items() if value is not None},
            "engine": self.engine,
            "window": asdict(self.window),
            "sweeps": [curve.as_json() for curve in self.curves],
        }
