"""Source of the self-test's packets at a node."""

from amaranth.hdl import Array, Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .packet import BEAT_WIDTH, PacketFormat


class Generator(wiring.Component):
    """Source that sends a packet to every node in turn, round after round.

    A round begins with the node itself and goes on with the node after it; in its k-th round the
    node sends the packet of sequence number k to each node. So the packets of a flow are numbered
    without a gap, and one counter serves all flows.

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
        Bits 0..1 choose a packet's length; bits 2..3 both set pause a clock.
    o : Out(stream)
        Packets.
    sent : Out(1)
        High in the clock in which a packet's last beat is taken.
    """

    start: Value
    random: Value
    o: stream.Interface
    sent: Value

    def __init__(
        self,
        *,
        format: PacketFormat,
        node: int,
        rounds_log2: int,
        longest: int = 1 << BEAT_WIDTH,
    ) -> None:
        if longest not in (1, 2, 4):
            raise ValueError(f"longest packet must be 1, 2 or 4 beats, not {longest!r}")
        self._format = format
        self._node = node
        self._rounds_log2 = rounds_log2
        self._length_mask = longest - 1
        super().__init__(
            {
                "start": In(1),
                "random": In(4),
                "o": Out(stream.Signature(format.packet_in)),
                "sent": Out(1),
            }
        )

    def _address(self, index: Value) -> Value:
        addresses = self._format.addresses
        if addresses == tuple(range(len(addresses))):
            return index
        return Array(Const(address, self._format.address_width) for address in addresses)[index]

    def elaborate(self, platform: object) -> Module:
        """One packet after the other; a clock's pause wherever the random bits say so."""
        del platform
        m = Module()
        nodes, node = len(self._format.addresses), self._node
        source = Const(self._format.addresses[node], self._format.address_width)
        running = Signal()
        index = Signal(range(nodes), init=node)
        round_ = Signal(max(self._rounds_log2, self._format.sequence_width))
        beat = Signal(BEAT_WIDTH)
        final_beat = Signal(BEAT_WIDTH)

        sequence = round_[: self._format.sequence_width]
        last = beat == final_beat
        destination = Signal(self._format.address_width)
        next_index = Signal.like(index)
        m.d.comb += [
            destination.eq(self._address(index)),
            next_index.eq(index + 1),
            self.o.p.last.eq(last),
            self.o.p.destination.eq(destination),
            self.o.p.data.eq(
                self._format.body(sequence=sequence, source=source, beat=beat, last=last)
            ),
            self.sent.eq(self.o.valid & self.o.ready & last),
        ]
        if nodes & (nodes - 1):
            with m.If(index == nodes - 1):
                m.d.comb += next_index.eq(0)
        with m.If(beat == 0):
            m.d.comb += self.o.p.data.eq(
                self._format.head(
                    destination=destination, sequence=sequence, source=source, last=last
                )
            )

        valid = self.o.valid
        pause = self.random[2:4].all()
        round_ends = next_index == node
        window_ends = round_ends & round_[: self._rounds_log2].all()
        with m.If(valid & self.o.ready):
            m.d.sync += [valid.eq(~pause), beat.eq(beat + 1)]
            with m.If(last):
                m.d.sync += [
                    beat.eq(0),
                    final_beat.eq(self.random[:BEAT_WIDTH] & self._length_mask),
                    index.eq(next_index),
                    round_.eq(round_ + round_ends),
                ]
                with m.If(window_ends):
                    m.d.sync += [valid.eq(0), running.eq(0)]
        with m.Elif(running & ~valid):
            m.d.sync += valid.eq(~pause)
        with m.Elif(self.start & ~running):
            m.d.sync += [running.eq(1), round_.eq(0)]
        return m
