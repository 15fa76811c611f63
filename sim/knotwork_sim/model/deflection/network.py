# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Golden model of networks whose routers keep nothing.

What a router does in a clock depends on the registers at its inputs and on its node alone, and what
it gives stands in the registers of its neighbours in the next clock. So there are two sets of
registers, one read and one written, in turn.
"""

from typing import Any, NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.routing.compiled import calls

from ...compiled import loop, part
from ...traffic.copies import Copies, make_copies
from ...traffic.endpoints import accepted, has_beat, make_endpoints, offer, takes
from ...traffic.keys import Traffic
from ...traffic.packets import Packets
from ..packet.state import NONE, Log
from ..record import Record, patience_with
from .router import Fixed, Registers, step_router


class Totals(NamedTuple):
    """What a run comes to.

    Members
    -------
    clocks : int
        Clocks that were run.
    logged, refused : int
        Packets delivered and refused.
    hops, longest : int
        Hops of all packets delivered, and of that which took most.
    """

    clocks: int
    logged: int
    refused: int
    hops: int
    longest: int


@part
def _give(state, ends, log, logged, router, clock):
    """Give a node the packet that stands before it; whether the node took it."""
    packet = state.nodes[router]
    if packet < 0 or not takes(ends, router, clock):
        return False
    log.clock[logged], log.node[logged], log.packet[logged] = clock, router, packet
    state.nodes[router] = NONE
    return True


@part
def _drop(ends, log, refused, router, clock):
    """Take a beat of a packet that cannot be sent; whether it was the last."""
    accepted(ends, router)
    if ends.beat[router] > 0:
        return False
    log.refused_clock[refused], log.refused_node[refused] = clock + 1, router
    return True


@part
def _next_clock(ends, clock, until):
    """Clock in which the next packet is due."""
    soonest = until
    for router in range(len(ends.offered)):
        if has_beat(ends, router, clock):
            return clock
        packet = ends.packet[router]
        if packet < ends.last_packet[router]:
            soonest = min(soonest, ends.time[packet])
    return soonest


@loop
def run(fixed: Any, state: Any, ends: Any, log: Any, until: int, patience: int) -> Any:
    """Step until all is delivered, clock `until`, or `patience` clocks without a movement.

    A movement is a beat taken from a node or by it. Returns the entries of `Totals`.
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
            room = state.nodes[router] < 0
            enters, ejected = step_router(fixed, state, came, goes, router, entering, room, clock)
            if enters:
                state.entered[packet] = clock
                accepted(ends, router)
                inside, moves = inside + 1, moves + 1
            if ejected >= 0:
                state.nodes[router] = ejected
                hops += clock - state.entered[ejected]
                longest = max(longest, clock - state.entered[ejected])
        idle = idle + 1 if waiting and moves == 0 else 0
        clock += 1
        if inside == 0 and not waiting:  # nothing happens before the next packet is due
            clock = _next_clock(ends, clock, until)
    return clock, logged, refused, hops, longest


def _fixed(network: Network, packets: Packets, numbers: np.ndarray) -> Fixed:
    """Tables of a run; `numbers` are the rule's parameters, which must outlive it."""
    topology: Any = network.topology
    routing: Any = network.routing
    is_ring = topology.is_one_way
    turn_bits = routing.turn_clocks.bit_length() - 1
    column = topology.position_table[:, 0] if is_ring else np.zeros(1)
    code = [topology.address(node) for node in range(topology.nodes)]
    return Fixed(
        opens=1 << topology.address_width if network.hardware.sequence_width else 0,
        after=np.ascontiguousarray(topology.neighbours, np.int32),
        after_port=np.ascontiguousarray(topology.peer_ports, np.int32),
        destination=np.where(packets.refused, NONE, packets.destination).astype(np.int32),
        is_ring=is_ring,
        column=np.ascontiguousarray(column, np.int32),
        code=np.array(code, np.int64),
        rule=calls.rule_address(routing.base.rule),
        parameters=numbers.ctypes.data,
        turn_bits=turn_bits,
        phase_bits=turn_bits + topology.address_width,
        addresses=(1 << topology.address_width) - 1,
    )


def run_deflection(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> tuple[Log, Totals]:
    """Run the golden model: what the nodes saw, and what it came to; ends as `golden.run_model`."""
    topology = network.topology
    due, refusals = int(packets.due.sum()), int(packets.refused.sum())
    log = Log(
        clock=np.zeros(due, np.int64),
        node=np.zeros(due, np.int32),
        packet=np.zeros(due, np.int32),
        beat=np.zeros(due, np.int32),
        refused_clock=np.zeros(refusals, np.int64),
        refused_node=np.zeros(refusals, np.int64),
    )
    numbers = np.ascontiguousarray(network.routing.parameters, np.int64)
    state = Registers(
        links=np.full((2, *topology.neighbours.shape), NONE, np.int32),
        nodes=np.full(topology.nodes, NONE, np.int32),
        entered=np.zeros(len(packets), np.int64),
        wants=np.zeros(len(topology.ports), np.int32),
        out=np.zeros(len(topology.ports), np.int32),
    )
    fixed = _fixed(network, packets, numbers)
    ends, patience = make_endpoints(packets, traffic), patience_with(network)
    totals = Totals(*run(fixed, state, ends, log, clocks, patience))
    counts = (*[totals.logged] * 4, *[totals.refused] * 2)
    return Log(*(column[:end] for column, end in zip(log, counts, strict=True))), totals


def run_deflection_log(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> tuple[Log, Copies, int]:
    """Run the golden model: what the nodes saw, as `golden.run_packet_log`."""
    log, totals = run_deflection(network, traffic, packets, clocks=clocks)
    return log, make_copies(packets), totals.clocks


def run_deflection_model(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> Record:
    """Run the golden model until every packet is delivered or refused; as `golden.run_model`."""
    log, totals = run_deflection(network, traffic, packets, clocks=clocks)
    codes = np.array([network.topology.address(i) for i in range(network.topology.nodes)])
    source = codes[packets.source[log.packet]]
    return Record(
        clock=log.clock,
        node=log.node,
        source=source if network.hardware.source == "yes" else np.zeros_like(source),
        last=np.ones(len(source), np.int64),
        user=_numbers(network, packets)[log.packet],
        data=packets.words(network.hardware.data_width)[packets.first_flit[log.packet]],
        refused=np.stack([log.refused_clock, log.refused_node], axis=1),
        clocks=totals.clocks,
    )


def _numbers(network: Network, packets: Packets) -> np.ndarray:
    """Number of each packet in its flow, int64: those that are refused have none."""
    width, nodes = network.hardware.sequence_width, network.topology.nodes
    flow = np.where(packets.refused, NONE, packets.source * nodes + packets.destination)
    order = np.argsort(flow, kind="stable")  # packets of a source are in the order of sending
    place = np.arange(len(flow)) - np.searchsorted(flow[order], flow[order])
    numbers = np.zeros(len(flow), np.int64)
    numbers[order] = place & ((1 << width) - 1)
    return numbers
