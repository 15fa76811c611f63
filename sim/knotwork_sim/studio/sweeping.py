"""Sweep of the network on the page, which reports its progress."""

from collections.abc import Callable, Mapping, Sequence
from reprlib import repr as brief
from typing import Any

from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit

from ..datasheet.tables import Data
from ..estimates import sweep_work
from ..sweep.load import Entry, Job, LoadSweep, Results
from ..sweep.load_result import LoadPoint, Window
from ..sweep.rates import no_rates, parse_rates
from ..sweep.workers import OwnProcess, work
from ..traffic.keys import Traffic
from .requests import NetworkRequest, require_no_file, traffic_file_keys, words_of

FEWEST, MOST = 100, 10_000_000
"""Cycles of a measurement, as ``--measure`` has them."""

Report = Callable[[Data], None]


def sweep(request: Mapping[str, Any], limit: Limit, report: Report) -> Data:
    """Points of a sweep, by rising load.

    Parameters
    ----------
    request : mapping
        ``words`` and ``graph`` as of `NetworkRequest`; ``rates`` as of ``--rates``, or empty to
        search saturation; ``measure``, in cycles; ``traffic``, a list of words.
    limit : Limit
        What the work may take.
    report : callable
        Takes ``done``, ``total`` and the points so far, whenever a point is measured.

    Raises
    ------
    ConfigurationError
        What ``sweep`` would refuse.
    """
    made, command = planned(request)
    limit.require(f"sweep {made.entries[0].label}", sweep_work(made))
    results = Results(None, made.digest)

    def finish(job: Job, points: Sequence[LoadPoint]) -> None:
        for key, point in zip(job.keys, points, strict=True):
            results.add(key, point.as_json())
        total = len(results) + len(made.wanted(results))
        report({"done": len(results), "total": total, "points": _points(results)})

    report({"done": 0, "total": len(made.wanted(results)), "points": [], "command": command})
    # One process, which can be ended at any time, and nothing outlives it.
    work(OwnProcess(), lambda: made.wanted(results), made.start, finish)
    curve = made.result(results).curves[0]
    return {
        "command": command,
        "points": _points(results),
        "saturation": curve.reported_saturation,
        "zero_load_latency": curve.zero_load_latency,
        "ideal_throughput": curve.ideal_throughput,
    }


def planned(request: Mapping[str, Any]) -> tuple[LoadSweep, str]:
    """Sweep of a request, and the command line that makes the same.

    Raises
    ------
    ConfigurationError
        What ``sweep`` would refuse.
    """
    requested, traffic = NetworkRequest.of(request), words_of(request, "traffic")
    require_no_file("", traffic, traffic_file_keys())
    rates, measure = request.get("rates", ""), request.get("measure", 2000)
    if not isinstance(rates, str):
        raise no_rates("--rates", rates)
    if not isinstance(measure, int) or not FEWEST <= measure <= MOST:
        raise ConfigurationError(
            f"sweep: --measure must be an integer in {FEWEST}..{MOST}, not {brief(measure)}"
        )
    made = LoadSweep(
        [Entry(requested.words, requested.network)],
        Traffic.from_words(traffic),
        rates=parse_rates(rates) if rates else None,
        window=Window(measure=measure),
    )
    words = [requested.words, *traffic, *([f"--rates {rates}"] if rates else [])]
    return made, f"knotwork sweep {' '.join(words)} --measure {measure}"


def _points(results: Results) -> list[list[object]]:
    """Points so far: offered and accepted load, mean latency, whether saturated."""
    found = [LoadPoint.from_json(row) for _, row in results.items()]
    return [
        [point.offered, point.accepted, point.latency.mean, point.saturated]
        for point in sorted(found, key=lambda point: point.offered)
    ]
