"""Controller that loads tables: it takes words, empties the network, and swaps."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ....network import Network
from ....untyped import View
from ...component import Component
from .layouts import control_layout, outside_ports, report_layout, status_layout


class LoadController(Component):
    """Passes words on to the routers, and with the last one swaps their tables.

    From the last word on, nodes begin no packet. When all routers have been idle for so many cycles
    that no flit can be between two of them, all of them swap in one cycle, and nodes may begin
    packets again. No word is taken meanwhile.

    Latency
    -------
    A word reaches the routers in the next cycle. In an empty network, the tables are in force
    ``4 + Network.cycles_between_buffers`` cycles after the last one.

    Parameters
    ----------
    network : Network
        Network with loaded tables.

    Members
    -------
    config : In(config_signature)
        Words.
    reports : In(ArrayLayout(report_layout, routers))
        From the routers.
    control : Out(control_layout)
        To the routers.
    status : Out(status_layout)
        See there.
    """

    config: stream.Interface
    reports: View
    control: View
    status: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(
            {
                "reports": In(data.ArrayLayout(report_layout(network), network.topology.routers)),
                "control": Out(control_layout(network)),
                **outside_ports(network),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        routers = self._network.topology.routers
        reports = [self.reports[router] for router in range(routers)]
        control, beat = self.control, self.config.p
        held, empty, swaps = Signal(name="held"), Signal(name="empty"), Signal(name="swaps")
        comes, ends = Signal(name="comes"), Signal(name="ends")
        # A router is idle with a flit on its way to the next one, in registers between grant and
        # link and along the link: it is in a buffer, or dropped and reported, within these cycles.
        between = self._network.cycles_between_buffers
        rested, rests = Signal(range(between + 1), name="rested"), Signal(name="rests")
        m.d.comb += [
            self.config.ready.eq(~control.hold),
            comes.eq(self.config.valid & self.config.ready),
            # What was reported in the first cycle of `hold` is known one cycle later.
            rests.eq(held & empty & ~control.swap),
            ends.eq(rests & (rested == between)),
        ]
        m.d.sync += [
            rested.eq(Mux(rests & ~ends, rested + 1, 0)),
            control.writes.eq(comes),
            held.eq(control.hold & ~ends & ~control.swap),
            empty.eq(Cat(report.idle for report in reports).all()),
            control.swap.eq(ends),
            swaps.eq(swaps ^ ends),
            control.collect.eq(Mux(control.collect == routers - 1, 0, control.collect + 1)),
        ]
        with m.If(comes):
            m.d.sync += control.word.eq(beat.entry)
        with m.If(comes | control.swap):
            m.d.sync += control.hold.eq(comes & beat.last)
        self._report(m, reports, swaps)
        return m

    def _report(self, m: Module, reports: list[View], swaps: Signal) -> None:
        """Drive the status."""
        status: View = data.View(status_layout(self._network), self.status)
        packet = Value.cast(reports[0].packet)
        for report in reports[1:]:
            packet = packet | Value.cast(report.packet)
        m.d.comb += [status.waits.eq(self.control.hold), status.swaps.eq(swaps)]
        m.d.sync += [
            status.lost.eq(Cat(report.lost for report in reports).any()),
            Value.cast(status.packet).eq(packet),
        ]
