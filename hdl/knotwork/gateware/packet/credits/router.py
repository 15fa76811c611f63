"""The packet router whose links carry credits."""

from amaranth.hdl import Cat, Module, Signal, Value

from ....network import Network, RouterKind
from ...parts.table_route import TableRoute
from ...router_class import node_suffix
from ..header import completed
from ..inputs import own_tables, route_pin
from ..interface import NodeInterface
from ..node_router import NodeRouter
from .copy_port import make_input_port
from .credit_count import CreditCount
from .front_port import FrontPort
from .layouts import credit_signature
from .output_port import OutputPort


class CreditRouter(NodeRouter):
    """Wormhole router with virtual channels and credits, and the interface of its node.

    A flit takes two cycles per hop. In the first it is at its input's front, and is granted its
    output: virtual channel and crossbar in one step, while the RAM is read. In the second it is on
    the link, is routed, and is written into the next buffer. Every input and every output moves one
    flit per cycle; nothing idles between packets.

    Latency
    -------
    2 cycles from link to link, or from `inject` to `eject`, without contention.

    Parameters
    ----------
    network : Network
        Parameters; its routing supplies the route computation.
    kind : RouterKind
        Connected ports and turns.

    Members
    -------
    address, inject, eject, refused, routes_*, i, o
        As of `NodeRouter`, with links of `credit_signature`.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind, credit_signature(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        kind = self._kind
        nodes = {port: NodeInterface(self._network, kind, port) for port in kind.node_ports}
        for port, node in nodes.items():
            self._attach(m, port, node)
        # A link may exist that no route takes, in one direction or both.
        inputs = {port: self._input(m, port, nodes) for port in kind.ports if kind.input_vcs(port)}
        outputs = [port for port in kind.ports if kind.output_vcs(port)]
        eligible: dict[int, list[Value]] = {port: [] for port in inputs}
        granted: dict[int, list[Value]] = {port: [] for port in inputs}
        for port in outputs:
            senders = {way: one for way, one in inputs.items() if port in one.encoding.outputs}
            output = self._output(m, port, senders)
            self._receiver(m, port, output, nodes)
            for place, way in enumerate(senders):
                eligible[way].append(output.eligible[place])
                granted[way].append(output.granted[place])
        for port, one in inputs.items():
            m.d.comb += [
                one.eligible.eq(Cat(eligible[port]).any()),
                *one.hear_grants(granted[port]),
            ]
        return m

    def _input(self, m: Module, port: int, nodes: dict[int, NodeInterface]) -> FrontPort:
        """Input port, fed by its link or by a node."""
        one = make_input_port(self._network, self._kind, port)
        m.submodules[f"input_{self._name(port)}"] = one
        m.d.comb += one.address.eq(self.address)
        sender = nodes[port].o if port in nodes else self.i[self._kind.receiving.index(port)]
        m.d.comb += Value.cast(one.i).eq(Value.cast(sender.flit))
        tables = own_tables(self._network, self._kind)
        for place, vc in enumerate(one.encoding.channels):
            if port in nodes:
                m.d.comb += [
                    sender.ready[vc].eq(~one.full[place]),
                    one.arrives[place].eq(sender.valid[vc] & ~one.full[place]),
                    *one.hear_sender(place, sender, vc),
                ]
            else:
                m.d.comb += [
                    one.arrives[place].eq(sender.valid[vc]),
                    sender.credit[vc].eq(one.left[place]),
                ]
            route, name = one.routes[vc], route_pin(self._network, port, vc)
            if isinstance(route, TableRoute) and name in tables:
                m.d.comb += route.table.eq(getattr(self, name))
        return one

    def _output(self, m: Module, port: int, senders: dict[int, FrontPort]) -> OutputPort:
        """Output port, asked by the inputs that can turn to it."""
        vcs = self._kind.output_vcs(port)
        output = OutputPort(self._network, inputs=len(senders), channels=len(vcs))
        m.submodules[f"output_{self._name(port)}"] = output
        for place, one in enumerate(senders.values()):
            m.d.comb += [
                output.request[place].eq(one.turn[one.encoding.outputs.index(port)]),
                output.held[place].eq(one.held),
                output.last[place].eq(one.last),
                Value.cast(output.flits[place]).eq(one.flit_to(port)),
            ]
            m.d.comb += output.channel[place].eq(Cat(one.takes(port, vc) for vc in vcs))
        return output

    def _receiver(
        self, m: Module, port: int, output: OutputPort, nodes: dict[int, NodeInterface]
    ) -> None:
        """What is behind an output: a link whose credits are counted, or a node."""
        if port in nodes:
            node = nodes[port]
            waits = Signal(name=f"eject{node_suffix(self._network, port)}_valid")
            with m.If(node.i.ready[0]):
                m.d.sync += waits.eq(output.taken[0])
            m.d.comb += [
                node.i.valid[0].eq(waits),
                Value.cast(node.i.flit).eq(Value.cast(output.flit)),
                output.room.eq(node.i.ready[0]),
                output.step.eq(node.i.ready[0]),
            ]
            return
        link = self.o[self._kind.sending.index(port)]
        known = self._network.known_header(self._kind, port, leaving=True)
        flit = completed(output.flit, known, self.address)
        depth = self._network.depth_behind(self._kind.router, port)
        m.d.comb += [Value.cast(link.flit).eq(flit), output.step.eq(1)]
        for number, vc in enumerate(self._kind.output_vcs(port)):
            count = CreditCount(depth=depth)
            m.submodules[f"credits_{self._name(port)}_vc{vc}"] = count
            m.d.comb += [
                count.taken.eq(output.taken[number]),
                count.credit.eq(link.credit[vc]),
                output.room[number].eq(count.room),
                link.valid[vc].eq(count.sent),
            ]
