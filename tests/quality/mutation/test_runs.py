import dataclasses

import numpy as np
import pytest
from knotwork import Network
from knotwork_sim.check.score import score
from knotwork_sim.traffic.traffic import make_packets
from quality.mutation import runs as module
from quality.mutation.batches import make_changing_batches
from quality.mutation.netlist import list_mutants, module_verilog
from quality.mutation.runs import LOADS, beats, judge, make_runs, traffic_of, vary

SMALL = Network.from_word("hypercube:n=1,data_width=8,buffer_depth=2")
ROUTER = SMALL.router_kinds[0].name


def altered(runs, **changes):
    """First run alone, with another expectation."""
    first = runs[0]
    columns = {name: change(getattr(first.expected, name)) for name, change in changes.items()}
    return [first._replace(expected=dataclasses.replace(first.expected, **columns))]


@pytest.fixture(scope="module")
def mutants():
    return list_mutants(module_verilog(SMALL, ROUTER), ROUTER, count=12)


@pytest.fixture(scope="module")
def runs():
    return make_runs(SMALL)


@pytest.mark.slow
def test_the_original_passes_and_mutants_are_seen(mutants, runs):
    sound, *verdicts = judge(SMALL, ROUTER, mutants, runs)
    assert sound == (-1, -1, "nothing", "")
    assert not sound.killed
    killed = [verdict for verdict in verdicts if verdict.killed]
    assert len(verdicts) == len(mutants)
    assert len(killed) >= len(mutants) / 2
    assert all(0 <= verdict.run < len(runs) for verdict in killed)
    assert len({verdict.what for verdict in killed}) >= 2


@pytest.mark.slow
def test_a_few_mutants_are_judged_as_among_all(mutants, runs):
    verdicts = judge(SMALL, ROUTER, mutants, runs)
    few = mutants[3::4]
    assert judge(SMALL, ROUTER, few, runs) == [
        verdicts[0], *(verdicts[mutant.number] for mutant in few)
    ]  # fmt: skip


def later(values):
    return np.concatenate([values[:-1], values[-1:] + 1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"clock": lambda clock: clock + 1}, "early"),
        ({"clock": lambda clock: clock - 1}, "late"),
        ({"data": lambda data: data ^ np.uint64(1)}, "contents"),
        ({"last": lambda last: 1 - last}, "contents"),
        ({"source": lambda source: 1 - source}, "contents"),
        ({"refused": lambda _: np.array([[3, 1]])}, "refusal"),
        ({"clock": lambda clock: np.append(clock[:-1], 10**6)}, "early"),
    ],
)
def test_what_differs_from_the_expectation_is_told(mutants, runs, changes, what):
    """The original against an expectation with a fault: as a faulty network would be."""
    verdict, *_ = judge(SMALL, ROUTER, mutants, altered(runs, **changes))
    assert (verdict.run, verdict.what) == (0, what)
    assert verdict.clock >= 0


@pytest.mark.slow
def test_a_beat_that_never_comes_is_missing(mutants, runs):
    def one_more(column):
        return np.concatenate([column, column[-1:]])

    names = ("node", "source", "last", "user", "data")
    changes = dict.fromkeys(names, one_more)
    expected = runs[0].expected
    last = expected.clocks + module.MARGIN + 10
    changes["clock"] = lambda clock: np.append(clock, last)
    verdict, *_ = judge(SMALL, ROUTER, mutants, altered(runs, **changes))
    assert (verdict.run, verdict.what) == (0, "missing")
    assert verdict.clock == expected.clocks + module.MARGIN


def test_packets_go_to_their_own_node_too_and_some_are_refused():
    network = Network.from_word("mesh:x=3,y=3,data_width=8")
    load = LOADS[1]._replace(packets=40)
    packets = make_packets(network, traffic_of(network, load, 1))
    varied = vary(network, packets, 0.2, 1)
    own = (varied.destination == varied.source).sum()
    refused = varied.refused.sum()
    assert 10 < own < 80
    assert 30 < refused < 120
    expected = [run.expected for run in make_runs(network)]
    assert sum(len(record.refused) for record in expected) > 100
    code = beats(network, varied)[:, 2]
    heads = code[varied.first_flit[:-1]]
    assert set(heads[varied.refused]) <= set(network.topology.unused_addresses)
    assert not set(heads[~varied.refused]) & set(network.topology.unused_addresses)


def test_too_long_packets_are_refused_where_there_is_a_limit():
    network = Network.from_word("wk:w=3,levels=1,data_width=8,buffer_depth=3")
    packets = make_packets(network, traffic_of(network, LOADS[0], 1))
    varied = vary(network, packets, 0.5, 1)
    assert packets.broadcast.any()
    assert (varied.length[varied.broadcast & varied.refused] > 3).all()
    assert (varied.length[varied.broadcast & ~varied.refused] <= 3).all()
    assert (varied.broadcast & varied.refused).any()
    # A unicast may have any length.
    long = ~varied.broadcast & (varied.length > 3)
    assert (long & ~varied.refused).sum() > 5


def test_every_packet_of_every_run_is_delivered_by_the_model():
    for word in ("hypercube:n=2", "wk:w=3,levels=2", "hypercube:n=2,router=deflection"):
        network = Network.from_word(word)
        for _, packets, expected in make_runs(network, crowd=30):
            result = score(network, packets, expected)
            assert result.lost == result.misrouted == 0
            assert result.delivered > 30


def test_batches_have_right_wrong_and_broken_tables():
    network = Network.from_word("ccc:n=3,routing=lc2,words=2")
    packets = make_changing_batches(network, seed=1, batches=12)
    lengths = {len(loading.entries) for loading in packets.loadings}
    assert lengths == {2, 3, 4}
    assert len(packets.loadings) == 12 + 3
    (run, *_) = make_runs(network)
    assert run.expected.user.any()
    refused = int(run.packets.refused.sum())
    assert set(run.packets.length[run.packets.refused]) == {1, 3, 4, 5, 6}
    assert len(run.expected.refused) == refused > 5
    assert len(run.expected.clock) == 2 * (len(run.packets) - refused)
    assert len(run.expected.status) > 24
