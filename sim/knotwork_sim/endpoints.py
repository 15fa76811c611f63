"""Nodes of a simulation: sources that offer beats, sinks that take them.

The same compiled functions stand beside the golden model and beside the Verilog, so both see the
same bubbles and stalls, each a pure function of seed, node and clock.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from .packets import Packets
from .traffic import Traffic


class Endpoints(NamedTuple):
    """State of all sources and sinks.

    Members
    -------
    offered : ndarray
        Whether the source holds a beat out in this clock, bool.
    packet, beat : ndarray
        Beat that the source holds out, or would next, int64.
    taking : ndarray
        Whether the sink takes a beat in this clock, bool.
    last_packet : ndarray
        End of the source's packets, int64.
    length, time : ndarray
        Of each packet, int64.
    bubble, stall, seed : uint64
        Probabilities in units of 2^-64, and the seed.
    """

    offered: np.ndarray
    packet: np.ndarray
    beat: np.ndarray
    taking: np.ndarray
    last_packet: np.ndarray
    length: np.ndarray
    time: np.ndarray
    bubble: np.uint64
    stall: np.uint64
    seed: np.uint64


def make_endpoints(packets: Packets, traffic: Traffic) -> Endpoints:
    """Make sources and sinks as they are before the first clock."""
    nodes = len(packets.first_packet) - 1
    return Endpoints(
        offered=np.zeros(nodes, np.bool_),
        packet=packets.first_packet[:-1].copy(),
        beat=np.zeros(nodes, np.int64),
        taking=np.zeros(nodes, np.bool_),
        last_packet=packets.first_packet[1:].copy(),
        length=packets.length,
        time=packets.time,
        bubble=np.uint64(int(traffic.bubble * 2**64)),
        stall=np.uint64(int(traffic.stall * 2**64)),
        seed=np.uint64(traffic.seed),
    )


@register_jitable
def _random(seed, node, clock, purpose):
    """Even 64-bit number of (seed, node, clock, purpose): the SplitMix64 finaliser, twice."""
    x = seed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(clock) * np.uint64(0xD1B54A32D192ED03)
    x ^= np.uint64(node) * np.uint64(0x8CB92BA72F3D8DD7) + np.uint64(purpose)
    for _ in range(2):
        x ^= x >> np.uint64(30)
        x *= np.uint64(0xBF58476D1CE4E5B9)
        x ^= x >> np.uint64(27)
        x *= np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return x


@njit(cache=True, inline="always")
def drive(ends: Endpoints, clock: int) -> None:
    """Decide what sources offer and which sinks take in this clock; a beat held out stays."""
    for node in range(len(ends.offered)):
        if not ends.offered[node]:
            packet = ends.packet[node]
            waits = packet < ends.last_packet[node] and (
                ends.beat[node] > 0 or ends.time[packet] <= clock
            )
            ends.offered[node] = waits and (
                ends.bubble == 0 or _random(ends.seed, node, clock, 1) >= ends.bubble
            )
        ends.taking[node] = ends.stall == 0 or _random(ends.seed, node, clock, 2) >= ends.stall


@njit(cache=True, inline="always")
def accepted(ends: Endpoints, node: int) -> None:
    """Go on to the next beat: the network took the offered one."""
    ends.offered[node] = False
    ends.beat[node] += 1
    if ends.beat[node] == ends.length[ends.packet[node]]:
        ends.beat[node] = 0
        ends.packet[node] += 1


@njit(cache=True, inline="always")
def accepted_all(ends: Endpoints, ready: np.ndarray) -> None:
    """Go on to the next beat at every source that offers one where `ready` is true."""
    for node in range(len(ends.offered)):
        if ends.offered[node] and ready[node]:
            accepted(ends, node)
