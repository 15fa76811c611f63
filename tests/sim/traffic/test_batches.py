from knotwork import CubeConnectedCycles, Network
from knotwork.routing.scheduling.linear_complement import JumpTable, LinearComplement
from knotwork_sim.traffic.jump_tables import ConfigSource, Loading
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


def test_a_table_comes_with_its_highest_dimension_first():
    table = JumpTable(jump=(1, 0, 1), buddy=(3, 0, 3))
    assert Loading.of(table, time=9) == Loading(9, ((1, 3), (0, 0), (1, 3)))


def test_entries_are_held_out_until_they_are_taken():
    source = ConfigSource([Loading(5, ((1, 2), (0, 1))), Loading(0, ((1, 0),))])
    assert source.offered(4) is None
    assert source.offered(5) == source.offered(8) == (1, 2, False)
    source.taken()
    assert source.offered(9) == (0, 1, True)
    source.taken()
    assert not source.done
    assert source.offered(10) == (1, 0, True)
    source.taken()
    assert source.done
    assert source.offered(11) is None
