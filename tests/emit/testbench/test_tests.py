"""Which tests a network's testbench has."""

import re

import pytest
from knotwork import Network
from knotwork.emit.testbench.tests import longest_beats
from knotwork.emit.testbench.tests import tests_of as text_of

FREE = ["one_packet", "every_pair", "pauses"]


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("hypercube:n=2", FREE),
        ("mesh:x=3,y=2", [*FREE, "refused"]),  # two addresses are no node
        ("hypercube:n=2,multicast=yes", [*FREE, "multicasts"]),
        ("wk:w=2,levels=2", [*FREE, "broadcasts"]),
        ("hypercube:n=2,parity=yes", [*FREE, "parity", "upsets"]),
        ("lcan:d=2,u=2,levels=2", [*FREE, "refused"]),
        ("lcan:d=2,u=2,levels=2,routing=scheduled", ["permutations", "every_pair", "refused"]),
        ("ccc:n=2,routing=lc2", ["permutations", "one_table_for_many", "wrong_tables", "refused"]),
        ("torus:x=2,y=2,router=deflection", [*FREE, "refused"]),
    ],
)
def test_a_network_is_tested_for_what_it_has(word, names):
    text = text_of(Network.from_word(word))
    assert re.findall(r"^@cocotb\.test\(\)\nasync def (\w+)\(dut\):", text, re.M) == names


@pytest.mark.parametrize(
    ("word", "beats"),
    [
        ("hypercube:n=2", (1, 8)),
        ("lcan:d=2,u=2,levels=2,max_packet=4", (1, 4)),
        ("ccc:n=2,routing=lc2,words=3", (3, 3)),
        ("ccc:n=2,routing=lc2,words=20", (20, 20)),
        ("torus:x=2,y=2,router=deflection", (1, 1)),
    ],
)
def test_packets_have_lengths_that_the_network_takes(word, beats):
    assert longest_beats(Network.from_word(word)) == beats


def test_a_table_of_one_entry_has_none_too_few():
    text = text_of(Network.from_word("hypercube:n=1,routing=lc1"))
    assert "for wrong in (right + right,):" in text
    text = text_of(Network.from_word("hypercube:n=2,routing=lc1"))
    assert "for wrong in (right + right, right[:-1]):" in text
