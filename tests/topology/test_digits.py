from itertools import product

import pytest
from knotwork import FatTree, Lcan, WkRecursive

STRINGS = pytest.mark.parametrize(
    "topology",
    [
        *(
            WkRecursive(w=w, levels=levels)
            for w, levels in [(2, 5), (3, 3), (4, 3), (5, 2), (7, 1)]
        ),
        *(Lcan(d=3, u=2, levels=3), FatTree(r=(2, 3, 5), u=(1, 2, 1)), WkRecursive(w=12, levels=2)),
    ],
    ids=lambda topology: topology.instance_name,
)


@STRINGS
def test_nodes_are_in_the_order_of_their_digits(topology):
    strings = list(product(*map(range, reversed(topology.radices))))
    assert [tuple(reversed(topology.digits_of(node))) for node in range(topology.nodes)] == strings
    letters = "" if max(topology.radices) <= 10 else "_"
    labels = [topology.label(node) for node in range(topology.nodes)]
    assert labels == [letters.join(map(str, digits)) for digits in strings]


@STRINGS
def test_a_digit_has_bits_of_its_own(topology):
    widths = [len(f"{radix - 1:b}") for radix in topology.radices]
    assert topology.address_width == sum(widths) == topology.digit_places[-1]
    codes = {}
    for node in range(topology.nodes):
        digits = zip(topology.digits_of(node), widths, strict=True)
        code = int("".join(f"{digit:0{width}b}" for digit, width in reversed(list(digits))), 2)
        assert topology.address(node) == code
        codes[code] = node
    for address in range(-1, 2 << topology.address_width):
        assert topology.node_at(address) == codes.get(address)
