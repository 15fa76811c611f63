"""The packet router whose links carry credits."""

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring

from ...network import Network, RouterKind
from ...router_kind import by_class
from ...untyped import Interface
from ..router_class import InterfaceComponent, node_suffix
from .classes import class_port_name, share_link
from .credit_links import CreditCount, credit_signature
from .input_port import FrontPort
from .inputs import completed, router_tables
from .interface import NodeInterface
from .multicast import MulticastInterface
from .node_router import NodeRouter
from .output_port import OutputPort, eject
from .router_input import RouterInput, make_input_port
from .router_option import RouterOption


class CreditRouter(NodeRouter):
    """Wormhole router with virtual channels and credits, and the interface of its node.

    A flit takes two cycles per hop. In the first it is at its input's front, and is granted its
    output: virtual channel and crossbar in one step, while the RAM is read. In the second it is on
    the link, is routed, and is written into the next buffer. Every input and every output moves one
    flit per cycle; nothing idles between packets.

    With classes of traffic it has all this once for each class, as if each had a router of its own;
    they share the links, which in each cycle carry a flit of the highest class that can send one;
    with weights, of the class whose turn it is.

    With ``pipeline=3`` the crossbar has a cycle of its own, between the two, for flits to links:
    grants and flits are registers first. A flit to the node skips it, because it may have to wait
    in the crossbar for its node, and what would be on its way there could not.

    Latency
    -------
    `cycles_per_hop` cycles from link to link, and 2 from `inject` to `eject`, without contention.

    Parameters
    ----------
    network : Network
        Parameters; its routing supplies the route computation.
    kind : RouterKind
        Connected ports and turns.
    options : sequence of RouterOption
        Parts that the network's options add.

    Members
    -------
    address, inject, eject, refused, routes_*, i, o
        As of `NodeRouter`, with links of `credit_signature`; and those of the options.
    """

    def __init__(
        self, network: Network, kind: RouterKind, options: Sequence[RouterOption] = ()
    ) -> None:
        self.options = options
        more = {name: port for one in options for name, port in one.members().items()}
        super().__init__(network, kind, credit_signature(network), more=more)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        kind = self._kind
        self.inputs: dict[str, RouterInput] = {}
        self.ejected: dict[int, Signal] = {}
        interface = MulticastInterface if self._network.has_multicast else NodeInterface
        nodes = {port: interface(self._network, port) for port in kind.node_ports}
        for port, node in nodes.items():
            self._attach(m, port, node)
        shared: dict[int, list[OutputPort]] = {}
        for of_class in by_class(self._network.routing, kind):
            for port, output in self._crossbar(m, of_class, nodes).items():
                shared.setdefault(port, []).append(output)
        for port, outputs in shared.items():
            if len(outputs) > 1:
                self._send(m, port, outputs)
        for option in self.options:
            option.connect(m, self)
        return m

    def _connect_node(self, m: Module, port: int, node: InterfaceComponent) -> None:
        interface: Interface = node
        inject: Interface = wiring.flipped(self.node_side(port).inject)
        for option in self.options:
            inject = option.inject(m, port, inject)
        wiring.connect(m, inject, interface.inject)

    def _crossbar(
        self, m: Module, kind: RouterKind, nodes: Mapping[int, Interface]
    ) -> dict[int, OutputPort]:
        """Inputs of a class of traffic, and its outputs, by port."""
        # A link may exist that no route takes, in one direction or both.
        inputs = {
            port: self._input(m, kind, port, nodes) for port in kind.ports if kind.input_vcs(port)
        }
        eligible: dict[int, list[Value]] = {port: [] for port in inputs}
        granted: dict[int, list[Value]] = {port: [] for port in inputs}
        outputs: dict[int, OutputPort] = {}
        for port in kind.ports:
            if not kind.output_vcs(port):
                continue
            senders = {way: one for way, one in inputs.items() if port in one.outputs}
            outputs[port] = output = self._output(m, kind, port, senders)
            if port in nodes:
                end, vcs = node_suffix(self._network, port), kind.output_vcs(port)
                address = getattr(self, f"address{end}")
                self.ejected[port] = eject(m, output, nodes[port], vcs, end, address=address)
            else:
                if kind.traffic_class is None:
                    self._send(m, port, [output])
                self._count_credits(m, kind, port, output)
            for place, way in enumerate(senders):
                eligible[way].append(output.eligible[place])
                granted[way].append(output.granted[place])
        for port, one in inputs.items():
            m.d.comb += one.front.connect_grants(granted[port])
            if one.front.has_eligible:
                m.d.comb += one.front.eligible.eq(Cat(eligible[port]).any())
        return outputs

    def _input(
        self, m: Module, kind: RouterKind, port: int, nodes: Mapping[int, Interface]
    ) -> RouterInput:
        """Input, fed by its link or by a node."""
        front = make_input_port(self._network, kind, port)
        one = RouterInput(self._network, kind, port, front)
        sender = nodes[port].o if port in nodes else self._received(m, port, front)
        self.inputs[name := class_port_name(self._name(port), kind)] = one
        one.add(m, name, self.address, sender.flit)
        for option in self.options:
            option.input_port(m, port, one)
        for place, vc in enumerate(front.encoding.channels):
            if port in nodes:
                m.d.comb += [
                    sender.ready[vc].eq(~front.full[place]),
                    front.arrives[place].eq(sender.valid[vc] & ~front.full[place]),
                    *front.connect_sender(place, sender, vc),
                ]
            else:
                m.d.comb += [
                    front.arrives[place].eq(sender.valid[vc]),
                    sender.credit[vc].eq(front.left[place]),
                ]
        for pin, table in one.tables(router_tables(self._network, self._kind)):
            m.d.comb += table.eq(getattr(self, pin))
        return one

    def _received(self, m: Module, port: int, one: FrontPort) -> Interface:
        """Link from which an input port receives."""
        link: Interface = self.i[self._kind.receiving.index(port)]
        full = dict(zip(one.encoding.channels, one.full, strict=True))
        for option in self.options:
            link = option.receive(m, port, link, full)
        return link

    def _sent(self, m: Module, port: int) -> Interface:
        """Link to which the outputs of a port send."""
        link: Interface = self.o[self._kind.sending.index(port)]
        for option in self.options:
            link = option.send(m, port, link)
        return link

    def _output(
        self, m: Module, kind: RouterKind, port: int, senders: dict[int, RouterInput]
    ) -> OutputPort:
        """Output port, requested by the inputs that can turn to it."""
        vcs = kind.output_vcs(port)
        shares = kind.traffic_class is not None and port not in kind.node_ports
        escapes = self._network.routing.escape_class is not None and port not in kind.node_ports
        output = OutputPort(
            self._network,
            inputs=len(senders),
            channels=len(vcs),
            shares=shares,
            by_head=escapes,
            staged=self._network.has_crossbar_stage and port not in kind.node_ports,
        )
        m.submodules[f"output_{class_port_name(self._name(port), kind)}"] = output
        for place, one in enumerate(senders.values()):
            front = one.front
            m.d.comb += [
                output.request[place].eq(front.turn[one.outputs.index(port)]),
                output.held[place].eq(front.held),
                output.last[place].eq(front.last),
                Value.cast(output.flits[place]).eq(one.flit_to(port)),
            ]
            if len(vcs) > 1:
                takes = Cat(front.takes(port, vc) for vc in vcs)
                m.d.comb += output.channel[place].eq(takes)
        return output

    def _send(self, m: Module, port: int, outputs: list[OutputPort]) -> None:
        """Link, which one output has, or the outputs of several classes share."""
        link = self._sent(m, port)
        known = self._network.known_header(self._kind, port, leaving=True)
        sent = outputs[0].flit
        if len(outputs) > 1:
            weights = self._network.class_weights
            sent = share_link(m, outputs, self._name(port), weights=weights)
        m.d.comb += Value.cast(link.flit).eq(completed(sent, known, self.address))
        m.d.comb += [output.step.eq(1) for output in outputs]

    def _count_credits(self, m: Module, kind: RouterKind, port: int, output: OutputPort) -> None:
        """Count the credits of the virtual channels behind an output to a link."""
        network, link = self._network, self._sent(m, port)
        classes, escape = network.routing.classes, network.routing.escape_class
        refills = [one for one in (option.refill() for option in self.options) if one is not None]
        for number, vc in enumerate(kind.output_vcs(port)):
            # With two packets in a buffer, the second could hold up the first, and escape nowhere.
            guarded = escape is not None and vc % classes < escape
            count = CreditCount(
                depth=network.depth_behind(kind.router, port),
                reports_empty=guarded,
                cycles_to_link=network.cycles_to_link,
                refills=bool(refills),
            )
            if refills:
                m.d.comb += count.refill.eq(Cat(refills).any())
            if escape is not None:
                m.d.comb += output.opens[number].eq(count.all_free if guarded else count.room)
            taken, room = output.taken[number], count.room
            for option in self.options:
                taken, room = option.grant(m, port, vc, taken, room)
                option.output_channel(m, port, vc, output, number)
            m.submodules[f"credits_{self._name(port)}_vc{vc}"] = count
            m.d.comb += [
                count.taken.eq(taken),
                count.credit.eq(link.credit[vc]),
                output.room[number].eq(room),
                link.valid[vc].eq(count.sent),
            ]
