# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Compiled loop over a network of bufferless routers.

What a router does in a cycle depends only on the registers at its inputs and on its node. What it
sends is in the registers of its neighbours in the next cycle. So there are two sets of registers:
routers read one and write the other, alternately.
"""

from typing import NamedTuple

from ...compiled import NONE, loop, part
from ...traffic.endpoints import Endpoints, accepted, has_beat, offer, reply_to, takes
from ..log import Log
from ..tally import Tally, note
from .router import Fixed, Registers, step_router


class Totals(NamedTuple):
    """Totals of a run.

    Members
    -------
    clocks : int
        Cycles that were run.
    logged, refused : int
        Packets delivered and refused.
    hops, longest : int
        Hops of all packets delivered, and of the one that took most.
    """

    clocks: int
    logged: int
    refused: int
    hops: int
    longest: int


@part
def _give(state, ends, log, logged, router, clock):
    """Give a node the packet that waits for it; whether the node took it."""
    packet = state.nodes[router]
    if packet < 0 or not takes(ends, router, clock):
        return False
    log.clock[logged], log.node[logged], log.packet[logged] = clock, router, packet
    state.nodes[router] = NONE
    if ends.replies:  # a packet is one flit
        reply_to(ends, router, ends.queues.flow[packet], clock)
    return True


@part
def _drop(ends, log, refused, router, clock):
    """Take a beat of a packet that must be refused; whether it was the last."""
    accepted(ends, router, clock)
    if ends.beat[router] > 0:
        return False
    log.refused_clock[refused], log.refused_node[refused] = clock + 1, router
    return True


@part
def _next_clock(ends, clock, until):
    """Cycle in which the next packet is due."""
    soonest = until
    for router in range(len(ends.offered)):
        if has_beat(ends, router, clock):
            return clock
        packet = ends.packet[router]
        if packet < ends.last_packet[router]:
            soonest = min(soonest, ends.time[packet])
    return soonest


@loop
def run(
    fixed: Fixed,
    state: Registers,
    ends: Endpoints,
    log: Log,
    tally: Tally,
    until: int,
    patience: int,
) -> Totals:
    """Step until all is delivered, cycle `until`, or `patience` cycles without a movement.

    A movement is a beat that a node gives or takes.
    """
    clock = logged = refused = hops = longest = idle = inside = 0
    while clock < until and idle < patience:
        if logged == len(log.clock) and refused == len(log.refused_clock):
            break
        came, goes = state.links[clock & 1], state.links[~clock & 1]
        moves, waiting = 0, inside > 0
        for router in range(len(state.nodes)):
            offer(ends, router, clock)
            given = _give(state, ends, log, logged, router, clock)
            logged, inside, moves = logged + given, inside - given, moves + given
            packet = ends.packet[router]
            entering = packet if ends.offered[router] else NONE
            waiting = waiting or entering >= 0
            if entering >= 0 and fixed.destination[packet] < 0:
                refused += _drop(ends, log, refused, router, clock)
                moves, entering = moves + 1, NONE
            if clock < fixed.opens:
                entering = NONE
            has_space = state.nodes[router] < 0
            enters, ejected = step_router(
                fixed, state, tally, came, goes, router, entering, has_space, clock
            )
            if enters:
                state.entered[packet] = clock
                accepted(ends, router, clock)
                inside, moves = inside + 1, moves + 1
            if ejected >= 0:
                state.nodes[router] = ejected
                taken = (clock - int(state.entered[ejected])) // fixed.cycles
                hops, longest = hops + taken, max(longest, taken)
                if len(tally.hops) > 0:
                    tally.hops[ejected] = taken
                    tally.crossings[router * came.shape[1]] += 1
                    note(tally, clock, router * came.shape[1], ejected, 0)
        idle = idle + 1 if waiting and moves == 0 else 0
        clock += 1
        if inside == 0 and not waiting:  # nothing happens before the next packet is due
            clock = _next_clock(ends, clock, until)
    return Totals(clock, logged, refused, hops, longest)
