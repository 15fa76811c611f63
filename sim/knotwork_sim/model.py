# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the packet router and its network: the same flits in the same clocks.

A clock has two halves. First every router decides, from the state at the clock's start, which flits
cross; then all flits move. The decisions are those of `knotwork.gateware.parts`, described there.

All is one compiled function a routing rule: calls would count references to every array of the
tuples that they pass, and Numba's cache would not see that a function called has changed.
"""

import hashlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

import knotwork.routing
import numpy as np
from knotwork.routing import Rule
from knotwork.routing.broadcast import BroadcastRule
from numba import njit
from numba.extending import register_jitable

from .arbitration import decide
from .branches import start_branches, step_branches
from .buffers import advance_pipeline, arrive, leave, push
from .endpoints import drive
from .interfaces import eject, enter, interface_clock, offers
from .state import NONE
from .stores import send_all

_PARTS = ("arbitration", "branches", "buffers", "endpoints", "interfaces", "state", "stores")


def _source_stamp(*rules: Any) -> int:
    """Digest the sources that rules are made of: Numba's cache knows this file only."""
    digest = hashlib.sha256()
    files = sorted(Path(knotwork.routing.__file__).parent.glob("*.py"))
    files += [Path(__file__).with_name(f"{name}.py") for name in _PARTS]
    for file in [*files, *(Path(inspect.getfile(rule)) for rule in rules)]:
        digest.update(file.read_bytes())
    return int.from_bytes(digest.digest()[:7], "little")


@njit(inline="always")
def _cross(fixed, state, branches, scratch, broadcasts, moves):
    """Take the crossing flits from their inputs to the links."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    slots = ports * vcs
    for number in range(moves):
        channel, out = scratch.moves[number]
        router, port = out // slots, out % slots // vcs
        label = 0
        if broadcasts and branches.pending[channel]:
            packet, beat = state.front_packet[channel], np.int32(branches.at[channel])
            label = branches.label[channel, port]
            branches.moved[channel] |= 1 << port
        else:
            packet, beat = leave(fixed, state, branches, scratch, broadcasts, channel)
        if port == 0:
            scratch.ejected[router, 0], scratch.ejected[router, 1] = packet, beat
            scratch.ejected[router, 2] = out % vcs
            continue
        peer = fixed.neighbours[router, port]
        into = (peer * ports + fixed.peer_ports[router, port]) * vcs
        arrive(scratch, into + out % vcs, packet, beat, label)


@njit(inline="always")
def _find_turns(fixed, state, branches, rule, branch, escapes, broadcasts, channel):
    """Ask the rules where the flit goes that came to a channel's front."""
    ports, vcs = fixed.neighbours.shape[1], fixed.vcs
    if escapes and state.bound[channel]:
        return
    if broadcasts and fixed.broadcast[state.front_packet[channel]]:
        if branches.holds[channel]:
            start_branches(fixed, state, branches, branch, channel)
        else:
            state.turn[channel] = 0
        return
    port, vc = (channel // vcs) % ports, channel % vcs
    lane = vc // fixed.classes
    router, vc_class = channel // (vcs * ports), vc - lane * fixed.classes
    destination = fixed.destination[state.front_packet[channel]]
    output, out_class = rule(fixed.parameters, router, port, vc_class, destination)
    first_vc = lane * fixed.classes
    state.turn[channel] = out_class + (output * vcs + first_vc if output else 0)
    if escapes:
        state.escape[channel] = NONE
        if output != 0 and vc_class != fixed.escape:
            output, out_class = rule(fixed.parameters, router, port, fixed.escape, destination)
            state.escape[channel] = output * vcs + first_vc + out_class


@register_jitable
def _no_broadcast(parameters, router, port, channel_class, label, source, output):
    """Rule where there is none; never asked."""
    return -1, 0


@cache
def compiled_run(
    rule: Rule, *, broadcast: BroadcastRule | None = None, escapes: bool, multicasts: bool
) -> Any:
    """Compiled stepping loop for a routing's rules, kept on disk by Numba's cache.

    What a network does not have is left out of it: broadcasts, escapes, multicast units.
    """
    broadcasts, branch = broadcast is not None, broadcast or _no_broadcast
    stamp = _source_stamp(rule, branch)  # in the closure, so that it is part of the cache's key

    @njit(cache=True)
    def run(fixed, state, stores, branches, ends, scratch, log, until, patience):
        """Step until all is delivered, clock `until`, or `patience` clocks without a movement.

        Returns clocks stepped, beats logged, packets refused, clocks of the last standstill.
        """
        logged, refused, idle, clock = 0, 0, 0, stamp & 0
        while clock < until and idle < patience:
            if logged == len(log.clock) and refused == len(log.refused_clock):
                break
            drive(ends, clock)
            moves = decide(
                fixed,
                state,
                stores,
                branches,
                ends,
                scratch,
                escapes,
                multicasts,
                broadcasts,
                clock,
            )
            if multicasts:
                send_all(fixed, state, stores, ends, clock)
            waiting = offers(fixed, state, stores, ends, scratch, multicasts, broadcasts)
            scratch.counts[:] = 0
            _cross(fixed, state, branches, scratch, broadcasts, moves)
            before, entered = logged, 0
            for node in range(len(state.flits)):
                comes = scratch.ejected[node, 0] >= 0 or state.skid_packet[node] >= 0
                if comes or multicasts:
                    logged = eject(
                        fixed, state, stores, ends, scratch, log, multicasts, logged, clock, node
                    )
                waiting += state.flits[node] + (state.skid_packet[node] >= 0)
                if broadcasts and state.flits[node] > 0:
                    step_branches(fixed, state, branches, scratch, node)
                if fixed.pipeline == 2 and state.flits[node] > 0:
                    advance_pipeline(fixed, state, branches, scratch, broadcasts, node)
                if multicasts:
                    waiting += interface_clock(fixed, stores, scratch, node)
                    entered += stores.way[node] >= 0
                scratch.ejected[node, 0] = NONE
            refused = enter(
                fixed,
                state,
                stores,
                branches,
                ends,
                scratch,
                log,
                multicasts,
                broadcasts,
                refused,
                clock,
            )
            for number in range(scratch.counts[1]):
                into, packet, beat, label = scratch.arrivals[number]
                push(fixed, state, branches, scratch, broadcasts, into, packet, beat, label)
            for number in range(scratch.counts[0]):
                channel = scratch.fronts[number]
                _find_turns(fixed, state, branches, rule, branch, escapes, broadcasts, channel)
            still = moves == 0 and logged == before and scratch.counts[0] == 0
            still = still and entered == 0 and not scratch.enters.any()
            idle = idle + 1 if still and waiting > 0 else 0
            clock += 1
        return clock, logged, refused, idle

    return run
