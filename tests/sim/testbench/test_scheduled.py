"""Rounds, and permutations that a network can carry out."""

import numpy as np
import pytest
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork_sim.testbench import rounds
from knotwork_sim.testbench.scheduled import random_permutation

SCHEDULED = Network.from_word("lcan:d=2,u=2,levels=3,routing=scheduled")


def test_one_round_carries_any_permutation_where_no_switch_has_fewer_uppers_than_children():
    permutation = random_permutation(SCHEDULED)
    (messages,) = rounds(SCHEDULED, permutation)
    assert sorted(message.source for message in messages) == list(range(8))
    assert all(permutation[source] == to for source, to, _ in messages)
    assert {len(word) for _, _, word in messages} == {2}


def test_rounds_go_with_packets_that_name_their_path():
    with pytest.raises(ConfigurationError) as error:
        rounds(Network(Hypercube(n=2)), [0, 1, 2, 3])
    assert str(error.value) == ("hypercube_n2: rounds must go with routing=scheduled, not ecube")


def test_batches_get_linear_complement_permutations():
    network = Network.from_word("ccc:n=3,routing=lc2")
    for _ in range(20):
        permutation = random_permutation(network)
        assert LinearComplement.of(np.array(permutation)) is not None


def test_other_networks_get_any():
    found = [random_permutation(Network(Hypercube(n=3))) for _ in range(20)]
    assert all(sorted(each) == list(range(8)) for each in found)
    assert len({tuple(each) for each in found}) > 10
