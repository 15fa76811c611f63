"""Faults on purpose in the self-test of batch networks."""

import numpy as np
from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from knotwork.gateware.batch.layouts import config_signature
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting
from knotwork.routing.scheduling.linear_complement import JumpTable

from ..node_test import Fault, FaultStage
from ..packet_format import PacketFormat
from .tables import Permutations


class BatchFaultInjector(FaultStage):
    """Stage between a source and the network in which the second packet of a window goes wrong.

    A packet that must be lost is withheld, as are all after it, so the network stands still. A
    packet that must be duplicated gets the number of the batch before, which sent the same
    permutation. The packet that must be refused is an extra one ahead of the second: one beat
    long, or two beats long where packets have one.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    words : int
        Beats of every packet.
    wrong_address : int
        Address to which it sends a packet that must be misrouted; another node's packet goes there
        too.
    """

    def __init__(self, *, format: PacketFormat, words: int, wrong_address: int) -> None:
        self._format = format
        self._words = words
        self._wrong_address = wrong_address
        super().__init__(stream.Signature(format.packet_in))

    def elaborate(self, platform: object) -> Module:
        """Pass everything on except the chosen packet."""
        del platform
        m = Module()
        first = Signal(init=1)
        packets = Signal(2)
        withholds, refused = Signal(), Signal()
        taken = self.i.valid & self.i.ready
        self.pass_on(m)
        with m.If(taken):
            m.d.sync += first.eq(self.i.p.last)
            with m.If(packets < 2):
                m.d.sync += packets.eq(packets + self.i.p.last)
        with m.If(self.start):
            m.d.sync += [packets.eq(0), withholds.eq(0), refused.eq(0)]
        with m.If(withholds):
            m.d.comb += [self.o.valid.eq(0), self.i.ready.eq(0)]
        with m.Elif(packets == 1), m.Switch(self.fault):
            with m.Case(Fault.LOST):
                m.d.comb += [self.o.valid.eq(0), self.i.ready.eq(1)]
                m.d.sync += withholds.eq(self.i.valid & self.i.p.last)
            with m.Case(Fault.DUPLICATED):
                m.d.comb += self.o.p.data.eq(self.i.p.data ^ self._other_number(first))
            with m.Case(Fault.CORRUPTED):
                m.d.comb += self.o.p.data.eq(self.i.p.data ^ self.i.p.last)
            with m.Case(Fault.MISROUTED):
                m.d.comb += self.o.p.destination.eq(self._wrong_address)
            with m.Case(Fault.REFUSED), m.If(~refused):
                self._add_packet(m, refused)
        return m

    def _other_number(self, first: Value) -> Value:
        """Bits of a beat to flip so that bit 0 of its sequence number changes.

        Every bit of a beat is the sum, modulo 2, of bits of its fields.
        """
        form = self._format
        zero, beat = Const(0, form.address_width), Const(0, range(self._words))
        of_packet = {"copy": Const(0, form.copy_width), "source": zero, "last": Const(0, 1)}
        heads, bodies = [], []
        for number in (0, 1):
            sequence = Const(number, form.sequence_width)
            heads.append(form.head(destination=zero, sequence=sequence, **of_packet))
            bodies.append(form.body(beat=beat, sequence=sequence, **of_packet))
        return Mux(first, heads[0] ^ heads[1], bodies[0] ^ bodies[1])

    def _add_packet(self, m: Module, refused: Signal) -> None:
        """Send the present beat as a packet: once, or twice where packets have one beat."""
        ends: Value = Const(1, 1)
        if self._words == 1:
            ends = Signal()
            with m.If(self.o.valid & self.o.ready):
                m.d.sync += ends.eq(~ends)
        m.d.comb += [self.i.ready.eq(0), self.o.p.last.eq(ends)]
        with m.If(self.o.valid & self.o.ready & ends):
            m.d.sync += refused.eq(1)


class TableFaultInjector(FaultStage):
    """Stage between the loader and the network in which one jump bit per window is flipped.

    Parameters
    ----------
    network : Network
        Network of batches.
    permutations : Permutations
        Permutations that the tables route.
    """

    def __init__(self, *, network: Network, permutations: Permutations) -> None:
        self._n = network.topology.address_width
        self._tables = len(permutations.tables)
        self._wrong = detectable_entry(network, permutations)
        super().__init__(config_signature(network))

    def elaborate(self, platform: object) -> Module:
        """Count the entries of all tables; flip the jump bit of the chosen entry."""
        del platform
        m = Module()
        entries = self._tables * self._n
        place, done = Signal(range(entries)), Signal()
        chosen = Signal()
        self.pass_on(m)
        if self._wrong is not None:
            m.d.comb += chosen.eq((place == self._wrong) & (self.fault == Fault.TABLE) & ~done)
        with m.If(chosen):
            m.d.comb += self.o.p.entry.jump.eq(~self.i.p.entry.jump)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += place.eq(Mux(place == entries - 1, 0, place + 1))
            with m.If(chosen):
                m.d.sync += done.eq(1)
        with m.If(self.start):
            m.d.sync += done.eq(0)
        return m


def wrong_table(table: JumpTable, dimension: int) -> JumpTable:
    """Table with the jump bit of one dimension flipped."""
    jump = list(table.jump)
    jump[dimension] ^= 1
    return JumpTable(tuple(jump), table.buddy)


def detectable_entry(network: Network, permutations: Permutations) -> int | None:
    """Entry, counted over all tables, whose jump bit raises a flag if it is wrong.

    Entries of the first table do not count, for it is loaded before a window begins. None where
    there is no such entry, as in a network of one dimension.
    """
    routing = BatchRouting.of(network.routing)
    n = network.topology.address_width
    for number, table in enumerate(permutations.tables[1:], start=1):
        destinations = permutations.destinations[number]
        for place, dimension in enumerate(reversed(range(n))):
            if np.any(routing.flags(destinations, wrong_table(table, dimension))):
                return number * n + place
    return None
