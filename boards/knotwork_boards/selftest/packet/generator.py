"""What a node sends in the self-test of packet networks: packets, copies, and faults on purpose."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from ..node_test import Fault, FaultStage
from ..packet_format import BEAT_WIDTH, LONGEST_PACKET, PacketFormat


class Generator(wiring.Component):
    """Source that sends a packet to every node in turn, round after round.

    A round begins with the node itself and goes on with the node after it; where a node sends to
    another side only, with some node of that side. In round k the packets
    to all nodes have sequence number k. So the packets of a flow are numbered without a gap, and
    one counter serves all flows.

    With multicasts or broadcasts a round ends with a packet of the same number to all members. The
    generator marks it; `CopyAnnouncer` adds a multicast's chain.

    Where packets may overtake each other, the generator halts after every `format.window` rounds
    until all is quiet. So, however deep the network's buffers are, a packet is never overtaken by
    more packets of its flow than a checker can distinguish from a fault.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    node : int
        Own index.
    rounds_log2 : int
        Logarithm of the rounds in a window.
    longest : int
        Beats of the longest packet: 1, 2 or 4.

    Members
    -------
    start : In(1)
        Pulse that begins a window; ignored while one runs.
    random : In(4)
        Bits 0..1 choose the length of a packet; bits 2..3, both set, pause for a cycle.
    quiet : In(1)
        No packet has come or gone for a while. Only where packets may overtake each other.
    o : Out(stream)
        Packets.
    sent : Out(1)
        High in the cycle in which the network takes a packet's last beat. Low for a multicast or
        broadcast: `CopyAnnouncer` signals its copies.
    """

    start: Value
    random: Value
    quiet: Value
    o: stream.Interface
    sent: Value

    def __init__(
        self,
        *,
        format: PacketFormat,
        node: int,
        rounds_log2: int,
        longest: int = LONGEST_PACKET,
    ) -> None:
        if longest not in (1, 2, LONGEST_PACKET):
            raise ValueError(f"longest packet must be 1, 2 or 4 beats, not {longest!r}")
        self._format = format
        self._node = node
        self._to = to = format.receivers(node)
        self._first = node if node in to else to[node % len(to)]
        self._rounds_log2 = rounds_log2
        self._longest = longest
        super().__init__(
            {
                "start": In(1),
                "random": In(4),
                "o": Out(stream.Signature(format.packet_in)),
                "sent": Out(1),
            }
            | ({} if format.in_order else {"quiet": In(1)})
        )

    def elaborate(self, platform: object) -> Module:
        """Send one packet after the other; pause for a cycle wherever the random bits say so."""
        del platform
        m = Module()
        node, to, first = self._node, self._to, self._first
        running = Signal()
        index = Signal(range(to.stop), init=first)
        round_ = Signal(max(self._rounds_log2, self._format.sequence_width))
        beat = Signal(BEAT_WIDTH)
        final_beat = Signal(BEAT_WIDTH)

        sequence = round_[: self._format.sequence_width]
        last = beat == final_beat
        copy = Signal() if self._format.members else Const(0, 0)
        source = Const(self._format.addresses[node], self._format.address_width)
        of_packet = {"copy": copy, "sequence": sequence, "source": source, "last": last}
        destination = Signal(self._format.address_width)
        next_index = Signal.like(index)
        m.d.comb += [
            destination.eq(self._format.address_of(index)),
            next_index.eq(index + 1),
            self.o.p.last.eq(last),
            self.o.p.destination.eq(destination),
            self.o.p.data.eq(self._format.body(beat=beat, **of_packet)),
            self.sent.eq(self.o.valid & self.o.ready & last),
        ]
        if to.start or to.stop & (to.stop - 1):
            with m.If(index == to.stop - 1):
                m.d.comb += next_index.eq(to.start)
        with m.If(beat == 0):
            m.d.comb += self.o.p.data.eq(self._format.head(destination=destination, **of_packet))

        valid = self.o.valid
        go = ~self.random[2:4].all()
        round_ends, length_mask = next_index == first, Const(self._longest - 1)
        if self._format.members:
            self._stay_for_copies(m, copy=copy, index=index, next_index=next_index)
            copy_next = round_ends & ~copy
            with m.If(valid & self.o.ready & last):
                m.d.sync += copy.eq(copy_next)
            round_ends = copy
            length_mask = Mux(copy_next, self._format.longest_copy - 1, length_mask)
        if not self._format.in_order:
            go &= ~self._halt(m, valid & self.o.ready & last & round_ends, round_)
        with m.If(valid & self.o.ready):
            m.d.sync += [valid.eq(go), beat.eq(beat + 1)]
            with m.If(last):
                m.d.sync += [
                    beat.eq(0),
                    final_beat.eq(self.random[:BEAT_WIDTH] & length_mask),
                    index.eq(next_index),
                    round_.eq(round_ + round_ends),
                ]
                with m.If(round_ends & round_[: self._rounds_log2].all()):  # the window ends
                    m.d.sync += [valid.eq(0), running.eq(0)]
        with m.Elif(running & ~valid):
            m.d.sync += valid.eq(go)
        with m.Elif(self.start & ~running):
            m.d.sync += [running.eq(1), round_.eq(0)]
        return m

    def _stay_for_copies(self, m: Module, *, copy: Value, index: Value, next_index: Signal) -> None:
        """Mark the packet to all members, and stay at the node itself while it goes out."""
        m.d.comb += self._format.mark_of(self.o.p).eq(copy)
        with m.If(copy):
            m.d.comb += [next_index.eq(index), self.sent.eq(0)]

    def _halt(self, m: Module, round_ended: Value, round_: Value) -> Value:
        """Whether to wait until all is quiet, once `format.window` rounds are over."""
        halted = Signal()
        ends = round_ended & round_[: exact_log2(self._format.window)].all()
        with m.If(ends):
            m.d.sync += halted.eq(1)
        with m.Elif(self.quiet):
            m.d.sync += halted.eq(0)
        return ends | halted


class CopyAnnouncer(wiring.Component):
    """Stage between a generator and the network that signals each expected copy, one per cycle.

    Meanwhile it gives a multicast its chain of members: a counter numbers them, in the order that
    the network needs, and `PacketFormat.member_of` gives their addresses. A broadcast has no
    chain and waits.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets in a network with multicasts or broadcasts.
    address : int
        Address of the node.

    Members
    -------
    i : In(stream)
        From the generator.
    o : Out(stream)
        To the network.
    sent : Out(1)
        High for one cycle per expected copy; with a chain, the cycle in which the network takes the
        address of the member.
    """

    i: stream.Interface
    o: stream.Interface
    sent: Value

    def __init__(self, *, format: PacketFormat, address: int) -> None:
        self._format = format
        self._address = address
        super().__init__(
            {
                "i": In(stream.Signature(format.packet_in)),
                "o": Out(stream.Signature(format.packet_in)),
                "sent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Hold a multicast or broadcast back at its first beat until all copies are signalled."""
        del platform
        m = Module()
        members = self._format.members
        number = Signal(range(1, members + 1), init=1)
        announced = Signal()
        marked = self._format.mark_of(self.i.p)
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload),
            self.i.ready.eq(self.o.ready),
        ]
        if self._format.chained:
            m.d.comb += self.o.p.destination.eq(Mux(marked, members, self.i.p.destination))
        with m.If(marked & ~announced):
            m.d.comb += self.i.ready.eq(0)
            if self._format.chained:
                m.d.comb += [
                    self.o.p.data.eq(self._format.member_of(self._address, number)),
                    self.o.p.last.eq(0),
                    self.sent.eq(self.o.valid & self.o.ready),
                ]
            else:
                m.d.comb += [self.o.valid.eq(0), self.sent.eq(self.i.valid)]
        with m.If(self.sent):
            final = number == members
            m.d.sync += [number.eq(Mux(final, 1, number + 1)), announced.eq(final)]
        with m.Elif(self.o.valid & self.o.ready & self.o.p.last):
            m.d.sync += announced.eq(0)
        return m


class FaultInjector(FaultStage):
    """Stage between a generator and the network in which one packet per window goes wrong.

    It chooses the window's first packet of a single beat to one node other than `wrong_address`.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    wrong_address : int
        Address to which it sends a packet that must be misrouted.
    invalid_address : int or None
        Address that belongs to no node, to which it sends a packet that must be refused.
    single : bool
        Packets have one beat, so that a packet of two beats must be refused; without an
        `invalid_address`, the stage sends such a packet.
    """

    def __init__(
        self,
        *,
        format: PacketFormat,
        wrong_address: int,
        invalid_address: int | None = None,
        single: bool = False,
    ) -> None:
        self._format = format
        self._wrong_address = wrong_address
        self._invalid_address = invalid_address
        self._single = single
        super().__init__(stream.Signature(format.packet_in))

    def elaborate(self, platform: object) -> Module:
        """Pass everything on except the chosen packet."""
        del platform
        m = Module()
        done, again = Signal(), Signal()
        first = Signal(init=1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += first.eq(self.i.p.last)
        self.pass_on(m)
        unicast = ~self._format.mark_of(self.i.p).any()
        chosen = first & self.i.p.last & unicast & ~done
        chosen &= self.i.p.destination != self._wrong_address
        with m.If(self.start):
            m.d.sync += done.eq(0)
        with m.Elif(chosen & self.i.valid & self.i.ready):
            m.d.sync += done.eq(1)
        with m.If(chosen), m.Switch(self.fault):
            with m.Case(Fault.LOST):
                m.d.comb += [self.o.valid.eq(0), self.i.ready.eq(1)]
            with m.Case(Fault.DUPLICATED):
                self._send_twice(m, again)
            with m.Case(Fault.CORRUPTED):
                m.d.comb += self.o.p.data.eq(self.i.p.data ^ 1)
            with m.Case(Fault.MISROUTED):
                m.d.comb += self.o.p.destination.eq(self._wrong_address)
            with m.Case(Fault.REFUSED):
                if self._invalid_address is not None:
                    m.d.comb += self.o.p.destination.eq(self._invalid_address)
                elif self._single:
                    self._send_twice(m, again)
                    m.d.comb += self.o.p.last.eq(again)
        return m

    def _send_twice(self, m: Module, again: Signal) -> None:
        """Take the beat only when it has gone out a second time."""
        m.d.comb += self.i.ready.eq(self.o.ready & again)
        with m.If(self.i.valid & self.o.ready):
            m.d.sync += again.eq(~again)
