import numpy as np
import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_boards.measuring.patterns import PATTERNS, admitted, destinations


def topology(word):
    return Network.from_word(word).topology


def named(word):
    return {PATTERNS[number] for number in admitted(topology(word))}


def test_a_network_has_the_patterns_that_its_nodes_admit():
    assert named("moebius:n=3") == set(PATTERNS)
    assert named("mesh:x=3,y=3") == {"uniform", "successor", "complement"}
    # Nodes 0..3 of one side send to nodes 4..7 of the other, and these to those.
    assert named("banyan:d=2,u=2,levels=2") == {"uniform", "complement"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("successor", [1, 2, 3, 4, 5, 6, 7, 0]),
        ("complement", [7, 6, 5, 4, 3, 2, 1, 0]),
        ("reversal", [0, 4, 2, 6, 1, 5, 3, 7]),
        ("shuffle", [0, 2, 4, 6, 1, 3, 5, 7]),
        ("bit_rotation", [0, 4, 1, 5, 2, 6, 3, 7]),
    ],
)
def test_permutations_of_eight_nodes(name, expected):
    to = destinations(topology("moebius:n=3"), PATTERNS.index(name))
    assert to.dtype == np.int64
    assert to.tolist() == expected


def test_uniform_is_drawn():
    assert destinations(topology("moebius:n=3"), 0) is None


@pytest.mark.parametrize("pattern", [3, 7, -1])
def test_a_pattern_that_a_network_does_not_have_is_refused(pattern):
    with pytest.raises(ConfigurationError) as wrong:
        destinations(topology("mesh:x=3,y=3"), pattern)
    assert str(wrong.value) == (
        "mesh_x3_y3: pattern must be one of 0 (uniform), 1 (successor), 2 (complement), "
        f"not {pattern}"
    )
