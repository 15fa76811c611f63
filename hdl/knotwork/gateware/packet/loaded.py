"""Packet routers whose tables are loaded in service, and whose links may die."""

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...untyped import Interface, View
from ..component import Component
from ..layouts import flit_layout, inject_layout
from ..parts.crossbar import one_hot_mux
from ..parts.parity import is_guarded, is_last, seal
from ..parts.table_route import LoadedRoute, channel_layout
from ..router_class import ControllerGateware, node_suffix
from .credit_links import credit_signature
from .inputs import router_numbers
from .router_option import RouterOption


def word_layout(network: Network) -> data.StructLayout:
    """Word of the stream that loads tables: {dead, router, input, destination, output}.

    Members
    -------
    output : channel_layout
        Where packets leave that come by `input` for `destination`.
    destination : address_width
        Address of a node.
    input : channel_layout
        Where they come in; of the node's own port the class is 0.
    router : range(routers)
        Number of the router.
    dead : 1
        Instead, the link at the port of `output` is dead, at this router's end.
    """
    channel = channel_layout(network)
    members: dict[str, ShapeLike] = {
        "output": channel,
        "destination": network.topology.address_width,
        "input": channel,
        "router": range(network.topology.routers),
        "dead": 1,
    }
    return data.StructLayout(members)


def config_signature(network: Network) -> wiring.Signature:
    """Stream of words; with `last`, they come into force once the network is empty."""
    return stream.Signature(data.StructLayout({"entry": word_layout(network), "last": 1}))


def control_layout(network: Network) -> data.StructLayout:
    """From the controller to all routers.

    Members
    -------
    word : word_layout
        Word that came, valid with `writes`.
    writes : 1
        `word` is to be stored.
    hold : 1
        Nodes begin no packet.
    swap : 1
        What was stored comes into force with the next cycle; no router holds a flit.
    collect : range(routers)
        Router whose lost packet is reported in this cycle.
    """
    members: dict[str, ShapeLike] = {
        "word": word_layout(network),
        "writes": 1,
        "hold": 1,
        "swap": 1,
        "collect": range(network.topology.routers),
    }
    return data.StructLayout(members)


def lost_layout(network: Network) -> data.StructLayout:
    """Packet that was lost: addresses of its nodes."""
    address = network.topology.address_width
    return data.StructLayout({"destination": address, "source": address})


def report_layout(network: Network) -> data.StructLayout:
    """From a router to the controller.

    Members
    -------
    idle : 1
        It holds no flit, and no packet that passes it has begun and not ended.
    lost : 1
        It is the one that the controller collects from, and reports a lost packet.
    packet : lost_layout
        That packet; 0 without one.
    """
    return data.StructLayout({"idle": 1, "lost": 1, "packet": lost_layout(network)})


def status_layout(network: Network) -> data.StructLayout:
    """What the network reports of its tables and its lost packets: {packet, lost, swaps, waits}.

    Members
    -------
    waits : 1
        Words are complete, and not yet in force: the network drains.
    swaps : 1
        Changes with each swap.
    lost : 1
        High for one cycle for each packet that was lost before its head crossed a dead link.
    packet : lost_layout
        Addresses of its nodes; 0 without one.
    """
    return data.StructLayout({"waits": 1, "swaps": 1, "lost": 1, "packet": lost_layout(network)})


def outside_ports(network: Network) -> dict[str, Member]:
    """Ports that the controller adds to its network's: words in, a status out."""
    return {"config": In(config_signature(network)), "status": Out(status_layout(network).size)}


class InjectionGate(Component):
    """Lets no packet begin while it is held; a packet that has begun goes on.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Layout of the beats.

    Members
    -------
    i, o : stream of inject_layout
        From the node, and on to the network.
    hold : In(1)
        Begin no packet.
    idle : Out(1)
        No packet has begun and not ended.
    """

    i: stream.Interface
    o: stream.Interface
    hold: Signal
    idle: Signal

    def __init__(self, network: Network) -> None:
        beats = stream.Signature(inject_layout(network))
        super().__init__({"i": In(beats), "o": Out(beats), "hold": In(1), "idle": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        in_packet, passes = Signal(name="in_packet"), Signal(name="passes")
        # A beat that was offered stays offered: `hold` waits until it is taken.
        waits = Signal(name="waits")
        m.d.comb += [
            passes.eq(in_packet | waits | ~self.hold),
            Value.cast(self.o.p).eq(Value.cast(self.i.p)),
            self.o.valid.eq(self.i.valid & passes),
            self.i.ready.eq(self.o.ready & passes),
            self.idle.eq(~in_packet & ~waits),
        ]
        m.d.sync += waits.eq(self.o.valid & ~self.o.ready)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += in_packet.eq(~self.i.p.last)
        return m


def _follow_packets(m: Module, is_open: Signal, passes: Value, last: Value, ends: Value) -> None:
    """Keep which virtual channels a packet has begun to pass by; `ends` ends it as `last` does."""
    for vc, one in enumerate(passes):
        with m.If(one | ends[vc]):
            m.d.sync += is_open[vc].eq(one & ~last)


class LinkSender(Component):
    """End of a link by which flits leave a router; those granted while it is dead are dropped.

    A dead link is dead for the grants: a flit granted before is sent, and one granted since takes
    no credit and does not leave. So credits count what was sent, whatever becomes of the link.

    While a link that is not dead is not up, packets wait.

    A packet of which nothing was sent is reported as lost, with its last flit. Until the report is
    taken, no flit is granted: nor while a dropped flit is on its way here, which may be a last one.
    The far end ends a packet whose head was sent.

    Latency
    -------
    0 cycles from `i` to `o`; a flit is here `Network.cycles_to_link` cycles after its grant.

    Parameters
    ----------
    network : Network
        Layout of the flits.

    Members
    -------
    i : In(credit_signature)
        From the crossbar: the flits that credits were taken for; with a dropped one, `valid` is 0.
    o : Out(credit_signature)
        The link.
    taken : In(virtual_channels)
        A flit of the virtual channel is granted.
    dead : In(1)
        The link is dead.
    open : Out(1)
        A flit may be granted, to be sent with a credit, or to be dropped.
    lost : Out(1)
        A packet is to be reported.
    packet : Out(lost_layout)
        Which one.
    reported : In(1)
        It is reported; only with `lost`.
    dropped : list of Signal
        Virtual channel of a dropped flit in each cycle from its grant to the link.
    sending : Signal
        Virtual channels by which a packet has begun to pass and not ended.
    """

    i: Interface
    o: Interface
    taken: Signal
    dead: Signal
    open: Signal
    lost: Signal
    packet: View
    reported: Signal

    def __init__(self, network: Network) -> None:
        self._channels = network.virtual_channels
        self.sending = Signal(self._channels, name="sending")
        self.dropped = [
            Signal(self._channels, name=f"dropped_{number}")
            for number in range(network.cycles_to_link)
        ]
        link = credit_signature(network)
        super().__init__(
            {
                "i": In(link),
                "o": Out(link),
                "taken": In(self._channels),
                "dead": In(1),
                "open": Out(1),
                "lost": Out(1),
                "packet": Out(lost_layout(network)),
                "reported": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit, last = self.i.flit, is_last(self.i.flit)
        dropped: Value = self.taken & self.dead.replicate(self._channels)
        for stage in self.dropped:  # along with the flit
            m.d.sync += stage.eq(dropped)
            dropped = stage
        ends = dropped & last.replicate(self._channels)
        _follow_packets(m, self.sending, self.i.valid, last, ends)
        loses = Signal(name="loses")
        m.d.comb += [
            Value.cast(self.o.flit).eq(
                Mux(dropped.any(), 0, Value.cast(flit))  # a link carries 0 without a flit
            ),
            self.o.valid.eq(self.i.valid),
            self.i.credit.eq(self.o.credit),
            loses.eq((ends & ~self.sending).any()),
            self.open.eq(Mux(self.dead, ~(self.lost | Cat(self.dropped).any()), self.o.up)),
            self.i.up.eq(self.o.up),
        ]
        with m.If(loses | self.reported):
            m.d.sync += self.lost.eq(loses)
        with m.If(loses):
            m.d.sync += [
                self.packet.source.eq(flit.source),
                self.packet.destination.eq(flit.destination),
            ]
        return m


class LinkReceiver(Component):
    """End of a link by which flits reach a router; it ends the packets that a dead link cut.

    What was sent before the link's other end was declared dead may still come, and is taken. In the
    first cycle without a flit, a packet that has begun gets a last flit that is marked as lost. It
    takes the place of the packet's next flit: should that come after all, it and those behind it
    are dropped. So the buffer never has to hold more than its sender knows of. A dead link gives no
    credits: once it is alive again its sender has all of them.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Layout of the flits.

    Members
    -------
    i : In(credit_signature)
        The link.
    o : Out(credit_signature)
        To the input port.
    full : In(virtual_channels)
        The buffer of the virtual channel has no place.
    dead : In(1)
        The link is dead; falls only while no packet is cut.
    idle : Out(1)
        No packet has begun and not ended.
    opened, cut : Signal
        Virtual channels with a packet that has begun and not ended; with one that was ended here.
    packets : list of View
        By virtual channel, the packet that began last: `lost_layout`.
    """

    i: Interface
    o: Interface
    full: Signal
    dead: Signal
    idle: Signal

    def __init__(self, network: Network) -> None:
        self._network, count = network, network.virtual_channels
        self.opened, self.cut = Signal(count, name="opened"), Signal(count, name="cut")
        layout = lost_layout(network)
        self.packets: list[View] = [Signal(layout, name=f"packet_vc{vc}") for vc in range(count)]
        link = credit_signature(network)
        super().__init__(
            {
                "i": In(link),
                "o": Out(link),
                "full": In(count),
                "dead": In(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count, flit = self._network.virtual_channels, self.i.flit
        comes, closes = Signal(count, name="comes"), Signal(count, name="closes")
        cut, opened = self.cut, self.opened
        ended = is_last(flit)
        _follow_packets(m, opened, comes, ended, closes)
        for vc, begun in enumerate(self.packets):
            with m.If(comes[vc]):
                m.d.sync += [begun.source.eq(flit.source), begun.destination.eq(flit.destination)]
            with m.If(~self.dead | (self.i.valid[vc] & ended)):
                m.d.sync += cut[vc].eq(0)
            with m.Elif(closes[vc]):
                m.d.sync += cut[vc].eq(1)
        ready = Signal(count, name="ready")
        m.d.comb += ready.eq(opened & ~self.full)
        first = Cat(ready[vc] & ~ready[:vc].any() for vc in range(count))
        packet: View = Signal(lost_layout(self._network), name="packet")
        last: View = Signal(flit_layout(self._network), name="closing")
        m.d.comb += [
            comes.eq(Mux(self.dead, self.i.valid & ~cut, self.i.valid)),
            closes.eq(Mux(self.dead & ~self.i.valid.any(), first, 0)),
            Value.cast(packet).eq(one_hot_mux(list(closes), self.packets)),
            last.last.eq(1),
            last.lost.eq(1),
            last.source.eq(packet.source),
            last.destination.eq(packet.destination),
            *(seal(last) if is_guarded(last) else ()),
            self.o.valid.eq(comes | closes),
            # Without a flit the link carries 0.
            Value.cast(self.o.flit).eq(Value.cast(flit) | Mux(closes.any(), Value.cast(last), 0)),
            self.i.credit.eq(Mux(self.dead, 0, self.o.credit)),
            self.i.up.eq(1),
            self.idle.eq(~opened.any()),
        ]
        return m


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
    held, empty : Signal
        `control.hold` of the cycle before; then all routers were idle.
    rested : Signal
        Cycles for which both have held.
    """

    config: stream.Interface
    reports: View
    control: View
    status: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        self.held, self.empty = Signal(name="held"), Signal(name="empty")
        self.rested = Signal(range(network.cycles_between_buffers + 1), name="rested")
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
        held, empty, rested = self.held, self.empty, self.rested
        swaps, rests = Signal(name="swaps"), Signal(name="rests")
        comes, ends = Signal(name="comes"), Signal(name="ends")
        # A router is idle with a flit on its way to the next one, in registers between grant and
        # link and along the link: it is in a buffer, or dropped and reported, within these cycles.
        between = self._network.cycles_between_buffers
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


class LoadedTables(RouterOption):
    """Gates before the nodes, guards at the ends of links, and what is common to a router's tables.

    Words set the bank of the tables that is not in force, and declare links dead. A link is dead at
    once. What else was stored comes into force in the cycle after `control.swap`, when the links
    that no word of this load declared dead are alive again.

    Parameters
    ----------
    network, kind
        As for `CreditRouter`.

    Members
    -------
    number : In(range(routers))
        The router's own number, constant.
    control : In(control_layout)
        From the controller.
    report : Out(report_layout)
        To it.
    bank, loaded : Signal
        Bank of the tables that is in force; a table is, not the gates of the network's routing.
    dead_links, next_dead : Signal
        By place in ``kind.links``: links that are dead, and that will be after the next swap.
    senders, receivers : dict of int to LinkSender, to LinkReceiver
        Ends of links, by port.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network, self._kind = network, kind
        self._idle: list[Value] = []
        self.receivers: dict[int, LinkReceiver] = {}
        self.senders: dict[int, LinkSender] = {}
        self._control: View = Signal(control_layout(network), name="loads")
        self._is_mine = Signal(name="is_mine")
        self.bank, self.loaded = Signal(name="bank"), Signal(name="loaded")
        self.dead_links = Signal(len(kind.links), name="dead_links")
        self.next_dead = Signal.like(self.dead_links, name="next_dead")

    def members(self) -> Mapping[str, Member]:
        return {
            "number": In(router_numbers(self._network)),
            "control": In(control_layout(self._network)),
            "report": Out(report_layout(self._network)),
        }

    def inject(self, m: Module, port: int, node: stream.Interface) -> stream.Interface:
        end = node_suffix(self._network, port)
        m.submodules[f"gate{end}"] = gate = InjectionGate(self._network)
        wiring.connect(m, node, gate.i)
        m.d.comb += gate.hold.eq(self._control.hold)
        self._idle.append(gate.idle)
        return gate.o

    def receive(
        self, m: Module, port: int, link: Interface, full: Mapping[int, Value]
    ) -> Interface:
        if port not in self.receivers:
            guard = LinkReceiver(self._network)
            m.submodules[f"receiver_{self._network.topology.ports[port]}"] = guard
            wiring.connect(m, wiring.flipped(link), guard.i)
            m.d.comb += guard.dead.eq(self._is_dead(port))
            self._idle.append(guard.idle)
            self.receivers[port] = guard
        guard = self.receivers[port]
        m.d.comb += [guard.full[vc].eq(is_full) for vc, is_full in full.items()]
        return guard.o

    def send(self, m: Module, port: int, link: Interface) -> Interface:
        if port not in self.senders:
            guard = LinkSender(self._network)
            m.submodules[f"sender_{self._network.topology.ports[port]}"] = guard
            wiring.connect(m, guard.o, wiring.flipped(link))
            m.d.comb += guard.dead.eq(self._is_dead(port))
            self._idle.append(~guard.lost)
            self.senders[port] = guard
        return self.senders[port].i

    def refill(self) -> Value:
        # Of a dead link's credits some never came back; at a swap all buffers are empty.
        return self._control.swap

    def grant(
        self, m: Module, port: int, vc: int, taken: Value, room: Value
    ) -> tuple[Value, Value]:
        guard = self.senders[port]
        m.d.comb += guard.taken[vc].eq(taken)
        return taken & ~guard.dead, (room | guard.dead) & guard.open

    def _is_dead(self, port: int) -> Value:
        """Whether the link at a port is dead."""
        return self.dead_links[self._kind.links.index(port)]

    def input_port(self, m: Module, port: int, one: Interface) -> None:
        self._idle.append(~one.front.nonempty.any())
        word, layout = self._control.word, channel_layout(self._network)
        for vc, route in one.routes.items():
            assert isinstance(route, LoadedRoute)
            code: dict[int | str, int] = {"port": port}
            code["channel_class"] = vc % self._network.routing.classes
            is_input = Value.cast(word.input) == layout.const(code).as_value()
            m.d.comb += [
                route.bank.eq(self.bank),
                route.loaded.eq(self.loaded),
                route.writes.eq(self._is_mine & ~word.dead & is_input),
                route.entry_destination.eq(word.destination),
                route.entry.eq(Value.cast(word.output)),
            ]

    def connect(self, m: Module, router: wiring.Component) -> None:
        ports: Interface = router
        word = self._control.word
        declares = Signal(name="declares")
        named = Signal.like(self.dead_links, name="named")
        m.d.comb += [
            Value.cast(self._control).eq(Value.cast(ports.control)),
            self._is_mine.eq(self._control.writes & (word.router == ports.number)),
            declares.eq(self._is_mine & word.dead),
            named.eq(Cat(declares & (word.output.port == port) for port in self._kind.links)),
            ports.report.idle.eq(Cat(self._idle).all()),
        ]
        with m.If(self._control.swap):
            m.d.sync += [
                self.bank.eq(~self.bank),
                self.loaded.eq(1),
                self.dead_links.eq(self.next_dead),
                self.next_dead.eq(0),
            ]
        with m.Else():
            m.d.sync += [
                self.dead_links.eq(self.dead_links | named),
                self.next_dead.eq(self.next_dead | named),
            ]
        self._collect(m, ports)

    def _collect(self, m: Module, ports: Interface) -> None:
        """Report one lost packet to the controller, when it collects from this router."""
        lost = Signal(max(1, len(self.senders)), name="lost")
        chosen = Signal(name="chosen")
        m.d.comb += chosen.eq(self._control.collect == ports.number)
        packet: Value = Const(0, lost_layout(self._network).size)
        for place, sender in enumerate(self.senders.values()):
            reports = chosen & sender.lost & ~lost[:place].any()
            m.d.comb += [lost[place].eq(sender.lost), sender.reported.eq(reports)]
            packet = packet | Value.cast(sender.packet) & reports.replicate(len(packet))
        m.d.comb += [
            ports.report.lost.eq(chosen & lost.any()),
            Value.cast(ports.report.packet).eq(packet),
        ]


LOADER = ControllerGateware(
    controller=LoadController,
    control_layout=control_layout,
    report_layout=report_layout,
    outside_ports=outside_ports,
    routers_report=True,
)

__all__ = ["LOADER", "LoadController", "LoadedTables"]
