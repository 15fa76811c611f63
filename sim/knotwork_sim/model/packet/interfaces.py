# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of the nodes' interfaces: `interface` and `multicast` of `gateware.packet`."""

from ...compiled import NONE, exclude, include, lowest_bit, part, prefetch, without_lowest
from ...traffic.endpoints import accepted, has_beat, has_reply, offer, reply_to, takes
from .buffers import arrive, cancel, push_part
from .regulators import is_held, pass_beat
from .stores import FILL, deliver, delivered, fill, look_up, sent


@part
def wake(ends, scratch, due, clock):
    """Note the sources whose next packet is due; `due` lists all packets by their time."""
    counters = scratch.counters[0]
    while counters.woken < len(due) and ends.time[due[counters.woken]] <= clock:
        include(scratch.sources, ends.source[due[counters.woken]])
        counters.woken += 1


@part
def _fetch_packets(fixed, ends, sources, word):
    """Prefetch the packets that the nodes of a word send."""
    while sources != 0:
        packet = ends.packet[word * 64 + lowest_bit(sources)]
        sources = without_lowest(sources)
        prefetch(fixed.packets, packet)
        prefetch(ends.length, packet)
        prefetch(ends.time, packet)


@part
def offer_beats(fixed, state, ends, scratch, clock):
    """Let the sources offer their beats, and note the routers that then have work."""
    for word in range(len(scratch.sources)):
        if fixed.is_large:
            _fetch_packets(fixed, ends, scratch.sources[word], word)
        left = scratch.sources[word]
        while left != 0:
            node = word * 64 + lowest_bit(left)
            left = without_lowest(left)
            offer(ends, node, clock)
            include(state.busy, state.nodes[node].router)


@part
def _takes_beat(fixed, state, stores, ends, node):
    """Whether the network takes the beat that a source holds out."""
    facts = fixed.packets[ends.packet[node]]
    if fixed.stores > 0 and facts.multicast:
        return stores.phase[node, 0] == FILL
    if facts.refused and not (facts.broadcast and ends.beat[node] < fixed.longest):
        return True
    if fixed.stores > 0:
        return stores.way[node] == 0
    channel = state.nodes[node].entry + facts.start_vc
    return state.levels[channel] < fixed.entry_depth


@part
def take_beats(fixed, state, stores, ends, scratch, router, clock):
    """Note which of the beats that a router's nodes offer in this cycle the network takes."""
    counters = scratch.counters[0]
    for port in range(fixed.local_ports):
        node = fixed.local_nodes[router, port]
        if node < 0 or not ends.offered[node]:
            continue
        counters.offering += 1
        if is_held(state.regulators, node, ends.beat[node], clock):
            counters.steps += 1  # it only waits for a token
            continue
        if _takes_beat(fixed, state, stores, ends, node):
            scratch.entering[counters.entering] = node
            counters.entering += 1


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
    if fixed.stores > 0 and here.ejected_class > 0:  # on its way into a store
        packet = NONE
    was_kept = here.skid_packet >= 0
    if was_kept:
        packet, beat = here.skid_packet, here.skid_beat
    elif packet < 0 and fixed.stores == 0:
        return logged
    taken = takes(ends, node, clock)
    if fixed.stores > 0:
        tail = packet >= 0 and beat == fixed.packets[packet].length - 1
        way = deliver(fixed, stores, node, packet >= 0, tail, taken)
        if way > 0 and taken:
            _note(log, logged, clock, node, stores.copy[node, way], stores.beat[node, way])
            logged += 1
            delivered(fixed, stores, node, way)
        taken = taken and way == 0
    if packet >= 0 and taken:
        _note(log, logged, clock, node, packet, beat)
        logged += 1
        if ends.replies and beat == fixed.packets[packet].length - 1:
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
def enter(fixed, state, stores, branches, ends, scratch, log, refused, clock):
    """Write the beats that were taken from sources into buffers; returns packets refused so far."""
    for number in range(scratch.counters[0].entering):
        node = scratch.entering[number]
        packet, beat = ends.packet[node], ends.beat[node]
        facts = fixed.packets[packet]
        pass_beat(state.regulators, node, clock)
        accepted(ends, node, clock)
        if not (has_beat(ends, node, clock) or has_reply(ends, node)):
            exclude(scratch.sources, node)
        channel = state.nodes[node].entry + facts.start_vc
        if facts.multicast:
            fill(fixed, stores, node, 0, packet, facts.refused)
            include(stores.busy, state.nodes[node].router)
        elif facts.broadcast:
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
