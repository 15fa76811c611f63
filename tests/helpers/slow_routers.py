"""Slow model of packet routers, written from the docstrings of `knotwork.gateware.parts`."""

from collections import deque

from helpers.slow_models import SlowModel
from knotwork_sim.traffic.endpoints import drive


class SlowArbiter:
    """`ChannelArbiter`: from the first grant until the tail, then round robin."""

    def __init__(self, requesters):
        self.requesters, self.last, self.hold = requesters, requesters - 1, False

    def grant(self, requests):
        if self.hold:
            return self.last if self.last in requests else None
        order = [(self.last + 1 + i) % self.requesters for i in range(self.requesters)]
        return next((i for i in order if i in requests), None)

    def clock(self, granted, is_done):
        if granted is not None:
            self.last, self.hold = granted, not is_done


class SlowNetwork(SlowModel):
    """Routers of one virtual channel, ``pipeline=1``: a queue per input, an arbiter per output."""

    def __init__(self, network, packets, ends):
        super().__init__(network, packets, ends)
        self.queues = {at: deque() for at in self.inputs}
        self.arbiters = {at: SlowArbiter(self.ports) for at in self.inputs}

    def has_room(self, router, port):
        return len(self.queues[router, port]) < self.depth

    def step(self, clock):
        """Beats ejected in a cycle."""
        ejected, arrivals, leaving = [], [], []
        drive(self.ends, clock)
        entering = self.enter(lambda node, vc: self.has_room(node, 0), clock)
        for router, output in self.inputs:
            heads = {
                i: self.queues[router, i][0] for i in range(self.ports) if self.queues[router, i]
            }
            asking = {
                i for i, (packet, _) in heads.items() if self.way(router, packet)[0] == output
            }
            arbiter = self.arbiters[router, output]
            granted = arbiter.grant(asking)
            if granted is None:
                continue
            flit, peer = heads[granted], self.behind(router, output)
            crosses = self.has_room(*peer) if output else bool(self.ends.taking[router])
            arbiter.clock(granted, crosses and self.is_tail(flit))
            if crosses:
                leaving.append((router, granted))
                self.count(router, output, 0, flit)
                if output:
                    arrivals.append((peer, flit))
                else:
                    ejected.append((router, *flit))
        for at in leaving:
            self.queues[at].popleft()
        for at, flit in arrivals:
            self.queues[at].append(flit)
        for node, _, flit in entering:
            self.queues[node, 0].append(flit)
        return ejected
