"""Batch router: it holds one packet, and exchanges it step by step with its neighbours."""

from collections.abc import Hashable

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ...network import Network, RouterKind
from ...parameters import BatchParameters
from ...untyped import Interface, View
from ..component import Component
from ..layouts import eject_layout, inject_layout
from ..networks import gates_of
from .exchange import Exchange, Sequencer
from .layouts import (
    control_layout,
    entry_layout,
    exchange_signature,
    is_distributed,
    message_layout,
    report_layout,
    steps_layout,
)


class RouterSteps(Component):
    """Counts the steps of a batch for its router alone.

    All routers start in the same cycle and count alike, so they stay in lockstep.

    Latency
    -------
    0 cycles: the first step begins with the cycle of the start.

    Parameters
    ----------
    network : Network
        Network with batches.

    Members
    -------
    control : In(control_layout)
        From the controller.
    last : In(1)
        The router has the last beat of its packet in hand.
    o : Out(steps_layout)
        What the router does.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
    sections 3.3 and 5: every node runs the algorithm for itself.
    """

    control: View
    last: Signal
    o: View

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(
            {
                "control": In(control_layout(network)),
                "last": In(1),
                "o": Out(steps_layout(network)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        sequencer: Interface = gates_of(network).SEQUENCERS[network.routing.name](network)
        m.submodules.sequencer = sequencer
        self.sequencer: Sequencer = sequencer
        self.going = going = Signal(name="going")
        running, ends = Signal(name="running"), Signal(name="ends")
        m.d.comb += [
            running.eq(self.control.start | going),
            sequencer.advance.eq(running & self.last),
            ends.eq(sequencer.advance & sequencer.final),
            self.o.running.eq(running),
            self.o.last.eq(self.last),
            self.o.done.eq(ends),
            self.o.entry.eq(self.control.entry),
            self.o.loads.eq(self.control.loads),
            self.o.schedule.eq(sequencer.o),
        ]
        m.d.sync += going.eq(running & ~ends)
        return m


class JumpTable(Component):
    """What a router keeps of the jump table. A subclass gives `elaborate`.

    Latency
    -------
    1 cycle from `loads` and `shifts` to `o`.

    Parameters
    ----------
    network : Network
        Network with batches.
    dimension : int, optional
        The dimension that the router reads, where it reads only one.

    Members
    -------
    loads : In(n)
        Dimension, one-hot, that `entry` is for; 0 while there is none.
    entry : In(entry_layout)
        Entry of the jump table.
    shifts : In(1)
        The table advances by a dimension.
    o : Out(entry_layout)
        Entry that the router reads in this step.
    jump, buddy : Signal
        Registers of the entries, the one that is read lowest, which `elaborate` sets.
    """

    loads: Signal
    entry: View
    shifts: Signal
    o: View
    jump: Signal
    buddy: Signal

    def __init__(self, network: Network, dimension: int = 0) -> None:
        self._dimension = dimension
        self._n = network.topology.address_width
        super().__init__(
            {
                "loads": In(self._n),
                "entry": In(entry_layout(network)),
                "shifts": In(1),
                "o": Out(entry_layout(network)),
            }
        )

    def wants_exchange(self, m: Module, destination: Value, bit: Value) -> Value:
        """Whether a packet must be exchanged; `bit` is the dimension's, of its destination."""
        buddies = Signal(1 << len(self.o.buddy), name="buddy_bits")  # that of the constant is 0
        m.d.comb += buddies.eq(destination)
        return ~self.o.jump & (bit ^ buddies.bit_select(self.o.buddy, 1))


class OneEntry(JumpTable):
    """Jump bit and buddy of one dimension, which stay.

    Latency
    -------
    1 cycle from `loads` to `o`.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.jump = jump = Signal(name="jump")
        self.buddy = buddy = Signal.like(self.o.buddy, name="buddy")
        m.d.comb += [self.o.jump.eq(jump), self.o.buddy.eq(buddy)]
        with m.If(self.loads[self._dimension]):
            m.d.sync += [jump.eq(self.entry.jump), buddy.eq(self.entry.buddy)]
        return m


class ShiftRegisters(JumpTable):
    """Jump and buddy shift registers of all dimensions; the head is the entry that is read.

    A table comes in serially, an entry per cycle, until its first one, that of dimension n - 1, is
    at the head. Each shift brings the head to the other end, so n of them restore the table.

    Latency
    -------
    1 cycle from `loads` or `shifts` to `o`.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
    section 3.2: two shift registers in every node.
    """

    @property
    def parameters(self) -> Hashable:
        return self._n, len(self.o.buddy)  # whatever dimension is read, all are here

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits = len(self.o.buddy)
        self.jump = jump = Signal(self._n, name="jump")
        self.buddy = buddy = Signal(self._n * bits, name="buddy")
        loading = Signal()
        m.d.comb += [
            loading.eq(self.loads.any()),
            self.o.jump.eq(jump[0]),
            self.o.buddy.eq(buddy[:bits]),
        ]
        with m.If(loading | self.shifts):
            m.d.sync += [
                jump.eq(Cat(jump[1:], Mux(loading, self.entry.jump, self.o.jump))),
                buddy.eq(Cat(buddy[bits:], Mux(loading, self.entry.buddy, self.o.buddy))),
            ]
        return m


class BatchRouter(Component):
    """Router that takes one packet from its node, moves with all others, and gives one back.

    A packet has ``words`` beats; a packet of another length is taken to its last beat and dropped.
    When every router has a packet, a batch runs its steps, each of ``words`` cycles: in
    every cycle one beat crosses each link, and at the end of a step the router holds the packet
    that its `Exchange` took. After the last step its node gets that packet, and the router takes
    the next.

    Latency
    -------
    1 + steps * words cycles from the last node's last beat to the first cycle of `eject`.

    Parameters
    ----------
    network : Network
        Parameters; its gates supply the exchange.
    kind : RouterKind
        Routers that it is for.

    Members
    -------
    address : In(address_width)
        The router's own address, constant.
    inject, eject : stream.Interface
        From and to the node. With every beat to the node come the flags {F3, F2, F1, WRONG}.
    refused : Out(1)
        High for one cycle after the last beat of each packet dropped.
    control : In(control_layout)
        From the controller.
    report : Out(report_layout)
        To the controller. The flags last until the router takes the first beat of a packet.
    i, o : arrays of exchange_signature
        Links, by position in ``kind.ports[1:]``.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    control: View
    report: View
    i: list[Interface]
    o: list[Interface]

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network = network
        self._kind = kind
        self._words = BatchParameters.of(network.hardware).words
        links = len(kind.ports) - 1
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "inject": In(stream.Signature(inject_layout(network))),
                "eject": Out(stream.Signature(eject_layout(network))),
                "refused": Out(1),
                "control": In(control_layout(network)),
                "report": Out(report_layout(network)),
                "i": In(exchange_signature(network)).array(links),
                "o": Out(exchange_signature(network)).array(links),
            }
        )

    @property
    def kind(self) -> RouterKind:
        """Routers that it is for."""
        return self._kind

    def elaborate(self, platform: object) -> Module:
        m = Module()
        words = self._words
        routing = self._network.routing
        make = gates_of(self._network).EXCHANGES[routing.name]
        m.submodules.exchange = exchange = make(self._network, self._kind)
        self.exchange: Exchange = exchange
        self.word = word = Signal(range(words), name="word")
        final = word == words - 1 if words > 1 else Const(1)
        control = self._control(m, final)
        m.d.comb += [exchange.address.eq(self.address), exchange.control.eq(control)]
        for i, o, inner in zip(self.i, self.o, exchange.links.values(), strict=True):
            wiring.connect(m, wiring.flipped(i), inner[0])
            wiring.connect(m, wiring.flipped(o), inner[1])

        self.full, self.giving = Signal(name="full"), Signal(name="giving")
        full, giving = self.full, self.giving
        beat, step_ends = Signal(name="beat"), Signal(name="step_ends")
        taken, given = Signal(name="taken"), Signal(name="given")
        m.d.comb += [
            self.inject.ready.eq(~full & ~giving),
            self.eject.valid.eq(giving),
            taken.eq(self.inject.valid & self.inject.ready),
            given.eq(self.eject.valid & self.eject.ready),
            beat.eq(given | (full & control.running)),
            step_ends.eq(full & control.running & control.last),
        ]
        whole = self._take(m, taken, word, final)
        with m.If(beat):
            m.d.sync += word.eq(Mux(final, 0, word + 1))
        m.d.sync += [
            full.eq((full & ~control.done) | whole),
            giving.eq((giving & ~(given & final)) | control.done),
            Assert(~control.running | full, "batch router: a step must move a packet"),
            Assert(
                ~(full & control.running) | (control.last == final),
                "batch router: its beats must be those of the controller's steps",
            ),
        ]
        own = self._store(m, exchange, control, taken=taken, word=word, step_ends=step_ends)
        flags = self._flags(m, exchange, control, own.destination, taken=taken, giving=giving)
        m.d.comb += [
            exchange.own.eq(own),
            self.eject.p.data.eq(own.data),
            self.eject.p.source.eq(own.source),
            self.eject.p.last.eq(final),
            self.eject.p.flags.eq(flags),
            self.report.filled.eq(self._waits(control, full) | whole),
            self.report.flags.eq(flags),
        ]
        return m

    def _control(self, m: Module, final: Value) -> View:
        """What the router does in this cycle, by the controller or by its own count."""
        if not is_distributed(self._network):
            return self.control
        m.submodules.steps = self.steps = steps = RouterSteps(self._network)
        m.d.comb += [
            steps.control.eq(self.control),
            steps.last.eq(final),
            self.report.running.eq(steps.o.running),
        ]
        return steps.o

    def _waits(self, control: View, full: Signal) -> Value:
        """Whether the controller must know of a complete packet; it knows when a batch runs."""
        return full & ~control.running if is_distributed(self._network) else full

    def _take(self, m: Module, taken: Signal, word: Signal, final: Value) -> Value:
        """Count the beats of a packet from the node; whether the last one completes it."""
        self.dropping = dropping = Signal(name="dropping")
        last = self.inject.p.last
        with m.If(taken):
            # The rest of a longer packet is dropped; a shorter one is dropped as it ends.
            m.d.sync += [
                word.eq(Mux(dropping | final | last, 0, word + 1)),
                dropping.eq(~last & (dropping | final)),
            ]
        m.d.sync += self.refused.eq(taken & last & (dropping | ~final))
        return taken & last & ~dropping & final

    def _store(
        self,
        m: Module,
        exchange: Interface,
        control: View,
        *,
        taken: Signal,
        word: Signal,
        step_ends: Signal,
    ) -> View:
        """Registers of the packet's addresses and the store of its data; the beat at hand."""
        own = Signal(message_layout(self._network))
        self.header = header = Signal(2 * self._network.topology.address_width, name="header")
        width = self._network.topology.address_width
        m.d.comb += [own.destination.eq(header[:width]), own.source.eq(header[width:])]
        beat = Mux(taken, self.inject.p.data, exchange.taken.data)
        write = Signal()
        m.d.comb += write.eq(taken | (control.running & exchange.takes))
        addresses = Cat(exchange.taken.destination, exchange.taken.source)
        from_node = taken & (word == 0)
        with m.If(from_node | (step_ends & exchange.takes)):
            loaded = Cat(self.inject.p.destination, self.address)
            m.d.sync += header.eq(Mux(taken, loaded, addresses))
        if self._words == 1:
            self.stored_data = data = Signal(self._network.hardware.data_width, name="data")
            m.d.comb += own.data.eq(data)
            with m.If(write):
                m.d.sync += data.eq(beat)
            return own
        memory = Memory(shape=self._network.hardware.data_width, depth=self._words, init=[])
        m.submodules.memory = memory
        into = memory.write_port()
        out_of = memory.read_port(domain="comb")
        self.stored_data = out_of.data
        m.d.comb += [
            into.addr.eq(word),
            into.data.eq(beat),
            into.en.eq(write),
            out_of.addr.eq(word),
            own.data.eq(out_of.data),
        ]
        return own

    def _flags(
        self,
        m: Module,
        exchange: Interface,
        control: View,
        destination: Value,
        *,
        taken: Signal,
        giving: Signal,
    ) -> Value:
        """{F3, F2, F1, WRONG}, cleared by the first beat of the next packet."""
        self.raised, self.wrong = Signal(3, name="raised"), Signal(name="wrong")
        raised, wrong = self.raised, self.wrong
        is_wrong = Signal()
        m.d.comb += is_wrong.eq(wrong | (giving & (destination != self.address)))
        m.d.sync += wrong.eq(is_wrong)
        with m.If(taken):
            m.d.sync += [raised.eq(0), wrong.eq(0)]
        with m.Elif(control.running):
            m.d.sync += raised.eq(raised | exchange.raised)
        return Cat(is_wrong, raised)
