"""Latency under load, as a sweep of the golden model measures it."""

from collections.abc import Sequence

from knotwork.network import Network

from ..sweep.load import Entry, LoadSweep, run_sweep
from ..sweep.load_result import Window
from ..sweep.rates import parse_rates
from ..traffic.keys import Traffic
from .content import Data

MEASURE = 2000
"""Cycles that are measured unless the user says otherwise: enough for a figure on a page."""


def curve_sweep(
    networks: Sequence[Network], words: Sequence[str], rates: str, measure: int = MEASURE
) -> LoadSweep:
    """Sweep that measures the networks' curves under uniform traffic.

    Raises
    ------
    ConfigurationError
        Rates that are no range of loads.
    """
    entries = [Entry(word, network) for word, network in zip(words, networks, strict=True)]
    window = Window(measure=measure)
    return LoadSweep(entries, Traffic(), rates=parse_rates(rates, option="--curve"), window=window)


def curves(sweep: LoadSweep, rates: str) -> list[Data]:
    """Points of each network of a sweep, with the command that measures them."""
    measured = run_sweep(sweep)
    return [
        {
            "command": f"knotwork sweep {entry.label} --rates {rates} "
            f"--measure {sweep.window.measure}",
            "points": [
                [point.offered, point.accepted, point.latency.mean, point.saturated]
                for point in found.points
            ],
        }
        for entry, found in zip(sweep.entries, measured.curves, strict=True)
    ]
