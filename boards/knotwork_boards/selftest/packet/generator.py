"""Source of a node's packets in the self-test of packet networks."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

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
