"""Source of a node's packets in a measured window: when it creates them, and where they go."""

from functools import reduce
from operator import xor

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.topology import Topology

from ...measuring import (
    CREATION,
    DESTINATION,
    RATE_ONE,
    SEED_WIDTH,
    STATE_WIDTH,
    TAPS,
    TIME_WIDTH,
    WORD_WIDTH,
    available_patterns,
    choice_count,
    destinations,
    excludes_sender,
    queue_depth,
    salt,
)
from .commands import SETTINGS_LAYOUT


class RandomRegister(wiring.Component):
    """Stream of random words of a node.

    Parameters
    ----------
    node, stream : int
        Node, and which of its streams.

    Members
    -------
    seed : In(SEED_WIDTH)
        Seed of all streams.
    load : In(1)
        Restarts the stream.
    step : In(1)
        Goes on to the next word.
    o : Out(16)
        Word.
    """

    seed: Value
    load: Value
    step: Value
    o: Value

    def __init__(self, *, node: int, stream: int) -> None:
        self._salt = salt(node, stream)
        super().__init__(
            {"seed": In(SEED_WIDTH), "load": In(1), "step": In(1), "o": Out(WORD_WIDTH)}
        )

    def elaborate(self, platform: object) -> Module:
        """Take as many steps at once as a word has bits."""
        del platform
        m = Module()
        state = Signal(STATE_WIDTH, init=1)
        new = Cat(reduce(xor, (state[i + tap] for tap in TAPS)) for i in range(WORD_WIDTH))
        m.d.comb += self.o.eq(state[:WORD_WIDTH])
        with m.If(self.load):
            m.d.sync += state.eq(Cat(self.seed ^ Const(self._salt & ~(-1 << SEED_WIDTH)), 1))
        with m.Elif(self.step):
            m.d.sync += state.eq(Cat(state[WORD_WIDTH:], new))
        return m


class Destinations(wiring.Component):
    """Stream of the addresses to which a node sends, one per packet, as `measuring.drawn` has them.

    Parameters
    ----------
    topology : Topology
        Network.
    node : int
        Index of the node.

    Members
    -------
    load : In(1)
        Restarts; some cycles later addresses come, one per cycle.
    seed, pattern
        Settings.
    o : Out(stream)
        Addresses.
    """

    load: Value
    seed: Value
    pattern: Value
    o: stream.Interface

    def __init__(self, topology: Topology, *, node: int) -> None:
        self._topology = topology
        self._node = node
        super().__init__(
            {
                "load": In(1),
                "seed": In(SEED_WIDTH),
                "pattern": In(SETTINGS_LAYOUT["pattern"].width),
                "o": Out(stream.Signature(topology.address_width)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Draw a place among the receivers, then an index, then its address: a stage each."""
        del platform
        m = Module()
        topology, node = self._topology, self._node
        to = topology.receivers(node)
        m.submodules.register = register = RandomRegister(node=node, stream=DESTINATION)
        place, index = Signal(range(max(len(to), 2))), Signal(range(topology.nodes))
        filled = Signal(2)
        moves = ~self.o.valid | self.o.ready
        m.d.comb += [
            register.seed.eq(self.seed),
            register.load.eq(self.load),
            register.step.eq(moves),
        ]
        skips = (place >= node - to.start) if excludes_sender(to, node) else 0
        with m.If(self.load):
            m.d.sync += [filled.eq(0), self.o.valid.eq(0)]
        with m.Elif(moves):
            m.d.sync += [
                place.eq(product(register.o, choice_count(to, node)) >> WORD_WIDTH),
                index.eq(place + to.start + skips),
                self.o.p.eq(self._address(index)),
                Cat(filled, self.o.valid).eq(Cat(1, filled)),
            ]
        return m

    def _address(self, index: Value) -> Value:
        """Address of the node with this index, or of the one that the pattern selects."""
        topology = self._topology
        width, nodes = topology.address_width, range(topology.nodes)
        addresses = [topology.address(node) for node in nodes]
        drawn = index
        if addresses != list(nodes):
            drawn = Array(Const(address, width) for address in addresses)[index]
        of_pattern: dict[int, Value] = {}
        for number in available_patterns(topology):
            fixed = destinations(topology, number)
            if fixed is None:  # uniform
                of_pattern[number] = drawn
            else:
                of_pattern[number] = Const(addresses[fixed[self._node]], width)
        numbers = range(1 << len(self.pattern))
        return Array(of_pattern.get(number, drawn) for number in numbers)[self.pattern]


def product(value: Value, factor: int) -> Value:
    """`value` times a constant, by additions: a multiplier would be worth more elsewhere."""
    width = factor.bit_length()
    if factor + 1 == 1 << width:
        return ((value << width) - value)[: len(value) + width]
    shifted = [value << place for place in range(width) if factor >> place & 1]
    total = shifted[0]
    for term in shifted[1:]:
        total = total + term
    return total


class TimeQueue(wiring.Component):
    """Queue in a block of memory that takes and gives an element per cycle.

    Latency
    -------
    2 cycles.

    Parameters
    ----------
    shape : StructLayout
        Element.
    depth : int
        Elements, a power of two; the writer never writes more.

    Members
    -------
    clear : In(1)
        Empties the queue.
    i : In(shape)
        Element.
    write : In(1)
        It is there.
    o : Out(stream)
        The same elements.
    empty : Out(1)
        Nothing is in the queue.
    """

    clear: Value
    i: data.View
    write: Value
    o: stream.Interface
    empty: Value

    def __init__(self, *, shape: data.StructLayout, depth: int) -> None:
        self._shape = shape
        self._depth = depth
        super().__init__(
            {
                "clear": In(1),
                "i": In(shape),
                "write": In(1),
                "o": Out(stream.Signature(shape)),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read ahead, so that the memory's own register shows the first element."""
        del platform
        m = Module()
        m.submodules.store = store = memory.Memory(
            shape=self._shape, depth=self._depth, init=[], attrs={"ram_style": "block"}
        )
        write, read = store.write_port(), store.read_port()
        level = Signal(range(self._depth + 1))
        reads = (level != 0) & (~self.o.valid | self.o.ready)
        m.d.comb += [
            write.en.eq(self.write),
            write.data.eq(self.i),
            read.en.eq(reads),
            self.o.p.eq(read.data),
            self.empty.eq((level == 0) & ~self.o.valid),
        ]
        with m.If(self.clear):
            m.d.sync += [level.eq(0), self.o.valid.eq(0)]
        with m.Else():
            m.d.sync += [
                level.eq(level + self.write - reads),
                write.addr.eq(write.addr + self.write),
                read.addr.eq(read.addr + reads),
                self.o.valid.eq(reads | (self.o.valid & ~self.o.ready)),
            ]
        return m


CREATION_CYCLES = 4
"""Cycles from the one in which a packet is created to the first in which `NodeSource` offers it."""


def packet_layout(address_width: int, stamp_width: int) -> data.StructLayout:
    """Fields of a created packet: destination, whether it is a sample, time of creation."""
    return data.StructLayout({"destination": address_width, "sample": 1, "stamp": stamp_width})


class NodeSource(wiring.Component):
    """Creates packets at random, and keeps them in a queue without bounds until they are taken.

    Only the times of creation need memory. A packet has none if the queue of times is full, or if a
    packet without one still waits; such a packet is no sample, and raises `overrun`.

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
        Restarts: nothing waits, and the random numbers begin again.
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
