# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of a bufferless router, one cycle at a time.

It models `gateware.deflection.ring_router` and `gateware.deflection.router`. Neighbours see only
what a router writes into their registers.
"""

from typing import NamedTuple

import numpy as np
from knotwork.routing.compiled import calls

from ...compiled import NONE, part
from ..tally import note


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
    cycles : int
        Cycles of a hop.
    column, code : ndarray
        Column of each node, int32, in a network of one-way rings; address of each node, int64.
    rule, parameters : int
        Addresses of the rule that says which output a packet prefers, and of its parameters.
    turn_bits, phase_bits, addresses : int
        Base-2 logarithms of the cycles of a turn and of a phase; the greatest address.
    links : ndarray
        Wires of each router, int32: its connected ports.
    wire : ndarray
        Wire of each router's port, int32 of shape (routers, ports); -1 where it is not connected.
    blocks : ndarray
        First and second wire of each block, by number of wires, int32 of shape (wires, blocks, 2);
        -1 behind the last.
    winner : ndarray
        Of each block, which packet wins, int8: 0 or 1; -1 for that of the cycle count's bit.
    count_bit : ndarray
        That bit, int8.
    sides : ndarray
        Side by which a packet must leave a block to reach an output: 1 or 2, and 0 where both or
        none will do; int8 of shape (wires, blocks, outputs).
    """

    opens: int
    after: np.ndarray
    after_port: np.ndarray
    destination: np.ndarray
    is_ring: bool
    cycles: int
    column: np.ndarray
    code: np.ndarray
    rule: int
    parameters: int
    turn_bits: int
    phase_bits: int
    addresses: int
    links: np.ndarray
    wire: np.ndarray
    blocks: np.ndarray
    winner: np.ndarray
    count_bit: np.ndarray
    sides: np.ndarray


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
    held : ndarray
        Between the stages of each router, by wire, int32 of shape (routers, wires).
    eager : ndarray
        Likewise, whether the packet wants an output, bool.
    entry : ndarray
        Wire of the packet that entered each router in the last cycle, int32; -1 for none.
    ends : ndarray
        Wire of the packet that each router gives its node, if that has space, int32; -1 for none.
    """

    links: np.ndarray
    nodes: np.ndarray
    entered: np.ndarray
    held: np.ndarray
    eager: np.ndarray
    entry: np.ndarray
    ends: np.ndarray


@part
def _send(fixed, tally, goes, router, port, packet, clock):
    """Write what leaves by a port into the register behind it."""
    goes[fixed.after[router, port], fixed.after_port[router, port]] = packet
    if packet >= 0 and len(tally.crossings) > 0:
        tally.crossings[router * goes.shape[1] + port] += 1
        note(tally, clock, router * goes.shape[1] + port, packet, 0)


@part
def _ring_router(fixed, tally, came, goes, router, entering, has_space, clock):
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
    if down >= 0 and has_space and fixed.destination[down] == router:
        ejected, down = down, NONE
    _send(fixed, tally, goes, router, 1, along, clock)
    _send(fixed, tally, goes, router, 2, down, clock)
    return enters, ejected


@part
def _wanted(fixed, router, packet):
    """Output port that a packet wants; 0 for the node."""
    destination = fixed.destination[packet]
    return calls.call_rule(fixed.rule, fixed.parameters, router, 0, 0, destination)[0]


@part
def _is_first(fixed, state, packet, clock):
    """Whether a packet is old, and to the address whose turn it is; its last router asks that."""
    phase = clock >> fixed.phase_bits & 1
    turn = clock >> fixed.turn_bits & fixed.addresses
    old = (state.entered[packet] >> fixed.phase_bits & 1) != phase
    return old and fixed.code[fixed.destination[packet]] == turn


@part
def _side(fixed, router, block, packet, eager):
    """Side by which a packet must leave a block; 0 for either, and for no packet."""
    if packet < 0 or not eager:
        return 0
    wanted = _wanted(fixed, router, packet)
    return 0 if wanted == 0 else fixed.sides[fixed.links[router], block, fixed.wire[router, wanted]]


@part
def _leave(fixed, state, tally, goes, router, has_space, clock):
    """Second stage: exchange the packets, and send them; the packet ejected."""
    held, eager, links = state.held[router], state.eager[router], fixed.links[router]
    ejected, ends = NONE, state.ends[router]
    if ends >= 0 and has_space:
        ejected, held[ends] = held[ends], NONE
    for block in range(fixed.blocks.shape[1]):
        one, two = fixed.blocks[links, block]
        if one < 0:
            break
        wants = _side(fixed, router, block, held[one], eager[one])
        rival = _side(fixed, router, block, held[two], eager[two])
        winner = fixed.winner[links, block]
        if winner < 0:  # of the first round, which the first stage decided a cycle ago
            winner = (clock - 1) >> fixed.count_bit[links, block] & 1
            if state.entry[router] in (one, two):
                winner = int(state.entry[router] == one)
        if wants == rival:
            wants, rival = (0, rival) if winner else (wants, 0)
        if wants == 2 or rival == 1:
            held[one], held[two] = held[two], held[one]
            eager[one], eager[two] = eager[two], eager[one]
    for port in range(1, goes.shape[1]):
        if fixed.after[router, port] >= 0:
            _send(fixed, tally, goes, router, port, held[fixed.wire[router, port]], clock)
    return ejected


@part
def _arrive(fixed, state, came, router, entering, clock):
    """First stage: choose whom to eject, and let the node's packet in; whether it entered."""
    held, eager = state.held[router], state.eager[router]
    ends = open_wire = NONE
    wanted = _wanted(fixed, router, entering) if entering >= 0 else NONE
    claimed = old_home = any_first = False
    for port in range(1, came.shape[1]):
        wire, packet = fixed.wire[router, port], came[router, port]
        if wire < 0:
            continue
        held[wire], eager[wire] = packet, False
        if packet < 0:
            open_wire = wire if open_wire < 0 else open_wire
            continue
        eager[wire] = _is_first(fixed, state, packet, clock - fixed.cycles)
        any_first = any_first or eager[wire]
        want = _wanted(fixed, router, packet)
        claimed = claimed or want == wanted
        if want == 0 and (ends < 0 or (eager[wire] and not old_home)):
            ends, old_home = wire, eager[wire]
    enters = entering >= 0 and open_wire >= 0 and not claimed
    state.entry[router] = open_wire if enters else NONE
    if enters:
        held[open_wire] = entering
        ends = open_wire if wanted == 0 else ends
    state.ends[router] = ends
    if not any_first:
        eager[:] = True
    return enters


@part
def _router(fixed, state, tally, came, goes, router, entering, has_space, clock):
    """One cycle of any other router; as `_ring_router`."""
    ejected = _leave(fixed, state, tally, goes, router, has_space, clock)
    return _arrive(fixed, state, came, router, entering, clock), ejected


@part
def step_router(fixed, state, tally, came, goes, router, entering, has_space, clock):
    """One cycle of a router; whether `entering` entered, and the packet ejected."""
    if fixed.is_ring:
        return _ring_router(fixed, tally, came, goes, router, entering, has_space, clock)
    return _router(fixed, state, tally, came, goes, router, entering, has_space, clock)
