# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of deflection routers, bufferless: those of one-way rings and all others."""

from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.routing.compiled import calls
from knotwork.routing.compiled.sound_rule import CompiledRule
from knotwork.routing.deflection import Deflection, exchanges
from knotwork.topology.product import ProductTopology

from ..compiled import NONE, loop, part
from ..traffic.endpoints import (
    Endpoints,
    accepted,
    has_beat,
    make_endpoints,
    offer,
    reply_to,
    takes,
)
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, make_copies, node_addresses
from .record import patience_with
from .router_model import (
    CrossingCycles,
    Extent,
    Log,
    ModelLoop,
    Run,
    Tally,
    no_user,
    note,
    run_with_progress,
)


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
            delivered = _give(state, ends, log, logged, router, clock)
            logged, inside, moves = logged + delivered, inside - delivered, moves + delivered
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


class DeflectionModel:
    """Golden model of networks of deflection routers."""

    counts_crossings = True

    def crossing_cycles(self, network: Network) -> CrossingCycles:
        """`Network.cycles_per_hop`, one less at first: no buffer is before the first router."""
        return CrossingCycles(network.cycles_per_hop - 1, network.cycles_per_hop)

    def loop(self, network: Network) -> ModelLoop:
        """The only one."""
        del network
        return ModelLoop(run, 4.0)

    def run(self, network: Network, traffic: Traffic, packets: Packets, extent: Extent) -> Run:
        """Run a network; see `RouterModel`."""
        tally = (
            Tally.of(network, len(packets), event_limit=extent.event_limit)
            if extent.counts
            else Tally.empty()
        )
        ends = make_endpoints(packets, traffic)
        log, totals = run_deflection(
            network, traffic, packets, clocks=extent.clocks, ends=ends, tally=tally
        )
        return Run(
            log,
            make_copies(network, packets),
            totals.clocks,
            injected=ends.injected,
            tally=tally if extent.counts else None,
        )

    def user(self, network: Network, packets: Packets, run: Run) -> np.ndarray:
        """Sequence number of each packet in its flow, modulo 2 to the power of `sequence_width`."""
        width, nodes = network.sequence_width, network.topology.nodes
        if width == 0:
            return no_user(run)
        flow = np.where(packets.refused, NONE, packets.source * nodes + packets.destination)
        order = np.argsort(flow, kind="stable")  # the packets of a source stand in sending order
        place = np.arange(len(flow)) - np.searchsorted(flow[order], flow[order])
        numbers = np.zeros(len(flow), np.int64)
        numbers[order] = place & ((1 << width) - 1)
        return numbers[run.log.packet]


def run_deflection(
    network: Network,
    traffic: Traffic,
    packets: Packets,
    *,
    clocks: int = 2**62,
    ends: Endpoints | None = None,
    tally: Tally | None = None,
) -> tuple[Log, Totals]:
    """Run the golden model: what the nodes saw, and the totals; ends as `RouterModel.run` does.

    `ends` are the nodes of the traffic, made here if they are None.
    """
    topology, log = network.topology, Log.for_packets(packets)
    state = Registers(
        links=np.full((2, *topology.neighbours.shape), NONE, np.int32),
        nodes=np.full(topology.nodes, NONE, np.int32),
        entered=np.zeros(len(packets), np.int64),
        held=np.full(topology.neighbours.shape, NONE, np.int32),
        eager=np.zeros(topology.neighbours.shape, np.bool_),
        entry=np.full(topology.routers, NONE, np.int32),
        ends=np.full(topology.routers, NONE, np.int32),
    )
    rule = Deflection.of(network.routing).base.compiled_rule
    fixed = _fixed(network, packets, rule)
    ends = make_endpoints(packets, traffic) if ends is None else ends
    tally = Tally.empty() if tally is None else tally
    patience = patience_with(network)
    totals = run_with_progress(run, fixed, state, ends, log, tally, clocks, patience, log=log)
    return log.up_to(totals.logged, totals.refused), totals


def _fixed(network: Network, packets: Packets, rule: CompiledRule) -> Fixed:
    """Tables of a run; the rule's parameters must outlive the run."""
    topology, routing = network.topology, Deflection.of(network.routing)
    is_ring, column = not routing.has_phases, np.zeros(1)
    if is_ring:
        column = ProductTopology.of(topology).position_table[:, 0]
    turn_bits = routing.turn_clocks.bit_length() - 1
    connected = topology.neighbours >= 0
    ports = connected.shape[1]
    return Fixed(
        opens=1 << topology.address_width if network.sequence_width else 0,
        after=np.ascontiguousarray(topology.neighbours, np.int32),
        after_port=np.ascontiguousarray(topology.peer_ports, np.int32),
        destination=np.where(packets.refused, NONE, packets.destination).astype(np.int32),
        is_ring=is_ring,
        cycles=network.cycles_per_hop,
        column=np.ascontiguousarray(column, np.int32),
        code=node_addresses(topology),
        rule=rule.address,
        parameters=rule.parameters.ctypes.data,
        turn_bits=turn_bits,
        phase_bits=turn_bits + topology.address_width,
        addresses=(1 << topology.address_width) - 1,
        links=connected.sum(axis=1).astype(np.int32),
        wire=np.where(connected, connected.cumsum(axis=1) - 1, NONE).astype(np.int32),
        **_exchanges(ports),
    )


def _exchanges(ports: int) -> dict[str, np.ndarray]:
    """Blocks of routers of fewer links than this, as `Fixed` has them."""
    found = [[block for blocks in exchanges(count) for block in blocks] for count in range(ports)]
    shape = ports, max(map(len, found)) + 1
    blocks = np.full((*shape, 2), NONE, np.int32)
    winner, count_bit = np.full(shape, NONE, np.int8), np.zeros(shape, np.int8)
    sides = np.zeros((*shape, ports), np.int8)
    for count, row in enumerate(found):
        for number, block in enumerate(row):
            blocks[count, number] = block.wires
            winner[count, number] = NONE if block.winner is None else block.winner
            count_bit[count, number] = block.count_bit
            for side, outputs in enumerate(block.sides, start=1):
                sides[count, number, list(outputs)] = side
    return {"blocks": blocks, "winner": winner, "count_bit": count_bit, "sides": sides}
