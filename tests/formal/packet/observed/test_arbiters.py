"""Arbiters as proofs observe them: for how long a requester waits."""

from functools import cache

import pytest
from knotwork.formal.packet.observed.arbiters import RegisteredArbiter


@pytest.mark.parametrize("count", range(1, 7))
def test_a_wait_for_a_registered_grant_is_as_long_as_is_claimed(count):
    """From the arbiter's docstring: the longest wait, however the others ask.

    The requester that waits has number 0; `last` and `owner` tell how many steps before it the
    others are.
    """

    def next_owners(last, owner):
        return [one for one in range(last or count) if one != owner]

    @cache
    def longest(last, owner):
        if owner == 0:
            return 0
        if owner is None:
            return max(longest(last, one) for one in next_owners(last, None))
        whole = max(longest(owner, one) for one in next_owners(last, owner))
        later = max(longest(owner, one) for one in next_owners(owner, owner))
        return 1 + max(whole, later)

    asked = [longest(last, owner) for last in range(count) for owner in (None, *range(1, count))]
    assert RegisteredArbiter.most_of(count) == max(asked)
