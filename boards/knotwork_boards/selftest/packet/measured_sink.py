"""Sink of a node's packets in a measured window."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...measuring.settings import LONGEST_MEASURED
from .measured_format import MeasuredFormat

SINK_CYCLES = 2
"""Cycles from one in which a beat is taken to `MeasuredSink.flit`."""


class MeasuredSink(wiring.Component):
    """Looks at the beats that a node takes: how many, how old, and whether they are right.

    Parameters
    ----------
    format : MeasuredFormat
        Contents of the packets.
    payload : StructLayout
        Payload of the node's eject stream.
    address : int
        Address of the node.

    Members
    -------
    taken : In(1)
        The node takes a beat.
    beat : In(payload)
        The beat.
    flit : Out(1)
        A beat was taken; as all below, `SINK_CYCLES` later.
    received : Out(1)
        It was the last of its packet.
    corrupted, misrouted : Out(1)
        That packet had a wrong beat, or was meant for another node.
    ended : Out(1)
        That packet was a sample.
    stamp : Out(stamp_width)
        Its time of creation.
    """

    taken: Value
    beat: data.View
    flit: Value
    received: Value
    corrupted: Value
    misrouted: Value
    ended: Value
    stamp: Value

    def __init__(self, *, format: MeasuredFormat, payload: data.StructLayout, address: int) -> None:
        self._format = format
        self._address = address
        events = ("flit", "received", "corrupted", "misrouted", "ended")
        super().__init__(
            {
                "taken": In(1),
                "beat": In(payload),
                **{event: Out(1) for event in events},
                "stamp": Out(format.stamp_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Keep the beat; then compare it, and keep what the first beat of its packet says."""
        del platform
        m = Module()
        form = self._format
        taken = Signal()
        beat = data.View(self.beat.shape(), Signal(self.beat.shape().size))
        m.d.sync += [taken.eq(self.taken), beat.eq(self.beat)]
        number = Signal(range(LONGEST_MEASURED))
        was_wrong, sample, astray = Signal(), Signal(), Signal()
        first, said = number == 0, beat.data
        destination = form.destination_of(said)
        fields = {"sample": form.sample_of(said), "stamp": form.stamp_of(said)}
        head = form.head(destination=destination, last=beat.last, **fields)
        body = form.body(source=form.source_of(beat), beat=number, last=beat.last)
        wrong = (said != Mux(first, head, body)) | (was_wrong & ~first)
        is_sample = Mux(first, form.sample_of(said), sample)
        is_astray = Mux(first, destination != form.address(self._address), astray)
        ends = taken & beat.last
        with m.If(taken):
            m.d.sync += [
                number.eq(Mux(beat.last, 0, number + 1)),
                was_wrong.eq(wrong),
                sample.eq(is_sample),
                astray.eq(is_astray),
            ]
            with m.If(first):
                m.d.sync += self.stamp.eq(form.stamp_of(said))
        m.d.sync += [
            self.flit.eq(taken),
            self.received.eq(ends),
            self.corrupted.eq(ends & wrong),
            self.misrouted.eq(ends & ~wrong & is_astray),
            self.ended.eq(ends & is_sample),
        ]
        return m
