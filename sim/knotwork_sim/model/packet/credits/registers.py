# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Registers that routers with credits have beside their buffers."""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.parameters import PacketParameters

from ....compiled import NONE, exclude, include, part, words_for
from ..buffers import push
from ..scratch import ARRIVAL
from ..state import State

COUNTS = np.dtype([("flying", np.int64), ("returning", np.int64), ("blocked", np.int64)])
"""Entries in the lists of `Registers`."""


class Registers(NamedTuple):
    """Registers of all routers, and lists of what they sent in the last cycle.

    Channels and slots are those of `State`.

    Members
    -------
    front : ndarray
        Virtual channel whose head flit is in the front of each (router * ports + port), int16, -1
        for none.
    shown : ndarray
        Set of the slots whose head flit is in a front, of shape (routers, words).
    places : ndarray
        Place of each input port in the order of each output (router * ports + port), int16 of
        shape (outputs, ports): of the inputs that request it the lowest is granted.
    credits : ndarray
        Credits of each output channel, int16.
    sender : ndarray
        Output channel before each input channel, int32, -1 for a node.
    flights : ndarray
        `ARRIVAL` of the flits on the links.
    returning : ndarray
        Output channels whose credit is on its way back, int32.
    winners : ndarray
        Slot that each output port of the current router grants, int32, -1 for none.
    blocked : ndarray
        Slots of the current router whose front is not eligible, int32.
    counts : ndarray
        `COUNTS`, one.
    """

    front: np.ndarray
    shown: np.ndarray
    places: np.ndarray
    credits: np.ndarray
    sender: np.ndarray
    flights: np.ndarray
    returning: np.ndarray
    winners: np.ndarray
    blocked: np.ndarray
    counts: np.ndarray


def make_registers(network: Network, state: State) -> Registers:
    """Make registers as after reset; `state` says which channel follows which."""
    routers, ports = network.topology.neighbours.shape
    channels = len(state.outputs)
    into = state.outputs["into"]
    sender = np.full(channels, NONE, np.int32)
    sender[into[into >= 0]] = np.flatnonzero(into >= 0)
    depth = PacketParameters.of(network.hardware).buffer_depth
    return Registers(
        front=np.full(routers * ports, NONE, np.int16),
        shown=np.zeros((routers, words_for(channels // routers)), np.uint64),
        places=np.tile(np.arange(ports, dtype=np.int16), (routers * ports, 1)),
        credits=np.full(channels, depth, np.int16),
        sender=sender,
        flights=np.zeros(routers * ports, ARRIVAL),
        returning=np.zeros(routers * ports, np.int32),
        winners=np.full(ports, NONE, np.int32),
        blocked=np.zeros(ports, np.int32),
        counts=np.zeros(1, COUNTS),
    )


@part
def show(fixed, registers, router, port, vc):
    """Put the head flit of a virtual channel into an input's front; none with `vc` -1."""
    place = router * fixed.ports + port
    if registers.front[place] >= 0:
        exclude(registers.shown[router], port * fixed.vcs + registers.front[place])
    registers.front[place] = vc
    if vc >= 0:
        include(registers.shown[router], port * fixed.vcs + vc)


@part
def write(fixed, state, registers, branches, scratch, flit):
    """Write a flit into its buffer, and into the front if that is empty."""
    channel = flit.channel
    push(fixed, state, branches, scratch, channel, flit.packet, flit.beat, flit.label)
    here = state.inputs[channel]
    port = fixed.port_of[here.slot]
    if registers.front[here.router * fixed.ports + port] < 0:
        show(fixed, registers, here.router, port, fixed.vc_of[here.slot])


@part
def return_credits(fixed, state, registers, scratch):
    """Count the credits of the last cycle's flits; note those of the flits that left in this one.

    A flit that leaves in cycle t gives a credit that its sender can use in cycle t + 2.
    """
    counts = registers.counts[0]
    for number in range(counts.returning):
        registers.credits[registers.returning[number]] += 1
    counts.returning = 0
    for number in range(scratch.counters[0].departures):
        channel = scratch.departures[number].channel
        if fixed.port_of[state.inputs[channel].slot] >= fixed.local_ports:
            registers.returning[counts.returning] = registers.sender[channel]
            counts.returning += 1


@part
def take_off(registers, scratch):
    """Put the flits that crossed to links in this cycle on their way."""
    for number in range(scratch.counters[0].arrivals):
        registers.flights[number] = scratch.arrivals[number]
    registers.counts[0].flying = scratch.counters[0].arrivals
    scratch.counters[0].arrivals = 0
