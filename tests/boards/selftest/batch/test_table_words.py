import json

import numpy as np
import pytest
from helpers.refusals import refuses
from knotwork import CubeConnectedCycles, Hypercube, Network
from knotwork.cli import main
from knotwork_boards.selftest.batch.table_words import (
    permutation_words,
    table_commands,
    word_count,
    word_width,
)

NETWORK = Network(CubeConnectedCycles(n=3), routing="lc2")


def test_words_hold_the_table_and_both_permutations():
    # d0 = s0 + s1 + 1, d1 = s0, d2 = s2: the images of the source bits are 3, 1 and 4.
    destinations = [1, 2, 0, 3, 5, 6, 4, 7]
    words = permutation_words(NETWORK, destinations)
    assert len(words) == word_count(3) == 11
    assert words[3:7] == [3, 1, 4, 1]
    # s0 = d1, s1 = d0 + d1 + 1, s2 = d2.
    assert words[7:] == [2, 3, 4, 2]


@pytest.mark.parametrize("name", ["reversal", "shuffle", "complement", "identity"])
def test_entries_are_those_that_schedule_prints(name, capsys):
    net = "ccc:n=4,routing=lc2"
    assert main.run(["schedule", net, "--permutation", name, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    destinations = [
        way["destination"] for way in sorted(said["rounds"][0], key=lambda way: way["source"])
    ]
    words = permutation_words(Network.from_word(net), destinations)
    jump, buddy = said["jump"][::-1], said["buddy"][::-1]
    assert words[:4] == [b | j << 3 for j, b in zip(jump, buddy, strict=True)]


def test_the_width_is_that_of_an_address_or_an_entry():
    assert [word_width(Network(Hypercube(n=n), routing="lc1")) for n in (1, 2, 3, 4, 7)] == [
        *(2, 3, 3, 4, 7)
    ]


def test_commands_are_a_letter_and_hexadecimal_digits():
    assert table_commands([0, 10, 255]) == ["t0\n", "ta\n", "tff\n", "t\n"]
    assert table_commands([]) == ["t\n"]


@pytest.mark.parametrize(
    ("network", "destinations", "text"),
    [
        (Network(Hypercube(n=2)), [0, 1, 2, 3], "{}: a table needs routing=lc1 or lc2, not ecube"),
        (NETWORK, [0] * 8, "{}: permutation must name each of the nodes 0..7 once, not {}"),
        (NETWORK, [0, 1], "{}: permutation must name each of the nodes 0..7 once, not {}"),
        (
            NETWORK,
            [0, 1, 2, 4, 3, 5, 6, 7],
            "{}: permutation must be linear-complement to have a table, not {}",
        ),
    ],
)
def test_what_no_table_can_route_is_refused(network, destinations, text):
    with refuses(text.format(network.name, ",".join(map(str, destinations)))):
        permutation_words(network, destinations)


def test_words_of_the_inverse_lead_back():
    rng = np.random.default_rng(5)
    for _ in range(5):
        destinations = NETWORK.routing.random_permutation(rng)
        words = permutation_words(NETWORK, destinations.tolist())
        there, back = words[3:7], words[7:]
        for node in range(8):
            to = image(node, there)
            assert to == destinations[node]
            assert image(to, back) == node


def image(node, words):
    result = words[-1]
    for bit, word in enumerate(words[:-1]):
        result ^= word if node >> bit & 1 else 0
    return result
