"""Source and checker of a node's packets in the self-test of batch networks."""

from collections.abc import Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from ..node_test import NodeChecker
from ..packet_format import PacketFormat
from .tables import REPEATS_LOG2, of_batch


class BatchSource(wiring.Component):
    """Source of one packet per batch, for the destination that the batch's permutation names.

    The sequence number of a packet is the number of its batch. Pauses come before any beat.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    words : int
        Beats of every packet.
    address : int
        Address of the node.
    destinations : sequence of int
        Address of the destination in each permutation, by the number of the permutation.
    rounds_log2 : int
        Logarithm of the rounds per window; a round sends all permutations.

    Members
    -------
    start : In(1)
        Pulse that begins a window; ignored while one runs.
    random : In(2)
        Both bits, if set, pause for a cycle.
    loaded : In(1)
        All packets go to the address `to`.
    to : In(address_width)
        Destination by the permutation that is loaded.
    o : Out(stream)
        Packets.
    sent : Out(1)
        High in the cycle in which the network takes a packet's last beat.
    """

    start: Value
    random: Value
    loaded: Value
    to: Value
    o: stream.Interface
    sent: Value

    def __init__(
        self,
        *,
        format: PacketFormat,
        words: int,
        address: int,
        destinations: Sequence[int],
        rounds_log2: int,
    ) -> None:
        self._format = format
        self._words = words
        self._address = address
        self._destinations = destinations
        self._batches_log2 = exact_log2(len(destinations)) + REPEATS_LOG2 + rounds_log2
        super().__init__(
            {
                "start": In(1),
                "random": In(2),
                "loaded": In(1),
                "to": In(format.address_width),
                "o": Out(stream.Signature(format.packet_in)),
                "sent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Send one packet after the other; pause for a cycle wherever the random bits say so."""
        del platform
        m = Module()
        form = self._format
        running = Signal()
        batch = Signal(max(self._batches_log2, form.sequence_width))
        beat = Signal(range(self._words))
        last = Signal()
        destination = Signal(form.address_width)
        of_packet = {
            "copy": Const(0, form.copy_width),
            "sequence": batch[: form.sequence_width],
            "source": Const(self._address, form.address_width),
            "last": last,
        }
        m.d.comb += [
            last.eq(beat == self._words - 1),
            destination.eq(
                Mux(self.loaded, self.to, of_batch(batch, self._destinations, form.address_width))
            ),
            self.o.p.last.eq(last),
            self.o.p.destination.eq(destination),
            self.o.p.data.eq(form.body(beat=beat, **of_packet)),
            self.sent.eq(self.o.valid & self.o.ready & last),
        ]
        with m.If(beat == 0):
            m.d.comb += self.o.p.data.eq(form.head(destination=destination, **of_packet))

        valid = self.o.valid
        go = ~self.random.all()
        with m.If(valid & self.o.ready):
            m.d.sync += [valid.eq(go), beat.eq(Mux(last, 0, beat + 1)), batch.eq(batch + last)]
            with m.If(last & batch[: self._batches_log2].all()):
                m.d.sync += [valid.eq(0), running.eq(0)]
        with m.Elif(running & ~valid):
            m.d.sync += valid.eq(go)
        with m.Elif(self.start & ~running):
            m.d.sync += [running.eq(1), batch.eq(0)]
        return m


class BatchChecker(NodeChecker):
    """Sink that classifies each packet that reaches a node; one packet is due per batch.

    A packet with a wrong beat, or with too few or too many beats, is corrupted. A sound packet is
    misrouted if it is meant for another node, if the permutation of its batch brings another
    source's packet, or if the network raised a flag with it. Any other packet is duplicated if it
    belongs to an earlier batch. If it belongs to a later one, the packets in between are missing:
    `skipped` signals that, and the tally counts them as lost.

    Parameters
    ----------
    format : PacketFormat
        Contents of the packets.
    words : int
        Beats of every packet.
    address : int
        Address of the node.
    sources : sequence of int
        Address of the source that each permutation brings, by the number of the permutation.

    Members
    -------
    start : In(1)
        The next packet belongs to batch 0; no packet comes meanwhile.
    loaded : In(1)
        All packets come from the address `comes_from`.
    comes_from : In(address_width)
        Source by the permutation that is loaded.
    i, random, received, corrupted, misrouted, duplicated, skipped
        See `NodeChecker`.
    """

    start: Value
    loaded: Value
    comes_from: Value

    def __init__(
        self, *, format: PacketFormat, words: int, address: int, sources: Sequence[int]
    ) -> None:
        self._format = format
        self._words = words
        self._address = address
        self._sources = sources
        controls = {"start": In(1), "loaded": In(1), "comes_from": In(format.address_width)}
        super().__init__(format.packet_out, controls)

    def elaborate(self, platform: object) -> Module:
        """Judge each beat as it comes, and the packet with its last beat."""
        del platform
        m = Module()
        form, beat_in = self._format, self.i.p
        head = Signal(init=1)
        beat = Signal(range(self._words))
        was_bad, was_astray = Signal(), Signal()
        was_sequence, sequence = Signal(form.sequence_width), Signal(form.sequence_width)
        right = Signal(form.data_width)

        destination = form.destination_of(beat_in.data)
        of_packet = {
            "copy": Const(0, form.copy_width),
            "sequence": sequence,
            "source": beat_in.source,
            "last": beat_in.last,
        }
        m.d.comb += [
            sequence.eq(Mux(head, form.sequence_of(beat_in.data), was_sequence)),
            right.eq(
                Mux(
                    head,
                    form.head(destination=destination, **of_packet),
                    form.body(beat=beat, **of_packet),
                )
            ),
        ]
        final = beat == self._words - 1
        bad = (beat_in.data != right) | (beat_in.last != final) | (was_bad & ~head)
        strange = Mux(head, destination != self._address, was_astray) | beat_in.flags.any()

        taken = self.i.valid & self.i.ready
        m.d.comb += [self.i.ready.eq(~self.random.all()), self.received.eq(taken & beat_in.last)]
        with m.If(taken):
            m.d.sync += [
                head.eq(beat_in.last),
                beat.eq(Mux(beat_in.last | final, 0, beat + 1)),
                was_bad.eq(bad),
                was_astray.eq(strange),
                was_sequence.eq(sequence),
            ]
        self._judge(m, sound=~bad, strange=strange, sequence=sequence)
        return m

    def _judge(self, m: Module, *, sound: Value, strange: Value, sequence: Value) -> None:
        """Raise the events of a packet, and expect the batch after its own."""
        form = self._format
        batch = Signal(max(form.sequence_width, exact_log2(len(self._sources)) + REPEATS_LOG2))
        ahead = Signal(form.sequence_width)
        behind = ahead[-1]
        due = Mux(self.loaded, self.comes_from, of_batch(batch, self._sources, form.address_width))
        astray = strange | ((ahead == 0) & (self.i.p.source != due))
        good = self.received & sound & ~astray
        m.d.comb += [
            ahead.eq(sequence - batch[: form.sequence_width]),
            self.corrupted.eq(self.received & ~sound),
            self.misrouted.eq(self.received & sound & astray),
            self.duplicated.eq(good & behind),
            self.skipped.eq(good & ~behind & (ahead != 0)),
        ]
        with m.If(self.start):
            m.d.sync += batch.eq(0)
        with m.Elif(self.received):
            m.d.sync += batch.eq(batch + Mux(sound, Mux(behind, 0, ahead + 1), 1))
