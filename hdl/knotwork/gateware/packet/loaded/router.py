"""Packet router whose tables are loaded in service, and whose links may die."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ....network import Network, RouterKind
from ....untyped import Interface, View
from ...layouts import Link
from ...parts.loaded_route import LoadedRoute, channel_layout
from ...parts.table_route import TableRoute
from ...router_class import InterfaceComponent, node_suffix
from ..channel import Channel
from ..input_channel import InputChannel
from ..inputs import own_tables, route_pin, router_numbers
from ..router import PacketRouter
from .gate import InjectionGate
from .layouts import control_layout, lost_layout, report_layout
from .links import LinkReceiver, LinkSender


class LoadedRouter(PacketRouter):
    """`PacketRouter` with a table for each input, and guards at the ends of its links.

    Words set the bank of the tables that is not in force, and declare links dead. A link is dead at
    once. What else was stored comes into force in the cycle after `control.swap`, when the links
    that no word of this load declared dead are alive again.

    Parameters
    ----------
    network, kind
        As for `PacketRouter`.

    Members
    -------
    number : In(range(routers))
        The router's own number, constant.
    control : In(control_layout)
        From the controller.
    report : Out(report_layout)
        To it.
    """

    number: Signal
    control: View
    report: View

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(
            network,
            kind,
            more={
                "number": In(router_numbers(network)),
                "control": In(control_layout(network)),
                "report": Out(report_layout(network)),
            },
        )

        self._idle: list[Value] = []
        self._senders: list[LinkSender] = []
        self._is_mine = Signal(name="is_mine")
        self._bank, self._loaded = Signal(name="bank"), Signal(name="loaded")
        self._dead = Signal(len(kind.links), name="dead_links")  # by place in `kind.links`

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        word = self.control.word
        declares = Signal(name="declares")
        named = Signal.like(self._dead, name="named")
        next_dead = Signal.like(self._dead, name="next_dead")
        m.d.comb += [
            self._is_mine.eq(self.control.writes & (word.router == self.number)),
            declares.eq(self._is_mine & word.dead),
            named.eq(Cat(declares & (word.output.port == port) for port in self._kind.links)),
            self.report.idle.eq(Cat(self._idle).all()),
        ]
        with m.If(self.control.swap):
            m.d.sync += [
                self._bank.eq(~self._bank),
                self._loaded.eq(1),
                self._dead.eq(next_dead),
                next_dead.eq(0),
            ]
        with m.Else():
            m.d.sync += [self._dead.eq(self._dead | named), next_dead.eq(next_dead | named)]
        self._collect(m)
        return m

    def _collect(self, m: Module) -> None:
        """Tell the controller of one lost packet, when it collects from this router."""
        lost = Signal(max(1, len(self._senders)), name="lost")
        chosen = Signal(name="chosen")
        m.d.comb += chosen.eq(self.control.collect == self.number)
        told: Value = Const(0, lost_layout(self._network).size)
        for place, sender in enumerate(self._senders):
            tells = chosen & sender.lost & ~lost[:place].any()
            m.d.comb += [lost[place].eq(sender.lost), sender.told.eq(tells)]
            told = told | Value.cast(sender.packet) & tells.replicate(len(told))
        m.d.comb += [
            self.report.lost.eq(chosen & lost.any()),
            Value.cast(self.report.packet).eq(told),
        ]

    def _connect_node(self, m: Module, port: int, node: InterfaceComponent) -> None:
        interface: Interface = node
        end = node_suffix(self._network, port)
        m.submodules[f"gate{end}"] = gate = InjectionGate(self._network)
        inject: stream.Interface = self.node_side(port).inject
        wiring.connect(m, wiring.flipped(inject), gate.i)
        wiring.connect(m, gate.o, interface.inject)
        m.d.comb += gate.hold.eq(self.control.hold)
        self._idle.append(gate.idle)

    def _ways_in(self, m: Module) -> Sequence[Link]:
        guards = []
        for place, port in enumerate(self._kind.receiving):
            link: Interface = self.i[place]
            m.submodules[f"receiver_{self._name(port)}"] = guard = LinkReceiver(self._network)
            wiring.connect(m, wiring.flipped(link), guard.i)
            m.d.comb += guard.dead.eq(self._dead[self._kind.links.index(port)])
            self._idle.append(guard.idle)
            guards.append(guard.o)
        return guards

    def _ways_out(self, m: Module) -> Sequence[Link]:
        guards = []
        for place, port in enumerate(self._kind.sending):
            link: Interface = self.o[place]
            m.submodules[f"sender_{self._name(port)}"] = guard = LinkSender(self._network)
            wiring.connect(m, guard.o, wiring.flipped(link))
            m.d.comb += guard.dead.eq(self._dead[self._kind.links.index(port)])
            self._idle.append(guard.idle)
            self._senders.append(guard)
            guards.append(guard.i)
        return guards

    def _input_channel(self, m: Module, sender: Link, port: int, vc: int) -> Channel:
        channel = super()._input_channel(m, sender, port, vc)
        assert isinstance(channel, InputChannel)
        self._idle.append(channel.empty)
        route, word = channel.routes[0], self.control.word
        assert isinstance(route, LoadedRoute)
        layout = channel_layout(self._network)
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
        name = route_pin(self._network, port, vc)
        if isinstance(route.own, TableRoute) and name in own_tables(self._network, self._kind):
            m.d.comb += route.own.table.eq(getattr(self, name))
        return channel
