"""Node test of packet networks: a generator and a checker at each node."""

from amaranth.hdl import Module, Value
from amaranth.lib import stream, wiring
from knotwork.network import Network

from ...measuring import LONGEST_MEASURED
from ..measure import Measuring
from ..node_test import Events, Lfsr, NetworkComponent, NodeTest, WindowControl, flows, node_seed
from ..packet_format import LONGEST_PACKET, PacketFormat, longest_packet
from ..tally import EVENTS
from .checker import Checker
from .generator import CopyAnnouncer, FaultInjector, Generator
from .measured import DELAY, MIN_STAMP_WIDTH, MeasuredFormat, MeasuredNodes


class PacketNodeTest(NodeTest):
    """A generator and a checker at each node.

    In a round each node sends a packet to every node in turn, itself included. A packet has 1..4
    beats (where the network takes 4), with random pauses; the checkers hold packets back at random
    as well. Where the network has multicasts, each node ends its round with one to as many nodes as
    the network allows; where it has broadcasts, with one of those. Each copy counts as a packet
    sent.

    Parameters
    ----------
    network : Network
        Network under test.

    Raises
    ------
    ConfigurationError
        The data width is too small.
    """

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._format = PacketFormat(network)
        self._longest = longest_packet(network.longest_packet or LONGEST_PACKET)

    @property
    def measuring(self) -> Measuring | None:
        """Packets that carry their time of creation, where their first beat has space for it."""
        form = MeasuredFormat(self._network)
        if form.stamp_width < MIN_STAMP_WIDTH or self._network.routing.word_layout:
            return None
        longest = min(self._network.longest_packet or LONGEST_MEASURED, LONGEST_MEASURED)
        return Measuring(longest=longest, stamp_width=form.stamp_width, delay=DELAY)

    @property
    def why_not(self) -> str:
        """Why it cannot measure."""
        least = self._network.topology.address_width + 1 + MIN_STAMP_WIDTH
        return (
            f"data_width must be at least {least} for a packet's time of creation "
            f"(address {least - 1 - MIN_STAMP_WIDTH}, mark 1, time {MIN_STAMP_WIDTH}), "
            f"not {self._network.hardware.data_width}"
        )

    @property
    def packets_per_round(self) -> int:
        """One per receiver, and one per copy of the multicast or broadcast at the end."""
        return max(map(len, self._network.topology.sides)) + self._format.members

    @property
    def packets_of_all_nodes(self) -> int:
        """One per pair of nodes that may send to each other, and the copies."""
        return flows(self._network) + self._network.topology.nodes * self._format.members

    @property
    def cycles_per_packet(self) -> int:
        """A few beats with their pauses, through a loaded network."""
        return 8

    @property
    def timer_width(self) -> int:
        """Wide enough to name every flow of a checker while it is cleared."""
        return self._format.flow_width

    def add_to(
        self, m: Module, fabric: NetworkComponent, control: WindowControl, *, rounds_log2: int
    ) -> Events:
        """Put a generator and a checker at each node, and gather their events."""
        events: Events = {event: [] for event in EVENTS if event != "refused"}
        measured = None
        if control.measurement is not None:
            measured = MeasuredNodes(self._network, control.measurement)
        for node, address in enumerate(self._format.addresses):
            lfsr = Lfsr(seed=node_seed(node))
            checker = Checker(format=self._format, address=address)
            m.submodules[f"lfsr_{node}"] = lfsr
            m.submodules[f"checker_{node}"] = checker
            generator = Generator(
                format=self._format, node=node, rounds_log2=rounds_log2, longest=self._longest
            )
            source, sent = self._add_source(m, node, generator, control, random=lfsr.o[:4])
            if control.fault is not None and node == 0:
                m.submodules.injector = injector = self._injector()
                m.d.comb += [injector.fault.eq(control.fault), injector.start.eq(control.start)]
                wiring.connect(m, source, injector.i)
                source = injector.o
            node_events = {event: getattr(checker, event) for event in events if event != "sent"}
            node_events["sent"] = sent
            if measured is None:
                wiring.connect(m, source, fabric.inject[node])
                wiring.connect(m, fabric.eject[node], checker.i)
            else:
                for event, bit in measured.add_node(m, node, source, checker.i, fabric).items():
                    node_events[event] = node_events[event] | bit
            m.d.comb += [
                checker.random.eq(lfsr.o[9:11]),
                checker.clear.eq(control.clear),
                checker.clear_source.eq(control.timer),
            ]
            for event, bits in events.items():
                bits.append(node_events[event])
        return events

    def _add_source(
        self, m: Module, node: int, generator: Generator, control: WindowControl, *, random: Value
    ) -> tuple[stream.Interface, Value]:
        """Add the generator of a node; return its packets, and the event that one was sent."""
        m.submodules[f"generator_{node}"] = generator
        start = control.start
        if control.measurement is not None:
            start &= ~control.measurement.measures
        m.d.comb += [generator.start.eq(start), generator.random.eq(random)]
        if not self._format.in_order:
            m.d.comb += generator.quiet.eq(control.quiet)
        if not self._format.members:
            return generator.o, generator.sent
        copies = CopyAnnouncer(format=self._format, address=self._format.addresses[node])
        m.submodules[f"copies_{node}"] = copies
        wiring.connect(m, generator.o, copies.i)
        return copies.o, generator.sent | copies.sent

    def _injector(self) -> FaultInjector:
        form = self._format
        addresses = [form.addresses[node] for node in form.receivers(0)]
        unused = set(range(1 << form.address_width)) - set(addresses)
        return FaultInjector(
            format=form,
            wrong_address=addresses[-1],
            invalid_address=min(unused, default=None),
            single=self._network.longest_packet == 1,
        )
