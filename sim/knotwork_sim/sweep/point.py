"""Point of a load sweep: its packets, its run, and the statistics of its steady state."""

import hashlib
import json
from dataclasses import dataclass, replace
from math import log
from typing import NamedTuple, Protocol

import numpy as np
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.portable import unpacked

from ..check.result import Latency
from ..model.run import run_log
from ..traffic.arrivals import make_arrivals
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, packet_lengths, packet_table
from ..traffic.patterns import make_law, node_weights
from .channel_load import traffic_seed
from .load_result import LoadPoint, Window

BATCHES = 20
"""Batches that a measurement is cut into."""
STUDENT_T_95 = 2.0930240544
"""Student's t for 95 % on both sides with `BATCHES` - 1 degrees of freedom."""
STUDENT_T_999 = 3.6104847
"""Student's t for 99.9 % on one side with `BATCHES` - 2 degrees of freedom."""
DRIFT = 1 / 3
"""Rise over a measurement, as a share of the mean, below which a trend does not count."""
CONFIDENCE = 0.95
"""Probability that no flow of a steady state is taken for one that falls short."""


def warmup_end(series: np.ndarray) -> int:
    """Number of observations at the start that are not steady, by MSER; at most half of them.

    The mean of the observations from there on has the least standard error.
    """
    rest = np.asarray(series, float)[::-1]
    count = np.arange(1, len(rest) + 1)
    mean = np.cumsum(rest) / count
    spread = np.maximum(np.cumsum(rest**2) / count - mean**2, 0.0)
    error = (spread / count)[::-1]  # that of all from each place on
    return int(np.argmin(error[: len(rest) // 2 + 1]))


def mean_with_confidence(batches: np.ndarray) -> tuple[float, float]:
    """Mean of `BATCHES` batch means, and half the width of its 95 % confidence interval."""
    error = np.std(batches, ddof=1) / np.sqrt(BATCHES)
    return float(np.mean(batches)), float(STUDENT_T_95 * error)


def ratio_with_confidence(sums: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Mean over all that the batches counted, and half the width of its 95 % confidence interval.

    The batches' counts may differ, and some may be 0, but not all.
    """
    ratio = sums.sum() / counts.sum()
    error = np.std(sums - ratio * counts, ddof=1) / np.sqrt(BATCHES) / counts.mean()
    return float(ratio), float(STUDENT_T_95 * error)


def drifts(batches: np.ndarray) -> bool:
    """Whether `BATCHES` batch means rise: by `DRIFT` of their mean, and seldom by chance.

    The slope of the regression line is tested on one side, with 99.9 % confidence. Near saturation
    a long queue makes neighbouring batches alike: they count as fewer, by the correlation of the
    deviations from the line.
    """
    place = np.arange(BATCHES) - (BATCHES - 1) / 2
    spread = float(place @ place)
    slope = float(place @ batches) / spread
    rest = batches - batches.mean() - slope * place
    squares = float(rest @ rest)
    error = np.sqrt(squares / (BATCHES - 2) / spread)
    if squares:
        # The line takes about 2 / BATCHES of the correlation with it.
        alike = min(max(float(rest[1:] @ rest[:-1]) / squares + 2 / BATCHES, 0.0), 0.99)
        error *= np.sqrt((1 + alike) / (1 - alike))
    return bool(slope > STUDENT_T_999 * error and slope * BATCHES > DRIFT * batches.mean())


def in_flight_change(in_flight: np.ndarray) -> np.ndarray:
    """Packets by which the number in flight of any flow may grow between two moments.

    Parameters
    ----------
    in_flight : ndarray
        Mean number of packets in flight, for each flow; all are below the bound with `CONFIDENCE`,
        by Bernstein's inequality for numbers of Poisson.
    """
    bound = log(len(in_flight) / (1 - CONFIDENCE))
    return np.sqrt(2 * bound * 2 * in_flight) + bound / 3


SHORTFALL = 0.01
"""Share of a flow's offered load that may be missing without saturation, however certain it is."""

_OBSERVATIONS = 200  # of the flits in flight, to find the end of the warm-up


class Seen(NamedTuple):
    """What the nodes saw in a run.

    Members
    -------
    packet : ndarray
        Packet of each ejected flit, int64.
    cycle : ndarray
        Cycle in which it was ejected, int64.
    last : ndarray
        Whether it was its packet's last flit, bool.
    """

    packet: np.ndarray
    cycle: np.ndarray
    last: np.ndarray


def check_load(network: Network, traffic: Traffic, rate: float = 0.0) -> None:
    """Refuse what no load sweep measures, up to an offered load of `rate`.

    Raises
    ------
    ConfigurationError
        A network of batches or schedules, broadcasts or multicasts, packets of a length that the
        network does not take, a pattern that it does not have, or a load that the traffic cannot
        offer.
    """
    if not network.routing.takes_packets_any_time:
        raise ConfigurationError(
            f"{network.name}: a load sweep must have a network that takes packets at any time, "
            f"unlike routing={network.routing.name} does not take"
        )
    for key, share in (
        ("broadcast_share", traffic.broadcast_share),
        ("multicast_share", traffic.multicast_share),
    ):
        if share:
            raise ConfigurationError(f"sweep: {key} must be 0 in a load sweep, not {share:g}")
    for key, value, option in (
        ("rate", traffic.rate, "--rates"),
        ("packets", traffic.packets, "--measure"),
    ):
        if value is not None:
            raise ConfigurationError(
                f"sweep: {key} must be given by {option}, not by {key}={value}"
            )
    for key, value in (("replay", traffic.replay), ("reply", traffic.reply)):
        if value is not None:
            raise ConfigurationError(
                f"sweep: {key} must be left unset in a load sweep, which draws its packets at a "
                f"given load, not {traffic.spelled(key)}"
            )
    _, longest = traffic.length or (1, 1)
    _, most = packet_lengths(network)
    if longest > most:
        raise ConfigurationError(
            f"{network.name}: length must be at most max_packet={most}, not {longest}"
        )
    weights = node_weights(network.topology, traffic)
    make_arrivals(traffic, network.topology.nodes, rate, weights)
    make_law(network.topology, traffic, traffic_seed(traffic))


def point_seed(network: Network, traffic: Traffic, rate: float) -> int:
    """Seed of a point's packets, 0..2^63 - 1: a function of network, traffic and load alone."""
    facts = [network.topology.name, network.parameters, traffic.as_dict(), rate]
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def draw_packets(network: Network, traffic: Traffic, rate: float, cycles: int) -> Packets:
    """Packets that all nodes create in `cycles` cycles, at `rate` flits per node per cycle."""
    nodes, seed = network.topology.nodes, point_seed(network, traffic, rate)
    first, last = traffic.length or (1, 1)
    rng = np.random.default_rng([seed, 1])
    weights = node_weights(network.topology, traffic)
    source, time = make_arrivals(traffic, nodes, rate, weights).within(rng, cycles)
    law = make_law(network.topology, traffic, traffic_seed(traffic))
    return packet_table(
        network,
        source=source,
        destination=law.draw(rng, source),
        length=rng.integers(first, last + 1, len(source)),
        time=time,
        seed=seed,
    )


def measure_point(
    network: Network, traffic: Traffic, rate: float, *, window: Window, engine: str = "model"
) -> LoadPoint:
    """Measure accepted load and latency under an offered load.

    Parameters
    ----------
    rate : float
        Flits that each node creates per cycle, above 0 and at most 1.
    engine : str
        One of `POINT_ENGINES`.
    """
    packets = draw_packets(network, traffic, rate, window.cycles)
    seen = run_engine(network, traffic, packets, cycles=window.cycles, engine=engine)
    weights = node_weights(network.topology, traffic)
    if weights is None:
        weights = np.ones(network.topology.nodes)
    return evaluate(packets, seen, rate, weights, window)


@dataclass(frozen=True)
class Measurement:
    """Call without arguments that measures replicas of a point, in this process or in a worker.

    Members
    -------
    network : bytes
        Network, see `portable.packed`.
    traffic : Traffic
        Traffic at the point.
    rate : float
        Offered load, in flits per node per cycle.
    window : Window
        Cycles of the run.
    engine : str
        What measures it.
    replicas : tuple of int
        Those to measure: number k has the traffic's seed plus k.
    """

    network: bytes
    traffic: Traffic
    rate: float
    window: Window
    engine: str
    replicas: tuple[int, ...]

    def __call__(self) -> list[LoadPoint]:
        """Measure the replicas."""
        network, points = unpacked(self.network), []
        for number in self.replicas:
            traffic = replace(self.traffic, seed=self.traffic.seed + number)
            points.append(
                measure_point(network, traffic, self.rate, window=self.window, engine=self.engine)
            )
        return points


def run_engine(
    network: Network, traffic: Traffic, packets: Packets, *, cycles: int, engine: str
) -> Seen:
    """Run the golden model or the Verilog for so many cycles."""
    return _ENGINES[engine](network, traffic, packets, cycles)


class _Engine(Protocol):
    def __call__(
        self, network: Network, traffic: Traffic, packets: Packets, cycles: int, /
    ) -> Seen: ...


def _run_rtl(network: Network, traffic: Traffic, packets: Packets, cycles: int) -> Seen:
    from ..rtl.driver import run_driver  # it brings the gateware, which the model does not need

    seen = run_driver(network, traffic, packets, clocks=cycles)
    return Seen(seen.word, seen.clock, seen.last == 1)


def _run_model(network: Network, traffic: Traffic, packets: Packets, cycles: int) -> Seen:
    run = run_log(network, traffic, packets, clocks=cycles)
    log, copies = run.log, run.copies
    return Seen(copies.origin[log.packet], log.clock, log.beat == copies.length[log.packet] - 1)


_ENGINES: dict[str, _Engine] = {"model": _run_model, "rtl": _run_rtl}


def evaluate(
    packets: Packets, seen: Seen, rate: float, weights: np.ndarray, window: Window
) -> LoadPoint:
    """Point that a run shows; `weights` are the rates of the nodes relative to their mean."""
    start = window.warmup
    if start is None:
        start = _find_warmup(packets, seen, window)
    nodes, batch = len(weights), window.measure / BATCHES
    ejected = _by_batch(seen.cycle, start, window.measure)
    measured = (packets.time >= start) & (packets.time < start + window.measure)
    accepted, accepted_ci95 = mean_with_confidence(ejected / (nodes * batch))
    arrival = np.full(len(packets), -1)
    arrival[seen.packet[seen.last]] = seen.cycle[seen.last]
    done, time = arrival[measured], packets.time[measured]
    flows = _flows(packets, seen, rate * weights, start, window.cycles)
    saturated, latency, latency_ci95 = bool((done < 0).any()), Latency(), None
    if len(done) and not saturated:
        counts = _by_batch(time, start, window.measure)
        sums = _by_batch(time, start, window.measure, done - time)
        mean, half_width = ratio_with_confidence(sums, counts)
        means = sums[counts > 0] / counts[counts > 0]
        saturated = flows.any_falls_short(means.min())
        saturated = saturated or (len(means) == BATCHES and drifts(means))
        if not saturated:
            latency, latency_ci95 = _latency(mean, done - time), round(half_width, 4)
    return LoadPoint(
        offered=rate,
        accepted=round(accepted, 6),
        accepted_ci95=round(accepted_ci95, 6),
        accepted_least=round(rate * flows.least_share, 6),
        latency=latency,
        latency_ci95=latency_ci95,
        saturated=bool(saturated),
        packets=int(measured.sum()),
        warmup=start,
    )


class _Flows(NamedTuple):
    """Packets of each node, and of all nodes, from the end of the warm-up to the end of the run.

    A node's packets enter the network in the order of their creation. So a flow to one destination
    that falls short holds up all packets of its node, and the node's are judged as one.

    Members
    -------
    offered, accepted : ndarray
        Flits, float64: the last entry is of all nodes. Offered are those that the node creates on
        average, or as many as it did create, if these are fewer: chance is no shortfall.
    length : float
        Flits of a packet, on average.
    cycles : int
        Length of the time.
    """

    offered: np.ndarray
    accepted: np.ndarray
    length: float
    cycles: int

    def any_falls_short(self, latency: float) -> bool:
        """Whether one is accepted less than offered, by more than chance and than `SHORTFALL`.

        The mean number of packets in flight follows from their latency, by Little's law. Where
        queues grow, the latency is that of the batch in which they were short.
        """
        in_flight = self.offered / self.length * latency / self.cycles
        allowed = in_flight_change(in_flight) * self.length
        missing = self.offered - self.accepted
        return bool((missing > np.maximum(SHORTFALL * self.offered, allowed)).any())

    @property
    def least_share(self) -> float:
        """Share of its offered load that the network accepts of the node that it serves least."""
        offered, accepted = self.offered[:-1], self.accepted[:-1]
        sends = offered > 0
        return min(1.0, float(np.min(accepted[sends] / offered[sends], initial=1.0)))


def _flows(packets: Packets, seen: Seen, rates: np.ndarray, start: int, end: int) -> _Flows:
    nodes, timed = len(rates), (packets.time >= start) & (packets.time < end)
    created = np.bincount(packets.source[timed], packets.length[timed], nodes)
    left = packets.source[seen.packet[(seen.cycle >= start) & (seen.cycle < end)]]
    offered = np.minimum(created, rates * (end - start))
    total = min(created.sum(), rates.sum() * (end - start))
    accepted = np.bincount(left, minlength=nodes)
    return _Flows(
        np.append(offered, total),
        np.append(accepted, accepted.sum()),
        float(packets.length.mean()) if len(packets) else 1.0,
        end - start,
    )


def _latency(mean: float, cycles: np.ndarray) -> Latency:
    """Summary of the latency of each packet, whose mean is known already."""
    return Latency(
        mean=round(mean, 4),
        p50=round(float(np.percentile(cycles, 50)), 4),
        p99=round(float(np.percentile(cycles, 99)), 4),
        max=int(cycles.max()),
    )


def _by_batch(
    cycle: np.ndarray, start: int, measure: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Sum of weights (1 each if None) by the batch of the measurement in which a cycle lies."""
    place = (cycle - start) * BATCHES // measure
    inside = (cycle >= start) & (cycle < start + measure)
    weights = None if weight is None else weight[inside].astype(float)
    return np.bincount(place[inside], weights, minlength=BATCHES).astype(float)


def _find_warmup(packets: Packets, seen: Seen, window: Window) -> int:
    """Cycles until the number of flits in flight is steady."""
    span = window.longest_warmup + window.measure
    block = max(1, span // _OBSERVATIONS)
    ends = np.arange(block, span + 1, block)
    each = np.bincount(packets.time, packets.length, minlength=span)
    created = np.cumsum(each)[ends - 1]
    ejected = np.searchsorted(seen.cycle, ends)
    return min(warmup_end(created - ejected) * block, window.longest_warmup)
