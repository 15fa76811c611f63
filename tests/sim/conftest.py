import pytest
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import build_rtl, run_rtl
from knotwork_sim.rtl.driver import drive, quickest_program
from knotwork_sim.scoreboard import Scoreboard
from knotwork_sim.scoreboard.score import count_mismatches, score
from knotwork_sim.scoreboard.scoreboard import check_record
from knotwork_sim.sweep.workers import OwnProcess
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


def judge(network, packets, record):
    """Judge deliveries: each packet once, unchanged, in order where order is promised, or refused.

    The scoreboard and the score come to it independently of each other.
    """
    board = Scoreboard(network)
    board.expect_packets(packets)
    check_record(board, record)
    assert board.is_complete
    result = score(network, packets, record)
    assert (result.delivered, result.refused) == (result.injected, packets.refused.sum())
    assert not (result.lost or result.duplicated or result.misrouted or result.corrupted)


@pytest.fixture
def in_process(monkeypatch):
    """Load sweeps measure in the test's process: the start of a worker takes seconds."""
    monkeypatch.setattr("knotwork_sim.sweep.load.LocalWorkers", lambda _: OwnProcess())


@pytest.fixture(scope="session")
def judgement():
    """Function that judges a record."""
    return judge


@pytest.fixture(scope="session")
def judged():
    """Function that gives the golden model's record of traffic, which `judge` has judged."""

    def run(network, table=None, **keys):
        traffic = Traffic(**keys)
        packets = table or make_packets(network, traffic)
        record = run_model(network, traffic, packets)
        judge(network, packets, record)
        return packets, record

    return run


def compare(build, run):
    """Function that gives the Verilog's record of traffic, judged and equal to the model's."""
    built = {}  # writing the Verilog of a network takes up to a minute, compiled or not

    def equal(network, table=None, **keys):
        traffic = Traffic(**keys)
        packets = table or make_packets(network, traffic)
        if network not in built:
            built[network] = build(network)
        model = run_model(network, traffic, packets)
        rtl = run(network, traffic, packets, golden=model, **built[network])
        assert rtl.mismatch is None, rtl.mismatch
        assert count_mismatches(rtl, model) == 0
        judge(network, packets, rtl)
        return packets, rtl

    return equal


@pytest.fixture(scope="session")
def equal():
    """As `compare`, by the compiled driver."""
    return compare(lambda network: {"executable": quickest_program(network, 10_000).build()}, drive)


@pytest.fixture(scope="session")
def equal_in_cocotb():
    """As `compare`, by cocotb's testbench."""
    return compare(lambda network: {"simulator": build_rtl(network)}, run_rtl)
