"""Runs of the golden model, and the record that both engines leave."""

from dataclasses import dataclass

import numpy as np
from knotwork.network import Network

from .endpoints import make_endpoints
from .model import compiled_run
from .packets import Packets, make_copies
from .state import (
    NONE,
    Fixed,
    Log,
    has_skid,
    make_scratch,
    make_state,
    make_stores,
    store_count,
)
from .traffic import Traffic

ENGINES = ("both", "rtl", "model")
"""What can run a network: its Verilog, the golden model, or each, compared."""

PATIENCE = 20_000
"""Clocks without any movement after which a run with flits in flight is given up as stuck."""


@dataclass(frozen=True)
class Record:
    """What the nodes of a network saw in a run, whichever engine ran it.

    Members
    -------
    clock, node, source, last : ndarray
        Beats taken by the nodes, in order of clock and node: int64; `source` is the address that
        came with the beat.
    data : ndarray
        Their payloads, uint64 of shape (beats, words), low word first.
    refused : ndarray
        (clock, node) of every packet refused at injection, int64 of shape (packets, 2).
    clocks : int
        Clocks that the run took.
    """

    clock: np.ndarray
    node: np.ndarray
    source: np.ndarray
    last: np.ndarray
    data: np.ndarray
    refused: np.ndarray
    clocks: int

    @classmethod
    def from_beats(
        cls,
        beats: list[tuple[int, int, int, int, int]],
        refused: list[tuple[int, int]],
        *,
        words: int,
        clocks: int,
    ) -> "Record":
        """Record of beats (clock, node, source, last, payload), noted one by one.

        `words` is the number of 64-bit words of a payload.
        """
        table = np.array([beat[:4] for beat in beats], np.int64).reshape(-1, 4)
        mask = (1 << 64) - 1
        data = [[beat[4] >> 64 * place & mask for place in range(words)] for beat in beats]
        clock, node, source, last = table.T
        return cls(
            clock=clock,
            node=node,
            source=source,
            last=last,
            data=np.array(data, np.uint64).reshape(-1, words),
            refused=np.array(refused, np.int64).reshape(-1, 2),
            clocks=clocks,
        )

    def rows(self) -> np.ndarray:
        """Everything about each beat in a row, uint64."""
        facts = [self.clock, self.node, self.source, self.last]
        return np.column_stack([np.stack(facts, axis=1).astype(np.uint64), self.data])


def run_model(
    network: Network, traffic: Traffic, packets: Packets, *, clocks: int = 2**62
) -> Record:
    """Run the golden model until every packet is delivered or refused.

    Ends early after `clocks` clocks, or where nothing moves any more.
    """
    topology, routing = network.topology, network.routing
    flits, refusals = int(packets.due.sum()), int(packets.refused.sum())
    copies = make_copies(packets)
    log = Log(
        clock=np.zeros(flits, np.int64),
        node=np.zeros(flits, np.int64),
        packet=np.zeros(flits, np.int64),
        beat=np.zeros(flits, np.int64),
        refused_clock=np.zeros(refusals, np.int64),
        refused_node=np.zeros(refusals, np.int64),
    )
    fixed = Fixed(
        neighbours=np.ascontiguousarray(topology.neighbours),
        peer_ports=np.ascontiguousarray(topology.peer_ports),
        parameters=routing.parameters,
        has_skid=has_skid(network),
        refused=packets.refused,
        multicast=packets.multicast,
        destination=copies.destination,
        start_vc=copies.virtual_channel,
        chain=copies.chain,
        length=copies.length,
        first_copy=copies.first,
        copies=copies.count,
        vcs=routing.virtual_channels,
        classes=routing.classes,
        pipeline=network.hardware.pipeline,
        escape=NONE if routing.escape_class is None else routing.escape_class,
        stores=store_count(network),
    )
    run = compiled_run(
        routing.rule, escapes=routing.escape_class is not None, multicasts=fixed.stores > 0
    )
    stepped, logged, refused, _ = run(
        fixed,
        make_state(network),
        make_stores(network),
        make_endpoints(packets, traffic),
        make_scratch(network),
        log,
        clocks,
        PATIENCE,
    )
    copy, beat = log.packet[:logged], log.beat[:logged]
    packet = copies.origin[copy]
    codes = np.array([topology.address(node) for node in range(topology.nodes)], np.int64)
    words = packets.words(network.hardware.data_width)
    # A copy has less of the chain before its data than the packet had.
    flit = packets.first_flit[packet + 1] - copies.length[copy] + beat
    order = np.lexsort((log.refused_node[:refused], log.refused_clock[:refused]))
    return Record(
        clock=log.clock[:logged],
        node=log.node[:logged],
        source=codes[packets.source[packet]],
        last=(beat == copies.length[copy] - 1).astype(np.int64),
        data=words[flit],
        refused=np.stack([log.refused_clock[:refused], log.refused_node[:refused]], 1)[order],
        clocks=int(stepped),
    )
