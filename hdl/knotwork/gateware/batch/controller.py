"""Controller of the batches: it starts each one and steps the routers through it."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Member, Out

from ...network import Network
from ...parameters import BatchParameters
from ...untyped import Interface, View
from ..component import Component
from ..networks import gates_of
from .exchange import Sequencer
from .layouts import config_signature, control_layout, is_distributed, report_layout


class BatchController(Component):
    """Runs a batch when every router has a packet and a valid jump table is loaded.

    It counts the steps for all routers, or starts them and lets every router count.

    A table has one entry per dimension, dimension n - 1 first. It is invalid with too few entries,
    too many, or a buddy above n. It can be loaded whenever no batch runs, and it stays loaded.

    Latency
    -------
    The first step is in the cycle after the last router has its packet, or two cycles after the
    table's last entry.

    Parameters
    ----------
    network : Network
        Network with batches.

    Members
    -------
    config : In(config_signature)
        Jump table.
    reports : In(ArrayLayout(report_layout, nodes))
        From the routers.
    control : Out(control_layout)
        To the routers.
    status : Out(1 + flag_width)
        {no valid jump table is loaded, F3, F2, F1, WRONG}; the flags are those of any router.
    """

    config: stream.Interface
    reports: View
    control: View
    status: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(
            {
                "reports": In(data.ArrayLayout(report_layout(network), network.topology.nodes)),
                "control": Out(control_layout(network)),
                **outside_ports(network),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        running = Signal()
        comes, configured = self._load(m, running)
        reports = [self.reports[node] for node in range(network.topology.nodes)]
        begins = Cat(report.filled for report in reports).all() & configured & ~comes
        if is_distributed(network):
            m.d.comb += running.eq(Cat(report.running for report in reports).any())
            m.d.sync += self.control.start.eq(begins)
        else:
            self._step(m, running, begins)
        flags = [
            Cat(report.flags[bit] for report in reports).any()
            for bit in range(network.routing.flag_width)
        ]
        m.d.comb += self.status.eq(Cat(*flags, ~configured))
        return m

    def _step(self, m: Module, running: Signal, begins: Value) -> None:
        """Count the steps of a batch, and the cycles of each."""
        network = self._network
        sequencer: Interface = gates_of(network).SEQUENCERS[network.routing.name](network)
        m.submodules.sequencer = sequencer
        self.sequencer: Sequencer = sequencer
        words = BatchParameters.of(network.hardware).words
        last = Const(1)
        if words > 1:
            self.word = word = Signal(range(words), name="word")
            last = Signal(name="last")
            m.d.comb += last.eq(word == words - 1)
            with m.If(running):
                m.d.sync += word.eq(Mux(last, 0, word + 1))
        ends = sequencer.advance & sequencer.final
        m.d.sync += running.eq(Mux(running, ~ends, begins))
        m.d.comb += [
            sequencer.advance.eq(running & last),
            self.control.running.eq(running),
            self.control.last.eq(last),
            self.control.done.eq(ends),
            self.control.schedule.eq(sequencer.o),
        ]

    def _load(self, m: Module, running: Signal) -> tuple[Signal, Signal]:
        """Take the table; whether an entry comes in this cycle, and whether a table is loaded."""
        n = self._network.topology.address_width
        self.configured = configured = Signal(name="configured")
        comes = Signal(name="comes")
        # An entry reaches the routers one cycle later, so before a batch that starts on it.
        # Entry i of the table is for the dimension n - 1 - i: `due` has that bit; 0 means too many.
        self.due = due = Signal(n, init=1 << (n - 1), name="due")
        self.sound = sound = Signal(init=1, name="sound")
        right = Signal(name="right")
        beat = self.config.p
        # Where n is one less than a power of two, every number of a buddy is valid.
        known = beat.entry.buddy <= n if n & (n + 1) else Const(1)
        m.d.comb += [
            self.config.ready.eq(~running),
            comes.eq(self.config.valid & self.config.ready),
            right.eq(sound & due.any() & known),
        ]
        m.d.sync += [self.control.loads.eq(Mux(comes, due, 0)), self.control.entry.eq(beat.entry)]
        with m.If(comes):
            m.d.sync += [
                due.eq(Mux(beat.last, due.init, due >> 1)),
                sound.eq(right | beat.last),
                configured.eq(beat.last & right & due[0]),
            ]
        return comes, configured


def outside_ports(network: Network) -> dict[str, Member]:
    """Ports that a batch controller adds to its network's: a jump table in, a status out."""
    return {
        "config": In(config_signature(network)),
        "status": Out(1 + network.routing.flag_width),
    }
