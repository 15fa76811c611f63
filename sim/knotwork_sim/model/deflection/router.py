# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of a clock of a router that keeps nothing.

`gateware.deflection.ring_router` and `gateware.deflection.router`; of a router, its neighbours see
what it writes into their registers.
"""

from typing import NamedTuple

import numpy as np
from knotwork.routing.compiled import calls

from ...compiled import NONE, part


class Fixed(NamedTuple):
    """What does not change in a run.

    Members
    -------
    opens : int
        Clock from which routers take packets from their nodes.
    after, after_port : ndarray
        Router and port to which each output leads, int32 of shape (routers, ports); -1 where none.
    destination : ndarray
        Node of each packet, int32; -1 where the network must refuse it.
    is_ring : bool
        Rings that lead one way.
    column, code : ndarray
        Column of each node, int32, where there are such rings; its address.
    rule, parameters : int
        Addresses of the rule that packets prefer, and of its parameters.
    turn_bits, phase_bits, addresses : int
        Clocks of a turn and of a phase, as powers of two; the greatest address.
    """

    opens: int
    after: np.ndarray
    after_port: np.ndarray
    destination: np.ndarray
    is_ring: bool
    column: np.ndarray
    code: np.ndarray
    rule: int
    parameters: int
    turn_bits: int
    phase_bits: int
    addresses: int


class Registers(NamedTuple):
    """Packets under way, by their number; -1 for none.

    Members
    -------
    links : ndarray
        At each router's inputs, int32 of shape (2, routers, ports): those read and those written
        change places with every clock.
    nodes : ndarray
        Before each node, int32.
    entered : ndarray
        Clock in which each packet was taken from its node, int64.
    wants, out : ndarray
        Scratch of a router, by port, int32.
    """

    links: np.ndarray
    nodes: np.ndarray
    entered: np.ndarray
    wants: np.ndarray
    out: np.ndarray


@part
def _ring_router(fixed, came, goes, router, entering, room):
    """A clock of a router of one-way rings; whether `entering` got in, and what is ejected.

    `came` and `goes` are the registers at all inputs, before and after the clock.
    """
    row, column = came[router, 1], came[router, 2]
    here = fixed.column[router]
    along, down = row, column
    if row >= 0 and fixed.column[fixed.destination[row]] == here:
        along, down = column, row
    enters = False
    if entering >= 0:
        if fixed.column[fixed.destination[entering]] == here:
            if down < 0:
                down, enters = entering, True
        elif along < 0:
            along, enters = entering, True
    ejected = NONE
    if down >= 0 and room and fixed.destination[down] == router:
        ejected, down = down, NONE
    goes[fixed.after[router, 1], 1] = along
    goes[fixed.after[router, 2], 2] = down
    return enters, ejected


@part
def _wanted(fixed, router, packet):
    """Port that a packet wants; 0 for the node."""
    destination = fixed.destination[packet]
    return calls.call_rule(fixed.rule, fixed.parameters, router, 0, 0, destination)[0]


@part
def _grant(fixed, state, came, router, clock):
    """Give ports to the packets that want them; ejects none."""
    phase = clock >> fixed.phase_bits & 1
    turn = clock >> fixed.turn_bits & fixed.addresses
    for port in range(len(state.out)):
        state.out[port] = NONE
    for firsts in range(2):
        for port in range(1, len(state.out)):
            packet = came[router, port]
            if packet < 0 or state.wants[port] <= 0:
                continue
            old = (state.entered[packet] >> fixed.phase_bits & 1) != phase
            first = old and fixed.code[fixed.destination[packet]] == turn
            if (firsts == 0) == first and state.out[state.wants[port]] < 0:
                state.out[state.wants[port]] = packet
                state.wants[port] = NONE


@part
def _eject(fixed, state, came, router, clock):
    """Packet for the node: one that goes first, or the lowest port's."""
    phase = clock >> fixed.phase_bits & 1
    turn = clock >> fixed.turn_bits & fixed.addresses
    found = NONE
    for port in range(1, len(state.out)):
        packet = came[router, port]
        if packet < 0 or state.wants[port] != 0:
            continue
        old = (state.entered[packet] >> fixed.phase_bits & 1) != phase
        if found < 0 or (old and fixed.code[router] == turn):
            found = port
            if old and fixed.code[router] == turn:
                break
    return found


@part
def _router(fixed, state, came, goes, router, entering, room, clock):
    """A clock of any other router; as `_ring_router`.

    Of the scratch, `wants` has the port that the packet of each input wants, 0 for the node, -1 for
    no packet or one that has its way, and `out` the packet that leaves by each port.
    """
    inputs = links = 0
    for port in range(1, len(state.out)):
        packet = came[router, port]
        links += fixed.after[router, port] >= 0
        inputs += packet >= 0
        state.wants[port] = _wanted(fixed, router, packet) if packet >= 0 else NONE
    ejected, enters = NONE, False
    if room and inputs > 0:
        port = _eject(fixed, state, came, router, clock)
        if port >= 0:
            ejected, state.wants[port] = came[router, port], NONE
            inputs -= 1
    _grant(fixed, state, came, router, clock)
    if entering >= 0:
        wanted = _wanted(fixed, router, entering)
        if wanted == 0:
            if room and ejected < 0:
                ejected, enters = entering, True
        elif inputs < links and state.out[wanted] < 0:
            state.out[wanted], enters = entering, True
    free = 1
    for port in range(1, len(state.out)):
        if state.wants[port] >= 0:
            while state.out[free] >= 0 or fixed.after[router, free] < 0:
                free += 1
            state.out[free] = came[router, port]
    for port in range(1, len(state.out)):
        if fixed.after[router, port] >= 0:
            goes[fixed.after[router, port], fixed.after_port[router, port]] = state.out[port]
    return enters, ejected


@part
def step_router(fixed, state, came, goes, router, entering, room, clock):
    """A clock of a router; whether `entering` got in, and what is ejected."""
    if fixed.is_ring:
        return _ring_router(fixed, came, goes, router, entering, room)
    return _router(fixed, state, came, goes, router, entering, room, clock)
