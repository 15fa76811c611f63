"""Source of a node's packets in a measured window, before they are given a form."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.topology import Topology

from ...measuring.expected import queue_depth
from ...measuring.random_words import CREATION
from ...measuring.settings import RATE_ONE, SEED_WIDTH, TIME_WIDTH
from .commands import SETTINGS_LAYOUT
from .destinations import Destinations
from .random_register import RandomRegister
from .time_queue import TimeQueue

CREATION_CYCLES = 4
"""Cycles from the one in which a packet is created to the first in which `NodeSource` offers it."""


def packet_layout(address_width: int, stamp_width: int) -> data.StructLayout:
    """What a source says of a packet: where to, whether it is a sample, when it was created."""
    return data.StructLayout({"destination": address_width, "sample": 1, "stamp": stamp_width})


class NodeSource(wiring.Component):
    """Creates packets at random, and keeps them in a queue without bounds until they are taken.

    Only the times of creation need room. A packet gets none if the queue of times is full, or if a
    packet without one still waits; such a packet is no sample, and `overrun` says so.

    Parameters
    ----------
    topology : Topology
        Network.
    node : int
        Index of the node.
    stamp_width : int
        Bits of a time of creation.

    Members
    -------
    load : In(1)
        Begins anew: nothing waits, and the random numbers start.
    seed, pattern : In
        Settings.
    threshold, creating, measured
        See `Pace`.
    time : In(stamp_width)
        Stamp of a packet that is created in the cycle before.
    entered : In(1)
        The first flit of a packet has entered the network.
    o : Out(stream)
        Packets.
    sampled, overrun : Out(1)
        A packet of the measured part was created, with a time or without.
    waiting : Out(1)
        A packet has been created and has not entered.
    """

    load: Value
    seed: Value
    pattern: Value
    threshold: Value
    creating: Value
    measured: Value
    time: Value
    entered: Value
    o: stream.Interface
    sampled: Value
    overrun: Value
    waiting: Value

    def __init__(self, topology: Topology, *, node: int, stamp_width: int) -> None:
        self._topology = topology
        self._node = node
        self._depth = queue_depth(stamp_width)
        self._stamp_width = stamp_width
        super().__init__(
            {
                "load": In(1),
                "seed": In(SEED_WIDTH),
                "pattern": In(SETTINGS_LAYOUT["pattern"].width),
                "threshold": In(RATE_ONE.bit_length()),
                "creating": In(1),
                "measured": In(1),
                "time": In(stamp_width),
                "entered": In(1),
                "o": Out(stream.Signature(packet_layout(topology.address_width, stamp_width))),
                "sampled": Out(1),
                "overrun": Out(1),
                "waiting": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Draw, queue, and join what leaves the queue with where it goes."""
        del platform
        m = Module()
        m.submodules.register = register = RandomRegister(node=self._node, stream=CREATION)
        created, measured, keeps = Signal(), Signal(), Signal()
        m.d.comb += [
            register.seed.eq(self.seed),
            register.load.eq(self.load),
            register.step.eq(self.creating),
            self.sampled.eq(created & measured & keeps),
            self.overrun.eq(created & measured & ~keeps),
        ]
        m.d.sync += [
            created.eq(self.creating & (register.o < self.threshold)),
            measured.eq(self.measured),
        ]
        self._count(m, created, keeps)
        self._offer(m, created, measured, keeps)
        return m

    def _count(self, m: Module, created: Value, keeps: Value) -> None:
        """Count the packets that have not entered, those with a time and those without."""
        timed, untimed = Signal(range(self._depth + 1)), Signal(TIME_WIDTH + 1)
        has_timed = timed != 0
        m.d.comb += keeps.eq((untimed == 0) & (timed != self._depth))
        with m.If(self.load):
            m.d.sync += [timed.eq(0), untimed.eq(0)]
        with m.Else():
            m.d.sync += [
                timed.eq(timed + (created & keeps) - (self.entered & has_timed)),
                untimed.eq(untimed + (created & ~keeps) - (self.entered & ~has_timed)),
            ]
        m.d.sync += self.waiting.eq(has_timed | (untimed != 0))

    def _offer(self, m: Module, created: Value, measured: Value, keeps: Value) -> None:
        """Offer the packets with a time first: all others were created after them."""
        shape = data.StructLayout({"sample": 1, "stamp": self._stamp_width})
        m.submodules.times = times = TimeQueue(shape=shape, depth=self._depth)
        m.submodules.to = to = Destinations(self._topology, node=self._node)
        untimed, one_more = Signal(TIME_WIDTH + 1), Signal()
        takes, has_one = Signal(), Signal()
        m.d.comb += [
            times.clear.eq(self.load),
            times.write.eq(created & keeps),
            times.i.sample.eq(measured),
            times.i.stamp.eq(self.time),
            to.load.eq(self.load),
            to.seed.eq(self.seed),
            to.pattern.eq(self.pattern),
            has_one.eq(times.o.valid | (times.empty & (untimed != 0))),
            takes.eq((~self.o.valid | self.o.ready) & has_one & to.o.valid),
            times.o.ready.eq(takes),
            to.o.ready.eq(takes),
        ]
        m.d.sync += one_more.eq(created & ~keeps)
        with m.If(self.load):
            m.d.sync += [untimed.eq(0), self.o.valid.eq(0)]
        with m.Else():
            m.d.sync += untimed.eq(untimed + one_more - (takes & ~times.o.valid))
            with m.If(takes):
                m.d.sync += [
                    self.o.valid.eq(1),
                    self.o.p.destination.eq(to.o.p),
                    self.o.p.sample.eq(times.o.valid & times.o.p.sample),
                    self.o.p.stamp.eq(times.o.p.stamp),
                ]
            with m.Elif(self.o.ready):
                m.d.sync += self.o.valid.eq(0)
