"""Store of a multicast unit: holds one packet and sends its copies on."""

from enum import IntEnum

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.memory import Memory, ReadPort
from amaranth.lib.wiring import In, Out

from ...network import Network
from ..component import Component
from ..layouts import eject_layout, flit_layout
from ..parts.crossbar import one_hot_mux


def bit_length(value: Value, bits: int) -> Value:
    """Position of the highest bit set, counted from 1; 0 for none. `bits` bits wide."""
    places = range(len(value))
    highest = [value[place] & ~value[place + 1 :].any() for place in places]
    lengths = [Const(place + 1, bits) & value[place].replicate(bits) for place in places]
    return one_hot_mux(highest, lengths)


class StorePhase(IntEnum):
    """What a store does."""

    FILL = 0
    """It takes a packet."""
    LOOK_UP = 1
    """It reads where the next copy goes."""
    SEND = 2
    """It sends a copy."""
    DELIVER = 3
    """It gives its own node the data."""


class Store(Component):
    """Packet of chain and data, sent to the nodes of its chain half after half, then delivered.

    With k nodes left, c_0 .. c_{k-1}, it sends to c_{k // 2} a packet of the addresses behind that
    node and of all data, and keeps the k // 2 before it (`routing.multicast`).

    Latency
    -------
    2 cycles from the packet's last flit at `i` to its first copy's first at `o`; 1 cycle between
    two copies, and none before the delivery.

    Parameters
    ----------
    network : Network
        Widths and longest packet.
    delivers : bool
        Whether its own node gets a copy too.

    Members
    -------
    i : In(stream.Signature(flit_layout))
        Packet; `ready` while the store is empty or being filled.
    discard : In(1)
        With the packet's last flit: drop the packet; only without `delivers`.
    o : Out(stream.Signature(flit_layout))
        Copies.
    vc_class : Out(classes)
        Class of the copy in `o`.
    deliver : Out(stream.Signature(eject_layout))
        Data for this node; only with `delivers`. With parity, of a packet that came broken chain
        and data, marked; it is not sent on. Of one that broke in the store, every copy is marked
        where it is ejected.
    phase : Signal
        See `StorePhase`.
    flits, chain_length : Signal
        Flits that came, and how many of them are of the chain.
    nodes_left : Signal
        Nodes that copies must still go to.
    position : Signal
        Flit that is sent or delivered.
    broken, marked : Signal
        The packet was wrong when it came; a beat that was delivered before was. Only with parity.
    source_parity : Signal
        Parity of the source; only with parity.
    word : Signal
        Word of the memory that is read.
    """

    i: stream.Interface
    discard: Signal
    o: stream.Interface
    vc_class: Signal
    deliver: stream.Interface

    def __init__(self, network: Network, *, delivers: bool) -> None:
        self._network = network
        self._delivers = delivers
        self._width = network.hardware.data_width
        count = range(network.routing.options.longest_copied_packet + 1)
        self.flits, self.chain_length = (
            Signal(count, name="flits"),
            Signal(count, name="chain_length"),
        )
        self.nodes_left, self.position = (
            Signal(count, name="nodes_left"),
            Signal(count, name="position"),
        )
        self.phase = Signal(2, name="phase")
        self.broken, self.marked = Signal(name="broken"), Signal(name="marked")
        self.source_parity = Signal(name="source_parity")
        flits = stream.Signature(flit_layout(network))
        ports = {
            "i": In(flits),
            "o": Out(flits),
            "vc_class": Out(range(network.routing.classes)),
        }
        if delivers:
            ports["deliver"] = Out(stream.Signature(eject_layout(network)))
        else:
            ports["discard"] = In(1)
        super().__init__(ports)

    @property
    def variant(self) -> str:
        return "" if self._delivers else "source"

    @property
    def _is_discarded(self) -> Value:
        """Whether the sender drops the packet that comes: only packets of the node itself."""
        return Const(0) if self._delivers else self.discard

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = self._network.routing.options.longest_copied_packet
        shape = self._width + self._network.has_parity
        m.submodules.memory = memory = Memory(shape=shape, depth=depth, init=[])
        read = memory.read_port(domain="comb")
        self.word = read.data
        self._fill(m, memory)
        done = Signal()
        with m.Switch(self.phase):
            with m.Case(StorePhase.FILL):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += self.nodes_left.eq(self.chain_length)
                with m.If(self.i.valid & self.i.p.last & ~self._is_discarded):
                    m.d.sync += self.phase.eq(StorePhase.LOOK_UP)
            with m.Case(StorePhase.LOOK_UP):
                self._look_up(m, read)
                m.d.sync += self.phase.eq(StorePhase.SEND)
                if self._checks:
                    with m.If(self.broken):
                        m.d.sync += [self.position.eq(0), self.phase.eq(StorePhase.DELIVER)]
            with m.Case(StorePhase.SEND):
                self._send(m, read)
                with m.If(self.o.ready & self.o.p.last):
                    m.d.sync += [
                        self.nodes_left.eq(self.nodes_left >> 1),
                        self.phase.eq(StorePhase.LOOK_UP),
                    ]
                    with m.If(self.nodes_left[1:] == 0):
                        after = StorePhase.DELIVER if self._delivers else StorePhase.FILL
                        m.d.sync += [self.position.eq(self.chain_length), self.phase.eq(after)]
                        if not self._delivers:
                            m.d.comb += done.eq(1)
            if self._delivers:
                with m.Case(StorePhase.DELIVER):
                    self._deliver(m, read, done)
        with m.If(done):
            m.d.sync += [self.flits.eq(0), self.chain_length.eq(0)]
        return m

    def _deliver(self, m: Module, read: ReadPort, done: Signal) -> None:
        """Give the node the data; `done` with the last beat."""
        beat, place = self.deliver.p, self.position
        m.d.comb += [
            read.addr.eq(place),
            self.deliver.valid.eq(1),
            beat.data.eq(read.data[: self._width]),
            beat.last.eq(place + 1 == self.flits),
            beat.source.eq(self.o.p.source),
        ]
        if self._checks:
            self._mark(m, read)
        with m.If(self.deliver.ready):
            m.d.sync += place.eq(place + 1)
            with m.If(beat.last):
                m.d.comb += done.eq(1)
                m.d.sync += self.phase.eq(StorePhase.FILL)

    @property
    def _checks(self) -> bool:
        """Whether packets can be broken when they come: those of the node itself are not."""
        return self._network.has_parity and self._delivers

    @property
    def _is_broken(self) -> Value:
        """Whether the packet that comes is, up to the flit at `i`."""
        return self.broken | self.i.p.wrong if self._checks else Const(0)

    def _mark(self, m: Module, read: ReadPort) -> None:
        """Mark the beats that are delivered from the first wrong one to the last."""
        m.d.comb += self.deliver.p.flags.eq(self.broken | self.marked | read.data.xor())
        with m.If(self.deliver.ready):
            m.d.sync += self.marked.eq(self.deliver.p.flags & ~self.deliver.p.last)
            with m.If(self.deliver.p.last):
                m.d.sync += self.broken.eq(0)

    def _fill(self, m: Module, memory: Memory) -> None:
        """Write the packet, counting its flits and those of its chain."""
        flits, total = self.flits, self.chain_length
        write = memory.write_port()
        taken = self.i.valid & self.i.ready
        room = flits != memory.depth  # the sender discards longer packets
        m.d.comb += [
            write.addr.eq(flits),
            write.data.eq(self._word),
            write.en.eq(taken & room),
        ]
        with m.If(taken):
            m.d.sync += [
                flits.eq(flits + room),
                total.eq(total + self.i.p.chain),
                self.o.p.source.eq(self.i.p.source),
            ]
            if self._network.has_parity:
                flit = self.i.p
                m.d.sync += [
                    self.broken.eq(self._is_broken),
                    self.source_parity.eq(flit.header_parity ^ flit.destination.xor()),
                ]
            with m.If(self.i.p.last & self._is_discarded):
                m.d.sync += [flits.eq(0), total.eq(0)]
        right = room & (total != 0) & ~self.i.p.chain
        m.d.sync += Assert(
            ~taken | ~self.i.p.last | self._is_discarded | self._is_broken | right,
            "store: a packet must fit, and have a chain and data behind it",
        )

    @property
    def _word(self) -> Value:
        """What the store holds of a flit; with parity also that of its data, without the mark."""
        flit = self.i.p
        if not self._network.has_parity:
            return flit.data
        return Cat(flit.data, flit.data_parity ^ flit.chain)

    def _look_up(self, m: Module, read: ReadPort) -> None:
        """Read the next copy's destination; find its first flit and its class."""
        left, middle = self.nodes_left, self.nodes_left >> 1
        others, rest = Signal.like(left, name="others"), Signal(len(left) - 1, name="rest")
        m.d.comb += [read.addr.eq(middle), others.eq(left - 1), rest.eq(others >> 1)]
        m.d.sync += [
            self.o.p.destination.eq(read.data[: self._width]),
            self.position.eq(Mux(middle + 1 == left, self.chain_length, middle + 1)),
            self.vc_class.eq(bit_length(rest, len(self.vc_class))),
        ]
        if self._network.has_parity:
            # The word is an address, and its parity the address's.
            m.d.sync += self.o.p.header_parity.eq(read.data[self._width] ^ self.source_parity)

    def _send(self, m: Module, read: ReadPort) -> None:
        """Send a copy: the chain behind its destination, then the data."""
        left, place = self.nodes_left, self.position
        chain, last = place < left, place + 1 == self.flits
        m.d.comb += [
            read.addr.eq(place),
            self.o.valid.eq(1),
            self.o.p.data.eq(read.data[: self._width]),
            self.o.p.last.eq(last),
            self.o.p.chain.eq(chain),
        ]
        if self._network.has_parity:
            m.d.comb += [
                self.o.p.data_parity.eq(read.data[self._width] ^ chain),
                self.o.p.last_copies.eq(last.replicate(2)),
                self.o.p.wrong.eq(0),
            ]
        with m.If(self.o.ready):
            m.d.sync += place.eq(Mux(place + 1 == left, self.chain_length, place + 1))
