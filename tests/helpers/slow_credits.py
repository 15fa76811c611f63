"""A slow model of routers with credits, written from their rules."""

from collections import defaultdict, deque
from itertools import product

from helpers.slow_models import SlowModel
from knotwork_sim.traffic.endpoints import drive


class SlowCredits(SlowModel):
    """Routers with credits: every register as the rules name it.

    `queues[r, p, v]` holds flits; `front[r, p]` is a virtual channel or None; `holding` has the
    input channels whose packet was granted its output channel, `escaping` those whose head asks for
    its escape or whose packet took it; `busy` the output channels that a packet has; `order[r, o]`
    the input ports, first to last; `credits[r, o, w]` what can be used in this cycle, `links` and
    `ahead` what arrives and the credits that count at the end of a cycle.
    """

    def __init__(self, network, packets, ends):
        super().__init__(network, packets, ends)
        channels = [(*at, vc) for at, vc in product(self.inputs, range(self.vcs))]
        self.stage = network.parameters["pipeline"] - 2
        self.queues = {at: deque() for at in channels}
        self.credits = {(r, p, v): self.places(r, p) for r, p, v in channels}
        self.front = dict.fromkeys(self.inputs)
        self.order = {at: list(range(self.ports)) for at in self.inputs}
        self.holding, self.escaping, self.busy = set(), set(), set()
        self.links, self.ahead = defaultdict(list), {}
        self.escape = network.routing.escape_class
        self.gate, self.skid = [None] * self.routers, [None] * self.routers

    def latency(self, router, port):
        """Cycles of the link behind an output."""
        told = self.topology.link_latency
        return 1 if told is None else int(told[router, port])

    def places(self, router, port):
        """Places behind an output: a grant, a latency there, one before the next grant, and back.

        The flit crosses in cycle 0, arrives in cycle L, leaves in L + 1 at the earliest; its credit
        arrives in 2 L + 1 and can be used in the cycle after. A cycle of the crossbar adds 1. Where
        all links take a cycle, there are as many places as the user wrote.
        """
        if self.topology.link_latency is None:
            return self.depth
        return max(self.depth, 2 * self.latency(router, port) + 2 + self.stage)

    def turn(self, router, port, vc):
        """Port and virtual channel that the head of a channel asks for."""
        packet, routing = self.queues[router, port, vc][0][0], self.network.routing
        if self.escape is None:
            return self.way(router, packet)
        lane, vc_class = divmod(vc, routing.classes)
        asked = self.escape if (router, port, vc) in self.escaping else vc_class
        destination = int(self.packets.destination[packet])
        output, out_class = routing.rule(routing.parameters, router, port, asked, destination)
        return output, lane * routing.classes + out_class if output else 0

    def is_eligible(self, router, port):
        """Whether a front can cross; where packets escape, a head into no packet but of escapes."""
        vc = self.front[router, port]
        if vc is None:
            return False
        at = output, out_vc = self.turn(router, port, vc)
        room = self.credits[router, *at] if output else self.skid[router] is None
        if (router, port, vc) in self.holding:
            return room
        if output and self.escape not in {None, out_vc % self.network.routing.classes}:
            room = room == self.places(router, output)
        return room and (router, *at) not in self.busy

    def granted(self, eligible):
        """Input ports granted: the first in its output's order."""
        first = {}
        for router, port in eligible:
            at = router, self.turn(router, port, self.front[router, port])[0]
            place = self.order[at].index(port)
            first[at] = min(first.get(at, (place, port)), (place, port))
        return {(router, port) for (router, _), (_, port) in first.items()}

    def next_front(self, at, arriving, *, eligible, granted):
        """The front that follows, from the queues at the start of the cycle."""
        vc = self.front[at]
        if vc is None:
            return arriving.get(at)
        others = [(vc + step) % self.vcs for step in range(1, self.vcs)]
        other = next((v for v in others if self.queues[*at, v]), None)
        if granted:
            queue = self.queues[*at, vc]
            if len(queue) > 1 and (other is None or not self.is_tail(queue[0])):
                return vc
            return arriving.get(at) if other is None else other
        return vc if eligible or other is None else other

    def cross(self, router, port, clock):
        """Let a granted front leave."""
        vc = self.front[router, port]
        output, out_vc = self.turn(router, port, vc)
        flit = self.queues[router, port, vc].popleft()
        self.count(router, output, out_vc, flit)
        order = self.order[router, output]
        order.remove(port)
        ways = {True: (order.append, set.discard), False: (lambda p: order.insert(0, p), set.add)}
        move, note = ways[bool(self.is_tail(flit))]
        move(port)
        note(self.busy, (router, output, out_vc))
        note(self.holding, (router, port, vc))
        if self.is_tail(flit):
            self.escaping.discard((router, port, vc))
        if output:
            self.credits[router, output, out_vc] -= 1
            arrives = clock + self.stage + self.latency(router, output)
            self.links[arrives].append((*self.behind(router, output), out_vc, flit))
        else:
            self.gate[router] = flit
        if port:
            sender, way = (int(table[router, port]) for table in self.topology.senders)
            counts = clock + self.latency(sender, way)
            self.ahead.setdefault(counts, []).append((sender, way, vc))

    def eject(self, router):
        """Beats that the node takes, and the registers before it at the end of the cycle."""
        shown = self.skid[router] or self.gate[router]
        takes = bool(self.ends.taking[router])
        if self.skid[router]:
            self.skid[router] = None if takes else shown
        else:
            self.skid[router], self.gate[router] = None if takes else shown, None
        return [(router, *shown)] if shown and takes else []

    def step(self, clock):
        """Beats ejected in a cycle."""
        drive(self.ends, clock)
        arrived = self.links.pop(clock, [])
        arriving = {(router, port): vc for router, port, vc, _ in arrived}
        entering = self.enter(lambda node, vc: len(self.queues[node, 0, vc]) < self.depth, clock)
        arriving |= {(node, 0): vc for node, vc, _ in entering}
        eligible = {at for at in self.inputs if self.is_eligible(*at)}
        granted = self.granted(eligible)
        fronts = {
            at: self.next_front(at, arriving, eligible=at in eligible, granted=at in granted)
            for at in self.inputs
        }
        ejected = [beat for router in range(self.routers) for beat in self.eject(router)]
        for at in self.ahead.pop(clock, []):
            self.credits[at] += 1
        for way in sorted(granted):
            self.cross(*way, clock)
        shown = {(*at, vc) for at, vc in self.front.items() if vc is not None}
        blocked = {at for at in shown if at[:2] not in eligible}
        self.escaping ^= blocked - self.holding
        self.front = fronts
        for router, port, vc, flit in arrived:
            self.queues[router, port, vc].append(flit)
        for node, vc, flit in entering:
            self.queues[node, 0, vc].append(flit)
        return ejected
