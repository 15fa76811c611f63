# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of a bufferless router, one cycle at a time.

It models `gateware.deflection.ring_router` and `gateware.deflection.router`. Neighbours see only
what a router writes into their registers.
"""

from typing import NamedTuple

import numpy as np
from knotwork.routing.compiled import calls

from ...compiled import NONE, part


class Fixed(NamedTuple):
    """What stays the same during a run.

    Members
    -------
    opens : int
        Cycle from which routers take packets from their nodes.
    after, after_port : ndarray
        Router and port to which each output leads, int32 of shape (routers, ports); -1 if none.
    destination : ndarray
        Node of each packet, int32; -1 where the network must refuse it.
    is_ring : bool
        Whether the network consists of one-way rings.
    column, code : ndarray
        Column of each node, int32, in a network of one-way rings; address of each node, int64.
    rule, parameters : int
        Addresses of the rule that says which output a packet prefers, and of its parameters.
    turn_bits, phase_bits, addresses : int
        Base-2 logarithms of the cycles of a turn and of a phase; the greatest address.
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
    """Packets in flight, by their number; -1 for none.

    Members
    -------
    links : ndarray
        At the inputs of each router, int32 of shape (2, routers, ports): routers read one half and
        write the other; the halves change places every cycle.
    nodes : ndarray
        Packet that waits for each node to take it, int32.
    entered : ndarray
        Cycle in which each packet was taken from its node, int64.
    wants, out : ndarray
        Scratch of one router, by port, int32.
    """

    links: np.ndarray
    nodes: np.ndarray
    entered: np.ndarray
    wants: np.ndarray
    out: np.ndarray


@part
def _send(fixed, tally, goes, router, port, packet):
    """Write what leaves by a port into the register behind it."""
    goes[fixed.after[router, port], fixed.after_port[router, port]] = packet
    if packet >= 0 and len(tally.crossings) > 0:
        tally.crossings[router * goes.shape[1] + port] += 1


@part
def _ring_router(fixed, tally, came, goes, router, entering, room):
    """One cycle of a router of one-way rings; whether `entering` entered, and the packet ejected.

    `came` and `goes` are the registers at all inputs, before and after the cycle.
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
    _send(fixed, tally, goes, router, 1, along)
    _send(fixed, tally, goes, router, 2, down)
    return enters, ejected


@part
def _wanted(fixed, router, packet):
    """Output port that a packet wants; 0 for the node."""
    destination = fixed.destination[packet]
    return calls.call_rule(fixed.rule, fixed.parameters, router, 0, 0, destination)[0]


@part
def _grant(fixed, state, came, router, clock):
    """Grant output ports to the packets that want them; no packet is ejected here."""
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
    """Input port whose packet is ejected: one with precedence, else the lowest; NONE if none."""
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
def _router(fixed, state, tally, came, goes, router, entering, room, clock):
    """One cycle of any other router; as `_ring_router`.

    In the scratch, `wants` holds the port that the packet at each input wants (0 for the node, -1
    for no packet or one that has been granted a port), `out` the packet that leaves each port.
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
            _send(fixed, tally, goes, router, port, state.out[port])
    return enters, ejected


@part
def step_router(fixed, state, tally, came, goes, router, entering, room, clock):
    """One cycle of a router; whether `entering` entered, and the packet ejected."""
    if fixed.is_ring:
        return _ring_router(fixed, tally, came, goes, router, entering, room)
    return _router(fixed, state, tally, came, goes, router, entering, room, clock)
