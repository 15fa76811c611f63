"""Windows that measure in packet networks: contents, source and sink of each node's packets."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.network import Network

from ...measuring import LONGEST_MEASURED, stamp_width
from ..measure import Measurement, NodeMeter, NodeSource
from ..measure.node_source import CREATION_CYCLES, packet_layout
from ..node_test import NetworkComponent
from ..packet_format import spread
from ..registered import STREAM_CYCLES

MIN_STAMP_WIDTH = 10
"""Bits of the shortest time of creation with which latencies are measured."""


class MeasuredFormat:
    """Contents of the packets of a measured window.

    The first beat has, from bit 0: the address of the destination, whether the packet is a sample,
    its time of creation, and check bits over these in what is left. Every other beat mixes source,
    number of the beat and `last`.

    Parameters
    ----------
    network : Network
        Network that carries the packets.
    """

    def __init__(self, network: Network) -> None:
        self._data_width = network.hardware.data_width
        self._address_width = network.topology.address_width
        self._has_source = network.has_source
        self.stamp_width = stamp_width(self._data_width, self._address_width)

    def head(self, *, destination: Value, sample: Value, stamp: Value, last: Value) -> Value:
        """First beat."""
        fields = Cat(destination, sample, stamp)
        check_width = self._data_width - len(fields)
        return Cat(fields, spread(Cat(fields, last), check_width)) if check_width else fields

    def body(self, *, source: Value, beat: Value, last: Value) -> Value:
        """Any beat after the first."""
        return spread(Cat(source, beat, last), self._data_width)

    def source_of(self, beat: data.View) -> Value:
        """Source of an ejected beat; no bits where the network does not carry it."""
        return beat.source if self._has_source else Const(0, 0)

    def destination_of(self, head: Value) -> Value:
        """Destination in a first beat."""
        return head[: self._address_width]

    def sample_of(self, head: Value) -> Value:
        """Whether a first beat is of a sample."""
        return head[self._address_width]

    def stamp_of(self, head: Value) -> Value:
        """Time of creation in a first beat."""
        return head[self._address_width + 1 :][: self.stamp_width]

    def address(self, number: int) -> Const:
        """Address as a constant."""
        return Const(number, self._address_width)

    def source(self, number: int) -> Const:
        """Source of a beat before it enters, as `source_of` gives it behind the network."""
        return Const(number, self._address_width) if self._has_source else Const(0, 0)


class MeasuredSource(wiring.Component):
    """Gives packets a form: beats for the network.

    Parameters
    ----------
    format : MeasuredFormat
        Contents of the packets.
    payload : StructLayout
        Payload of the node's inject stream.
    address : int
        Address of the node.

    Members
    -------
    length : In
        Setting; constant while packets come.
    i : In(stream)
        Packets, from a `NodeSource`.
    o : Out(stream)
        Beats.
    sent : Out(1)
        The last beat of a packet is taken.
    """

    length: Value
    i: stream.Interface
    o: stream.Interface
    sent: Value

    def __init__(self, *, format: MeasuredFormat, payload: data.StructLayout, address: int) -> None:
        self._format = format
        self._address = address
        destination = payload["destination"].width
        super().__init__(
            {
                "length": In(range(LONGEST_MEASURED + 1)),
                "i": In(stream.Signature(packet_layout(destination, format.stamp_width))),
                "o": Out(stream.Signature(payload)),
                "sent": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the beats; a packet stays until its last one is taken."""
        del platform
        m = Module()
        form, packet = self._format, self.i.p
        beat = Signal(range(LONGEST_MEASURED))
        final = Signal.like(beat)
        last = beat == final
        m.d.sync += final.eq(self.length - 1)
        source = form.source(self._address)
        head = form.head(
            destination=packet.destination, sample=packet.sample, stamp=packet.stamp, last=last
        )
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.p.last.eq(last),
            self.o.p.destination.eq(packet.destination),
            self.o.p.data.eq(Mux(beat == 0, head, form.body(source=source, beat=beat, last=last))),
            self.sent.eq(self.o.valid & self.o.ready & last),
            self.i.ready.eq(self.o.ready & last),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += beat.eq(Mux(last, 0, beat + 1))
        return m


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
        """Register the beat; then compare it, and store the fields of its packet's first beat."""
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


DELAY = CREATION_CYCLES + STREAM_CYCLES + SINK_CYCLES
"""Cycles of a packet from its creation to the meter, without those in the network."""


class MeasuredNodes:
    """Maker of sources and sinks that take turns with those of the self-test, window by window.

    Parameters
    ----------
    network : Network
        Network under test.
    measurement : Measurement
        What the nodes share.
    """

    def __init__(self, network: Network, measurement: Measurement) -> None:
        self._network = network
        self._measurement = measurement
        self._format = MeasuredFormat(network)

    def add_node(
        self,
        m: Module,
        node: int,
        tested: stream.Interface,
        checked: stream.Interface,
        fabric: NetworkComponent,
    ) -> dict[str, Value]:
        """Add source, sink and meter of a node, and return their events.

        Parameters
        ----------
        tested : stream.Interface
            Packets of the self-test.
        checked : stream.Interface
            Where the self-test takes its packets.
        """
        measures, address = self._measurement.measures, self._network.topology.address(node)
        into, out = fabric.inject[node], fabric.eject[node]
        source = MeasuredSource(format=self._format, payload=into.payload.shape(), address=address)
        sink = MeasuredSink(format=self._format, payload=out.payload.shape(), address=address)
        m.submodules[f"measured_source_{node}"] = source
        m.submodules[f"measured_sink_{node}"] = sink
        m.d.comb += [
            into.valid.eq(Mux(measures, source.o.valid, tested.valid)),
            into.payload.eq(Mux(measures, source.o.payload.as_value(), tested.payload.as_value())),
            source.o.ready.eq(into.ready & measures),
            tested.ready.eq(into.ready & ~measures),
            checked.valid.eq(out.valid & ~measures),
            checked.payload.eq(out.payload),
            out.ready.eq(checked.ready | measures),
            sink.taken.eq(out.valid & measures),
            sink.beat.eq(out.payload),
            source.length.eq(self._measurement.settings.length),
        ]
        self._add_source(m, node, source)
        self._add_meter(m, node, sink)
        events = {event: getattr(sink, event) for event in ("received", "corrupted", "misrouted")}
        return {**events, "sent": source.sent}

    def _add_source(self, m: Module, node: int, source: MeasuredSource) -> None:
        """Add what creates the packets of a node."""
        shared = self._measurement
        origin = NodeSource(self._network.topology, node=node, stamp_width=self._format.stamp_width)
        m.submodules[f"origin_{node}"] = origin
        wiring.connect(m, origin.o, source.i)
        m.d.comb += [
            origin.load.eq(shared.clear),
            origin.seed.eq(shared.settings.seed),
            origin.pattern.eq(shared.settings.pattern),
            origin.threshold.eq(shared.pace.threshold),
            origin.creating.eq(shared.pace.creating),
            origin.measured.eq(shared.pace.measured),
            origin.time.eq(shared.stamp),
            origin.entered.eq(shared.entered[node] & shared.measures),
            shared.waiting[node].eq(origin.waiting),
            shared.meter.sampled[node].eq(origin.sampled),
            shared.meter.overrun[node].eq(origin.overrun),
        ]

    def _add_meter(self, m: Module, node: int, sink: MeasuredSink) -> None:
        """Add what measures the latencies of a node's packets."""
        shared = self._measurement
        meter = NodeMeter(stamp_width=self._format.stamp_width)
        m.submodules[f"meter_{node}"] = meter
        m.d.comb += [
            meter.clear.eq(shared.clear),
            meter.now.eq(shared.now),
            meter.ended.eq(sink.ended),
            meter.stamp.eq(sink.stamp),
            shared.meter.flit[node].eq(sink.flit),
            shared.meter.counted[node].eq(meter.counted),
            shared.meter.binned[node].eq(meter.binned),
            shared.meter.bins[node].eq(meter.bin),
            shared.meter.least[node].eq(meter.least),
            shared.meter.greatest[node].eq(meter.greatest),
        ]
