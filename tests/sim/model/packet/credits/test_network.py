"""The compiled loop against a slow model, written from the rules of routers with credits."""

from collections import deque
from itertools import product

from helpers.slow_models import SlowModel, assert_same_beats
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork_sim.traffic.endpoints import drive
from knotwork_sim.traffic.keys import Traffic


class SlowCredits(SlowModel):
    """Routers with credits: every register as the rules name it.

    `queues[r, p, v]` holds flits; `front[r, p]` is a virtual channel or None; `holding` has the
    input channels whose packet was granted its output channel; `busy` the output channels that a
    packet has; `order[r, o]` the input ports, first to last; `credits[r, o, w]` what can be used in
    this cycle, `ahead` the credits that can be used in the next one.
    """

    def __init__(self, network, packets, ends):
        super().__init__(network, packets, ends)
        channels = [(*at, vc) for at, vc in product(self.inputs, range(self.vcs))]
        self.queues = {at: deque() for at in channels}
        self.credits = dict.fromkeys(channels, self.depth)
        self.front = dict.fromkeys(self.inputs)
        self.order = {at: list(range(self.ports)) for at in self.inputs}
        self.holding, self.busy, self.links, self.ahead = set(), set(), [], []
        self.gate, self.skid = [None] * self.routers, [None] * self.routers

    def is_eligible(self, router, port):
        vc = self.front[router, port]
        if vc is None:
            return False
        output, out_vc = self.way(router, self.queues[router, port, vc][0][0])
        room = self.credits[router, output, out_vc] if output else self.skid[router] is None
        is_mine = (router, port, vc) in self.holding
        return room and (is_mine or (router, output, out_vc) not in self.busy)

    def granted(self, eligible):
        """Input ports granted: the first in its output's order."""
        first = {}
        for router, port in eligible:
            head = self.queues[router, port, self.front[router, port]][0]
            at = router, self.way(router, head[0])[0]
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

    def cross(self, router, port, leaving):
        """Let a granted front leave."""
        vc = self.front[router, port]
        flit = self.queues[router, port, vc].popleft()
        output, out_vc = self.way(router, flit[0])
        self.count(router, output, out_vc, flit)
        order = self.order[router, output]
        order.remove(port)
        ways = {True: (order.append, set.discard), False: (lambda p: order.insert(0, p), set.add)}
        move, note = ways[bool(self.is_tail(flit))]
        move(port)
        note(self.busy, (router, output, out_vc))
        note(self.holding, (router, port, vc))
        if output:
            self.credits[router, output, out_vc] -= 1
            leaving.append((*self.behind(router, output), out_vc, flit))
        else:
            self.gate[router] = flit
        if port:
            return [(*self.behind(router, port), vc)]
        return []

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
        arriving = {(router, port): vc for router, port, vc, _ in self.links}
        entering = self.enter(lambda node, vc: len(self.queues[node, 0, vc]) < self.depth, clock)
        arriving |= {(node, 0): vc for node, vc, _ in entering}
        eligible = {at for at in self.inputs if self.is_eligible(*at)}
        granted = self.granted(eligible)
        fronts = {
            at: self.next_front(at, arriving, eligible=at in eligible, granted=at in granted)
            for at in self.inputs
        }
        ejected = [beat for router in range(self.routers) for beat in self.eject(router)]
        arrived, self.links = self.links, []
        for at in self.ahead:
            self.credits[at] += 1
        self.ahead = [at for way in sorted(granted) for at in self.cross(*way, self.links)]
        self.front = fronts
        for router, port, vc, flit in arrived:
            self.queues[router, port, vc].append(flit)
        for node, vc, flit in entering:
            self.queues[node, 0, vc].append(flit)
        return ejected


WORDS = (
    "mesh:x=3,y=2", "mesh:x=2,y=2,virtual_channels=2", "hypercube:n=3,virtual_channels=4",
    "torus:x=3,y=3", "moebius:n=3,routing=spr", "ccc:n=3,routing=unicast", "petersen",
    "wk:w=3,levels=2,broadcast=no", "tcpg:k=1,m=1,broadcast=no", "mesh:x=4,y=2,virtual_channels=3",
)  # fmt: skip


@settings(max_examples=40)
@given(
    word=st.sampled_from(WORDS),
    depth=st.sampled_from([4, 5, 8, 16]),
    rate=st.floats(0.05, 1),
    length=st.tuples(st.integers(1, 4), st.sampled_from([0, 4, 30])).map(lambda p: (p[0], sum(p))),
    bubble=st.sampled_from([0.0, 0.3]),
    stall=st.sampled_from([0.0, 0.3, 0.8]),
    seed=st.integers(0, 2**32),
)
def test_a_slow_model_sees_the_same_beats_in_the_same_cycles(word, depth, **keys):
    name, _, rest = word.partition(":")
    keyed = ",".join(filter(None, (rest, f"pipeline=2,buffer_depth={depth}")))
    network = Network.from_word(f"{name}:{keyed}")
    assert network.has_credits
    assert_same_beats(network, Traffic(packets=80, **keys), SlowCredits)
