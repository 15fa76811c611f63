import pytest
from knotwork import Network
from quality.mutation import trees
from quality.mutation.mutants import list_mutants
from quality.mutation.trees import Cycles, TreeBench, job_bytes, judge_tree

SMALL = Network.from_word("mesh:x=2,y=1,collectives=yes,collective_width=8")


@pytest.fixture(scope="module")
def bench():
    return TreeBench(SMALL, "tree")


def test_a_run_begins_in_the_middle_of_traffic_and_counts_after_a_reset(bench):
    run = bench.run(4)
    first = run.resets.index(1)
    assert run.resets[first : first + 3] == [1, 1, 0]
    assert any(run.inputs[:first])
    assert not any(run.counts[: first + 2])
    assert all(run.counts[first + 2 :])
    assert not any(shown & ~counts for shown, counts in zip(run.outputs, run.counts, strict=True))
    assert run == bench.run(4) != bench.run(5)


def test_runs_see_refusals_faults_and_answers(bench):
    """In a run with faults and in one without, every output that must be low or high is."""
    width = sum(bench.outputs.values())
    seen = {False: 0, True: 0}
    for number in (1, 4):
        run = bench.run(number)
        for shown, counts in zip(run.outputs, run.counts, strict=True):
            seen[True] |= shown & counts
            seen[False] |= ~shown & counts
    low, high = (
        {bench.port_of(bit) for bit in range(width) if seen[value] >> bit & 1}
        for value in (False, True)
    )
    kinds = {"send_ready", "receive_valid", "receive_payload", "refused", "fault", "waits"}
    assert (low, high) == (kinds, kinds)


def test_a_job_has_words_of_64_bits(bench):
    widths = [sum(ports.values()) for ports in (bench.inputs, bench.outputs)]
    words = 1 + -(-widths[0] // 64) + 2 * -(-widths[1] // 64)
    run = Cycles([1, 0], [5, 6], [7, 8], [9, 10])
    job = job_bytes(bench, [run])
    assert len(job) == 8 * (2 + 2 * words)
    assert [int.from_bytes(job[place : place + 8], "little") for place in (0, 8, 16, 24)] == [
        *(1, 2, 1, 5)
    ]


@pytest.mark.slow
def test_the_original_passes_and_mutants_are_seen_at_outputs(bench):
    mutants = list_mutants(bench.verilog, bench.name, count=20)
    sound, *found = judge_tree(bench, mutants, range(1))
    assert sound == (-1, -1, "nothing", "")
    killed = [verdict for verdict in found if verdict.killed]
    assert len(found) == len(mutants)
    assert len(killed) >= len(mutants) / 2
    assert len({verdict.what for verdict in killed}) >= 2
    assert judge_tree(bench, mutants[3::4], range(1)) == [sound, *found[3::4]]


@pytest.mark.slow
def test_another_answer_than_the_model_gives_is_seen(bench, monkeypatch):
    """The original against an expectation with a fault: as a faulty tree would be."""
    right = bench.run

    def run(number):
        found = right(number)
        found.outputs[-3] ^= found.counts[-3]
        return found

    monkeypatch.setattr(bench, "run", run)
    monkeypatch.setattr(trees, "RUNS", 1)
    verdict, _ = judge_tree(bench, list_mutants(bench.verilog, bench.name, count=1), range(1))
    assert (verdict.run, verdict.cycle) == (0, len(right(0).inputs) - 3)
    assert verdict.killed
