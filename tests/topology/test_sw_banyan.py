from collections import Counter

import pytest
from knotwork.topology import SwBanyan


@pytest.mark.parametrize(("f", "s", "levels"), [(2, 2, 4), (3, 2, 3), (2, 3, 3), (4, 4, 2)])
def test_links_are_the_vertices_of_the_banyan(f, s, levels):
    banyan = SwBanyan(f=f, s=s, levels=levels)
    links = [banyan.nodes]
    links += [size * s for size in banyan.level_sizes]
    assert links == [f ** (levels - h) * s**h for h in range(levels + 1)]
    for node in range(banyan.nodes):  # exactly one way up to each open upper
        ways = Counter({banyan.router_of(node): 1})
        for level in range(levels - 1):
            ways = sum(
                (Counter({banyan.up(level, w, k)[0]: ways[w]}) for w in ways for k in range(s)),
                Counter(),
            )
        assert len(ways) * s == s**levels
        assert set(ways.values()) == {1}
