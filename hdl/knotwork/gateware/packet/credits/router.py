"""The packet router whose links carry credits."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ....network import Network, RouterKind
from ....topology import LOCAL
from ....untyped import Interface
from ...layouts import eject_layout, inject_layout
from ...parts.table_route import TableRoute
from ..header import completed
from ..inputs import own_tables, route_pin
from ..interface import NodeInterface
from .credit_count import CreditCount
from .input_port import InputPort
from .layouts import credit_signature
from .output_port import OutputPort


class CreditRouter(wiring.Component):
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
    address : In(address_width)
        The router's own address, constant.
    inject, eject : stream.Interface
        From and to the node.
    refused : Out(1)
        High for one cycle for each packet dropped at injection.
    routes_* : In(width)
        Tables of the router's own, constant; see `parts.table_route`.
    i, o : arrays of credit_signature
        Links, by position in ``kind.ports[1:]``.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    i: Interface
    o: Interface

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network = network
        self._kind = kind
        links = len(kind.ports) - 1
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "inject": In(stream.Signature(inject_layout(network))),
                "eject": Out(stream.Signature(eject_layout(network))),
                "refused": Out(1),
                **{name: In(table.width) for name, table in own_tables(network, kind).items()},
                "i": In(credit_signature(network)).array(links),
                "o": Out(credit_signature(network)).array(links),
            }
        )

    @property
    def kind(self) -> RouterKind:
        """Connected ports and turns."""
        return self._kind

    def elaborate(self, platform: object) -> Module:
        m = Module()
        kind = self._kind
        m.submodules.node_interface = node = NodeInterface(self._network, kind)
        m.d.comb += [node.address.eq(self.address), self.refused.eq(node.refused)]
        wiring.connect(m, wiring.flipped(self.inject), node.inject)
        wiring.connect(m, node.eject, wiring.flipped(self.eject))
        # A link may exist that no route takes, in one direction or both.
        inputs = {port: self._input(m, port, node) for port in kind.ports if kind.input_vcs(port)}
        outputs = [port for port in kind.ports if kind.output_vcs(port)]
        eligible: dict[int, list[Value]] = {port: [] for port in inputs}
        granted: dict[int, list[Value]] = {port: [] for port in inputs}
        for port in outputs:
            senders = {way: one for way, one in inputs.items() if port in one.outputs}
            output = self._output(m, port, senders)
            self._receiver(m, port, output, node)
            for place, way in enumerate(senders):
                eligible[way].append(output.eligible[place])
                granted[way].append(output.granted[place])
        for port, one in inputs.items():
            m.d.comb += [
                one.eligible.eq(Cat(eligible[port]).any()),
                one.granted.eq(Cat(granted[port]).any()),
            ]
        return m

    def _name(self, port: int) -> str:
        return self._network.topology.ports[port]

    def _input(self, m: Module, port: int, node: NodeInterface) -> InputPort:
        """Input port, fed by its link or by the node."""
        one = InputPort(self._network, self._kind, port)
        m.submodules[f"input_{self._name(port)}"] = one
        m.d.comb += one.address.eq(self.address)
        sender = node.o if port == LOCAL else self.i[self._kind.ports.index(port) - 1]
        m.d.comb += Value.cast(one.i).eq(Value.cast(sender.flit))
        tables = own_tables(self._network, self._kind)
        for place, vc in enumerate(one.channels):
            if port == LOCAL:
                m.d.comb += [
                    sender.ready[vc].eq(~one.full[place]),
                    one.arrives[place].eq(sender.valid[vc] & ~one.full[place]),
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

    def _output(self, m: Module, port: int, senders: dict[int, InputPort]) -> OutputPort:
        """Output port, asked by the inputs that can turn to it."""
        vcs = self._kind.output_vcs(port)
        output = OutputPort(self._network, inputs=len(senders), channels=len(vcs))
        m.submodules[f"output_{self._name(port)}"] = output
        for place, one in enumerate(senders.values()):
            m.d.comb += [
                output.request[place].eq(one.turn[one.outputs.index(port)]),
                output.held[place].eq(one.held),
                output.last[place].eq(one.last),
                Value.cast(output.flits[place]).eq(Value.cast(one.flit)),
            ]
            for number, vc in enumerate(vcs):
                here: Value = Const(1)
                if len(vcs) > 1 or len(one.output_vcs) > 1:
                    reached = port != LOCAL and vc in one.output_vcs
                    here = one.channel[one.output_vcs.index(vc)] if reached else Const(0)
                if port == LOCAL:
                    here = Const(1)
                m.d.comb += output.channel[place][number].eq(here)
        return output

    def _receiver(self, m: Module, port: int, output: OutputPort, node: NodeInterface) -> None:
        """What is behind an output: a link whose credits are counted, or the node."""
        if port == LOCAL:
            waits = Signal(name="eject_valid")
            with m.If(node.i.ready[0]):
                m.d.sync += waits.eq(output.taken[0])
            m.d.comb += [
                node.i.valid[0].eq(waits),
                Value.cast(node.i.flit).eq(Value.cast(output.flit)),
                output.room.eq(node.i.ready[0]),
                output.step.eq(node.i.ready[0]),
            ]
            return
        link = self.o[self._kind.ports.index(port) - 1]
        known = self._network.known_header(self._kind, port, leaving=True)
        flit = completed(output.flit, known, self.address)
        m.d.comb += [Value.cast(link.flit).eq(flit), output.step.eq(1)]
        for number, vc in enumerate(self._kind.output_vcs(port)):
            m.submodules[f"credits_{self._name(port)}_vc{vc}"] = count = CreditCount(
                depth=self._network.hardware.input_buffer
            )
            m.d.comb += [
                count.taken.eq(output.taken[number]),
                count.credit.eq(link.credit[vc]),
                output.room[number].eq(count.room),
                link.valid[vc].eq(count.sent),
            ]
