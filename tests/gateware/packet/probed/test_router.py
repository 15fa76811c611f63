"""What the routers show a monitor, against the golden model and a slow one."""

from itertools import product

import pytest
from helpers.monitored import counts_of, expected_flits, read_array
from helpers.slow_routers import SlowNetwork
from helpers.streams import put, run
from knotwork import Fabric, Network
from knotwork.monitoring import monitored_channels, network_registers
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.endpoints import make_endpoints
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=2,y=2,counters=yes",
        "moebius:n=2,twist=1,routing=spr,counters=yes,buffer_depth=2",
        "mesh:x=3,y=1,nodes_per_router=2,counters=yes,watchdog=50,pipeline=2",
    ],
)
def test_flits_are_those_that_the_golden_model_counts(word):
    network = Network.from_word(word + ",data_width=16")
    traffic = Traffic(packets=60, rate=0.6, length=(1, 4), stall=0.3, seed=3)
    packets = make_packets(network, traffic)
    found = counts_of(network, traffic, packets)
    record = run_model(network, traffic, packets, counts=True)
    assert found["flits"].tolist() == expected_flits(network, record, packets)
    assert found["flits"].sum() > 200
    assert found["refused"].sum() == len(record.refused) == 0


class CountingNetwork(SlowNetwork):
    """Slow network that counts the cycles in which the flit at a channel's front stays there."""

    def __init__(self, network, packets, ends):
        super().__init__(network, packets, ends)
        self.stalls = {}

    def step(self, clock):
        heads = {at: queue[0] for at, queue in self.queues.items() if queue}
        ejected = super().step(clock)
        for at, head in heads.items():
            waits = bool(self.queues[at]) and self.queues[at][0] == head
            self.stalls[at] = self.stalls.get(at, 0) + waits
        for router in range(self.routers):
            places = product([router], range(self.ports))
            asked = [self.way(router, heads[at][0])[0] for at in places if at in heads]
            held = 0 in asked and not self.ends.taking[router]
            self.stalls[router, None] = self.stalls.get((router, None), 0) + held
        return ejected


@pytest.mark.parametrize("word", ["mesh:x=2,y=2", "hypercube:n=2,buffer_depth=2"])
def test_stalls_are_those_of_a_slow_model(word):
    network = Network.from_word(word + ",data_width=8,counters=yes")
    traffic = Traffic(packets=50, rate=0.8, length=(1, 5), stall=0.4, seed=7)
    packets = make_packets(network, traffic)
    found = counts_of(network, traffic, packets)
    record = run_model(network, traffic, packets)
    slow = CountingNetwork(network, packets, make_endpoints(packets, traffic))
    for clock in range(record.clocks):
        slow.step(clock)
    expected = [
        slow.stalls.get((one.router, None if one.virtual_channel is None else one.port), 0)
        for one in monitored_channels(network)
    ]
    assert found["stalls"].tolist() == expected
    assert sum(count > 0 for count in expected) > len(expected) // 2


def test_refused_packets_are_counted_by_node():
    network = Network.from_word("mesh:x=3,y=1,data_width=8,counters=yes")
    fabric, found = Fabric(network), []

    async def testbench(ctx):
        for node in (0, 2, 2):
            beat = {"data": 1, "last": 1, "destination": 3}  # no node has this address
            await put(ctx, fabric.inject[node], beat)
        await ctx.tick().repeat(40)
        refused = network_registers(network).arrays["refused"]
        found.extend(await read_array(ctx, fabric.monitor, refused))

    run(fabric, testbench)
    assert found == [1, 0, 2]
