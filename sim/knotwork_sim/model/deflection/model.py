"""Runs of the deflection routers' golden model."""

import numpy as np
from knotwork.network import Network
from knotwork.routing.compiled.sound_rule import CompiledRule
from knotwork.routing.deflection import Deflection, exchanges
from knotwork.topology.product import ProductTopology

from ...compiled import NONE
from ...traffic.endpoints import Endpoints, make_endpoints
from ...traffic.keys import Traffic
from ...traffic.packets import Packets, make_copies, node_addresses
from ..log import Log
from ..record import patience_with
from ..router_model import CrossingCycles, Extent, ModelLoop, Run, no_user
from ..tally import Tally
from ..watched import run_with_progress
from .network import Totals, run
from .router import Fixed, Registers


class DeflectionModel:
    """Golden model of networks of deflection routers."""

    counts_crossings = True

    def crossing_cycles(self, network: Network) -> CrossingCycles:
        """`Network.cycles_per_hop`, one less at first: no buffer is before the first router."""
        return CrossingCycles(network.cycles_per_hop - 1, network.cycles_per_hop)

    def loop(self, network: Network) -> ModelLoop:
        """The only one."""
        del network
        return ModelLoop(run, 5.0)

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
