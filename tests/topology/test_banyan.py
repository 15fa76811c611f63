"""Banyans: terminals on the open uppers of a complete interconnect, and one path to each."""

from collections import Counter
from itertools import product

import pytest
from knotwork.topology import Banyan, Lcan, Trac

SIZES = [(2, 2, 3), (3, 2, 2), (2, 3, 2), (4, 1, 2), (2, 1, 4), (5, 3, 2), (4, 4, 1)]
every = pytest.mark.parametrize(("d", "u", "levels"), SIZES)


@every
def test_sizes_of_section_4_and_the_wiring_of_the_same_lcan(d, u, levels):
    # Links as vertices of an (f, s, l) SW-banyan: f^(l - h) s^h on level h, terminals last.
    topology = Banyan(d=d, u=u, levels=levels)
    facts = topology.extra_facts()
    assert facts["links_a_level"] == [d ** (levels - h) * u**h for h in range(levels + 1)]
    assert (facts["pes"], facts["terminals"]) == (d**levels, u**levels)
    assert topology.nodes == d**levels + u**levels
    assert facts["crosspoints"]["built"] == 2 * d * u * topology.routers
    assert topology.sides == (range(d**levels), range(d**levels, topology.nodes))
    banyan, lcan = Banyan(d=d, u=u, levels=levels), Lcan(d=d, u=u, levels=levels)
    assert (banyan.neighbours == lcan.neighbours).all()
    assert (banyan.peer_ports == lcan.peer_ports).all()
    pes = banyan.attached < banyan.pes
    assert (banyan.attached[pes] == lcan.attached[pes]).all()
    assert (lcan.attached[~pes] == -1).all()


@every
def test_a_terminal_is_on_each_open_upper(d, u, levels):
    topology = Banyan(d=d, u=u, levels=levels)
    found = {}
    for router, port in product(range(topology.routers), range(len(topology.ports))):
        node = int(topology.attached[router, port])
        if node >= d**levels:
            assert node not in found
            found[node] = router
            terminal, upper = node - d**levels, int(topology.ports[port].removeprefix("up"))
            number = router - topology.first_switch[levels - 1]
            assert terminal == number * u + upper
            assert topology.router_of(node) == router
    assert len(found) == u**levels
    highest = topology.address_width - 1
    codes = [topology.address(node) >> highest for node in range(topology.nodes)]
    assert codes == [0] * d**levels + [1] * u**levels


@every
def test_one_way_up_leads_from_each_pe_to_each_terminal(d, u, levels):
    """Section 4: exactly one upward path; section 6: its uppers are the terminal's digits."""
    topology = Banyan(d=d, u=u, levels=levels)
    for pe in range(topology.pes):
        ends = Counter()
        for word in product(range(u), repeat=levels):
            switch = pe // d
            for level, k in enumerate(word[:-1]):
                switch = topology.up(level, switch, k)[0]
            terminal = switch * u + word[-1]
            ends[terminal] += 1
            # Level i uses digit l - 1 - i of T in radix u.
            digits = [terminal // u**place % u for place in range(levels)]
            assert list(word) == [digits[levels - 1 - level] for level in range(levels)]
            assert list(word) == [topology.upper_to(terminal, level) for level in range(levels)]
        assert ends == Counter(range(u**levels))


def test_labels_sides_and_places_of_examples():
    topology = Banyan(d=3, u=2, levels=3)
    assert topology.label(5) == "012"
    assert topology.label(27 + 3) == "t011"
    assert Banyan(d=16, u=16, levels=2).label(256 + 16 * 11 + 3) == "t11_3"
    topology = Banyan(d=2, u=3, levels=3)
    assert (topology.diameter, topology.average_distance, topology.distance(0, 9)) == (2, 2.0, 2)
    assert list(topology.hop_counts) == [2]
    assert topology.distance_counts.tolist() == [0, 0, 2 * 8 * 27]
    topology = Banyan(d=3, u=2, levels=2)  # section 4: TRAC with its four open uppers in use
    assert (topology.level_sizes, topology.terminals) == (Trac(levels=2).level_sizes, 4)
    topology = Banyan(d=2, u=3, levels=2)
    for source, destination in product(range(13), range(13)):
        assert topology.may_send(source, destination) == ((source < 4) != (destination < 4))
        assert (destination in topology.receivers(source)) == ((source < 4) != (destination < 4))
    other = Lcan(d=2, u=2, levels=2)
    assert other.may_send(1, 1)
    assert other.receivers(1) == range(4)
    topology = Banyan(d=2, u=2, levels=3)
    nodes, routers = topology.node_layout(), topology.layout()
    assert (nodes[:8, 1] > routers[:, 1].max()).all()
    assert (nodes[8:, 1] < routers[:, 1].min()).all()
    assert len({tuple(place) for place in nodes.tolist()}) == 16
    for terminal in range(8):
        at = routers[topology.router_of(8 + terminal), 0]
        assert abs(nodes[8 + terminal, 0] - at) <= 1
