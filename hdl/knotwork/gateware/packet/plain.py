"""The plain packet router: wormhole switching, one cycle per hop, nothing else.

It is the router of ``pipeline=1``, for networks whose routing needs one virtual channel and that
have no options; all others have the credit router (`router`). A flit's way through it is
the whole of this file::

    link --> route, buffer --+--> column of the crossbar --> link
    link --> route, buffer --+        arbiter
    node --> injector, ... --+

1.  A flit comes in by a link, or from the node through its `NodeInterface`. Its output is computed
    and stored with it in the input's buffer (`PlainInput`).
2.  At the head of the buffer it requests that output. The output's arbiter grants it to the head
    flit of one packet, round robin, and keeps to that packet until its tail (`PacketArbiter`):
    flits of two packets never interleave on a link.
3.  The grants select the flit in the output's column of the crossbar, and it is on the link in the
    same cycle. The next router takes it if its buffer there has room.

Only the turns that the network's routing takes are built: a column has an input for each.
"""

from collections.abc import Hashable, Mapping

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ...network import Network, RouterKind
from ...routing import Turn
from ..component import Component, frozen
from ..layouts import Link, flit_layout, local_signature
from ..parts.arbiter import is_one_hot_or_zero, next_after
from ..parts.buffer import Buffer
from ..parts.crossbar import one_hot_mux
from ..parts.network_routes import route_computation
from ..parts.route import RouteComputation
from ..parts.table_route import TableRoute
from .inputs import carried, completed, route_pin, stored_layout
from .interface import NodeInterface
from .node_router import NodeRouter


class PlainInput(Component):
    """Input port: the buffer of its flits, with the turn of the one at its head.

    The turn is computed before the buffer and stored beside the flit: computed behind the buffer,
    it would delay the arbiters. Address bits that follow from the router's own address are not
    stored.

    Latency
    -------
    1 cycle from `i` to `o`; one flit per cycle.

    Parameters
    ----------
    network : Network
        Widths, depth, routes.
    kind : RouterKind
        Router that it is a part of.
    port : int
        Number in the topology.

    Members
    -------
    address : In(address_width)
        The router's own address.
    i : In(stream.Signature(flit_layout))
        From the link or the node.
    o : Out(stream.Signature(flit_layout))
        To the crossbar.
    request : Out(len(turns))
        One-hot: turn of the flit in `o`; 0 while there is none.
    table : In(width)
        The router's own table of routes, only where there is one.
    """

    address: Signal
    i: stream.Interface
    o: stream.Interface
    request: Signal
    table: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        self._network = network
        self._turns = tuple(turn for turn in kind.turns if turn.input_port == port)
        self._known = network.known_header(kind, port)
        self._route = route_computation(network)(network, self._turns, router=kind.router)
        flits = stream.Signature(flit_layout(network))
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "i": In(flits),
                "o": Out(flits),
                "request": Out(len(self._turns)),
                **({"table": In(self.table_width)} if self.table_width else {}),
            }
        )

    @property
    def table_width(self) -> int:
        """Bits of the router's own table of routes; 0 if there is none."""
        return self._route.rows.width if isinstance(self._route, TableRoute) else 0

    @property
    def parameters(self) -> Hashable:
        """Widths, depth, what is known of a flit, and the gates of its route."""
        depth, layout = self._network.hardware.input_buffer, flit_layout(self._network)
        return depth, frozen(layout), self._known, type(self._route), self._route.parameters

    @property
    def variant(self) -> str:
        stored = stored_layout(flit_layout(self._network), self._known)
        return f"{len(self._turns)}way_{stored.size}bit"

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in the order of `request`."""
        return self._turns

    @property
    def route(self) -> RouteComputation:
        """Gates that choose a flit's turn."""
        return self._route

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.route = route = self._route
        turn = route.select
        rest = carried(self.i.p, self._known)
        entry = data.StructLayout({"flit": len(rest), "turn": len(turn) if len(turn) > 1 else 0})
        m.submodules.buffer = buffer = Buffer(entry, depth=self._network.hardware.input_buffer)
        chosen = buffer.o.p.turn if len(turn) > 1 else Const(1)
        m.d.comb += [
            route.address.eq(self.address),
            route.destination.eq(self.i.p.destination),
            buffer.i.p.flit.eq(rest),
            buffer.i.p.turn.eq(turn),
            buffer.i.valid.eq(self.i.valid),
            self.i.ready.eq(buffer.i.ready),
            Value.cast(self.o.p).eq(
                completed(self.o.p, self._known, self.address, buffer.o.p.flit)
            ),
            self.o.valid.eq(buffer.o.valid),
            buffer.o.ready.eq(self.o.ready),
            self.request.eq(Mux(buffer.o.valid, chosen, 0)),
        ]
        if isinstance(route, TableRoute) and self.table_width:
            m.d.comb += route.table.eq(self.table)
        is_turn = turn.any() & is_one_hot_or_zero(turn)
        m.d.sync += Assert(~self.i.valid | is_turn, "input: a flit must take one turn")
        return m


class PacketArbiter(Component):
    """Gives an output to one packet at a time, round robin.

    The output belongs to the granted input from its first grant until the packet's tail has left,
    whether or not there is a flit in every cycle: what was shown on a link stays there.

    Latency
    -------
    0 cycles from `request` to `grant`.

    Parameters
    ----------
    requesters : int
        Inputs that can turn to the output, at least 1.

    Members
    -------
    request : In(requesters)
        Inputs whose flit takes this output.
    grant : Out(requesters)
        One-hot: the input whose flit is shown; 0 if there is none, or the owner has none.
    valid : Out(1)
        `grant` is not 0.
    ready : In(1)
        There is room for a flit behind the output.
    last : In(1)
        The granted flit is its packet's last.
    """

    request: Signal
    grant: Signal
    valid: Signal
    ready: Signal
    last: Signal

    def __init__(self, *, requesters: int) -> None:
        self._requesters = requesters
        super().__init__(
            {
                "request": In(requesters),
                "grant": Out(requesters),
                "valid": Out(1),
                "ready": In(1),
                "last": In(1),
            }
        )

    @property
    def variant(self) -> str:
        return f"{self._requesters}way"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # After a reset the highest was served last, and input 0 comes first.
        served = Signal(self._requesters, init=1 << (self._requesters - 1))
        held = Signal()
        self.served, self.held = served, held
        counts = Signal(self._requesters)
        m.d.comb += [
            # While a packet has the output only its own flits count; round robin comes to it last,
            # but finds no other.
            counts.eq(Mux(held, self.request & served, self.request)),
            self.grant.eq(next_after(counts, served)),
            self.valid.eq(counts.any()),  # sooner than `grant` is known
        ]
        with m.If(self.valid):
            m.d.sync += [served.eq(self.grant), held.eq(~(self.ready & self.last))]
        m.d.sync += Assert(is_one_hot_or_zero(self.grant), "arbiter: grant must be one-hot")
        return m


class PlainRouter(NodeRouter):
    """Wormhole router with one virtual channel, and the interfaces of its nodes.

    A node's interface is a neighbour like the others: the router may serve one node, several or
    none, and a port may lead one way.

    Latency
    -------
    1 cycle from link to link, or from `inject` to `eject`, for a packet's first flit without
    contention. The other flits follow, one per cycle; an output goes from one packet to the next
    without an idle cycle.

    Parameters
    ----------
    network : Network
        Parameters; its routing supplies the route computation.
    kind : RouterKind
        Connected ports and turns.

    Members
    -------
    address, inject, eject, refused, routes_*, i, o
        As of `NodeRouter`, with links of `local_signature`.
    """

    i: list[Link]
    o: list[Link]

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind, local_signature(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        kind = self._kind
        nodes = {port: NodeInterface(self._network, port) for port in kind.node_ports}
        for port, node in nodes.items():
            self._attach(m, port, node)
        senders: dict[int, Link] = {port: node.o for port, node in nodes.items()}
        senders |= dict(zip(kind.receiving, self.i, strict=True))
        receivers: dict[int, Link] = {port: node.i for port, node in nodes.items()}
        receivers |= dict(zip(kind.sending, self.o, strict=True))
        # A link may exist that no route takes, in one direction or both.
        inputs = {
            port: self._input(m, port, senders[port]) for port in kind.ports if kind.input_vcs(port)
        }
        crosses = {turn: Signal(name=f"crosses_{number}") for number, turn in enumerate(kind.turns)}
        for port in kind.ports:
            if kind.output_vcs(port):
                self._output(m, port, receivers[port], inputs, crosses)
        for one in inputs.values():
            m.d.comb += one.o.ready.eq(Cat(crosses[turn] for turn in one.turns).any())
        return m

    def _input(self, m: Module, port: int, sender: Link) -> PlainInput:
        """Input, fed by its link or by a node."""
        m.submodules[f"input_{self._name(port)}"] = one = PlainInput(
            self._network, self._kind, port
        )
        m.d.comb += [
            one.address.eq(self.address),
            one.i.p.eq(sender.flit),
            one.i.valid.eq(sender.valid),
            sender.ready.eq(one.i.ready),
        ]
        if one.table_width:
            m.d.comb += one.table.eq(getattr(self, route_pin(self._network, port, 0)))
        return one

    def _output(
        self,
        m: Module,
        port: int,
        receiver: Link,
        inputs: Mapping[int, PlainInput],
        crosses: Mapping[Turn, Signal],
    ) -> None:
        """Output: its arbiter, its column of the crossbar, and its link or its node."""
        turns = [turn for turn in self._kind.turns if turn.output_port == port]
        senders = [inputs[turn.input_port] for turn in turns]
        m.submodules[f"output_{self._name(port)}"] = arbiter = PacketArbiter(requesters=len(turns))
        flit = Signal(flit_layout(self._network), name=f"flit_{self._name(port)}")
        known = self._network.known_header(self._kind, port, leaving=True)
        m.d.comb += [
            arbiter.request.eq(
                Cat(
                    one.request[one.turns.index(turn)]
                    for one, turn in zip(senders, turns, strict=True)
                )
            ),
            flit.eq(one_hot_mux(list(arbiter.grant), [one.o.p for one in senders])),
            Value.cast(receiver.flit).eq(completed(flit, known, self.address)),
            # `valid` must not wait for `ready`: a flit is shown as soon as it is granted.
            receiver.valid.eq(arbiter.valid),
            arbiter.ready.eq(receiver.ready),
            arbiter.last.eq(flit.last),
        ]
        m.d.comb += [
            crosses[turn].eq(granted & receiver.ready)
            for turn, granted in zip(turns, arbiter.grant, strict=True)
        ]
