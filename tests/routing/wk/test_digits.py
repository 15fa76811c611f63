"""Digits of WK-recursive addresses, against their written form."""

from itertools import product

import numpy as np
import pytest
from knotwork import Network, WkRecursive
from knotwork.routing.wk.digits import AT, RuleNumbers, corner_level, top_digit


@pytest.mark.parametrize(("w", "levels"), [(2, 4), (3, 3), (5, 2)])
def test_digits_are_those_of_the_written_address(w, levels):
    written = ["".join(map(str, digits)) for digits in product(range(w), repeat=levels)]
    for number, text in enumerate(written):
        assert corner_level(w, levels, number) == levels - len(text.rstrip(text[-1]))
        for other, there in enumerate(written):
            differing = [levels - i for i in range(levels) if text[i] != there[i]]
            place, digit = top_digit(w, number, other)
            assert place == max(differing, default=0)
            assert not differing or digit == int(there[levels - place])


def test_the_rules_numbers_have_names():
    routing = Network(WkRecursive(w=3, levels=4), routing="shortest").routing
    numbers = RuleNumbers(*routing.parameters.tolist())
    assert numbers == RuleNumbers(w=3, levels=4, last_unicast_class=2, last_broadcast_class=3)
    assert routing.parameters[AT.last_broadcast_class] == 3
    assert (np.array(AT) == np.arange(4)).all()
