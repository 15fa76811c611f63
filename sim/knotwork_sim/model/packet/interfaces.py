# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the nodes' interfaces and their multicast units: `gateware.packet`.

`take_beats` and `deliver` decide from the state at the start of the cycle; then `look_up`, `fill`
and `sent` change it, in this order.
"""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.routing.draws import drawn, label_of, next_state
from numpy.typing import DTypeLike

from ...compiled import (
    NONE,
    contains,
    exclude,
    include,
    lowest_bit,
    part,
    prefetch,
    without_lowest,
    words_for,
)
from ...traffic.endpoints import accepted, has_beat, has_reply, offer, reply_to, takes
from .buffers import arrive, cancel, push_part
from .state import has_broadcasts, has_draws, has_stores, is_held, pass_beat

FILL, LOOK_UP, SEND, DELIVER = 0, 1, 2, 3
"""Phases of a store in a multicast unit (`gateware.packet.store`)."""


class Stores(NamedTuple):
    """Multicast units of all nodes; arrays of length 0 in a network without multicasts.

    Store 0 of a node takes the multicasts that the node sends, store k what arrives in class k.
    The ways into the router, number 0 for packets of the node and k + 1 for store k, share one
    channel arbiter per virtual channel and one switch arbiter. A node's channels are those of its
    class of traffic, numbered from 0. The ways to the node, number 0 for the router and k for
    store k, share one arbiter.

    Members
    -------
    phase : ndarray
        `FILL`, `LOOK_UP`, `SEND` or `DELIVER`, int8 (nodes, stores).
    copy : ndarray
        Copy in the store, int64 (nodes, stores).
    beat : ndarray
        Flits in the store while it fills, else the next flit to send, int32.
    sent : ndarray
        Copies that the store has sent, int32.
    owner, held : ndarray
        Channel arbiters (nodes, channels): way granted last, and whether it holds the channel.
    last, moved : ndarray
        Switch arbiters: channel whose flit crossed last, and the last cycle in which a flit that
        was not a tail crossed.
    eject_owner, eject_held : ndarray
        Arbiters of the ways to the nodes.
    way, way_channel : ndarray
        Way by which a flit goes into the router in this cycle, -1 for none, and its channel.
    busy : ndarray
        Set of the nodes with a store that is not idle.
    """

    phase: np.ndarray
    copy: np.ndarray
    beat: np.ndarray
    sent: np.ndarray
    owner: np.ndarray
    held: np.ndarray
    last: np.ndarray
    moved: np.ndarray
    eject_owner: np.ndarray
    eject_held: np.ndarray
    way: np.ndarray
    way_channel: np.ndarray
    busy: np.ndarray


def store_count(network: Network) -> int:
    """Stores of a node: one per class in a network with multicasts, else none."""
    has = network.has_multicast
    return network.routing.classes if has else 0


def make_stores(network: Network) -> Stores:
    """Make empty multicast units."""
    stores = store_count(network)
    nodes = network.topology.nodes if stores else 0
    channels = network.virtual_channels // network.traffic_classes

    def full(value: int, kind: DTypeLike, *size: int) -> np.ndarray:
        return np.full((nodes, *size), value, kind)

    return Stores(
        phase=full(FILL, np.int8, stores),
        copy=full(NONE, np.int64, stores),
        beat=full(0, np.int32, stores),
        sent=full(0, np.int32, stores),
        owner=full(stores + 1, np.int32, channels),
        held=full(0, np.bool_, channels),
        last=full(channels - 1, np.int32),
        moved=full(-2, np.int64),
        eject_owner=full(stores, np.int32),
        eject_held=full(0, np.bool_),
        way=full(NONE, np.int32),
        way_channel=full(0, np.int32),
        busy=np.zeros(words_for(network.topology.nodes), np.uint64),
    )


@part
def wanted_channel(fixed, stores, ends, node, way, held):
    """Channel by which a way requests the router in this cycle, NONE if it does not.

    `held` says whether a limit of injection holds back the beat that the node offers.
    """
    if way == 0:
        packet = ends.packet[node]
        if not ends.offered[node] or held or fixed.packets[packet].multicast:
            return NONE
        return (
            NONE if fixed.packets[packet].refused else fixed.packets[packet].start_vc % fixed.share
        )
    if stores.phase[node, way - 1] != SEND:
        return NONE
    return fixed.packets[sending(fixed, stores, node, way - 1)].start_vc % fixed.share


@part
def sending(fixed, stores, node, store):
    """Copy that a store sends."""
    return fixed.packets[stores.copy[node, store]].first_copy + stores.sent[node, store]


@part
def is_tail(fixed, stores, ends, node, way):
    """Whether the flit that a way offers is the tail of its packet."""
    if way == 0:
        return ends.beat[node] == fixed.headers[ends.packet[node]].length - 1
    copy = sending(fixed, stores, node, way - 1)
    return stores.beat[node, way - 1] == fixed.headers[copy].length - 1


@part
def _send(fixed, state, stores, ends, node, clock):
    """Choose the way by which a flit goes into the router; sets `way` and `way_channel`."""
    first = state.nodes[node].entry + state.nodes[node].first_vc
    stores.way[node] = NONE
    chosen, chosen_distance = NONE, 0
    last = stores.last[node]
    held = is_held(fixed, state.regulators, node, ends.beat[node], clock)
    for channel in range(fixed.share):
        owner = stores.owner[node, channel]
        above, lowest, owner_requests = NONE, NONE, False
        for way in range(fixed.stores + 1):
            if wanted_channel(fixed, stores, ends, node, way, held) != channel:
                continue
            lowest = way if lowest < 0 else lowest
            above = way if above < 0 and way > owner else above
            owner_requests = owner_requests or way == owner
        if stores.held[node, channel]:
            grant = owner if owner_requests else NONE
        else:
            grant = above if above >= 0 else lowest
        if grant < 0:
            continue
        stores.owner[node, channel] = grant
        stores.held[node, channel] = True
        if state.levels[first + channel] < fixed.entry_depth:
            # The channel that moved in the last cycle goes on; else round robin after it.
            distance = (channel - last - 1) % fixed.share
            if channel == last and stores.moved[node] == clock - 1:
                distance = -1
            if chosen < 0 or distance < chosen_distance:
                chosen, chosen_distance = channel, distance
    if chosen >= 0:
        way = stores.owner[node, chosen]
        tail = is_tail(fixed, stores, ends, node, way)
        stores.way[node] = way
        stores.way_channel[node] = chosen
        stores.held[node, chosen] = not tail
        stores.last[node] = chosen
        if not tail:
            stores.moved[node] = clock


@part
def deliver(fixed, stores, node, requests, tail, taking):
    """Choose what gives the node a beat, a store or the router (0); NONE if nothing does.

    `requests` and `tail` tell of the router's flit. The node takes the beat if `taking`.
    """
    owner = stores.eject_owner[node]
    above, lowest, owner_requests = NONE, NONE, False
    for way in range(fixed.stores):
        if not requests if way == 0 else stores.phase[node, way] != DELIVER:
            continue
        lowest = way if lowest < 0 else lowest
        above = way if above < 0 and way > owner else above
        owner_requests = owner_requests or way == owner
    if stores.eject_held[node]:
        grant = owner if owner_requests else NONE
    else:
        grant = above if above >= 0 else lowest
    if grant >= 0:
        if grant > 0:
            copy = stores.copy[node, grant]
            tail = stores.beat[node, grant] == fixed.headers[copy].length - 1
        stores.eject_owner[node] = grant
        stores.eject_held[node] = not (taking and tail)
    return grant


@part
def delivered(fixed, stores, node, store):
    """Advance a store after a beat that it delivered."""
    stores.beat[node, store] += 1
    if stores.beat[node, store] == fixed.headers[stores.copy[node, store]].length:
        stores.phase[node, store] = FILL
        stores.beat[node, store] = 0


@part
def look_up(fixed, stores, node):
    """End the look-ups of a node; returns the number of its stores that are not idle."""
    busy = 0
    for store in range(fixed.stores):
        phase = stores.phase[node, store]
        busy += phase != FILL or stores.beat[node, store] > 0
        if phase == LOOK_UP:
            stores.phase[node, store] = SEND
            stores.beat[node, store] = 0
    return busy


@part
def settle_busy(stores, node, is_busy):
    """Note whether a node has a store that is not idle."""
    if is_busy:
        include(stores.busy, node)
    else:
        exclude(stores.busy, node)


@part
def fill(fixed, stores, node, store, copy, refused):
    """Write a flit into a store."""
    stores.beat[node, store] += 1
    if stores.beat[node, store] == fixed.headers[copy].length:
        stores.beat[node, store] = 0
        if not refused:
            stores.copy[node, store] = copy
            stores.sent[node, store] = 0
            stores.phase[node, store] = LOOK_UP


@part
def sent(fixed, stores, node, store):
    """Advance a store after a flit that it sent; returns copy and beat of the flit."""
    copy, beat = sending(fixed, stores, node, store), stores.beat[node, store]
    stores.beat[node, store] += 1
    if stores.beat[node, store] == fixed.headers[copy].length:
        stores.beat[node, store] = 0
        stores.sent[node, store] += 1
        stores.phase[node, store] = LOOK_UP
        whole = stores.copy[node, store]
        if stores.sent[node, store] == fixed.packets[whole].copies:
            stores.phase[node, store] = FILL
            if store > 0:
                stores.phase[node, store] = DELIVER
                stores.beat[node, store] = fixed.packets[whole].chain
    return copy, beat


@part
def wake(scratch, due, clock):
    """Note the sources whose next packet is due; `due` lists all packets by their time."""
    counters = scratch.counters[0]
    woken = counters.woken
    while woken < len(due.time) and due.time[woken] <= clock:
        include(scratch.sources, due.source[woken])
        woken += 1
    counters.woken = woken


@part
def _fetch_packets(fixed, ends, sources, word):
    """Prefetch the packets that the nodes of a word send."""
    while sources != 0:
        packet = ends.packet[word * 64 + lowest_bit(sources)]
        sources = without_lowest(sources)
        prefetch(fixed.packets, packet)
        prefetch(fixed.headers, packet)
        prefetch(ends.length, packet)
        prefetch(ends.time, packet)


@part
def _takes_beat(fixed, state, stores, ends, node):
    """Whether the network takes the beat that a source holds out."""
    facts = fixed.packets[ends.packet[node]]
    if has_stores(fixed) and facts.multicast:
        return stores.phase[node, 0] == FILL
    if facts.refused and not (facts.broadcast and ends.beat[node] < fixed.longest):
        return True
    if has_stores(fixed):
        return stores.way[node] == 0
    channel = state.nodes[node].entry + facts.start_vc
    return state.levels[channel] < fixed.entry_depth


@part
def _take_beat(fixed, state, stores, ends, scratch, node, clock):
    """Note the beat that a node offers in this cycle, if the network takes it."""
    counters = scratch.counters[0]
    counters.offering += 1
    if is_held(fixed, state.regulators, node, ends.beat[node], clock):
        counters.steps += 1  # it only waits for a token
    elif _takes_beat(fixed, state, stores, ends, node):
        scratch.entering[counters.entering] = node
        counters.entering += 1


@part
def take_beats(fixed, state, stores, ends, scratch, clock):
    """Let the sources offer their beats, and note those that the network takes in this cycle."""
    for word in range(len(scratch.sources)):
        if fixed.is_large:
            _fetch_packets(fixed, ends, scratch.sources[word], word)
        left = scratch.sources[word] | stores.busy[word]
        while left != 0:
            node = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            if not has_stores(fixed) or contains(scratch.sources, node):
                offer(ends, node, clock)
            if has_stores(fixed):
                _send(fixed, state, stores, ends, node, clock)
            if ends.offered[node]:
                _take_beat(fixed, state, stores, ends, scratch, node, clock)


@part
def _note(log, logged, clock, node, packet, beat):
    """Note a beat that a node took."""
    log.clock[logged], log.node[logged] = clock, node
    log.packet[logged], log.beat[logged] = packet, beat


@part
def eject(fixed, state, stores, ends, scratch, log, logged, clock, node):
    """One cycle of the interface towards a node; returns beats logged so far."""
    here = state.nodes[node]
    packet, beat = here.ejected_packet, here.ejected_beat
    if has_stores(fixed) and here.ejected_class > 0:  # on its way into a store
        packet = NONE
    was_kept = here.skid_packet >= 0
    if was_kept:
        packet, beat = here.skid_packet, here.skid_beat
    elif packet < 0 and not has_stores(fixed):
        return logged
    taken = takes(ends, node, clock)
    if has_stores(fixed):
        tail = packet >= 0 and beat == fixed.headers[packet].length - 1
        way = deliver(fixed, stores, node, packet >= 0, tail, taken)
        if way > 0 and taken:
            _note(log, logged, clock, node, stores.copy[node, way], stores.beat[node, way])
            logged += 1
            delivered(fixed, stores, node, way)
        taken = taken and way == 0
    if packet >= 0 and taken:
        _note(log, logged, clock, node, packet, beat)
        logged += 1
        if ends.replies and beat == fixed.headers[packet].length - 1:
            reply_to(ends, node, ends.queues.flow[packet], clock)
            if has_reply(ends, node):
                include(scratch.sources, node)
        if was_kept:
            here.skid_packet = NONE
            scratch.counters[0].flits -= 1
    elif packet >= 0 and not was_kept:
        here.skid_packet, here.skid_beat = packet, beat
        scratch.counters[0].flits += 1
    return logged


@part
def interface_clock(fixed, state, stores, scratch, node):
    """One cycle of a node's multicast unit."""
    here = state.nodes[node]
    scratch.counters[0].storing += look_up(fixed, stores, node)
    if here.ejected_packet >= 0 and here.ejected_class > 0:
        fill(fixed, stores, node, here.ejected_class, here.ejected_packet, False)
        scratch.counters[0].storing += 1
    if stores.way[node] > 0:
        copy, beat = sent(fixed, stores, node, stores.way[node] - 1)
        channel = here.entry + here.first_vc + stores.way_channel[node]
        arrive(scratch, channel, copy, beat, 0)
        scratch.counters[0].steps += 1
    stores.way[node] = NONE


@part
def _draw(fixed, state, node, packet):
    """Let a node draw for a packet that it begins to send; its header tells the routers."""
    here = state.nodes[node]
    if not fixed.packets[packet].refused:
        number, end = drawn(here.generator, fixed.draws), fixed.headers[packet].destination
        label = label_of(fixed.written, fixed.router_of, node, end, number)
        fixed.headers[packet].destination = label
    here.generator = next_state(here.generator)


@part
def _fetch_next(fixed, ends, packet):
    """Prefetch what a source soon reads of its packets; so many sources the processor cannot."""
    prefetch(fixed.packets, packet + 4)
    prefetch(fixed.headers, packet + 8)
    prefetch(ends.length, packet + 8)
    prefetch(ends.time, packet + 8)
    prefetch(ends.injected, packet + 8)


@part
def enter(fixed, state, stores, branches, ends, scratch, log, refused, clock):
    """Write the beats that were taken from sources into buffers; returns packets refused so far."""
    for number in range(scratch.counters[0].entering):
        node = scratch.entering[number]
        packet, beat = ends.packet[node], ends.beat[node]
        facts = fixed.packets[packet]
        pass_beat(fixed, state.regulators, node, clock)
        if has_draws(fixed) and beat == 0:
            _draw(fixed, state, node, packet)
        accepted(ends, node, clock)
        _fetch_next(fixed, ends, packet)
        if not (has_beat(ends, node, clock) or has_reply(ends, node)):
            exclude(scratch.sources, node)
        channel = state.nodes[node].entry + facts.start_vc
        if has_stores(fixed) and facts.multicast:
            fill(fixed, stores, node, 0, packet, facts.refused)
            include(stores.busy, node)
        elif has_broadcasts(fixed) and facts.broadcast:
            if beat < fixed.longest:
                push_part(fixed, state, branches, scratch, channel, packet, beat)
            elif beat == fixed.longest:
                cancel(state, branches, scratch, channel)
        elif not facts.refused:
            arrive(scratch, channel, packet, beat, 0)
        if facts.refused and ends.beat[node] == 0:
            log.refused_clock[refused], log.refused_node[refused] = clock + 1, node
            refused += 1
    return refused
