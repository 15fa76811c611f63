"""Which nodes need a part between their ports and the planes."""

import pytest
from knotwork.gateware.system import has_part
from knotwork.system import System


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("node.1.width=64", [False, True, False, False]),
        ("node.1.width=8", [True, True, True, True]),  # flits tell how many bytes they lack
        ("keep=yes", [True, True, True, True]),
        ("node.1.clock=own node.2.bus=none", [False, True, False, False]),
        ("reset=low", [False, False, False, False]),
    ],
)
def test_nodes_whose_beats_are_the_planes_need_none(words, parts):
    system = System.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert [has_part(system, node) for node in system.nodes] == parts
