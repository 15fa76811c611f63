"""Readable model: the definition of what packet and deflection routers do in each cycle.

It is plain Python, and slow. The compiled models in `packet` and `deflection` must send, count and
deliver the same flits in the same cycles (`tests/sim/model/test_reference.py`). Circuit switches
and batch routers need no second model: theirs, in `circuit` and `batch`, are plain Python.

Three classes of network have a method `step`, which is one cycle:

- `PlainNetwork`: packet routers of ``pipeline=1``, one virtual channel, no options.
- `CreditNetwork`: packet routers with credits, ``pipeline=2`` or ``3``, with all their options:
  virtual channels in lanes, classes of traffic with priority or weights, limits of injection,
  several nodes per router, long links, escape channels, broadcasts that branch, and multicasts.
- `DeflectionNetwork`: bufferless routers, of one-way rings or of exchange blocks.

Parity bits, counters and watchdogs change no cycle. Not modelled: loading a routing table in
service (`packet.loaded` does), and links that break.

Every decision of a cycle depends only on the registers at its start. A method that decides changes
nothing; what a cycle changes is written after the last decision.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from knotwork.network import Network
from knotwork.routing.deflection import Deflection, exchanges
from knotwork.routing.draws import drawn, first_state, next_state
from knotwork.routing.selection import FIRST_STATE
from knotwork.topology.product import ProductTopology

from ..traffic.endpoints import accepted_all, drive, make_endpoints, reply_to_one
from ..traffic.keys import Traffic
from ..traffic.packets import Packets, make_copies


class Flit(NamedTuple):
    """Flit: the index of its packet or copy, its number there, and a broadcast's label."""

    packet: int
    number: int
    label: int = 0


class Channel(NamedTuple):
    """Input or output channel: a virtual channel of a router's port."""

    router: int
    port: int
    vc: int


class RoundRobin:
    """Arbiter that serves a packet to its tail, then the next requester after it.

    A requester keeps the grant from the first cycle in which it gets it, even if nothing moves.
    """

    def __init__(self, requesters: int) -> None:
        self._requesters, self._last, self._holds = requesters, requesters - 1, False

    def grant(self, requests: Collection[int]) -> int | None:
        """Requester that is granted; None if there is none, or another one holds the grant."""
        if self._holds:
            return self._last if self._last in requests else None
        order = ((self._last + 1 + step) % self._requesters for step in range(self._requesters))
        return next((requester for requester in order if requester in requests), None)

    def update(self, granted: int | None, *, ends: bool) -> None:
        """End a cycle; `ends` says whether a tail left."""
        if granted is not None:
            self._last, self._holds = granted, not ends


class ReferenceNetwork:
    """Network of routers, cycle by cycle: what all router classes share.

    Parameters
    ----------
    network : Network
        What is modelled.
    traffic : Traffic
        When the nodes pause.
    packets : Packets
        What they send.

    Members
    -------
    beats : list of tuple
        (cycle, node, packet, number) of each beat that a node took.
    refused : list of tuple
        (cycle, node) of each `refused` pulse.
    crossings : Counter
        Flits that left a router by each output `Channel`.
    hops : Counter
        Links that the head of each packet crossed.
    """

    def __init__(self, network: Network, traffic: Traffic, packets: Packets) -> None:
        self.network, self.packets = network, packets
        self.topology, self.routing = network.topology, network.routing
        self.routers, self.ports = self.topology.neighbours.shape
        copies = make_copies(network, packets)
        self.length, self.destination = copies.length.tolist(), copies.destination.tolist()
        self.ends = make_endpoints(packets, traffic)
        routers, ports = self.topology.node_ports_table
        self.position_of = list(zip(routers.tolist(), ports.tolist(), strict=True))
        self.node_at = {place: node for node, place in enumerate(self.position_of)}
        self.beats: list[tuple[int, int, int, int]] = []
        self.refused: list[tuple[int, int]] = []
        self.crossings: Counter[Channel] = Counter()
        self.hops: Counter[int] = Counter()
        self._turns: dict[tuple[int, ...], tuple[int, int]] = {}

    def step(self, clock: int) -> None:
        """Run one cycle."""
        raise NotImplementedError

    def is_tail(self, flit: Flit) -> bool:
        """Whether a flit is the last of its packet."""
        return flit.number == self.length[flit.packet] - 1

    def behind(self, router: int, port: int) -> tuple[int, int]:
        """Router and port to which an output leads."""
        topology = self.topology
        return int(topology.neighbours[router, port]), int(topology.peer_ports[router, port])

    def route(self, router: int, port: int, channel_class: int, packet: int) -> tuple[int, int]:
        """Output port and class by which a packet leaves a router: the routing's rule."""
        key = router, port, channel_class, self.destination[packet]
        if key not in self._turns:
            output, out_class = self.routing.rule(self.routing.parameters, *key)
            self._turns[key] = int(output), int(out_class)
        return self._turns[key]

    def offered(self) -> Iterator[tuple[int, Flit]]:
        """Nodes that offer a beat in this cycle, with the beat."""
        for node in np.flatnonzero(self.ends.offered).tolist():
            yield node, Flit(int(self.ends.packet[node]), int(self.ends.beat[node]))

    def accept(self, nodes: Collection[int], clock: int) -> None:
        """Let sources go on whose beat the network took; report the packets that it refuses."""
        for node, flit in self.offered():
            if node in nodes and self.packets.refused[flit.packet] and self.is_tail(flit):
                self.refused.append((clock + 1, node))
        accepted_all(self.ends, np.isin(np.arange(self.topology.nodes), list(nodes)), clock)

    def deliver(self, node: int, flit: Flit, clock: int) -> None:
        """Give a node a beat that it takes; the tail of a request calls forth a reply."""
        self.beats.append((clock, node, flit.packet, flit.number))
        replies = self.packets.replies
        if replies is not None and self.is_tail(flit):
            reply_to_one(self.ends, node, int(replies.flow[flit.packet]), clock)

    def count(self, output: Channel, flit: Flit) -> None:
        """Count a flit that leaves a router."""
        self.crossings[output] += 1
        is_link = (output.router, output.port) not in self.node_at
        self.hops[flit.packet] += flit.number == 0 and is_link


class PlainNetwork(ReferenceNetwork):
    """Plain routers: a queue per input port, an arbiter per output port.

    A flit crosses from the head of its queue to the end of the next one in one cycle, if that has
    space at the start of the cycle; or to a node that takes it.
    """

    def __init__(self, network: Network, traffic: Traffic, packets: Packets) -> None:
        super().__init__(network, traffic, packets)
        self.places = [(r, p) for r in range(self.routers) for p in range(self.ports)]
        self.queues: dict[tuple[int, int], list[Flit]] = {place: [] for place in self.places}
        self.arbiters = {place: RoundRobin(self.ports) for place in self.places}

    def has_space(self, place: tuple[int, int]) -> bool:
        """Whether the queue of an input has space for a flit."""
        return len(self.queues[place]) < self.network.deepest_buffer

    def step(self, clock: int) -> None:
        """Run one cycle."""
        drive(self.ends, clock)
        taken = {
            node: flit
            for node, flit in self.offered()
            if self.packets.refused[flit.packet] or self.has_space(self.position_of[node])
        }
        moves = [(place, *move) for place in self.places if (move := self.move_to(*place))]
        for (router, output), granted, crosses in moves:
            flit = self.queues[router, granted][0]
            ends = crosses and self.is_tail(flit)
            self.arbiters[router, output].update(granted, ends=ends)
        arriving = [
            (output, self.queues[output[0], granted].pop(0))
            for output, granted, crosses in moves
            if crosses
        ]
        for output, flit in arriving:
            self.count(Channel(*output, 0), flit)
            if output in self.node_at:
                self.deliver(self.node_at[output], flit, clock)
            else:
                self.queues[self.behind(*output)].append(flit)
        for node, flit in taken.items():
            if not self.packets.refused[flit.packet]:
                self.queues[self.position_of[node]].append(flit)
        self.accept(taken, clock)

    def move_to(self, router: int, output: int) -> tuple[int, bool] | None:
        """Input that an output is granted to, and whether its flit crosses; None for none."""
        fronts = {p: self.queues[router, p][0] for p in range(self.ports) if self.queues[router, p]}
        requests = {
            port
            for port, flit in fronts.items()
            if self.route(router, port, 0, flit.packet)[0] == output
        }
        granted = self.arbiters[router, output].grant(requests)
        if granted is None:
            return None
        if (router, output) in self.node_at:
            return granted, bool(self.ends.taking[self.node_at[router, output]])
        return granted, self.has_space(self.behind(router, output))


class Interface:
    """Interface of a node to a router with credits; with multicasts, its multicast unit.

    Towards the node stand two registers: `gate`, into which the router sends, and `skid`, which
    keeps a flit that the node did not take.

    A multicast unit has a store per class of multicasts. Store 0 takes what the node sends, store k
    what arrives in class k. A store fills until it has a complete packet; then it sends the copies
    of it one after the other, with a cycle before each to look up its destination; then the node
    gets the packet, without its chain, unless it was the node that sent it.
    """

    FILL, LOOK_UP, SEND, DELIVER = "fill", "look up", "send", "deliver"

    def __init__(self, stores: int, channels: int) -> None:
        self.gate: tuple[Flit, int] | None = None  # and the store that it goes to; 0 for the node
        self.skid: Flit | None = None
        self.phase = [self.FILL] * stores
        self.packet, self.position, self.sent = [0] * stores, [0] * stores, [0] * stores
        self.into_node = RoundRobin(max(1, stores))  # 0 is the router, k is store k
        self.into_channel = [RoundRobin(stores + 1) for _ in range(channels)]  # 0 is the node
        self.last_channel, self.goes_on = channels - 1, False

    def has_space(self, store: int, *, is_tail: bool) -> bool:
        """Whether the router may send a flit to the node (0) or into a store.

        `is_tail` says whether the flit in `gate` is a tail.
        """
        if store == 0:
            return self.skid is None
        if self.gate is not None:
            if self.gate[1] == 0 and self.skid is not None:  # the gate cannot be left
                return False
            if self.gate[1] == store and is_tail:  # the store will be complete
                return False
        return self.phase[store] == self.FILL


class CreditNetwork(ReferenceNetwork):
    """Routers with credits.

    Every input channel has a buffer. Every input port, and of each class of traffic, shows the flit
    of one of its channels, its *front*. A front requests its output channel if it is *eligible*:
    there is a credit, and the output channel is its packet's, or it is a head and the channel is
    free. Each output port, and of each class, grants the request of the input that is first in its
    *order*; of several classes, one has the link.

    Members
    -------
    buffers : dict
        Flits in each input `Channel`.
    fronts : dict
        Virtual channel that (router, port, class of traffic) shows; None for none.
    orders : dict
        Input ports, first to last, for each output (router, port, class of traffic).
    credits : dict
        Free places behind each output `Channel`, as its router knows.
    owned : set
        Output channels that a packet has entered and not left.
    way : Counter
        Number of the way that the packet in an input channel requests; 0 is the one that its
        routing prefers.
    way_draws : list
        State of each router by which the next head there draws its way.
    copies : dict
        Of an input channel with a broadcast, the copies that have not left: output channel and
        label, by port. `position` is the flit that the next but last copies read.
    incomplete : Counter
        Flits in a channel of a broadcast whose tail has not come from the node: no one reads them.
    left : dict
        Flits that each class of traffic may still send over a link (router, port) in this round.
    arriving, returning : dict
        By cycle, flits at the end of their links, and output channels whose credit comes back.
    tokens : list
        Tokens in the bucket of each node that has a limit of injection.
    generators : list
        State by which the next packet of each node draws.
    """

    def __init__(self, network: Network, traffic: Traffic, packets: Packets) -> None:
        super().__init__(network, traffic, packets)
        self.vcs, self.classes = network.virtual_channels, network.traffic_classes
        self.share, self.local_ports = self.vcs // self.classes, self.topology.local_ports
        self.escape, self.depth = self.routing.escape_class, network.hardware.input_buffer
        self.copy_table = make_copies(network, packets)
        ports = [(r, p) for r in range(self.routers) for p in range(self.ports)]
        channels = [Channel(*place, vc) for place in ports for vc in range(self.vcs)]
        groups = [(*place, c) for place in ports for c in range(self.classes)]
        self.buffers: dict[Channel, list[Flit]] = {channel: [] for channel in channels}
        self.fronts: dict[tuple[int, int, int], int | None] = dict.fromkeys(groups)
        self.orders = {group: list(range(self.ports)) for group in groups}
        self.capacity = {at: network.depth_behind(at.router, at.port) for at in channels}
        self.credits = dict(self.capacity)
        self.owned: set[Channel] = set()
        self.way: Counter[Channel] = Counter()
        self.selection = self.routing.selection
        self.way_draws = [FIRST_STATE] * self.routers
        self.copies: dict[Channel, dict[int, tuple[Channel, int]]] = {}
        self.position: Counter[Channel] = Counter()
        self.incomplete: Counter[Channel] = Counter()
        self.left = {place: list(network.class_weights) for place in ports}
        self.arriving: dict[int, list[tuple[Channel, Flit]]] = defaultdict(list)
        self.returning: dict[int, list[Channel]] = defaultdict(list)
        self.stores = self.routing.classes if network.has_multicast else 0
        nodes = self.topology.nodes
        self.interfaces = [Interface(self.stores, self.share) for _ in range(nodes)]
        limits = [network.injection_limits[n * self.classes // nodes] for n in range(nodes)]
        self.limits = limits
        self.generators = [
            first_state(self.topology.address(node), self.topology.address_width)
            for node in range(nodes)
        ]
        self.tokens = [Fraction(limit.burst if limit else 0) for limit in limits]

    def step(self, clock: int) -> None:
        """Run one cycle."""
        drive(self.ends, clock)
        for node, limit in enumerate(self.limits):
            if limit is not None and clock > 0:
                full = Fraction(limit.burst)
                self.tokens[node] = min(full, self.tokens[node] + limit.rate)
        # Decide.
        shown = [Channel(r, p, vc) for (r, p, _), vc in self.fronts.items() if vc is not None]
        requests = {channel: self.requests(channel) for channel in shown}
        grants = self.grants(requests)
        offers = {node: flit for node, flit in self.offered() if not self.is_held(node, flit)}
        injections = self.injections(offers)
        opened, before = self.open_channels(), dict(self.fronts)
        taken = {node for node, flit in offers.items() if self.is_taken(node, flit, injections)}
        # Change.
        for node in range(self.topology.nodes):
            self.eject(node, clock)
        for output in self.returning.pop(clock, []):
            self.credits[output] += 1
        ended = {channel for channel, out in grants if self.cross(channel, out, clock)}
        for router in {channel.router for channel in ended}:
            self.way_draws[router] = next_state(self.way_draws[router])
        blocked = {channel for channel, outputs in requests.items() if not outputs}
        for channel in blocked:
            if not self.is_inside(channel):
                self.way[channel] = (self.way[channel] + 1) % self.ways(channel)
        for group in self.fronts:
            self.fronts[group] = self.next_front(group, blocked | ended)
        for group in self.fronts if self.selection.prefers_open else ():
            self.choose_way(group, before[group], blocked | ended, opened)
        for channel, flit in self.arriving.pop(clock, []):
            self.buffers[channel].append(flit)
        self.inject(taken, injections)
        self.accept(taken, clock)
        for group, vc in self.fronts.items():  # what came to an input that showed nothing
            if vc is None:
                self.fronts[group] = self.other_channel(group, group[2] * self.share - 1)

    # Fronts and their requests.

    def shown(self, channel: Channel) -> Flit | None:
        """Flit that an input channel could send next; None if it has none."""
        buffer, copies = self.buffers[channel], self.copies_of(channel)
        position = self.position[channel] if len(copies) > 1 else 0
        is_there = position < len(buffer) - self.incomplete[channel]
        return buffer[position] if is_there else None

    def is_inside(self, channel: Channel) -> bool:
        """Whether the head of the packet in a channel has left."""
        flit = self.shown(channel)
        return flit is not None and flit.number > 0

    def copies_of(self, channel: Channel) -> dict[int, tuple[Channel, int]]:
        """Copies that have not left of the broadcast in a channel; empty for other packets."""
        buffer = self.buffers[channel]
        if channel in self.copies or len(buffer) <= self.incomplete[channel]:
            return self.copies.get(channel, {})
        head = buffer[0]
        if head.packet < len(self.packets) and self.packets.broadcast[head.packet]:
            self.copies[channel] = dict(self.branches(channel, head))
        return self.copies.get(channel, {})

    def branches(self, at: Channel, head: Flit) -> Iterator[tuple[int, tuple[Channel, int]]]:
        """Output channel and label of each copy of a broadcast whose head is at an input."""
        router, broadcast = at.router, self.routing.broadcast
        assert broadcast is not None
        lane, channel_class = divmod(at.vc, self.routing.classes)
        source = int(self.packets.source[head.packet])
        for port in range(self.ports):
            output = Channel(router, port, 0)
            if port < self.local_ports:  # all nodes of its class of traffic, but for its source
                is_of_class = self.topology.port_class(port) == at.vc // self.share
                if is_of_class and port != at.port and (router, port) in self.node_at:
                    yield port, (output, 0)
            elif self.topology.neighbours[router, port] >= 0:
                label, out_class = broadcast.rule(
                    self.routing.parameters,
                    *(router, at.port, channel_class, head.label, source, port),
                )
                if label >= 0:
                    vc = lane * self.routing.classes + out_class
                    yield port, (Channel(router, port, vc), label)

    def outputs(self, channel: Channel, packet: int) -> list[Channel]:
        """Output channels that the front flit of a channel needs.

        The copies of a broadcast of one flit leave each when it can; those of a longer one leave
        one after another, by the highest port first.
        """
        if copies := self.copies_of(channel):
            ports = copies if self.length[packet] == 1 else [max(copies)]
            return [copies[port][0] for port in ports]
        return [self.output(channel, packet, self.way[channel])]

    def output(self, channel: Channel, packet: int, way: int) -> Channel:
        """Output channel of the way of a number of a packet that is not a broadcast."""
        lane, channel_class = divmod(channel.vc, self.routing.classes)
        if way > 0:
            channel_class = self.routing.other_ways[way - 1]
        output, out_class = self.route(channel.router, channel.port, channel_class, packet)
        is_link = output >= self.local_ports
        vc = out_class + (lane * self.routing.classes if is_link else 0)
        return Channel(channel.router, output, vc)

    def ways(self, channel: Channel) -> int:
        """Number of ways that a packet in a channel may request: where it escaped only one."""
        escape = self.routing.escape_class
        has_escaped = escape is None or channel.vc % self.routing.classes >= escape
        return 1 if has_escaped else 1 + len(self.routing.other_ways)

    def first_way(self, channel: Channel) -> int:
        """Number of the way with which the head behind a tail that leaves begins."""
        if not self.selection.is_drawn or self.ways(channel) == 1:
            return 0
        return drawn(self.way_draws[channel.router], len(self.routing.other_ways))

    def open_channels(self) -> set[Channel]:
        """Channels of links that could take a head in this cycle, where heads prefer them."""
        if not self.selection.prefers_open:
            return set()
        return {
            channel
            for channel in self.buffers
            if channel.port >= self.local_ports and self.can_enter(channel, Flit(0, 0))
        }

    def choose_way(
        self,
        group: tuple[int, int, int],
        before: int | None,
        leaving: Collection[Channel],
        opened: Collection[Channel],
    ) -> None:
        """Let a head that came to a front from its buffer, or was blocked, request an open way.

        `before` is what the front showed, `leaving` as for `next_front`.
        """
        vc = self.fronts[group]
        if vc is None:
            return
        channel = Channel(*group[:2], vc)
        flit = self.shown(channel)
        assert flit is not None
        if flit.number == 0 and (vc != before or channel in leaving):
            outputs = [self.output(channel, flit.packet, way) for way in range(self.ways(channel))]
            self.way[channel] = next((w for w, out in enumerate(outputs) if out in opened), 0)

    def requests(self, channel: Channel) -> list[Channel]:
        """Output channels that a front requests: those that its flit needs and can enter."""
        flit = self.shown(channel)
        assert flit is not None
        return [out for out in self.outputs(channel, flit.packet) if self.can_enter(out, flit)]

    def may_open(self, output: Channel) -> bool:
        """Whether a head may enter a channel of a link that has a credit.

        Where packets can escape, the buffer behind the channel must be empty, unless it is an
        escape channel.
        """
        is_free = self.escape is None or output.vc % self.routing.classes >= self.escape
        return is_free or self.credits[output] == self.capacity[output]

    def can_enter(self, output: Channel, flit: Flit) -> bool:
        """Whether a flit can enter an output channel."""
        if output.port < self.local_ports:
            interface = self.interfaces[self.node_at[output.router, output.port]]
            gate = interface.gate
            is_tail = gate is not None and self.is_tail(gate[0])
            if not interface.has_space(output.vc, is_tail=is_tail):
                return False
        elif self.credits[output] == 0 or (flit.number == 0 and not self.may_open(output)):
            return False
        return flit.number > 0 or output not in self.owned

    def next_front(self, group: tuple[int, int, int], leaving: set[Channel]) -> int | None:
        """Virtual channel that an input shows next, of those whose flits were there before.

        A front stays if it could cross and has more flits of its packet. Else the next channel of
        its class that has a flit follows it, and if none has, it stays.
        """
        vc = self.fronts[group]
        if vc is None:
            return None
        here = Channel(*group[:2], vc)
        has_more = self.shown(here) is not None
        if has_more and here not in leaving:
            return vc
        other = self.other_channel(group, vc)
        return other if other is not None or not has_more else vc

    def other_channel(self, group: tuple[int, int, int], vc: int) -> int | None:
        """First virtual channel after `vc`, of the same class of traffic, that has a flit."""
        router, port, number = group
        first = number * self.share
        others = [first + (vc - first + step) % self.share for step in range(1, self.share + 1)]
        can_be = (v for v in others if v != vc and self.shown(Channel(router, port, v)))
        return next(can_be, None)

    # Grants and crossings.

    def grants(self, requests: dict[Channel, list[Channel]]) -> list[tuple[Channel, Channel]]:
        """Input and output channels between which flits cross."""
        winners: dict[tuple[int, int, int], tuple[Channel, Channel]] = {}
        for channel, outputs in requests.items():
            for output in outputs:
                group = output.router, output.port, output.vc // self.share
                place = self.orders[group].index
                winner = winners.get(group)
                if winner is None or place(channel.port) < place(winner[0].port):
                    winners[group] = channel, output
        classes: dict[tuple[int, int], list[int]] = defaultdict(list)
        for router, port, number in winners:
            classes[router, port].append(number)
        return [winners[(*at, self.chosen_class(at, found))] for at, found in classes.items()]

    def chosen_class(self, at: tuple[int, int], requesting: Iterable[int]) -> int:
        """Class of traffic that has a link: the highest, with weights of those with flits left."""
        left = self.left[at]
        return max([c for c in requesting if left and left[c] > 0] or requesting)

    def spend(self, at: tuple[int, int], number: int) -> None:
        """Count a flit of a class of traffic; where it had none left, a new round begins."""
        left = self.left[at]
        if left and at[1] >= self.local_ports:
            if left[number] == 0:
                left[:] = self.network.class_weights
            left[number] -= 1

    def cross(self, channel: Channel, output: Channel, clock: int) -> bool:
        """Let a granted flit leave; whether it ends a packet or a copy in its channel."""
        flit, copies = self.shown(channel), self.copies_of(channel)
        assert flit is not None
        router, port, vc = output
        label = copies[port][1] if copies else 0
        is_tail = self.is_tail(flit)
        self.count(output, flit)
        self.spend((router, port), vc // self.share)
        # The input becomes the last in the output's order after a tail; else it stays the first.
        order = self.orders[router, port, vc // self.share]
        order.remove(channel.port)
        order.insert(len(order) if is_tail else 0, channel.port)
        (self.owned.discard if is_tail else self.owned.add)(output)
        if port < self.local_ports:
            self.interfaces[self.node_at[router, port]].gate = flit, vc
        else:
            self.credits[output] -= 1
            arrival = clock + self.network.latency(router, port) + self.network.cycles_to_link - 1
            place = Channel(*self.behind(router, port), vc)
            self.arriving[arrival].append((place, flit._replace(label=label)))
        return self.leave(channel, output, is_tail=is_tail, clock=clock)

    def leave(self, channel: Channel, output: Channel, *, is_tail: bool, clock: int) -> bool:
        """Go on behind a flit that crosses: as `cross`. Only the last copy takes flits away."""
        copies = self.copies_of(channel)
        if len(copies) > 1:
            is_single = self.length[self.buffers[channel][0].packet] == 1
            self.position[channel] = 0 if is_tail else self.position[channel] + 1
            if is_tail:
                del copies[output.port]
            return is_tail and not is_single
        self.buffers[channel].pop(0)
        if channel.port >= self.local_ports:  # its credit goes back over the link
            sender, port = (int(at[channel.router, channel.port]) for at in self.topology.senders)
            arrival = clock + self.network.latency(sender, port)
            self.returning[arrival].append(Channel(sender, port, channel.vc))
        if is_tail:
            self.way[channel] = self.first_way(channel)
            self.copies.pop(channel, None)
        return is_tail

    # Nodes and their interfaces.

    def entry(self, node: int, packet: int) -> Channel:
        """Input channel by which a packet enters from its node."""
        return Channel(*self.position_of[node], int(self.copy_table.virtual_channel[packet]))

    def is_held(self, node: int, flit: Flit) -> bool:
        """Whether a limit of injection holds back a beat: a head waits for a full bucket."""
        limit = self.limits[node]
        if limit is None:
            return False
        return self.tokens[node] < (limit.burst if flit.number == 0 else 1)

    def is_taken(self, node: int, flit: Flit, injections: dict[int, tuple[int, Flit]]) -> bool:
        """Whether the network takes a beat from its node."""
        packets = self.packets
        if packets.multicast[flit.packet]:
            return self.interfaces[node].phase[0] == Interface.FILL
        # Too long a broadcast needs space as far as it could be a broadcast.
        is_stored = packets.broadcast[flit.packet] and (
            flit.number < self.network.longest_copied_packet
        )
        if packets.refused[flit.packet] and not is_stored:
            return True
        if self.stores:
            return node in injections and injections[node][0] == 0
        return len(self.buffers[self.entry(node, flit.packet)]) < self.depth

    def injections(self, offers: dict[int, Flit]) -> dict[int, tuple[int, Flit]]:
        """What goes from multicast units into the router, by node.

        A flit, and whether it comes from the node (0) or from store k (k + 1).
        """
        return {
            node: chosen
            for node in range(self.topology.nodes if self.stores else 0)
            if (chosen := self.injection(node, offers.get(node)))
        }

    def injection(self, node: int, offer: Flit | None) -> tuple[int, Flit] | None:
        """Flit that a multicast unit sends into the router; updates the unit's arbiters.

        An arbiter per virtual channel, and then one of those with space: the channel that goes on
        with a packet, or the next one.
        """
        unit = self.interfaces[node]
        flits = {k + 1: self.sending(unit, k) for k, phase in enumerate(unit.phase)
                 if phase == Interface.SEND}  # fmt: skip
        if offer is not None:
            packets = self.packets
            if not packets.multicast[offer.packet] and not packets.refused[offer.packet]:
                flits[0] = offer
        found = {}
        for number, arbiter in enumerate(unit.into_channel):
            requests = [way for way, flit in flits.items()
                        if self.entry(node, flit.packet).vc % self.share == number]  # fmt: skip
            way = arbiter.grant(requests)
            arbiter.update(way, ends=False)
            if way is not None:
                channel = self.entry(node, flits[way].packet)
                if len(self.buffers[channel]) < self.depth:
                    found[number] = way
        last = unit.last_channel
        order = [(last + 1 + step) % self.share for step in range(self.share)]
        if unit.goes_on:
            order.insert(0, last)
        chosen = next((number for number in order if number in found), None)
        unit.goes_on = False
        if chosen is None:
            return None
        way = found[chosen]
        ends = self.is_tail(flits[way])
        unit.into_channel[chosen].update(way, ends=ends)
        unit.last_channel, unit.goes_on = chosen, not ends
        return way, flits[way]

    def sending(self, unit: Interface, store: int) -> Flit:
        """Flit of a copy that a store sends."""
        copy = int(self.copy_table.first[unit.packet[store]]) + unit.sent[store]
        return Flit(copy, unit.position[store])

    def eject(self, node: int, clock: int) -> None:
        """One cycle of the registers before a node, and of its stores."""
        unit, takes = self.interfaces[node], bool(self.ends.taking[node])
        gate, skid = unit.gate, unit.skid
        flit = skid or (gate[0] if gate and gate[1] == 0 else None)
        flits = {0: flit} if flit else {}
        for store, phase in enumerate(unit.phase):
            if phase == Interface.DELIVER:
                flits[store] = Flit(unit.packet[store], unit.position[store])
        way = unit.into_node.grant(flits)
        if way is not None:
            unit.into_node.update(way, ends=takes and self.is_tail(flits[way]))
        if way is not None and takes:
            self.deliver(node, flits[way], clock)
        if flit:
            unit.skid = None if takes and way == 0 else flit
        for store, phase in enumerate(unit.phase):
            if phase == Interface.LOOK_UP:
                unit.phase[store], unit.position[store] = Interface.SEND, 0
        if way and takes:
            unit.position[way] += 1
            if self.is_tail(flits[way]):
                unit.phase[way], unit.position[way] = Interface.FILL, 0
        if gate and gate[1] > 0:
            self.fill(unit, gate[1], gate[0])
        if skid is None or (gate and gate[1] > 0):
            unit.gate = None

    def fill(self, unit: Interface, store: int, flit: Flit) -> None:
        """Write a flit into a store; a packet that is refused leaves it empty."""
        is_refused = flit.packet < len(self.packets) and self.packets.refused[flit.packet]
        if self.is_tail(flit) and not is_refused:
            unit.packet[store], unit.sent[store] = flit.packet, 0
            unit.phase[store] = Interface.LOOK_UP

    def advance(self, unit: Interface, store: int, flit: Flit) -> None:
        """Go on behind a flit that a store sent."""
        unit.position[store] += 1
        if not self.is_tail(flit):
            return
        unit.sent[store] += 1
        unit.phase[store] = Interface.LOOK_UP
        if unit.sent[store] == self.copy_table.count[unit.packet[store]]:
            unit.phase[store] = Interface.DELIVER if store else Interface.FILL
            unit.position[store] = int(self.copy_table.chain[unit.packet[store]])

    def inject(self, taken: Collection[int], injections: dict[int, tuple[int, Flit]]) -> None:
        """Write what nodes and stores send into buffers and stores."""
        for node, (way, flit) in injections.items():
            if way > 0:
                self.buffers[self.entry(node, flit.packet)].append(flit)
                self.advance(self.interfaces[node], way - 1, flit)
        for node, flit in self.offered():
            if node not in taken:
                continue
            if self.limits[node] is not None:
                self.tokens[node] -= 1
            if flit.number == 0 and self.routing.draws > 1:
                self.draw(node, flit.packet)
            if self.packets.multicast[flit.packet]:
                self.fill(self.interfaces[node], 0, flit)
            elif self.packets.broadcast[flit.packet]:
                self.inject_broadcast(self.entry(node, flit.packet), flit)
            elif not self.packets.refused[flit.packet]:
                self.buffers[self.entry(node, flit.packet)].append(flit)

    def draw(self, node: int, packet: int) -> None:
        """Let a node draw for a packet that it begins to send; its header tells the routers."""
        number = drawn(self.generators[node], self.routing.draws)
        if not self.packets.refused[packet]:
            label = self.routing.label(node, self.destination[packet], number)
            self.destination[packet] = int(label)
        self.generators[node] = next_state(self.generators[node])

    def inject_broadcast(self, channel: Channel, flit: Flit) -> None:
        """Write a flit of a broadcast into a buffer; drop all of one that is too long."""
        longest = self.network.longest_copied_packet
        if flit.number < longest:
            self.buffers[channel].append(flit)
            self.incomplete[channel] = 0 if self.is_tail(flit) else flit.number + 1
        elif flit.number == longest:
            buffer = self.buffers[channel]
            del buffer[len(buffer) - self.incomplete[channel] :]
            self.incomplete[channel] = 0


class DeflectionNetwork(ReferenceNetwork):
    """Bufferless routers: a packet, which is one flit, leaves a router by some output at once.

    Routers of one-way rings take a cycle, and have a register at each input. The others take two:
    the first chooses which packet the node gets and whether the node's packet enters, the second
    exchanges the packets block by block (`exchanges`) and sends them.

    Members
    -------
    links : dict
        Packet at each input (router, port).
    waiting : list
        Packet in the register before each node.
    entered : dict
        Cycle in which each packet was taken from its node.
    held : list
        Between the stages of each router, the packet on each wire, and whether it is *eager*, which
        means that it tries to leave by the output that it prefers.
    entry, end : list
        Wire of the packet that entered in the first stage, and of the one that the node gets.
    """

    def __init__(self, network: Network, traffic: Traffic, packets: Packets) -> None:
        super().__init__(network, traffic, packets)
        routing = Deflection.of(self.routing)
        self.rule, self.parameters = routing.base.rule, routing.base.parameters
        self.has_phases = routing.has_phases
        self.turn_cycles = routing.turn_clocks if routing.has_phases else 1
        # A node counts on the numbers of the packets that come to it: it first clears its memory.
        self.opens = 1 << self.topology.address_width if network.sequence_width else 0
        links = [[p for p in range(self.ports) if n[p] >= 0] for n in self.topology.neighbours]
        self.ports_of = links
        self.links: dict[tuple[int, int], int | None] = {}
        nodes = self.topology.nodes
        self.waiting: list[int | None] = [None] * nodes
        self.entered: dict[int, int] = {}
        self.held: list[list[tuple[int | None, bool]]] = [[(None, False)] * len(p) for p in links]
        self.entry: list[int | None] = [None] * nodes
        self.end: list[int | None] = [None] * nodes

    def step(self, clock: int) -> None:
        """Run one cycle."""
        drive(self.ends, clock)
        offers, taken = dict(self.offered()), set()
        arrived, self.links = self.links, {}
        for router in range(self.routers):
            waiting = self.waiting[router]
            if waiting is not None and self.ends.taking[router]:
                self.deliver(router, Flit(waiting, 0), clock)
                self.waiting[router] = None
            offer = offers.get(router)
            entering = None
            if offer is not None and self.packets.refused[offer.packet]:
                taken.add(router)
            elif offer is not None and clock >= self.opens:
                entering = offer.packet
            came = [arrived.get((router, port)) for port in range(self.ports)]
            if self.has_phases:
                ejected = self.exchange(router, clock)
                enters = self.arrive(router, came, entering, clock)
            else:
                ejected, enters = self.pass_ring(router, came, entering)
            if enters and entering is not None:
                self.entered[entering] = clock
                taken.add(router)
            if ejected is not None:
                self.waiting[router] = ejected
                self.hops[ejected] = (clock - self.entered[ejected]) // self.network.cycles_per_hop
                self.crossings[Channel(router, 0, 0)] += 1
        self.accept(taken, clock)

    def send(self, router: int, port: int, packet: int | None) -> None:
        """Send a packet over a link; it is there in the next cycle."""
        if packet is not None:
            self.links[self.behind(router, port)] = packet
            self.crossings[Channel(router, port, 0)] += 1

    def pass_ring(
        self, router: int, came: list[int | None], entering: int | None
    ) -> tuple[int | None, bool]:
        """One cycle of a router of one-way rings: the packet ejected, and whether one entered.

        Port 1 is the row, port 2 the column. A packet turns into its column with priority; one that
        came along the column goes along the row for it, if it must.
        """
        position = ProductTopology.of(self.topology).position_table[:, 0]

        def is_in_column(packet: int) -> bool:
            return position[self.destination[packet]] == position[router]

        along, down = came[1], came[2]
        if along is not None and is_in_column(along):
            along, down = down, along
        enters = False
        if entering is not None:
            if is_in_column(entering):
                enters, down = down is None, entering if down is None else down
            else:
                enters, along = along is None, entering if along is None else along
        ejected = None
        if down is not None and self.waiting[router] is None and self.destination[down] == router:
            ejected, down = down, None
        self.send(router, 1, along)
        self.send(router, 2, down)
        return ejected, enters

    def preferred(self, router: int, packet: int) -> int:
        """Output port that a packet prefers; 0 for the node."""
        return int(self.rule(self.parameters, router, 0, 0, self.destination[packet])[0])

    def is_first(self, packet: int, clock: int) -> bool:
        """Whether a packet is old, and goes to the address whose turn it is."""
        turn, addresses = clock // self.turn_cycles, 1 << self.topology.address_width
        phase, phase_cycles = turn // addresses, self.turn_cycles * addresses
        is_old = (self.entered[packet] // phase_cycles - phase) % 2 != 0
        return is_old and self.topology.address(self.destination[packet]) == turn % addresses

    def exchange(self, router: int, clock: int) -> int | None:
        """Second stage: exchange the packets, and send them; the packet ejected."""
        held, ports, end = self.held[router], self.ports_of[router], self.end[router]
        ejected = None
        if end is not None and self.waiting[router] is None:
            ejected, held[end] = held[end][0], (None, False)
        for block in (block for blocks in exchanges(len(ports)) for block in blocks):
            one, two = block.wires
            wanted = []
            for packet, is_eager in (held[one], held[two]):
                port = self.preferred(router, packet) if packet is not None and is_eager else 0
                output = ports.index(port) if port else None
                sides = [n for n, side in enumerate(block.sides, 1) if output in side]
                wanted.append(sides[0] if sides else 0)  # 0: either side, or neither, will do
            winner = block.winner
            if winner is None:  # of the first round, which the first stage decided a cycle ago
                winner = (clock - 1) >> block.count_bit & 1
                if self.entry[router] in block.wires:
                    winner = int(self.entry[router] == one)
            if wanted[0] == wanted[1]:
                wanted[0 if winner else 1] = 0
            if wanted[0] == 2 or wanted[1] == 1:
                held[one], held[two] = held[two], held[one]
        for port, (packet, _) in zip(ports, held, strict=True):
            self.send(router, port, packet)
        return ejected

    def arrive(self, router: int, came: list[int | None], entering: int | None, clock: int) -> bool:
        """First stage: choose whom the node gets, and let its packet in; whether it entered."""
        packets = [came[port] for port in self.ports_of[router]]
        past = clock - self.network.cycles_per_hop  # the last router marked who is first
        first = [packet is not None and self.is_first(packet, past) for packet in packets]
        wants = [None if p is None else self.preferred(router, p) for p in packets]
        home = [wire for wire, port in enumerate(wants) if port == 0]
        end = next((wire for wire in home if first[wire]), home[0] if home else None)
        wanted = None if entering is None else self.preferred(router, entering)
        free = [wire for wire, packet in enumerate(packets) if packet is None]
        entry = free[0] if free and wanted is not None and wanted not in wants else None
        if entry is not None:
            packets[entry] = entering
            end = entry if wanted == 0 else end
        eager = first if any(first) else [True] * len(packets)
        self.held[router] = list(zip(packets, eager, strict=True))
        self.entry[router], self.end[router] = entry, end
        return entry is not None


def _packet_network(network: Network, traffic: Traffic, packets: Packets) -> ReferenceNetwork:
    """Network of packet routers."""
    kind = CreditNetwork if network.has_credits else PlainNetwork
    return kind(network, traffic, packets)


REFERENCES = {"packet": _packet_network, "deflection": DeflectionNetwork}
"""Readable model of each router class that has a compiled one."""


def make_reference(network: Network, traffic: Traffic, packets: Packets) -> ReferenceNetwork:
    """Readable model of a network of packet or deflection routers, before its first cycle.

    Raises
    ------
    ValueError
        The network has routers of another class.
    """
    if network.router_class not in REFERENCES:
        classes = " or ".join(REFERENCES)
        raise ValueError(f"network must have {classes} routers, not {network.router_class}")
    return REFERENCES[network.router_class](network, traffic, packets)
