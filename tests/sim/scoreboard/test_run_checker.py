"""The checker of an RTL run, on what golden models have seen."""

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.model.run import run_model
from knotwork_sim.scoreboard import Mismatch
from knotwork_sim.scoreboard.exact_cycles import beats_of
from knotwork_sim.scoreboard.network_facts import NetworkFacts
from knotwork_sim.scoreboard.scoreboard import RunChecker
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORK = Network.from_word("ccc:n=3,routing=lc2")
TRAFFIC = Traffic(traffic="permutation", permutation="reversal", packets=16)
PACKETS = make_packets(NETWORK, TRAFFIC)
GOLDEN = run_model(NETWORK, TRAFFIC, PACKETS)
BEATS = beats_of(GOLDEN)
STATUS = [*map(tuple, GOLDEN.status.tolist())]
NEVER = np.full(len(PACKETS), -1)


def judged(*, beats=BEATS, status=STATUS, injected=GOLDEN.injected, golden=GOLDEN, facts=True):
    """RunChecker that has seen a run, cycle by cycle."""
    checker = RunChecker(NetworkFacts.of(NETWORK) if facts else None, PACKETS, golden)
    for cycle in range(GOLDEN.clocks):
        of_cycle = [beat for beat in beats if beat.clock == cycle]
        checker.cycle(cycle, of_cycle, [], [change for change in status if change[0] == cycle])
    checker.end(injected)
    return checker


def test_a_golden_run_is_right_and_the_first_mismatch_is_kept():
    for checker in (judged(), judged(beats=[], facts=False), judged(injected=NEVER)):
        assert checker.mismatch is None
        checker.require_right()
    wrong = [beat._replace(data=beat.data ^ 4) if beat.node in (2, 5) else beat for beat in BEATS]
    checker = judged(beats=wrong)
    assert checker.mismatch.node == 2
    with pytest.raises(Mismatch, match="node 2"):
        checker.require_right()


MISSING = [beat for beat in BEATS if beat.node != 3]


@pytest.mark.parametrize(
    ("seen", "what"),
    [
        ({"beats": MISSING}, "missing"),  # at once
        ({"beats": MISSING, "golden": None}, "lost"),  # at the end
        ({"injected": GOLDEN.injected + (np.arange(len(PACKETS)) == 0)}, "wrong injection"),
        ({"status": [(cycle, value ^ 1) for cycle, value in STATUS]}, "wrong status"),
        ({"status": []}, "wrong status"),
    ],
)
def test_what_is_missing_or_late_is_a_mismatch(seen, what):
    assert judged(**seen).mismatch.what == what
