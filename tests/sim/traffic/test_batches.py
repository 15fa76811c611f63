import numpy as np
import pytest
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement
from knotwork_sim.traffic.jump_tables import Loading
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORK = Network(CubeConnectedCycles(n=4), routing="lc2", words=3)


def batches(name, network=NETWORK, **keys):
    return make_packets(network, Traffic(traffic="permutation", permutation=name, **keys))


def test_every_node_has_a_packet_in_each_batch():
    packets = batches("reversal", packets=48)
    assert packets.source.tolist() == [node for node in range(16) for _ in range(3)]
    reversal = [int(f"{node:04b}"[::-1], 2) for node in range(16)]
    assert packets.destination.tolist() == [reversal[node] for node in packets.source]
    assert packets.length.tolist() == [3] * 48
    assert packets.time[:3].tolist() == [0, 3, 6]
    assert len(batches("reversal")) == 16


def test_the_table_is_the_permutations():
    # Bit reversal of four bits: jump is 1 at the lower bit of each exchanged pair.
    (loading,) = batches("reversal").loadings
    assert loading == Loading(0, ((0, 4), (0, 4), (1, 4), (1, 4)))


def test_a_list_that_is_not_linear_has_the_plain_table():
    listed = [1, 2, 0, *range(3, 16)]
    packets = batches(",".join(map(str, listed)))
    assert packets.destination.tolist() == listed
    assert packets.loadings == (Loading.of(JumpTable.naive(4)),)


def test_a_random_permutation_is_linear_complement_and_the_seeds():
    drawn = {seed: batches("random", seed=seed).destination for seed in range(20)}
    assert all(LinearComplement.of(destinations) for destinations in drawn.values())
    assert len({tuple(destinations) for destinations in drawn.values()}) == 20
    assert (batches("random", seed=3).destination == drawn[3]).all()


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({}, "traffic must be permutation with routing=lc2, not uniform"),
        (
            {"traffic": "permutation", "permutation": "shuffle", "packets": 20},
            "packets must be a multiple of its 16 nodes with routing=lc2, not 20",
        ),
        (
            {"traffic": "permutation", "permutation": "shuffle", "rate": 0.5},
            "rate must be 1 or unnamed with routing=lc2, not 0.5",
        ),
        (
            {"traffic": "permutation", "permutation": "shuffle", "length": (1, 1)},
            "length must be words=3 with routing=lc2, not 1",
        ),
        (
            {"traffic": "permutation", "permutation": "shuffle", "length": (1, 8)},
            "length must be words=3 with routing=lc2, not 1-8",
        ),
        *(
            (
                {"traffic": "permutation", "permutation": "shuffle", share: 0.25},
                f"{share} must be 0 with routing=lc2, not 0.25",
            )
            for share in ("multicast_share", "broadcast_share")
        ),
    ],
)
def test_other_traffic_is_refused(keys, line):
    with pytest.raises(ConfigurationError) as refusal:
        make_packets(NETWORK, Traffic(**keys))
    assert str(refusal.value) == f"traffic: {line}"


def test_the_cube_takes_them_too():
    packets = batches("shuffle", Network(Hypercube(n=3), routing="lc1"), length=(1, 1))
    assert packets.destination.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    assert np.all(packets.length == 1)
