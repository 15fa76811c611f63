"""What routers with credits show a monitor, against the golden model and the readable one."""

from collections import Counter

import pytest
from helpers.long_links import network_of
from helpers.wide import counts_of, expected_flits
from knotwork import Moebius, Network
from knotwork.gateware.packet.probes import Probes, port_probes, watched_channels
from knotwork.monitoring import monitored_channels
from knotwork_sim.model.reference import CreditNetwork
from knotwork_sim.model.run import run_model
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


@pytest.mark.parametrize("pipeline", [2, 3])
@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("mesh:x=2,y=2,virtual_channels=2,buffer_depth=2", {}),
        ("mesh:x=3,y=1,nodes_per_router=2", {}),
        ("mesh:x=2,y=2,classes=2", {}),
        ("mesh:x=3,y=1,parity=yes", {}),
        ("moebius:n=2,routing=spr,vc_scheme=escape", {}),
        ("hypercube:n=2,multicast=yes", {"multicast_share": 0.2}),
        ("wk:w=3,levels=1,buffer_depth=4", {"broadcast_share": 0.2}),
        ("wk:w=2,levels=2,buffer_depth=4", {"broadcast_share": 0.3}),
        ("moebius:n=2,routing=spr,vc_scheme=escape,parity=yes,buffer_depth=2", {}),
        ("mesh:x=2,y=2,classes=2,nodes_per_router=2", {}),
        ("mesh:x=3,y=1,tables=loaded,virtual_channels=2", {}),
    ],
)
def test_flits_are_those_that_the_golden_model_counts(word, keys, pipeline):
    network = Network.from_word(f"{word},data_width=8,counters=yes,pipeline={pipeline}")
    assert network.has_credits
    traffic = Traffic(packets=60, rate=0.6, length=(1, 4), stall=0.3, seed=3, **keys)
    packets = make_packets(network, traffic)
    found = counts_of(network, traffic, packets)
    record = run_model(network, traffic, packets, counts=True)
    counted, expected = found["flits"].tolist(), expected_flits(network, record, packets)
    known = [count for count, flits in zip(counted, expected, strict=True) if flits is not None]
    assert known == [flits for flits in expected if flits is not None]
    assert sum(known) > 150
    assert found["refused"].sum() == len(record.refused) == 0


class CountingCredits(CreditNetwork):
    """Network that counts the cycles in which a channel holds a flit and gives none."""

    def __init__(self, network, traffic, packets):
        super().__init__(network, traffic, packets)
        self.stalls = Counter()

    def step(self, clock):
        heads = {at: buffer[0] for at, buffer in self.buffers.items() if buffer}
        held = [unit.skid or unit.gate for unit in self.interfaces]
        super().step(clock)
        for at, head in heads.items():
            self.stalls[at] += self.buffers[at][:1] == [head]
        for router, flit in enumerate(held):
            self.stalls[router, 0, None] += flit is not None and not self.ends.taking[router]


@pytest.mark.parametrize(
    "network",
    [
        Network.from_word("mesh:x=2,y=2,data_width=8,pipeline=2,counters=yes"),
        Network.from_word(
            "mesh:x=2,y=2,data_width=8,pipeline=3,buffer_depth=3,virtual_channels=2,counters=yes"
        ),
        Network(Moebius(n=2), routing="spr", vc_scheme="escape", pipeline=2, counters="yes"),
        network_of([(0, 1, 3), (1, 2)], pipeline=2, counters="yes", virtual_channels=2),
    ],
)
def test_stalls_are_those_of_the_reference(network):
    traffic = Traffic(packets=50, rate=0.8, length=(1, 5), stall=0.4, seed=7)
    packets = make_packets(network, traffic)
    found = counts_of(network, traffic, packets)
    record = run_model(network, traffic, packets)
    reference = CountingCredits(network, traffic, packets)
    for clock in range(record.clocks):
        reference.step(clock)
    expected = [
        reference.stalls[one.router, one.port, one.virtual_channel]
        for one in monitored_channels(network)
    ]
    assert found["stalls"].tolist() == expected
    assert sum(count > 0 for count in expected) > len(expected) // 2


def test_only_a_monitored_network_has_probes():
    plain, watched = (Network(Moebius(n=2), pipeline=2, watchdog=bound) for bound in (0, 9))
    kind = plain.router_kinds[0]
    assert {*Probes(watched, kind).members()} == {"probe_flits", "probe_waits", "probe_wants"}
    for port in kind.ports:
        assert port_probes(watched_channels(plain, kind, port)) == {}
        assert "waits" in port_probes(watched_channels(watched, kind, port))
