"""What a load sweep finds: points, a curve of them per network, and the whole answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from knotwork.parameters.base import format_value

from ..check.result import Latency, half_width_95
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
    accepted_least : float or None
        Accepted load of the node that is served least: the share that is accepted of what it
        offers, times `offered`; None where a board measured.
    latency : Latency
        Cycles from a packet's creation to its last flit's ejection; None in every member if
        `saturated`.
    latency_ci95 : float or None
        Half the width of the 95 % confidence interval of its mean; None where a board measured.
    saturated : bool
        Whether the accepted load of a node, or of all, fell short of the offered one, the latency
        rose throughout, or measured packets were left at the end of the drain.
    packets : int
        Packets that were measured.
    warmup : int
        Cycles before the measurement.
    runs : tuple of LoadPoint
        The points of all seeds, in their order, if this is their mean; see `mean_of`.
    """

    offered: float
    accepted: float
    accepted_ci95: float | None
    accepted_least: float | None
    latency: Latency
    latency_ci95: float | None
    saturated: bool
    packets: int
    warmup: int
    runs: tuple["LoadPoint", ...] = ()

    def as_json(self) -> dict[str, object]:
        """Fields of a point that ``sweep --json`` promises."""
        fields: dict[str, object] = asdict(self)
        del fields["runs"]
        if self.runs:
            fields["runs"] = [run.as_json() for run in self.runs]
        return fields

    @classmethod
    def mean_of(cls, runs: Sequence[Self]) -> Self:
        """Point of several seeds: means of their figures, the largest latency, all packets.

        The confidence is that of the runs, which do not depend on each other. The point is
        saturated if a run is: a steady load is one that the network carried every time. If there is
        only one run, the point is this run.
        """
        first = runs[0]
        if len(runs) == 1:
            return first
        saturated = any(run.saturated for run in runs)
        latency, latency_ci95 = Latency(), None
        if not saturated and all(run.latency.mean is not None for run in runs):
            mean, p50, p99, most = np.array([astuple(run.latency) for run in runs]).T
            latency = Latency(
                mean=round(float(np.mean(mean)), 4),
                p50=round(float(np.mean(p50)), 4),
                p99=round(float(np.mean(p99)), 4),
                max=int(most.max()),
            )
            latency_ci95 = round(half_width_95(mean), 4)
        return cls(
            offered=first.offered,
            accepted=round(float(np.mean([run.accepted for run in runs])), 6),
            accepted_ci95=round(half_width_95([run.accepted for run in runs]), 6),
            accepted_least=round(float(np.mean([run.accepted_least or 0 for run in runs])), 6),
            latency=latency,
            latency_ci95=latency_ci95,
            saturated=saturated,
            packets=sum(run.packets for run in runs),
            warmup=max(run.warmup for run in runs),
            runs=tuple(runs),
        )

    def as_row(self) -> dict[str, Any]:
        """Cells of a table, by column; None where a value is unknown."""
        latency = self.latency
        return {
            "offered": self.offered,
            "accepted": self.accepted,
            "accepted_ci95": self.accepted_ci95,
            "accepted_least": self.accepted_least,
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
        """Largest steady load below all saturated ones, flits per node per cycle.

        None where no point is saturated, or the lowest is.
        """
        return self.saturated_between[0] or None if self.saturated_between else None

    @property
    def accepted_at_overload(self) -> float | None:
        """Accepted load at the highest load, if it is a saturated one, flits per node per cycle."""
        point = self.points[-1]
        return point.accepted if point.saturated else None

    @property
    def highest_load(self) -> float:
        """Largest offered load, flits per node per cycle."""
        return max(point.offered for point in self.points)

    @property
    def reported_saturation(self) -> str:
        """Saturation throughput in words."""
        if self.saturated_between is None:
            return f"not reached up to {self.highest_load:g}"
        steady, saturated = self.saturated_between
        return f"{steady:.3f}" if steady else f"below {saturated:g}"

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
            "accepted_at_overload": self.accepted_at_overload,
            "zero_load_latency": self.zero_load_latency,
            "ideal_throughput": self.ideal_throughput,
        }


def table_of(
    curves: Sequence[LoadCurve], engine: str, notes: Mapping[str, str] | None = None
) -> Table:
    """Row a point, with the network's label and the engine that measured it."""
    return Table.of_rows(
        [
            {"network": curve.label, "engine": measured, **point.as_row()}
            for curve in curves
            for measured, points in ((engine, curve.points), ("rtl", curve.rtl_points or ()))
            for point in points
        ],
        notes,
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
    version : str
        Version of Knotwork that measured, with the commit between releases.
    command : str
        Command line that measures the same.
    repeat : int
        Seeds of each point.
    """

    traffic: Traffic
    engine: str
    window: Window
    curves: tuple[LoadCurve, ...]
    version: str
    command: str
    repeat: int = 1

    def __repr__(self) -> str:
        listed = "; ".join(
            f"{each.label}: saturation {each.reported_saturation}" for each in self.curves
        )
        return f"<LoadResult, engine={self.engine}, in flits/node/cycle: {listed}>"

    @property
    def table(self) -> Table:
        """Row a point, with the network's label and the engine that measured it."""
        return table_of(self.curves, self.engine, self.notes)

    @property
    def notes(self) -> dict[str, str]:
        """What makes the same again: version, command, and all keys, the seed among them."""
        notes = {
            "knotwork": self.version,
            "command": self.command,
            "traffic": _spelled(
                {
                    key: self.traffic.spelled(key) if isinstance(value, tuple | list) else value
                    for key, value in self._traffic_keys.items()
                }
            ),
            "engine": self.engine,
            "window": _spelled(asdict(self.window)),
        }
        if self.repeat > 1:
            notes["repeat"] = str(self.repeat)
        return notes | {
            f"network {curve.label}": f"{curve.network} {_spelled(curve.parameters)}"
            for curve in self.curves
        }

    @property
    def _traffic_keys(self) -> dict[str, object]:
        return {key: value for key, value in self.traffic.as_dict().items() if value is not None}

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
        return {
            "version": self.version,
            "command": self.command,
            "traffic": self._traffic_keys,
            "engine": self.engine,
            "window": asdict(self.window),
            **({"repeat": self.repeat} if self.repeat > 1 else {}),
            "sweeps": [curve.as_json() for curve in self.curves],
        }


def _spelled(values: Mapping[str, object]) -> str:
    """Values by key in one line."""
    return " ".join(f"{key}={format_value(value)}" for key, value in values.items())
