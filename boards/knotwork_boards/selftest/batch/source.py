"""Source of a node's packets in the self-test of batch networks."""

from collections.abc import Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from ..packet_format import PacketFormat
from .permutations import REPEATS_LOG2, of_batch


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
