"""One point of a load sweep: a network under a steady load, measured.

A run has three parts. During the warm-up nothing counts; its end is found (`steady.warmup_end`) in
the flits that are created and not yet ejected, or given. The measurement follows; its packets are
those created in it, its accepted load the flits ejected in it. Sources go on through the drain, in
which the measured packets leave under the same load.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.routing.lcan import Scheduled

from ..model.run import run_log
from ..traffic.keys import Traffic
from ..traffic.packet_table import packet_table
from ..traffic.packets import Packets, packet_lengths
from ..traffic.patterns import draw_destinations, fixed_destinations
from .channel_load import traffic_seed
from .steady_state import BATCHES, mean_with_confidence, ratio_with_confidence, warmup_end

SHORTFALL = 0.01
"""Share of the offered load up to which a shortfall is none, however sure: packets under way."""

_OBSERVATIONS = 200  # of the flits under way, for the end of the warm-up


@dataclass(frozen=True, kw_only=True)
class Window:
    """Clocks of a point's run.

    Parameters
    ----------
    warmup : int or None
        Clocks before the measurement; None to find them, at most `measure`.
    measure : int
        Clocks of the measurement; the drain has at least as many.
    """

    warmup: int | None = None
    measure: int = 10_000

    @property
    def longest_warmup(self) -> int:
        """Clocks after which the measurement has begun."""
        return self.measure if self.warmup is None else self.warmup

    @property
    def clocks(self) -> int:
        """Clocks of the whole run."""
        return self.longest_warmup + 2 * self.measure


class Seen(NamedTuple):
    """What the nodes saw of a run.

    Members
    -------
    packet : ndarray
        Packet of each flit that was ejected, int64.
    clock : ndarray
        Clock in which it was, int64.
    last : ndarray
        Whether it was its packet's last, bool.
    """

    packet: np.ndarray
    clock: np.ndarray
    last: np.ndarray


def check_load(network: Network, traffic: Traffic) -> None:
    """Refuse what no load sweep measures.

    Raises
    ------
    ConfigurationError
        A network of batches or schedules, broadcasts or multicasts, packets of a length that the
        network does not take, a pattern that it does not have.
    """
    if isinstance(network.routing, Scheduled | BatchRouting):
        raise ConfigurationError(
            f"{network.name}: a load sweep must have packets that come at any time, which "
            f"routing={network.routing.name} does not take"
        )
    for key in ("broadcast_share", "multicast_share"):
        if getattr(traffic, key):
            raise ConfigurationError(
                f"sweep: {key} must be 0 in a load sweep, not {getattr(traffic, key):g}"
            )
    for key, instead in (("rate", "--rates"), ("packets", "--measure")):
        if getattr(traffic, key) is not None:
            raise ConfigurationError(
                f"sweep: {key} must be left to {instead}, not {key}={getattr(traffic, key)}"
            )
    _, longest = traffic.length or (1, 1)
    _, most = packet_lengths(network)
    if longest > most:
        raise ConfigurationError(
            f"{network.name}: length must be at most max_packet={most}, not {longest}"
        )
    fixed_destinations(network.topology, traffic, traffic_seed(traffic))


def point_seed(network: Network, traffic: Traffic, rate: float) -> int:
    """Seed of a point's packets, 0..2^63 - 1, from all that it is about and nothing else."""
    facts = [network.topology.name, network.parameters, traffic.as_dict(), rate]
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def draw_packets(network: Network, traffic: Traffic, rate: float, clocks: int) -> Packets:
    """Packets of every node in `clocks` clocks, each creating them at `rate` flits a clock."""
    nodes, seed = network.topology.nodes, point_seed(network, traffic, rate)
    first, last = traffic.length or (1, 1)
    rng = np.random.default_rng([seed, 1])
    trial = _successes(rng, 2 * rate / (first + last), nodes * clocks)
    source, time = trial // clocks, trial % clocks  # in the order of a table of packets
    permutation = fixed_destinations(network.topology, traffic, traffic_seed(traffic))
    return packet_table(
        network,
        source=source,
        destination=draw_destinations(rng, network.topology, traffic, source, permutation),
        length=rng.integers(first, last + 1, len(source)),
        time=time,
        seed=seed,
    )


def _successes(rng: np.random.Generator, probability: float, trials: int) -> np.ndarray:
    """Numbers of the Bernoulli trials that succeed, rising: the gaps are geometric."""
    expected = probability * trials
    block = int(expected + 6 * np.sqrt(expected)) + 16
    found, reached = [], -1
    while reached < trials:
        steps = reached + np.cumsum(rng.geometric(probability, block))
        found.append(steps)
        reached = int(steps[-1])
    numbers = np.concatenate(found)
    return numbers[: np.searchsorted(numbers, trials)]


def measure_point(
    network: Network, traffic: Traffic, rate: float, *, window: Window, engine: str = "model"
) -> dict[str, Any]:
    """Measure accepted load and latency at an offered load.

    Parameters
    ----------
    rate : float
        Flits that a node creates a clock, above 0 and at most 1.
    engine : str
        ``model`` or ``rtl``.

    Returns
    -------
    dict
        As `evaluate`.
    """
    packets = draw_packets(network, traffic, rate, window.clocks)
    seen = run_engine(network, traffic, packets, clocks=window.clocks, engine=engine)
    return evaluate(packets, seen, rate, network.topology.nodes, window)


def run_engine(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int, engine: str
) -> Seen:
    """Run the golden model or the Verilog for so many clocks."""
    if engine == "rtl":
        from ..rtl.driver import run_driver

        seen = run_driver(network, traffic, packets, clocks=clocks)
        return Seen(seen.word, seen.clock, seen.last == 1)
    run = run_log(network, traffic, packets, clocks=clocks)
    log, copies = run.log, run.copies
    return Seen(copies.origin[log.packet], log.clock, log.beat == copies.length[log.packet] - 1)


def evaluate(
    packets: Packets, seen: Seen, rate: float, nodes: int, window: Window
) -> dict[str, Any]:
    """Point that a run shows.

    Returns
    -------
    dict
        ``offered`` and ``accepted`` (flits a node a clock), ``accepted_ci95``; ``latency`` (mean,
        p50, p99, max: clocks from a packet's creation to its last flit's ejection) and
        ``latency_ci95``, all None where ``saturated``: the accepted load stayed significantly below
        the offered one, or measured packets were left at the end of the drain. ``packets``
        measured, and ``warmup`` in clocks.
    """
    start = window.warmup
    if start is None:
        start = _find_warmup(packets, seen, window)
    batch = window.measure / BATCHES
    ejected = _by_batch(seen.clock, start, window.measure)
    measured = (packets.time >= start) & (packets.time < start + window.measure)
    created = _by_batch(packets.time, start, window.measure, packets.length)
    accepted, accepted_ci95 = mean_with_confidence(ejected / (nodes * batch))
    growth, growth_ci95 = mean_with_confidence((created - ejected) / (nodes * batch))
    arrival = np.full(len(packets), -1)
    arrival[seen.packet[seen.last]] = seen.clock[seen.last]
    done = arrival[measured]
    left = int((done < 0).sum())
    saturated = left > 0 or growth > max(growth_ci95, SHORTFALL * rate)
    latency = done - packets.time[measured]
    known = len(latency) > 0 and not saturated
    latency_ci95 = None
    summary: dict[str, Any] = dict.fromkeys(("mean", "p50", "p99", "max"))
    if known:
        counts = _by_batch(packets.time[measured], start, window.measure)
        sums = _by_batch(packets.time[measured], start, window.measure, latency)
        mean, latency_ci95 = ratio_with_confidence(sums, counts)
        summary = {
            "mean": round(mean, 4),
            "p50": round(float(np.percentile(latency, 50)), 4),
            "p99": round(float(np.percentile(latency, 99)), 4),
            "max": int(latency.max()),
        }
        latency_ci95 = round(latency_ci95, 4)
    return {
        "offered": rate,
        "accepted": round(accepted, 6),
        "accepted_ci95": round(accepted_ci95, 6),
        "latency": summary,
        "latency_ci95": latency_ci95,
        "saturated": bool(saturated),
        "packets": int(measured.sum()),
        "warmup": start,
    }


def _by_batch(
    clock: np.ndarray, start: int, measure: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Sum of weights (1 each if None) by the batch of the measurement that a clock is in."""
    place = (clock - start) * BATCHES // measure
    inside = (clock >= start) & (clock < start + measure)
    weights = None if weight is None else weight[inside].astype(float)
    return np.bincount(place[inside], weights, minlength=BATCHES).astype(float)


def _find_warmup(packets: Packets, seen: Seen, window: Window) -> int:
    """Clocks until the flits under way are steady."""
    span = window.longest_warmup + window.measure
    block = max(1, span // _OBSERVATIONS)
    ends = np.arange(block, span + 1, block)
    order = np.argsort(packets.time, kind="stable")
    created = np.concatenate([[0], np.cumsum(packets.length[order])])
    created = created[np.searchsorted(packets.time[order], ends)]
    ejected = np.searchsorted(seen.clock, ends)
    return min(warmup_end(created - ejected) * block, window.longest_warmup)
