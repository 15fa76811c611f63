"""Network cycles in one-way use: packet by packet, and what holds for all."""

from collections import defaultdict

import numpy as np
import pytest
from knotwork.routing.circuits import Engine, circuit_clocks, cycle_clocks, sample_clock
from knotwork.topology import Banyan

SIZES = [(2, 2, 3), (3, 2, 2), (2, 3, 2), (4, 1, 2), (4, 4, 1), (3, 3, 3)]


def served(topology, states, pairs):
    """Whether each packet gets its circuit, switch by switch.

    Written from section 7.3 for itself: of the headers that want an output, the one with the lowest
    scan distance gets it; the others are lost, and what they hold stays held.
    """
    d, u, top = topology.d, topology.u, topology.levels - 1
    heads, lost = defaultdict(list), set()
    for s, t in pairs:
        is_up = s < topology.pes
        level, (w, came) = (0, divmod(s, d)) if is_up else (top, divmod(s - topology.pes, u))
        heads[is_up, level, w].append((came, s, t))
    for step in range(topology.levels):
        after = defaultdict(list)
        for (is_up, level, w), here in heads.items():
            assert level == (step if is_up else top - step)
            x = int(states[topology.first_switch[level] + w])
            first = (x & 255) * d >> 8 if is_up else (x >> 8 & 255) * u >> 8
            wanted = set()
            for _, s, t in sorted(here, key=lambda h: (h[0] - first) % (d if is_up else u)):
                digit = (t - topology.pes) // u ** (top - level) % u
                out = digit if is_up else t // d**level % d
                if out in wanted:
                    lost.add((s, level))
                    continue
                wanted.add(out)
                if level == (top if is_up else 0):
                    assert t == (topology.pes + w * u + out if is_up else w * d + out)
                    continue
                far, port = (topology.up if is_up else topology.down)(level, w, out)
                after[is_up, level + 1 if is_up else level - 1, far].append((port, s, t))
        heads = after
    return lost


def some_pairs(topology, rng, share):
    pairs = []
    for source in range(topology.nodes):
        if rng.random() < share:
            to = topology.receivers(source)
            pairs.append((source, int(rng.integers(to.start, to.stop))))
    return pairs


@pytest.mark.parametrize(("d", "u", "levels"), SIZES)
@pytest.mark.parametrize("share", [1.0, 0.4])
def test_outcomes_are_those_of_packets_one_by_one(d, u, levels, share):
    topology, rng = Banyan(d=d, u=u, levels=levels), np.random.default_rng(4)
    engine = Engine(topology, seed=9)
    for _ in range(5):
        pairs = some_pairs(topology, rng, share)
        if not pairs:
            continue
        outcome = engine.cycle(*np.array(pairs).T)
        lost = served(topology, engine.states, pairs)
        found = zip(pairs, outcome.won.tolist(), outcome.lost_level.tolist(), strict=True)
        assert {(s, level) for (s, _), won, level in found if not won} == lost
        assert (outcome.won == (outcome.lost_level < 0)).all()
        upward = np.array([s < topology.pes for s, _ in pairs])
        assert (outcome.lost_up == (upward & ~outcome.won)).all()
        assert outcome.won.any()


def test_words_are_the_digits_of_the_terminals_as_far_as_headers_came():
    topology = Banyan(d=2, u=2, levels=3)
    # PEs 0 and 1 share switch 0; both want the upper half of the terminals.
    outcome = Engine(topology).cycle(np.array([0, 1, 8]), np.array([8 + 0b101, 8 + 0b110, 3]))
    won, other = (0, 1) if outcome.won[0] else (1, 0)
    assert outcome.words[won].tolist() == ([1, 0, 1] if won == 0 else [1, 1, 0])
    assert outcome.words[other].tolist() == [-1, -1, -1]
    assert outcome.lost_level[other] == 0
    assert outcome.won[2]
    assert outcome.words[2].tolist() == [-1, -1, -1]


def test_equal_paths_need_as_many_cycles_as_packets():
    """All PEs to one terminal: a network cycle each, and none is starved."""
    topology = Banyan(d=2, u=2, levels=3)
    cycles = list(Engine(topology).drain(np.arange(8), np.full(8, 8 + 5)))
    assert [int(outcome.won.sum()) for _, outcome in cycles] == [1] * 8


def test_clocks_follow_from_the_levels_that_every_path_crosses():
    """With l switches on a path: acknowledge in 2 l + 1, release after 3 l + B + 3."""
    for levels in (1, 2, 5):
        topology = Banyan(d=2, u=2, levels=levels)
        hops = topology.distance(0, topology.pes)
        assert sample_clock(hops) == 2 * levels + 1
        assert circuit_clocks(hops, 4) == cycle_clocks(topology, 4) == 3 * levels + 4 + 3
