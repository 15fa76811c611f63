"""The compiled loop against a slow model, written from the rules of routers with credits."""

from collections import defaultdict, deque
from itertools import product

import numpy as np
import pytest
from helpers.long_links import long_graphs, network_of
from helpers.ring import EscapingRingRouting, Ring
from helpers.routes import slow
from helpers.slow_models import SlowModel, assert_same_beats
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from knotwork import Mesh, Moebius, Network
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.endpoints import drive
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packet_table import packet_table


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


SPR = {"routing": "spr", "vc_scheme": "escape", "pipeline": 2}
WORDS = (
    "mesh:x=3,y=2", "mesh:x=2,y=2,virtual_channels=2", "hypercube:n=3,virtual_channels=4",
    "torus:x=3,y=3", "moebius:n=3,routing=spr", "ccc:n=3,routing=unicast", "petersen",
    "wk:w=3,levels=2,broadcast=no", "tcpg:k=1,m=1,broadcast=no", "mesh:x=4,y=2,virtual_channels=3",
)  # fmt: skip


@settings(max_examples=25)
@given(
    word=st.sampled_from(WORDS),
    pipeline=st.sampled_from([2, 3]),
    depth=st.sampled_from([2, 3, 4, 5, 8, 16]),
    rate=st.floats(0.05, 1),
    length=st.tuples(st.integers(1, 4), st.sampled_from([0, 4, 30])).map(lambda p: (p[0], sum(p))),
    bubble=st.sampled_from([0.0, 0.3]),
    stall=st.sampled_from([0.0, 0.3, 0.8]),
    seed=st.integers(0, 2**32),
)
def test_a_slow_model_sees_the_same_beats_in_the_same_cycles(word, pipeline, depth, **keys):
    separator = "," if ":" in word else ":"
    keyed = f"pipeline={pipeline},buffer_depth={depth}"
    network = Network.from_word(f"{word}{separator}{keyed}")
    assert network.has_credits
    assert_same_beats(network, Traffic(packets=60, **keys), SlowCredits)


@settings(max_examples=12)
@given(
    network=st.sampled_from([
        Network(Moebius(n=3), **SPR, virtual_channels=2),
        Network(Moebius(n=3, twist=1), **SPR, virtual_channels=4),
        Network(Moebius(n=2), **SPR, buffer_depth=9),
        Network(Moebius(n=3), **SPR | {"pipeline": 3}, buffer_depth=5),
        Network(Moebius(n=3), **SPR, buffer_depth=2),
        Network(Ring(nodes=6), routing=EscapingRingRouting, pipeline=2, buffer_depth=4),
    ]),
    rate=st.floats(0.3, 1),
    length=st.sampled_from([(1, 1), (1, 4), (1, 20)]),
    bubble=st.sampled_from([0.0, 0.3]),
    stall=st.sampled_from([0.0, 0.5]),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_escapes_too(network, **keys):
    assert network.has_credits
    assert_same_beats(network, Traffic(packets=80, **keys), SlowCredits)


@settings(max_examples=25, deadline=None)
@given(
    links=long_graphs(),
    directed=st.booleans(),
    depth=st.sampled_from([2, 3, 4, 5, 8, 16, 40]),
    pipeline=st.sampled_from([2, 3]),
    channels=st.sampled_from([2, 4]),
    rate=st.floats(0.05, 1),
    length=st.tuples(st.integers(1, 4), st.sampled_from([0, 4, 10])).map(lambda p: (p[0], sum(p))),
    stall=st.sampled_from([0.0, 0.3, 0.5]),
    seed=st.integers(0, 2**32),
)
def test_links_of_several_cycles_too(links, directed, pipeline, depth, channels, **keys):
    hardware = {"pipeline": pipeline, "virtual_channels": channels, "buffer_depth": depth}
    network = network_of(links, directed=directed, **hardware)
    assert_same_beats(network, Traffic(packets=40, **keys), SlowCredits)


@pytest.mark.parametrize(
    "word",
    ["mesh:x=2,y=2,virtual_channels=2,buffer_depth=5", *slow([
        "mesh:x=3,y=2,buffer_depth=5", "moebius:n=3,routing=spr,vc_scheme=escape",
        "mesh:x=3,y=2,classes=2", "moebius:n=3,multicast=yes", "hypercube:n=3,parity=yes",
        "mesh:x=2,y=2,nodes_per_router=2", "wk:w=3,levels=2,broadcast=label", "tcpg:k=1,m=1",
    ])],
)  # fmt: skip
def test_the_verilog_of_three_cycles_per_hop_is_equal(equal, word):
    network = Network.from_word(f"{word},pipeline=3,data_width=8")
    share = 0.2 if network.has_broadcast else 0.0
    keys = {"rate": 0.6, "length": (1, 6), "stall": 0.3, "bubble": 0.1}
    equal(network, packets=400, broadcast_share=share, **keys)


@pytest.mark.parametrize("channels", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_verilog_of_long_links_is_equal_in_every_cycle(equal, channels):
    """Links of 1 to 16 cycles, one one-way, buffers deeper than `buffer_depth`, two or no nodes."""
    links = [(0, 1, 2), (1, 2, 16), (2, 0), (0, 2, 5), (2, 0, 7)]
    network = network_of(
        links, nodes=[2, 1, 0], directed=True, data_width=8, buffer_depth=4, routing="shortest",
        virtual_channels=channels,
    )  # fmt: skip
    equal(network, packets=200, rate=0.4, length=(1, 20), stall=0.2, bubble=0.1)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, phases=[Phase.generate])
@given(long_graphs(), st.booleans(), st.sampled_from([4, 7, 16]))
def test_the_verilog_of_any_long_links_is_equal(equal, links, directed, depth):
    network = network_of(links, directed=directed, data_width=8, buffer_depth=depth)
    equal(network, packets=400, rate=0.5, length=(1, 12), stall=0.1)


@pytest.mark.parametrize(("pipeline", "depth", "share"), [
    (2, 2, 1 / 2), (2, 3, 3 / 4), (2, 4, 1), (3, 2, 2 / 5), (3, 4, 4 / 5), (3, 5, 1), (1, 2, 1)
])  # fmt: skip
@pytest.mark.parametrize("channels", [1, 4])
def test_small_buffers_fill_a_part_of_a_link_per_virtual_channel(pipeline, depth, share, channels):
    keys = {"pipeline": pipeline, "buffer_depth": depth, "virtual_channels": channels}
    network = Network(Mesh(x=6, y=2), **keys)
    assert network.channel_share == pytest.approx(share)
    # All nodes of the left half send to all of the right half of their row, over one link.
    sources, destinations = np.repeat([0, 1, 2], 200), np.tile([3, 4, 5], 200)
    packets = packet_table(
        network, source=sources, destination=destinations, length=np.ones(600, int),
        time=np.zeros(600, int), seed=1,
    )  # fmt: skip
    cycles = int(run_log(network, Traffic(), packets).log.clock[-1])
    assert 600 / cycles == pytest.approx(min(1, channels * share), rel=0.1)
