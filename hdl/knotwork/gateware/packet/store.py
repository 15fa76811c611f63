"""Store of a multicast unit: holds one packet and sends its copies on."""

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
        self._broken = Signal(name="broken")
        self._source_parity = Signal(name="source_parity")
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
        flits, total, left = (Signal(range(depth + 1), name=n) for n in ("flits", "total", "left"))
        place = Signal(range(depth + 1))
        self._fill(m, memory, flits, total)
        done = Signal()
        with m.FSM():
            with m.State("FILL"):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += left.eq(total)
                with m.If(self.i.valid & self.i.p.last & ~self._is_discarded):
                    m.next = "LOOK UP"
            with m.State("LOOK UP"):
                self._look_up(m, read, left, total, place)
                m.next = "SEND"
                if self._checks:
                    with m.If(self._broken):
                        m.d.sync += place.eq(0)
                        m.next = "DELIVER"
            with m.State("SEND"):
                self._send(m, read, left, total, place, last=place + 1 == flits)
                with m.If(self.o.ready & self.o.p.last):
                    m.d.sync += left.eq(left >> 1)
                    m.next = "LOOK UP"
                    with m.If(left[1:] == 0):
                        m.d.sync += place.eq(total)
                        if self._delivers:
                            m.next = "DELIVER"
                        else:
                            m.d.comb += done.eq(1)
                            m.next = "FILL"
            if self._delivers:
                with m.State("DELIVER"):
                    m.d.comb += [
                        read.addr.eq(place),
                        self.deliver.valid.eq(1),
                        self.deliver.p.data.eq(read.data[: self._width]),
                        self.deliver.p.last.eq(place + 1 == flits),
                        self.deliver.p.source.eq(self.o.p.source),
                    ]
                    if self._checks:
                        self._mark(m, read)
                    with m.If(self.deliver.ready):
                        m.d.sync += place.eq(place + 1)
                        with m.If(self.deliver.p.last):
                            m.d.comb += done.eq(1)
                            m.next = "FILL"
        with m.If(done):
            m.d.sync += [flits.eq(0), total.eq(0)]
        return m

    @property
    def _checks(self) -> bool:
        """Whether packets can be broken when they come: those of the node itself are not."""
        return self._network.has_parity and self._delivers

    @property
    def _is_broken(self) -> Value:
        """Whether the packet that comes is, up to the flit at `i`."""
        return self._broken | self.i.p.wrong if self._checks else Const(0)

    def _mark(self, m: Module, read: ReadPort) -> None:
        """Mark the beats that are delivered from the first wrong one to the last."""
        marked = Signal(name="marked")
        m.d.comb += self.deliver.p.flags.eq(self._broken | marked | read.data.xor())
        with m.If(self.deliver.ready):
            m.d.sync += marked.eq(self.deliver.p.flags & ~self.deliver.p.last)
            with m.If(self.deliver.p.last):
                m.d.sync += self._broken.eq(0)

    def _fill(self, m: Module, memory: Memory, flits: Signal, total: Signal) -> None:
        """Write the packet, counting its flits and those of its chain."""
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
                    self._broken.eq(self._is_broken),
                    self._source_parity.eq(flit.header_parity ^ flit.destination.xor()),
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

    def _look_up(
        self, m: Module, read: ReadPort, left: Signal, total: Signal, place: Signal
    ) -> None:
        """Read the next copy's destination; find its first flit and its class."""
        middle = left >> 1
        others, rest = Signal.like(left, name="others"), Signal(len(left) - 1, name="rest")
        m.d.comb += [read.addr.eq(middle), others.eq(left - 1), rest.eq(others >> 1)]
        m.d.sync += [
            self.o.p.destination.eq(read.data[: self._width]),
            place.eq(Mux(middle + 1 == left, total, middle + 1)),
            self.vc_class.eq(bit_length(rest, len(self.vc_class))),
        ]
        if self._network.has_parity:
            # The word is an address, and its parity the address's.
            m.d.sync += self.o.p.header_parity.eq(read.data[self._width] ^ self._source_parity)

    def _send(
        self, m: Module, read: ReadPort, left: Signal, total: Signal, place: Signal, *, last: Value
    ) -> None:
        """Send a copy: the chain behind its destination, then the data."""
        chain = place < left
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
            m.d.sync += place.eq(Mux(place + 1 == left, total, place + 1))
