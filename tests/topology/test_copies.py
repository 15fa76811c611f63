import itertools

import numpy as np
from knotwork.topology.copies import digits_differ, levels_of_sets


def test_the_level_is_that_of_the_highest_digit_that_differs_in_the_best_copy():
    orders = [(0, 1, 2), (2, 1, 0), (1, 2, 0)]
    found = levels_of_sets(orders)
    for bits in itertools.product((0, 1), repeat=3):
        number = sum(bit << place for place, bit in enumerate(bits))
        levels = [max((n for n in range(3) if bits[order[n]]), default=0) for order in orders]
        assert found[number] == min(levels)
        assert digits_differ(3)[number] == sum(bits)


def test_one_copy_orders_by_the_highest_digit():
    assert levels_of_sets([(0, 1)]).tolist() == [0, 0, 1, 1]
    assert np.array_equal(digits_differ(2), [0, 1, 1, 2])
