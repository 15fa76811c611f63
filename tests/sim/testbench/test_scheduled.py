"""Rounds, and permutations that a network can carry out."""

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork import Hypercube, Network
from knotwork.errors import ConfigurationError
from knotwork.routing.scheduling.linear_complement import LinearComplement
from knotwork_sim.testbench import rounds, table_entries
from knotwork_sim.testbench.scheduled import random_permutation

SCHEDULED = Network.from_word("lcan:d=2,u=2,levels=3,routing=scheduled")


def test_one_round_carries_any_permutation_where_no_switch_has_fewer_uppers_than_children():
    permutation = random_permutation(SCHEDULED)
    (messages,) = rounds(SCHEDULED, permutation)
    assert sorted(message.source for message in messages) == list(range(8))
    assert all(permutation[source] == to for source, to, _ in messages)
    assert {len(word) for _, _, word in messages} == {2}


def test_rounds_go_with_packets_that_name_their_path():
    with refuses("hypercube_n2: rounds must go with routing=scheduled, not ecube"):
        rounds(Network(Hypercube(n=2)), [0, 1, 2, 3])


def test_batches_get_linear_complement_permutations():
    network = Network.from_word("ccc:n=3,routing=lc2")
    for _ in range(20):
        permutation = random_permutation(network)
        assert LinearComplement.of(np.array(permutation)) is not None


def test_other_networks_get_any():
    found = [random_permutation(Network(Hypercube(n=3))) for _ in range(20)]
    assert all(sorted(each) == list(range(8)) for each in found)
    assert len({tuple(each) for each in found}) > 10


def test_a_table_has_an_entry_per_dimension_the_highest_first():
    network = Network.from_word("hypercube:n=3,routing=lc1")
    none = 3  # no buddy
    # By the closed form of bit permutations, jump is 1 at the lowest bit of each cycle, and there
    # are no buddies. The complement keeps every bit in its place; the reversal of three bits
    # exchanges bits 2 and 0.
    assert table_entries(network, [7, 6, 5, 4, 3, 2, 1, 0]) == [1 << 2 | none] * 3
    assert table_entries(network, [0, 4, 2, 6, 1, 5, 3, 7]) == [none, 1 << 2 | none, 1 << 2 | none]


@pytest.mark.parametrize(
    ("word", "destinations", "told"),
    [
        ("hypercube:n=2,routing=lc1", [0, 1, 2, 2], "a permutation must name each node once, not"),
        ("hypercube:n=2", [0, 1, 2, 3], "a table must go with batches, not with routing=ecube"),
    ],
)
def test_a_table_goes_with_batches_and_permutations(word, destinations, told):
    with pytest.raises(ConfigurationError, match=told):
        table_entries(Network.from_word(word), destinations)
