"""The judge of an RTL run, on what golden models have seen."""

import dataclasses

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.judge import Judge
from knotwork_sim.scoreboard import Mismatch
from knotwork_sim.scoreboard.exact_cycles import beats_of
from knotwork_sim.scoreboard.network_facts import NetworkFacts
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

NETWORK = Network.from_words(["ccc", "n=3", "routing=lc2"])
TRAFFIC = Traffic(traffic="permutation", permutation="reversal", packets=16)
PACKETS = make_packets(NETWORK, TRAFFIC)
GOLDEN = run_model(NETWORK, TRAFFIC, PACKETS)


def judged(*, beats=None, status=None, injected=None, golden=GOLDEN, facts=True):
    """Judge that has seen a run, cycle by cycle."""
    judge = Judge(NetworkFacts.of(NETWORK) if facts else None, PACKETS, golden)
    beats = beats_of(GOLDEN) if beats is None else beats
    status = [*map(tuple, GOLDEN.status.tolist())] if status is None else status
    for cycle in range(GOLDEN.clocks):
        judge.cycle(
            cycle,
            [beat for beat in beats if beat.clock == cycle],
            [],
            [change for change in status if change[0] == cycle],
        )
    judge.end(GOLDEN.injected if injected is None else injected)
    return judge


def test_a_golden_run_is_right():
    judge = judged()
    assert judge.mismatch is None
    judge.require_right()


def test_the_first_mismatch_is_kept():
    beats = beats_of(GOLDEN)
    wrong = [beat._replace(data=beat.data ^ 4) if beat.node in (2, 5) else beat for beat in beats]
    judge = judged(beats=wrong)
    assert judge.mismatch.node == 2
    with pytest.raises(Mismatch, match="node 2"):
        judge.require_right()


def test_what_is_missing_is_seen_at_once_with_a_golden_model_and_else_at_the_end():
    beats = [beat for beat in beats_of(GOLDEN) if beat.node != 3]
    assert judged(beats=beats).mismatch.what == "missing"
    assert judged(beats=beats, golden=None).mismatch.what == "lost"


def test_cycles_of_injection_and_status_are_judged():
    late = GOLDEN.injected.copy()
    late[0] += 1
    assert judged(injected=late).mismatch.what == "wrong injection"
    other = [(cycle, value ^ 1) for cycle, value in GOLDEN.status.tolist()]
    assert judged(status=other).mismatch.what == "wrong status"
    assert judged(status=[]).mismatch.what == "wrong status"


def test_without_facts_nothing_is_judged():
    assert judged(beats=[], facts=False).mismatch is None


def test_a_packet_that_never_entered_has_no_cycle():
    never = np.full(len(PACKETS), -1)
    assert judged(injected=never).mismatch is None
    assert dataclasses.replace(GOLDEN).mismatch is None
