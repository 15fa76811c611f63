"""Load sweeps asked for in Python: networks, loads and traffic as people write them."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from knotwork.files import AnyPath, as_path
from knotwork.network import Network
from knotwork.progress import hide_progress, show_progress
from knotwork.topology import Topology

from ..check.from_python import network_of, traffic_of
from ..traffic.keys import Traffic
from .board import BoardPort
from .load import Entry, LoadSweep, run_sweep
from .load_result import LoadResult, Window
from .rates import check_rate, parse_rates

Loads = str | float | Iterable[float]


def sweep(
    networks: Network | Topology | str | Sequence[Network | Topology | str],
    rates: Loads | None = None,
    *,
    traffic: Traffic | str | None = None,
    warmup: int | None = None,
    measure: int = 10_000,
    engine: str | BoardPort = "model",
    rtl_rates: Loads = (),
    repeat: int = 1,
    results_file: AnyPath | None = None,
    scheduler: str | None = None,
    progress: bool = False,
    **keys: object,
) -> LoadResult:
    """Measure latency and accepted load over offered load.

    Parameters
    ----------
    networks : Network, Topology, str, or sequence of them
        What carries the traffic; a word like ``"moebius:n=4,twist=1"`` names a network too.
    rates : str or iterable of float, optional
        Offered loads in flits per node per cycle, or ``"first:last:step"``; without them the
        saturation of each network is searched. One load is a number too.
    traffic : Traffic or str, optional
        Pattern, as ``"transpose"``, or all of the traffic; uniform if unnamed.
    warmup : int, optional
        Cycles before the measurement; found if unnamed.
    measure : int
        Cycles of the measurement, and at least of the drain.
    engine : str or BoardPort
        ``"model"``: the golden model; ``"rtl"``: the emitted Verilog; a board at a
        port: what this board measures.
    rtl_rates : str or iterable of float
        Loads that are also measured on the Verilog.
    repeat : int
        Runs of each point, with the traffic's seed, the next one, and so on: the point has the
        means, and the confidence interval of the runs.
    results_file : str or PathLike, optional
        File that takes each point as it is measured; the same sweep resumes from it.
    scheduler : str, optional
        Address of a Dask cluster; all cores of this machine if unnamed.
    progress : bool
        Whether to show on stderr how many points are measured and how long the others will take.
    **keys
        Keys of the traffic: ``length=4, seed=2``.

    Raises
    ------
    ConfigurationError
        A network, a load or traffic that cannot be.
    DeadlockError
        A network failed its deadlock check.
    ToolError
        The scheduler does not answer, or workers die again and again.
    """
    path = None if results_file is None else as_path(results_file, "a sweep's results")
    several = [networks] if isinstance(networks, Network | Topology | str) else list(networks)
    made = LoadSweep(
        [_entry(network) for network in several],
        traffic_of(traffic, keys),
        rates=None if rates is None else _loads(rates, "rates"),
        window=Window(warmup=warmup, measure=measure),
        engine=engine,
        rtl_rates=_loads(rtl_rates, "rtl_rates"),
        repeat=repeat,
    )
    with _shown() if progress else nullcontext():
        return run_sweep(made, results_file=path, scheduler=scheduler)


def write_sweep(path: AnyPath, result: LoadResult) -> list[Path]:
    """Write the figure of a sweep, with its numbers as CSV and JSON beside it, or its table alone.

    As ``knotwork sweep -o`` does. Returns the paths of the files.

    Parameters
    ----------
    path : str or PathLike
        Of a figure, ``.svg``, ``.png`` or ``.pdf``, or of a table, ``.csv`` or ``.parquet``.
    result : LoadResult
        What `sweep` returned.

    Raises
    ------
    ConfigurationError, ToolError
        Another suffix; a file that cannot be written.
    """
    from .plots import load_plots  # matplotlib takes a second, and a sweep may need no figure

    return load_plots.write_sweep(path, result)


@contextmanager
def _shown() -> Iterator[None]:
    """Context in which this process shows its progress."""
    show_progress()
    try:
        yield
    finally:
        hide_progress()


def _entry(given: Network | Topology | str) -> Entry:
    """Network of a sweep, labelled by its word or its name."""
    network = network_of(given)
    return Entry(given if isinstance(given, str) else network.name, network)


def _loads(given: Loads, option: str) -> tuple[float, ...]:
    """Loads of a range in words, or each by itself."""
    if isinstance(given, str):
        return parse_rates(given, option=option)
    if isinstance(given, int | float):
        return (check_rate(given),)
    return tuple(map(check_rate, given))
