import numpy as np
import pytest
from knotwork import Mesh
from knotwork.routing.collectives import Collective, MessageFormat, Operation, collective_tree
from knotwork_sim.collectives import ports
from knotwork_sim.collectives.messages import Answer, draw_round
from knotwork_sim.model.collectives import Beat, Header
from knotwork_sim.traffic.endpoints import random_bits

TREE = collective_tree(Mesh(x=3, y=2), range(6))
FORM = MessageFormat(6, 16, (Operation("sum", 16), Operation("xor", 8)))


def drawn(kinds, count=20, seed=1):
    rng = np.random.default_rng(seed)
    rounds = [draw_round(TREE, FORM, rng.choice(kinds), (1, 5), rng) for _ in range(count)]
    return ports.Group("collective", TREE, FORM, rounds)


def test_pauses_are_those_of_packets_endpoints():
    pauses = ports.Pauses.of(0.3, 0.6, changing=False, seed=5)
    for purpose, share in ((1, 0.3), (2, 0.6)):
        block = pauses.block(4, 512, purpose)
        limit = np.uint64(int(share * 2**64))
        for cycle in (0, 100):
            with np.errstate(over="ignore"):
                expected = [
                    random_bits(np.uint64(5), port, 512 + cycle, np.uint64(purpose)) < limit
                    for port in range(4)
                ]
            assert block[cycle] == expected
        assert np.mean(block) == pytest.approx(share, abs=0.1)


def test_changing_pauses_stay_for_a_period():
    block = np.array(ports.Pauses.of(0.5, 0, changing=True, seed=2).block(1, 0, 1))
    shares = block.reshape(-1, 64).mean(axis=1)
    assert np.ptp(shares) > 0.3  # shares drawn from 0..1
    assert not np.array(ports.Pauses.of(0.5, 0, changing=True, seed=2).block(1, 0, 2)).any()


@pytest.mark.parametrize("stall", [0, 0.3])
def test_all_kinds_are_answered_as_by_numpy(stall):
    group = drawn(list(Collective))
    other = drawn([Collective.ALL_REDUCE], seed=2)
    log = ports.run_model([group, other], ports.Pauses.of(stall, stall, changing=False, seed=1))
    found = ports.judge([group, other], log)
    due = sum(len(one.answers) for each in (group, other) for one in each.rounds)
    assert found == (due, 0, 0, None, found.last)
    assert log.cycles == found.last + 1 + ports.MARGIN


def test_a_wrong_answer_is_found():
    group = drawn([Collective.ALL_REDUCE], count=2)
    log = ports.run_model([group], ports.Pauses())
    answer = group.rounds[1].answers[4]
    group.rounds[1].answers[4] = Answer(answer.header, [answer.data[0] ^ 1, *answer.data[1:]])
    found = ports.judge([group], log)
    assert (found.answered, found.missing, found.wrong) == (11, 0, 1)
    assert found.first_wrong is not None
    assert "collective: node 4, cycle" in found.first_wrong
    del group.rounds[1].answers[4]
    found = ports.judge([group], log)
    assert (found.wrong, found.missing) == (1, 0)
    assert found.first_wrong is not None
    assert "an answer that nobody started" in found.first_wrong


def test_a_member_that_sends_nothing_ends_the_run():
    group = drawn([Collective.BARRIER], count=1)
    del group.rounds[0].messages[3]
    log = ports.run_model([group], ports.Pauses())
    assert ports.PATIENCE < log.cycles < ports.PATIENCE + 200
    found = ports.judge([group], log)
    assert (found.answered, found.missing) == (0, 6)
    assert found.first_wrong == "collective: node 0: no answer to barrier"
    awaited = {row.port for row in log.rows if row.what == ports.MARKS and row.value == 1 << 4}
    last = [row.value for row in log.rows if row.what == ports.MARKS and row.port == 3][-1]
    assert 3 in awaited
    assert last == 1 << 4


def test_a_beats_bits_are_those_of_its_ports():
    beat = Beat(0xBEEF, True, True, Header(Collective.REDUCE, 1, 5), fault=True)
    value = ports.packed(FORM, beat)
    assert ports.unpacked(FORM, value) == beat
    assert value & 1  # tlast
    assert value >> 1 & 7 == 5  # tid
    places = FORM.user_places
    user = value >> 4 & ((1 << ports.user_bits(FORM)) - 1)
    for field, number in {"part": 1, "kind": 2, "operation": 1, "fault": 1}.items():
        low, bits = places[field]
        assert user >> low & ((1 << bits) - 1) == number
    assert value >> 4 + ports.user_bits(FORM) == 0xBEEF


def test_differences_come_in_order():
    one = ports.Log([ports.Row(3, 0, 0), ports.Row(4, 1, 0)], 9)
    other = ports.Log([ports.Row(3, 0, 0), ports.Row(5, 1, 0)], 9)
    assert ports.differences(one, one) == []
    assert [row.cycle for row in ports.differences(one, other)] == [4, 5]
