"""Sources and sinks at the nodes of a network of packet routers in windows that measure."""

from amaranth.hdl import Module, Mux, Value
from amaranth.lib import stream, wiring
from knotwork.network import Network

from ..measure import Measurement, NodeMeter, NodeSource
from ..measure.node_source import CREATION_CYCLES
from ..node_test import NetworkComponent
from ..registered import STREAM_CYCLES
from .measured_format import MeasuredFormat
from .measured_sink import SINK_CYCLES, MeasuredSink
from .measured_source import MeasuredSource

DELAY = CREATION_CYCLES + STREAM_CYCLES + SINK_CYCLES
"""Cycles of the way of a packet from its creation to the meter, without those in the network."""


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
