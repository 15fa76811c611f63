"""What a packet router has beside others if its tables are loaded in service."""

from collections.abc import Mapping

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Member, Out

from ....network import Network, RouterKind
from ....untyped import Interface, View
from ...parts.loaded_route import LoadedRoute, channel_layout
from ...router_class import node_suffix
from ..inputs import router_numbers
from ..router_option import RouterOption
from .gate import InjectionGate
from .layouts import control_layout, lost_layout, report_layout
from .links import LinkReceiver, LinkSender


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
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network, self._kind = network, kind
        self._idle: list[Value] = []
        self._receivers: dict[int, LinkReceiver] = {}
        self._senders: dict[int, LinkSender] = {}
        self._control: View = Signal(control_layout(network), name="loads")
        self._is_mine = Signal(name="is_mine")
        self._bank, self._loaded = Signal(name="bank"), Signal(name="loaded")
        self._dead = Signal(len(kind.links), name="dead_links")  # by place in `kind.links`

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
        if port not in self._receivers:
            guard = LinkReceiver(self._network)
            m.submodules[f"receiver_{self._network.topology.ports[port]}"] = guard
            wiring.connect(m, wiring.flipped(link), guard.i)
            m.d.comb += guard.dead.eq(self._is_dead(port))
            self._idle.append(guard.idle)
            self._receivers[port] = guard
        guard = self._receivers[port]
        m.d.comb += [guard.full[vc].eq(is_full) for vc, is_full in full.items()]
        return guard.o

    def send(self, m: Module, port: int, link: Interface) -> Interface:
        if port not in self._senders:
            guard = LinkSender(self._network)
            m.submodules[f"sender_{self._network.topology.ports[port]}"] = guard
            wiring.connect(m, guard.o, wiring.flipped(link))
            m.d.comb += guard.dead.eq(self._is_dead(port))
            self._idle.append(~guard.lost)
            self._senders[port] = guard
        return self._senders[port].i

    def refill(self) -> Value:
        # Of a dead link's credits some never came back; at a swap all buffers are empty.
        return self._control.swap

    def grant(
        self, m: Module, port: int, vc: int, taken: Value, room: Value
    ) -> tuple[Value, Value]:
        guard = self._senders[port]
        m.d.comb += guard.taken[vc].eq(taken)
        return taken & ~guard.dead, (room | guard.dead) & guard.open

    def _is_dead(self, port: int) -> Value:
        """Whether the link at a port is dead."""
        return self._dead[self._kind.links.index(port)]

    def input_port(self, m: Module, port: int, one: Interface) -> None:
        self._idle.append(~one.front.some.any())
        word, layout = self._control.word, channel_layout(self._network)
        for vc, route in one.routes.items():
            assert isinstance(route, LoadedRoute)
            code: dict[int | str, int] = {"port": port}
            code["channel_class"] = vc % self._network.routing.classes
            is_input = Value.cast(word.input) == layout.const(code).as_value()
            m.d.comb += [
                route.bank.eq(self._bank),
                route.loaded.eq(self._loaded),
                route.writes.eq(self._is_mine & ~word.dead & is_input),
                route.place.eq(word.destination),
                route.entry.eq(Value.cast(word.output)),
            ]

    def connect(self, m: Module, router: wiring.Component) -> None:
        ports: Interface = router
        word = self._control.word
        declares = Signal(name="declares")
        named = Signal.like(self._dead, name="named")
        next_dead = Signal.like(self._dead, name="next_dead")
        m.d.comb += [
            Value.cast(self._control).eq(Value.cast(ports.control)),
            self._is_mine.eq(self._control.writes & (word.router == ports.number)),
            declares.eq(self._is_mine & word.dead),
            named.eq(Cat(declares & (word.output.port == port) for port in self._kind.links)),
            ports.report.idle.eq(Cat(self._idle).all()),
        ]
        with m.If(self._control.swap):
            m.d.sync += [
                self._bank.eq(~self._bank),
                self._loaded.eq(1),
                self._dead.eq(next_dead),
                next_dead.eq(0),
            ]
        with m.Else():
            m.d.sync += [self._dead.eq(self._dead | named), next_dead.eq(next_dead | named)]
        self._collect(m, ports)

    def _collect(self, m: Module, ports: Interface) -> None:
        """Report one lost packet to the controller, when it collects from this router."""
        lost = Signal(max(1, len(self._senders)), name="lost")
        chosen = Signal(name="chosen")
        m.d.comb += chosen.eq(self._control.collect == ports.number)
        packet: Value = Const(0, lost_layout(self._network).size)
        for place, sender in enumerate(self._senders.values()):
            reports = chosen & sender.lost & ~lost[:place].any()
            m.d.comb += [lost[place].eq(sender.lost), sender.reported.eq(reports)]
            packet = packet | Value.cast(sender.packet) & reports.replicate(len(packet))
        m.d.comb += [
            ports.report.lost.eq(chosen & lost.any()),
            Value.cast(ports.report.packet).eq(packet),
        ]
