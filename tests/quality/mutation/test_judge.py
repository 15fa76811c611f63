import dataclasses

import numpy as np
import pytest
from knotwork import Network
from quality.mutation.judge import judge
from quality.mutation.mutants import list_mutants, module_verilog
from quality.mutation.runs import MARGIN, make_runs, make_runs_beside

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
def test_the_original_passes_and_mutants_are_seen_as_alone(mutants, runs):
    sound, *verdicts = found = judge(SMALL, ROUTER, mutants, runs)
    assert sound == (-1, -1, "nothing", "")
    assert not sound.killed
    killed = [verdict for verdict in verdicts if verdict.killed]
    assert len(verdicts) == len(mutants)
    assert len(killed) >= len(mutants) / 2
    assert all(0 <= verdict.run < len(runs) for verdict in killed)
    assert len({verdict.what for verdict in killed}) >= 2
    few = mutants[3::4]
    wanted = [sound, *(found[mutant.number] for mutant in few)]
    assert judge(SMALL, ROUTER, few, runs) == wanted


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
    assert verdict.cycle >= 0


@pytest.mark.slow
def test_a_beat_that_never_comes_is_missing(mutants, runs):
    def one_more(column):
        return np.concatenate([column, column[-1:]])

    names = ("node", "source", "last", "user", "data")
    changes = dict.fromkeys(names, one_more)
    expected = runs[0].expected
    last = expected.clocks + MARGIN + 10
    changes["clock"] = lambda clock: np.append(clock, last)
    verdict, *_ = judge(SMALL, ROUTER, mutants, altered(runs, **changes))
    assert (verdict.run, verdict.what) == (0, "missing")
    assert verdict.cycle == expected.clocks + MARGIN


OPTIONS = "hypercube:n=1,parity=yes,counters=yes,watchdog=20,data_width=8,buffer_depth=4"


@pytest.mark.slow
def test_bits_that_flip_and_a_monitor_that_is_read_kill_more():
    """What only an upset or a monitor shows stays hidden from the golden model's runs."""
    network = Network.from_word(OPTIONS)
    name = network.router_kinds[0].name
    some = list_mutants(module_verilog(network, name), name, count=40)
    alone, beside = make_runs(network), make_runs_beside(network)
    sound, *found = judge(network, name, some, alone + beside)
    assert sound == (-1, -1, "nothing", "")
    shown = [verdict for verdict in found if verdict.what == "original"]
    assert len(shown) >= 3
    assert all(verdict.run >= len(alone) for verdict in shown)
