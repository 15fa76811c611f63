"""Judge of the self-test's packets at a node."""

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from .packet import BEAT_WIDTH, PacketFormat


class Checker(wiring.Component):
    """Sink that classifies each packet that reaches a node.

    A packet with a wrong beat is corrupted; a sound one that is meant for another node is
    misrouted; a sound one of the node's own with a sequence number of the past is duplicated. One
    whose number lies ahead is good: the packets in between are lost, which the sum over all nodes
    shows, or counted under another name, but `skipped` tells of it.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    address : int
        Address of the node.

    Members
    -------
    i : In(stream)
        Packets.
    random : In(2)
        Both bits set hold back the packet for a clock.
    clear : In(1)
        Forgets the sequence number of the source `clear_source`; no packets come meanwhile.
    clear_source : In(address_width)
        Address of a source.
    received : Out(1)
        High in the clock in which a packet's last beat comes; so are all that follow.
    corrupted, misrouted, duplicated : Out(1)
        What is wrong with it; at most one of them.
    skipped : Out(1)
        Packets of its flow are missing before it.
    """

    i: stream.Interface
    random: Value
    clear: Value
    clear_source: Value
    received: Value
    corrupted: Value
    misrouted: Value
    duplicated: Value
    skipped: Value

    def __init__(self, *, format: PacketFormat, address: int) -> None:
        self._format = format
        self._address = address
        super().__init__(
            {
                "i": In(stream.Signature(format.packet_out)),
                "random": In(2),
                "clear": In(1),
                "clear_source": In(format.address_width),
                "received": Out(1),
                "corrupted": Out(1),
                "misrouted": Out(1),
                "duplicated": Out(1),
                "skipped": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Judge each beat as it comes, and the packet with its last one."""
        del platform
        m = Module()
        form, beat_in = self._format, self.i.p
        head = Signal(init=1)
        beat = Signal(BEAT_WIDTH)
        was_bad, was_own = Signal(), Signal()
        was_sequence = Signal(form.sequence_width)

        own = Mux(
            head,
            form.destination_of(beat_in.data) == Const(self._address, form.address_width),
            was_own,
        )
        sequence = Signal(form.sequence_width)
        right = Signal(form.data_width)
        of_packet = {"sequence": sequence, "source": beat_in.source, "last": beat_in.last}
        bad = (beat_in.data != right) | (was_bad & ~head)
        m.d.comb += [
            sequence.eq(Mux(head, form.sequence_of(beat_in.data), was_sequence)),
            right.eq(
                Mux(
                    head,
                    form.head(destination=form.destination_of(beat_in.data), **of_packet),
                    form.body(beat=beat, **of_packet),
                )
            ),
        ]

        taken = self.i.valid & self.i.ready
        m.d.comb += [self.i.ready.eq(~self.random.all()), self.received.eq(taken & beat_in.last)]
        with m.If(taken):
            m.d.sync += [
                head.eq(beat_in.last),
                beat.eq(Mux(beat_in.last, 0, beat + 1)),
                was_bad.eq(bad),
                was_own.eq(own),
                was_sequence.eq(sequence),
            ]
        self._judge(m, sound=~bad, own=own, sequence=sequence)
        return m

    def _judge(self, m: Module, *, sound: Value, own: Value, sequence: Value) -> None:
        """Compare the sequence number with the one that the flow's next packet must have."""
        source = self.i.p.source
        m.submodules.expected = expected = memory.Memory(
            shape=self._format.sequence_width, depth=1 << self._format.address_width, init=[]
        )
        read, write = expected.read_port(domain="comb"), expected.write_port()
        ahead = Signal(self._format.sequence_width)
        behind = ahead[-1]
        judged = self.received & sound & own
        m.d.comb += [
            read.addr.eq(source),
            ahead.eq(sequence - read.data),
            self.corrupted.eq(self.received & ~sound),
            self.misrouted.eq(self.received & sound & ~own),
            self.duplicated.eq(judged & behind),
            self.skipped.eq(judged & ~behind & (ahead != 0)),
            write.addr.eq(Mux(self.clear, self.clear_source, source)),
            write.data.eq(Mux(self.clear, 0, sequence + 1)),
            write.en.eq(self.clear | (judged & ~behind)),
        ]
