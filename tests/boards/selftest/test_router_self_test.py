from dataclasses import replace

from knotwork import Mesh, Network
from knotwork_boards.selftest import BuildHints
from knotwork_boards.selftest.router_self_test import flows

HINTS = BuildHints(
    choices=lambda kind: 1,
    stores=lambda network: [],
    counters=flows,
    storage_key="words",
    has_pipeline=False,
)


def test_every_router_counts_with_the_choices_of_its_kind():
    network = Network(Mesh(x=3, y=4), data_width=16)
    assert HINTS.chosen_bits(network) == 12 * 16
    by_degree = replace(HINTS, choices=lambda kind: len(kind.ports) - 1)
    links = 3 * 3 + 2 * 4  # each has two ends
    assert by_degree.chosen_bits(network) == 2 * links * 16


def test_flows_are_pairs_of_nodes():
    assert flows(Network(Mesh(x=3, y=4))) == 144
