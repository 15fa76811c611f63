"""The wormhole packet router."""

from collections.abc import Sequence
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import Member

from ...network import Network, RouterKind
from ...routing import Turn
from ...untyped import Statement, View
from ..layouts import Link, flit_layout, label_width, link_signature
from ..parts.crossbar import one_hot_mux, steered_mux
from ..parts.table_route import TableRoute
from .allocator import InputAllocator, OutputAllocator
from .channel import Channel
from .header import completed
from .inputs import escape_pin, make_input_channel, own_tables, route_pin
from .interface import NodeInterface
from .multicast import MulticastInterface
from .node_router import NodeRouter


class _Moves(NamedTuple):
    """By input, the flit that may cross; by turn, whether it does."""

    flits: dict[int, Value]
    crosses: dict[Turn, Value]


class PacketRouter(NodeRouter):
    """Wormhole router with virtual channels, and the interface of its node.

    Each input has one buffer per virtual channel; the interface of a node is a neighbour like the
    others. A packet is granted an output's virtual channel, round robin among the turns to it, and
    owns it until its tail. Where a link carries several virtual channels, each output offers itself
    in every cycle to one packet that can move, and each input accepts one offer; a packet that
    moved continues while it can. The crossbar has only the turns of the router's kind.

    Latency
    -------
    `pipeline` cycles from link to link, or from `inject` to `eject`, for a packet's first flit
    without contention: with 2, grants are registers. The other flits follow, one per cycle.

    Parameters
    ----------
    network : Network
        Parameters; its routing supplies the route computation.
    kind : RouterKind
        Connected ports and turns.

    Members
    -------
    address, inject, eject, refused, routes_*, escapes_*, i, o
        As of `NodeRouter`, with links of `link_signature`.
    """

    i: list[Link]
    o: list[Link]

    def __init__(
        self, network: Network, kind: RouterKind, *, more: dict[str, Member] | None = None
    ) -> None:
        super().__init__(network, kind, link_signature(network), more=more)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        kind = self._kind
        interface = MulticastInterface if self._network.has_multicast else NodeInterface
        nodes = {port: interface(self._network, kind, port) for port in kind.node_ports}
        for port, node in nodes.items():
            self._attach(m, port, node)

        senders: dict[int, Link] = {port: node.o for port, node in nodes.items()}
        senders |= dict(zip(kind.receiving, self._ways_in(m), strict=True))
        receivers: dict[int, Link] = {port: node.i for port, node in nodes.items()}
        receivers |= dict(zip(kind.sending, self._ways_out(m), strict=True))
        channels: dict[tuple[int, int], Channel] = {}
        for port, sender in senders.items():
            for vc in self._kind.input_vcs(port):
                channels[port, vc] = self._input_channel(m, sender, port, vc)
        # A link may exist that no route takes, in one direction or both.
        ways_in = [port for port in kind.ports if kind.input_vcs(port)]
        ways_out = [port for port in kind.ports if kind.output_vcs(port)]
        outputs = {port: self._output_allocator(m, port, channels) for port in ways_out}
        moves = _Moves({}, {})
        for port in ways_in:
            self._input_allocator(m, port, channels, outputs, moves)
        for port in ways_out:
            self._output(m, receivers[port], outputs[port], moves, channels)
        for channel in channels.values():
            if channel.escapes:
                self._escape(m, channel, outputs)
        return m

    def _ways_in(self, m: Module) -> Sequence[Link]:
        """What feeds the input channels at ``kind.receiving``."""
        del m
        return self.i

    def _ways_out(self, m: Module) -> Sequence[Link]:
        """What the crossbar feeds at ``kind.sending``."""
        del m
        return self.o

    def _input_channel(self, m: Module, sender: Link, port: int, vc: int) -> Channel:
        """Buffer and route of one virtual channel, fed by the link's sender."""
        channel = make_input_channel(self._network, self._kind, port, vc)
        m.submodules[f"input_{self._name(port)}_vc{vc}"] = channel
        m.d.comb += [
            channel.address.eq(self.address),
            channel.i.p.eq(sender.flit),
            channel.i.valid.eq(sender.valid[vc]),
            sender.ready[vc].eq(channel.i.ready),
            *channel.answer_sender(sender, vc),
        ]
        tables = own_tables(self._network, self._kind)
        for route, pin in zip(channel.routes, (route_pin, escape_pin), strict=True):
            name = pin(self._network, port, vc)
            if isinstance(route, TableRoute) and name in tables:
                m.d.comb += route.table.eq(getattr(self, name))
        return channel

    def _output_allocator(
        self, m: Module, port: int, channels: dict[tuple[int, int], Channel]
    ) -> OutputAllocator:
        """Allocator of an output, asked by the inputs that can turn to it."""
        turns = tuple(turn for turn in self._kind.turns if turn.output_port == port)
        width = self._network.routing.virtual_channels
        branches = any(channels[turn.input_port, turn.input_vc].branches for turn in turns)
        registered = self._network.cycles_per_hop == 2
        allocator = OutputAllocator(
            turns,
            virtual_channels=width,
            branching=branches,
            registered=registered,
            plain=self._kind.is_plain_output(port),
        )
        m.submodules[f"output_{self._name(port)}"] = allocator
        for place, turn in enumerate(turns):
            source = channels[turn.input_port, turn.input_vc]
            number = source.turns.index(turn)
            m.d.comb += allocator.request[place].eq(source.select[number])
            if branches or registered:
                m.d.comb += allocator.present[place].eq(source.shows(number))
            if branches:
                m.d.comb += source.hear_room(number, allocator.could[place])
        return allocator

    def _input_allocator(
        self,
        m: Module,
        port: int,
        channels: dict[tuple[int, int], Channel],
        outputs: dict[int, OutputAllocator],
        moves: "_Moves",
    ) -> None:
        """Accept one offer to an input; fills in `moves`."""
        vcs = self._kind.input_vcs(port)
        sources = [channels[port, vc] for vc in vcs]
        m.submodules[f"accept_{self._name(port)}"] = allocator = InputAllocator(channels=len(vcs))
        for number, source in enumerate(sources):
            offers = []
            for way, turn in enumerate(source.turns):
                output = outputs[turn.output_port]
                place = output.turns.index(turn)
                offers.append(output.offer[place])
                crosses = output.offer[place] & allocator.accepted[number]
                moves.crosses[turn] = crosses
                m.d.comb += [
                    output.crosses[place].eq(crosses),
                    *source.hear_crossing(way, crosses),
                ]
            m.d.comb += [
                allocator.offered[number].eq(Cat(offers).any()),
                allocator.last[number].eq(source.o.p.last),
                source.o.ready.eq(allocator.accepted[number]),
            ]
        flits = [source.o.p for source in sources]
        moves.flits[port] = one_hot_mux(list(allocator.accepted), flits)

    def _output(
        self,
        m: Module,
        receiver: Link,
        allocator: OutputAllocator,
        moves: "_Moves",
        channels: dict[tuple[int, int], Channel],
    ) -> None:
        """Crossbar column of an output, and its link or its node."""
        port = allocator.turns[0].output_port
        inputs = sorted({turn.input_port for turn in allocator.turns})
        # A plain output is a stream that waits for room; otherwise `valid` means that the flit
        # crosses in this cycle.
        plain = self._kind.is_plain_output(port)
        leaves = {
            turn: allocator.granted[place] if plain else moves.crosses[turn]
            for place, turn in enumerate(allocator.turns)
        }
        chosen = leaves
        if plain and self._network.cycles_per_hop == 2:
            chosen = dict(zip(allocator.turns, allocator.owns, strict=True))
        if allocator.steers:
            column = steered_mux(
                allocator.steering, [moves.flits[turn.input_port] for turn in allocator.turns]
            )
        else:
            select = [Cat(v for t, v in chosen.items() if t.input_port == p).any() for p in inputs]
            column = one_hot_mux(select, [moves.flits[p] for p in inputs])
        flit: View = Signal(flit_layout(self._network), name=f"flit_{self._name(port)}")
        known = self._network.known_header(self._kind, port, leaving=True)
        m.d.comb += [
            flit.eq(column),
            Value.cast(receiver.flit).eq(completed(flit, known, self.address)),
            allocator.tail.eq(flit.last),
            *self._relabel(receiver, flit, leaves, channels),
            allocator.ready.eq(receiver.ready),
        ]
        if self._network.has_parity and port not in self._kind.node_ports:
            m.d.comb += receiver.flit.wrong.eq(0)  # its parity travels on and tells the next router
        for vc in self._kind.output_vcs(port):
            valid = Cat(v for turn, v in leaves.items() if turn.output_vc == vc).any()
            m.d.comb += receiver.valid[vc].eq(valid)

    def _relabel(
        self,
        receiver: Link,
        flit: data.View,
        leaves: dict[Turn, Value],
        channels: dict[tuple[int, int], Channel],
    ) -> list[Statement]:
        """Give a leaving flit the label that it has on that turn."""
        bits = label_width(self._network)
        copies = [turn for turn in leaves if turn in self._kind.broadcast_turns]
        if not copies or not bits or copies[0].output_port in self._kind.node_ports:
            return []
        labels: list[Value] = []
        for turn in leaves:
            channel = channels[turn.input_port, turn.input_vc]
            labels.append(channel.label(channel.turns.index(turn), bits))
        label = one_hot_mux(list(leaves.values()), labels)
        return [Value.cast(receiver.flit.destination)[:bits].eq(label)]

    def _escape(
        self,
        m: Module,
        channel: Channel,
        outputs: dict[int, OutputAllocator],
    ) -> None:
        """Tell an input channel which of its turns are open, and whether it was granted one.

        A link's channel is open to a new packet only once the previous one has left the buffer
        behind it: a packet in the middle of a buffer could not escape, nor could the packets that
        it blocks.
        """
        registered = self._network.cycles_per_hop == 2
        for number, turn in enumerate(channel.turns):
            output = outputs[turn.output_port]
            grants = output.owns if registered else output.granted
            granted = grants[output.turns.index(turn)]
            is_open: Value = Const(1)
            if turn.output_port not in self._kind.node_ports:
                link = self.o[self._kind.sending.index(turn.output_port)]
                free = output.free[output.channels.index(turn.output_vc)]
                is_open = free & link.empty[turn.output_vc]
            m.d.comb += channel.hear_escape(number, is_open=is_open, granted=granted)
