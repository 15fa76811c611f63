"""Loader of the jump tables in the self-test of batch networks."""

from collections.abc import Sequence

from amaranth.hdl import Array, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.batch.layouts import config_signature, entry_layout
from knotwork.network import Network
from knotwork.routing.scheduling.linear_complement import JumpTable

from .permutations import REPEATS_LOG2


class BatchLoader(wiring.Component):
    """Loader that offers one table after the other, each for the batches that use it.

    It offers the next table in the cycle after a node has received its packet of the last of these
    batches. That node cannot have given its next packet earlier, so no batch begins on an old
    table.

    Latency
    -------
    1 cycle from `ended` to the first entry of a table, 2 cycles from a reset to that of the first
    table; then one entry in two cycles.

    Parameters
    ----------
    network : Network
        Network of batches.
    tables : sequence of JumpTable
        Tables; after the last table comes the first.

    Members
    -------
    loaded : In(1)
        `entries` take the place of all tables.
    entries : In(ArrayLayout(entry_layout, n))
        Table loaded, the entry of dimension n - 1 first.
    anew : In(1)
        It begins again with the first table, once it has offered all of the present one: the
        network must not see a part of a table. No batch runs meanwhile.
    ended : In(1)
        A batch has ended: a node receives the last beat of its packet.
    o : Out(config_signature)
        To the network.
    """

    loaded: Value
    entries: data.View
    anew: Value
    ended: Value
    o: stream.Interface

    def __init__(self, *, network: Network, tables: Sequence[JumpTable]) -> None:
        self._network = network
        self._tables = tables
        entries = data.ArrayLayout(entry_layout(network), network.topology.address_width)
        super().__init__(
            {
                "loaded": In(1),
                "entries": In(entries),
                "anew": In(1),
                "ended": In(1),
                "o": Out(config_signature(network)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Walk through a memory that holds the entries of all tables in a row."""
        del platform
        m = Module()
        n = self._network.topology.address_width
        layout = entry_layout(self._network)
        entries = [
            layout.const({"jump": table.jump[dimension], "buddy": table.buddy[dimension]})
            for table in self._tables
            for dimension in reversed(range(n))
        ]
        m.submodules.entries = store = memory.Memory(shape=layout, depth=len(entries), init=entries)
        read = store.read_port()
        place, left = Signal(range(len(entries))), Signal(range(n), init=n - 1)
        batches, again = Signal(REPEATS_LOG2), Signal()
        last = left == 0
        loaded = Array(self.entries[entry].as_value() for entry in reversed(range(n)))[left]
        m.d.comb += [
            read.addr.eq(place),
            self.o.p.entry.eq(Mux(self.loaded, loaded, read.data.as_value())),
            self.o.p.last.eq(last),
        ]
        with m.FSM():
            with m.State("FETCH"):
                m.next = "OFFER"
            with m.State("OFFER"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.d.sync += [
                        place.eq(Mux(place == len(entries) - 1, 0, place + 1)),
                        left.eq(Mux(last, n - 1, left - 1)),
                    ]
                    m.next = "FETCH"
                    with m.If(last):
                        m.next = "WAIT"
            with m.State("WAIT"):
                with m.If(again):
                    m.d.sync += [again.eq(0), place.eq(0), batches.eq(0)]
                    m.next = "FETCH"
                with m.Elif(self.ended):
                    m.d.sync += batches.eq(batches + 1)
                    with m.If(batches.all()):
                        m.next = "OFFER"
        with m.If(self.anew):
            m.d.sync += again.eq(1)
        return m
