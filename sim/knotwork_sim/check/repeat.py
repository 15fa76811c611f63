"""Several simulations that differ in their seeds only."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from knotwork.network import Network

from ..traffic.keys import Traffic
from .links import LinkLoads
from .result import FATES, FIGURES, Histogram, Latency, SimulationResult, half_width_95
from .simulate import simulate

_Value = TypeVar("_Value")


def repeat(
    network: Network,
    traffic: Traffic,
    *,
    times: int,
    engine: str = "both",
    board: str | None = None,
) -> SimulationResult:
    """Run simulations with the seeds ``seed``, ``seed + 1``, ... and combine their results.

    Counts of packets and mismatches are sums; `cycles`, `network_cycles`, `throughput` and the
    latencies are means, but `latency.max` is the largest of all.
    """
    chosen = {"engine": engine, "board": board}
    results = [
        dataclasses.replace(
            simulate(network, dataclasses.replace(traffic, seed=traffic.seed + run), **chosen),
            packets=None,  # there may be many
            classes=(),
        )
        for run in range(times)
    ]
    network_cycles = _known(result.network_cycles for result in results)
    trips = [result.round_trip for result in results if result.round_trip is not None]
    mismatches = _known(result.mismatches for result in results)
    return dataclasses.replace(
        results[0],
        **{name: sum(getattr(result, name) for result in results) for name in FATES},
        cycles=_mean([result.cycles for result in results]),
        latency=_combined([result.latency for result in results]),
        round_trip=_combined(trips) if trips else None,
        throughput=_mean([result.throughput for result in results]),
        mismatches=int(sum(mismatches)) if mismatches else None,
        network_cycles=_mean(network_cycles) if network_cycles else None,
        network_cycles_ci95=round(half_width_95(network_cycles), 4) if network_cycles else None,
        first_fault=next((each.first_fault for each in results if each.first_fault), None),
        repeat=times,
        latency_histogram=Histogram.sum([result.latency_histogram for result in results]),
        links=LinkLoads.sum(loads) if (loads := _known(each.links for each in results)) else None,
    )


def _combined(latencies: Sequence[Latency]) -> Latency:
    """Means of what is known, and the largest of all."""
    columns = {name: _known(getattr(each, name) for each in latencies) for name in FIGURES}
    means = {name: _mean(values) if values else None for name, values in columns.items()}
    return Latency(**means | {"max": max(columns["max"], default=None)})


def _known(values: Iterable[_Value | None]) -> list[_Value]:
    return [value for value in values if value is not None]


def _mean(values: Sequence[float]) -> float:
    return round(float(np.mean(values)), 4)
