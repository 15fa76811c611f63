"""Nodes of a simulation: sources that offer beats, sinks that take them.

The same compiled functions drive the golden model and the Verilog, so both see the same bubbles and
stalls. Each is a pure function of seed, node and cycle.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import NONE, loop, part
from .keys import Traffic
from .packets import Packets

PERIOD = 64
"""Cycles for which a changing probability stays the same."""


class Endpoints(NamedTuple):
    """State of all sources and sinks.

    Members
    -------
    offered : ndarray
        Whether the source offers a beat in this cycle, bool.
    packet, beat : ndarray
        Beat that the source offers, or will offer next, int64.
    taking : ndarray
        Whether the sink takes a beat in this cycle, bool.
    last_packet : ndarray
        End of the source's packets, int64.
    source, length, time : ndarray
        Of each packet, int64.
    injected : ndarray
        Cycle in which the network took the first beat of each packet, int64; -1 until then.
    bubble, stall, seed : uint64
        Probabilities in units of 2^-64, and the seed.
    changing : bool
        Whether probabilities other than 0 are drawn anew for each node every `PERIOD` cycles.
    """

    offered: np.ndarray
    packet: np.ndarray
    beat: np.ndarray
    taking: np.ndarray
    last_packet: np.ndarray
    source: np.ndarray
    length: np.ndarray
    time: np.ndarray
    injected: np.ndarray
    bubble: np.uint64
    stall: np.uint64
    seed: np.uint64
    changing: bool


def pause_numbers(traffic: Traffic) -> np.ndarray:
    """Probabilities of a pause at sources and sinks, in 2^-64, and the cycles that they last.

    uint64, in the order in which `ports.h` reads them; the last is 0 if they never change.
    """
    shares = [int(share * 2**64) for share in (traffic.bubble, traffic.stall)]
    return np.array([*shares, PERIOD if traffic.pauses == "changing" else 0], np.uint64)


def make_endpoints(packets: Packets, traffic: Traffic) -> Endpoints:
    """Make sources and sinks as they are before the first cycle."""
    nodes = len(packets.first_packet) - 1
    bubble, stall, period = pause_numbers(traffic)
    return Endpoints(
        offered=np.zeros(nodes, np.bool_),
        packet=packets.first_packet[:-1].copy(),
        beat=np.zeros(nodes, np.int64),
        taking=np.zeros(nodes, np.bool_),
        last_packet=packets.first_packet[1:].copy(),
        source=packets.source,
        length=packets.length,
        time=packets.time,
        injected=np.full(len(packets), NONE, np.int64),
        bubble=bubble,
        stall=stall,
        seed=np.uint64(traffic.seed),
        changing=bool(period),
    )


@part
def _random(seed, node, clock, purpose):
    """Uniform 64-bit number of (seed, node, clock, purpose): the SplitMix64 finaliser, twice."""
    x = seed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(clock) * np.uint64(0xD1B54A32D192ED03)
    x ^= np.uint64(node) * np.uint64(0x8CB92BA72F3D8DD7) + np.uint64(purpose)
    for _ in range(2):
        x ^= x >> np.uint64(30)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(27)
        x *= np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return x


@part
def _share(ends: Endpoints, share: np.uint64, node: int, clock: int, purpose: int) -> Any:
    """Probability of a pause in this cycle, in units of 2^-64."""
    return _random(ends.seed, node, clock // PERIOD, purpose) if ends.changing else share


@part
def has_beat(ends: Endpoints, node: int, clock: int) -> Any:
    """Whether a source has a beat to send; it may pause all the same."""
    packet = ends.packet[node]
    if packet >= ends.last_packet[node]:
        return False
    return ends.beat[node] > 0 or ends.time[packet] <= clock


@part
def offer(ends: Endpoints, node: int, clock: int) -> None:
    """Decide what a source offers in this cycle; it never withdraws a beat."""
    if not ends.offered[node]:
        ends.offered[node] = has_beat(ends, node, clock) and (
            ends.bubble == 0
            or _random(ends.seed, node, clock, 1) >= _share(ends, ends.bubble, node, clock, 3)
        )


@part
def takes(ends: Endpoints, node: int, clock: int) -> Any:
    """Whether a sink takes a beat in this cycle."""
    return ends.stall == 0 or _random(ends.seed, node, clock, 2) >= _share(
        ends, ends.stall, node, clock, 4
    )


@loop
def drive(ends: Endpoints, clock: int) -> None:
    """Decide what all sources offer and which sinks take a beat in this cycle."""
    for node in range(len(ends.offered)):
        offer(ends, node, clock)
        ends.taking[node] = takes(ends, node, clock)


@part
def accepted(ends: Endpoints, node: int, clock: int) -> None:
    """Go on to the next beat: the network took the offered one."""
    ends.offered[node] = False
    if ends.beat[node] == 0:
        ends.injected[ends.packet[node]] = clock
    ends.beat[node] += 1
    if ends.beat[node] == ends.length[ends.packet[node]]:
        ends.beat[node] = 0
        ends.packet[node] += 1


@loop
def accepted_all(ends: Endpoints, ready: np.ndarray, clock: int) -> None:
    """Go on to the next beat at every source that offers one where `ready` is true."""
    for node in range(len(ends.offered)):
        if ends.offered[node] and ready[node]:
            accepted(ends, node, clock)
