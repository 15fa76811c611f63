"""Load sweep of networks: its points, the results that a file keeps, and how it is run."""

import fcntl
import hashlib
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from knotwork import __version__
from knotwork.designs import read_network
from knotwork.errors import ConfigurationError
from knotwork.files import read_bytes, unwritable
from knotwork.network import Network
from knotwork.network_words import join_words, split_networks
from knotwork.portable import packed, user_code_digest
from knotwork.progress import progress
from knotwork.wording import not_one_of

from ..check.engines import BOARD, SWEEP_ENGINES
from ..check.memory import require_memory
from ..model.run import MODELS
from ..traffic.arrivals import rate_limit
from ..traffic.keys import Traffic
from ..traffic.patterns import node_weights
from .board import BoardPoints, BoardPort, measure_on_board, open_board, require_board
from .channel_load import ChannelLoad, channel_load, ideal_throughput, zero_load_latency
from .command import network_word, sweep_command
from .load_result import LoadCurve, LoadPoint, LoadResult, Window
from .point import Measurement, check_load
from .rates import highest_rate, next_rates
from .swept_keys import sweep_keys
from .workers import ClusterWorkers, LocalThreads, LocalWorkers, OwnProcess, Workers, work

_HEAD = "knotwork_sweep"

_MOST = 100_000
"""Replicas of a point."""


class Results:
    """File of results: a line that names the sweep, then one per result, JSON with a checksum.

    Parameters
    ----------
    path : Path or None
        The file, made if it is missing; None keeps the results in memory only.
    digest : str
        Name of the sweep, which depends on everything that decides a number in it.

    Raises
    ------
    ConfigurationError
        The file holds another sweep or none, another command is writing it, or it cannot be read
        and written.
    """

    def __init__(self, path: Path | None, digest: str) -> None:
        self.path = path
        self._found: dict[str, Any] = {}
        self._file: int | None = None
        if path is not None:
            self._open(path, digest)

    def _open(self, path: Path, digest: str) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise ConfigurationError(
                    f"{path}: the results must be in a regular file, which keeps its contents"
                )
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            content = read_bytes(path, "file of results")
        except BlockingIOError:
            self.close()
            raise ConfigurationError(
                f"{path}: the results must be written by one sweep at a time, not by two"
            ) from None
        except ConfigurationError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise unwritable(path, error) from None
        # A last line without an end was being written when the command was killed.
        whole = content[: content.rfind(b"\n") + 1]
        try:
            if not whole and not f'{{"{_HEAD}": "'.encode().startswith(content[: len(_HEAD) + 4]):
                raise ValueError("not the beginning of a header")
            head, *rows = [json.loads(line) for line in whole.splitlines()] or [None]
            named = None if head is None else head[_HEAD]
            for row in rows:
                if row["sum"] != _checksum(row["key"], row["result"]):
                    raise ValueError("a changed line")
            self._found = {row["key"]: row["result"] for row in rows}
        except (ValueError, KeyError, TypeError, RecursionError):
            self.close()
            raise ConfigurationError(
                f"{path}: the results must be those of a sweep; remove the file or name another"
            ) from None
        if named not in (None, digest):
            self.close()
            raise ConfigurationError(
                f"{path}: the results must be those of this sweep, not of another; remove the "
                f"file or name another with --results"
            )
        os.ftruncate(self._file, len(whole))
        if named is None:
            self._append({_HEAD: digest})

    def __contains__(self, key: str) -> bool:
        return key in self._found

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Results by their keys."""
        return self._found.items()

    def __len__(self) -> int:
        return len(self._found)

    def add(self, key: str, result: Any) -> None:
        """Keep a result, which must be plain data; it is on disk when this returns."""
        result = json.loads(json.dumps(result))  # as a resumed sweep will see it
        self._append({"key": key, "result": result, "sum": _checksum(key, result)})
        self._found[key] = result

    def _append(self, row: dict[str, Any]) -> None:
        if self._file is not None:
            os.write(self._file, json.dumps(row).encode() + b"\n")

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _checksum(key: Any, result: Any) -> int:
    """Checksum that shows whether a line was changed."""
    return zlib.crc32(json.dumps([key, result]).encode())


@dataclass(frozen=True)
class Entry:
    """Network of a sweep.

    Members
    -------
    label : str
        Word that named it.
    network : Network
        Checked and resolved.
    """

    label: str
    network: Network

    @property
    def word(self) -> str:
        """Word that names it on a command line: its label, if that is one."""
        is_name = self.label == self.network.name  # of a network that was made in Python
        return network_word(self.network) if is_name else self.label

    @cached_property
    def packed(self) -> bytes:
        """Network for workers."""
        return packed(self.network)


class Job(NamedTuple):
    """Point to measure.

    Members
    -------
    place : int
        Place of its network in the sweep.
    label : str
        Word that named the network.
    rate : float
        Offered load, in flits per node per cycle.
    engine : str
        What measures it.
    replicas : tuple of int
        Replicas to measure, which differ in their seed.
    """

    place: int
    label: str
    rate: float
    engine: str
    replicas: tuple[int, ...] = (0,)

    def __str__(self) -> str:
        return f"{self.label} at rate {self.rate:g}"

    @property
    def keys(self) -> list[str]:
        """Names of its results."""
        return [_key(self.place, self.engine, self.rate, number) for number in self.replicas]


def _key(place: int, engine: str, rate: float, replica: int) -> str:
    """Name of a replica's result."""
    return f"{place} {engine} {rate!r}" + (f" {replica}" if replica else "")


def split_nets(words: Sequence[str]) -> tuple[list[Entry], Traffic]:
    """Networks, and the traffic that the other ``key=value`` words describe.

    Raises
    ------
    ConfigurationError
        No network, a key that neither the traffic nor a network has, or words that describe no
        network or no traffic.
    """
    parted = split_networks(words, verb_keys=Traffic.keys())
    if not parted.networks:
        raise ConfigurationError(
            "sweep: networks must be named, as in hypercube n=3, or moebius:n=6,twist=1"
        )
    entries = [
        Entry(join_words(net), read_network(net, beside=sweep_keys())) for net in parted.networks
    ]
    return entries, Traffic.from_words(parted.keys)


class LoadSweep:
    """Networks under rising load.

    Parameters
    ----------
    entries : sequence of Entry
        Networks.
    traffic : Traffic
        The same for all.
    rates : sequence of float or None
        Offered loads; None to search each network's saturation.
    window : Window
        Cycles of each point.
    engine : str or BoardPort
        One of `POINT_ENGINES`, or the port of a board.
    rtl_rates : sequence of float
        Loads that are also measured on the Verilog.
    repeat : int
        Replicas of each point, with the traffic's seed, the next one, and so on.

    Raises
    ------
    ConfigurationError
        What cannot be measured, or does not fit into memory; before anything is measured.
    DeadlockError
        A network failed its deadlock check.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        traffic: Traffic,
        *,
        rates: Sequence[float] | None = None,
        window: Window | None = None,
        engine: str | BoardPort = "model",
        rtl_rates: Sequence[float] = (),
        repeat: int = 1,
    ) -> None:
        self.board = engine if isinstance(engine, BoardPort) else None
        self.engine = BOARD if isinstance(engine, BoardPort) else engine
        if self.engine not in SWEEP_ENGINES:
            raise ConfigurationError(not_one_of("engine", SWEEP_ENGINES, engine))
        if rtl_rates and engine == "rtl":
            raise ConfigurationError("sweep: --rtl-rates must not be used with --engine rtl")
        self.entries, self.traffic, self.rates = tuple(entries), traffic, rates
        self.window, self.rtl_rates = window or Window(), tuple(rtl_rates)
        if isinstance(repeat, bool) or not isinstance(repeat, int) or not 1 <= repeat <= _MOST:
            raise ConfigurationError(
                f"sweep: repeat must be an integer in 1..{_MOST}, not {repeat!r}"
            )
        self.repeat = repeat
        replace(traffic, seed=traffic.seed + repeat - 1)  # refuses a seed that is too large
        self.points: BoardPoints | None = None
        if self.engine == BOARD:
            if repeat > 1:
                raise ConfigurationError("sweep: --repeat must not be used with --engine board")
            require_board(self.board, len(self.entries), traffic)
        for entry in self.entries:
            check_load(entry.network, traffic, max(*(rates or ()), *rtl_rates, 0.0, 0.0))
        # The same for all: a matrix fits networks of one size.
        weights = node_weights(self.entries[0].network.topology, traffic)
        self.limit = rate_limit(traffic, weights)
        if rates is not None:
            self._require_memory([max(*rates, *rtl_rates, 0)] * len(self.entries))
        self._loads: Future[list[ChannelLoad | None]] | None = None
        if rates is None:
            self._require_memory(
                [max(highest_rate(i, self.limit), *rtl_rates, 0) for i in self.ideals]
            )
        for entry in self.entries:
            entry.network.require_deadlock_free()

    def start_loads(self) -> None:
        """Begin to compute the loads of all channels, beside the points that do not need them."""
        if self._loads is None:
            self._loads = LocalThreads(1).submit(self._channel_loads)

    def _channel_loads(self) -> list[ChannelLoad | None]:
        return [channel_load(entry.network, self.traffic) for entry in self.entries]

    @cached_property
    def loads(self) -> list[ChannelLoad | None]:
        """Load of the channels of each network; None where it is not known."""
        return self._channel_loads() if self._loads is None else self._loads.result()

    @cached_property
    def ideals(self) -> list[float | None]:
        """Ideal throughput of each network; None where it is not known."""
        return [
            ideal_throughput(entry.network, self.traffic, load)
            for entry, load in zip(self.entries, self.loads, strict=True)
        ]

    def _require_memory(self, rates: Sequence[float]) -> None:
        if self.engine == BOARD:
            return
        self.fitting = min(
            require_memory(entry.network, self.traffic, rate, self.window.cycles)
            for entry, rate in zip(self.entries, rates, strict=True)
        )

    @cached_property
    def digest(self) -> str:
        """Name for everything that decides a number of this sweep."""
        facts = [__version__, self.traffic.as_dict(), asdict(self.window), self.engine]
        facts += [self.rates and list(self.rates), self.rtl_rates]
        facts += [self.repeat] if self.repeat > 1 else []
        facts += [[e.label, e.network.topology.name, e.network.parameters] for e in self.entries]
        facts += [digest for e in self.entries if (digest := user_code_digest(e.network))]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def wanted(self, results: Results, batch: int = 1) -> list[Job]:
        """Jobs that have no result yet and can begin; none where the sweep is done.

        They follow from the results alone, whoever measured these and when. A job has at most
        `batch` replicas.
        """
        jobs = []
        for place, entry in enumerate(self.entries):
            rates = self.rates
            if rates is None:
                points = self._points(place, self.engine, results)
                found = {point.offered: point.saturated for point in points}
                rates = next_rates(self.ideals[place], found, self.limit)
            points = [(rate, self.engine) for rate in rates]
            points += [(rate, "rtl") for rate in self.rtl_rates]
            # All loads with one seed, then with the next: so the time left is known early.
            for first, (rate, engine) in product(range(0, self.repeat, batch), points):
                replicas = range(first, min(first + batch, self.repeat))
                missing = [k for k in replicas if _key(place, engine, rate, k) not in results]
                if missing:
                    jobs.append(Job(place, entry.label, rate, engine, tuple(missing)))
        return jobs

    def _points(self, place: int, engine: str, results: Results) -> tuple[LoadPoint, ...]:
        """Points of a network so far, by rising load: those of which all replicas are there."""
        begin = f"{place} {engine} "
        rows = [LoadPoint.from_json(row) for key, row in results.items() if key.startswith(begin)]
        points = []
        for rate in sorted({row.offered for row in rows}):
            keys = [_key(place, engine, rate, number) for number in range(self.repeat)]
            if all(key in results for key in keys):
                points.append(LoadPoint.mean_of([LoadPoint.from_json(results[k]) for k in keys]))
        return tuple(points)

    def start(self, job: Job) -> Callable[[], list[LoadPoint]]:
        """Measurement of a job's replicas."""
        if job.engine == BOARD and self.points is not None:
            return partial(_measure_on_board, self.points, job.rate)
        network = self.entries[job.place].packed
        return Measurement(network, self.traffic, job.rate, self.window, job.engine, job.replicas)

    def result(self, results: Results) -> LoadResult:
        """Answer of the sweep, from the results of all points."""
        curves = tuple(self._curve(place, results) for place in range(len(self.entries)))
        return LoadResult(
            traffic=self.traffic,
            engine=self.engine,
            window=self.window,
            curves=curves,
            version=__version__,
            command=self._command,
            repeat=self.repeat,
        )

    @property
    def _command(self) -> str:
        return sweep_command(
            [entry.word for entry in self.entries],
            self.traffic,
            self.window,
            rates=self.rates,
            rtl_rates=self.rtl_rates,
            engine=self.engine,
            board=self.board,
            repeat=self.repeat,
        )

    def _curve(self, place: int, results: Results) -> LoadCurve:
        network = self.entries[place].network
        return LoadCurve(
            network=network.name,
            label=self.entries[place].label,
            parameters=network.parameters,
            points=self._points(place, self.engine, results),
            rtl_points=self._points(place, "rtl", results) if self.rtl_rates else None,
            zero_load_latency=zero_load_latency(network, self.traffic, self.loads[place]),
            ideal_throughput=self.ideals[place],
        )


def run_sweep(
    sweep: LoadSweep, *, results_file: Path | None = None, scheduler: str | None = None
) -> LoadResult:
    """Measure the points that are not measured yet, and answer all.

    Parameters
    ----------
    results_file : Path or None
        File that takes each point as it is measured; a later run of the same sweep resumes from it.
    scheduler : str or None
        Address of a Dask cluster; None for one process per core of this machine.

    Raises
    ------
    ConfigurationError
        The file belongs to another sweep.
    ToolError
        The scheduler does not answer, or workers die again and again.
    """
    with ExitStack() as made:
        results = made.enter_context(closing(Results(results_file, sweep.digest)))
        if sweep.wanted(results):
            sweep.start_loads()
            workers = made.enter_context(_workers(sweep, scheduler))
            unit = "points" if sweep.repeat == 1 else "runs"
            with progress("sweeping", unit=unit) as task:

                def count() -> None:
                    task.done, task.total = len(results), len(results) + len(sweep.wanted(results))

                def finish(job: Job, points: Sequence[LoadPoint]) -> None:
                    for key, point in zip(job.keys, points, strict=True):
                        results.add(key, point.as_json())
                    count()

                count()
                work(workers, lambda: sweep.wanted(results, workers.batch), sweep.start, finish)
        return sweep.result(results)


def _measure_on_board(points: BoardPoints, rate: float) -> list[LoadPoint]:
    """Measure a point, of which a board has one replica."""
    return [measure_on_board(points, rate)]


@contextmanager
def _workers(sweep: LoadSweep, scheduler: str | None) -> Iterator[Workers]:
    """Context with workers, or with the board that measures."""
    with ExitStack() as made:
        if sweep.board is not None:
            network, window = sweep.entries[0].network, sweep.window
            board = open_board(network, sweep.traffic, window, sweep.board)
            sweep.points = made.enter_context(board)
        yield made.enter_context(closing(make_workers(sweep, scheduler)))


_FEW_CORES = 4
"""Cores that threads of one process fill, though Python draws packets and evaluates in one."""


def make_workers(sweep: LoadSweep, scheduler: str | None) -> Workers:
    """Workers of a cluster, or threads or processes here, as many as cores and memory allow.

    Threads start at once; a process imports everything first. There is one board, so its points are
    measured one after the other, from this process.
    """
    if sweep.board is not None:
        return OwnProcess()
    if scheduler is not None:
        return ClusterWorkers(scheduler)
    limit = max(1, min(len(os.sched_getaffinity(0)), sweep.fitting))
    is_compiled = all(
        MODELS[entry.network.router_class].loop(entry.network) for entry in sweep.entries
    )
    if limit <= _FEW_CORES and is_compiled and sweep.engine == "model" and not sweep.rtl_rates:
        return LocalThreads(limit)
    return LocalWorkers(limit)
