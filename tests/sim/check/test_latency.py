import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork_sim.check.result import Histogram, Latency, bin_edges, half_width_95


def test_a_summary_has_the_fields_that_json_promises():
    summary = Latency.of(np.arange(1, 102)).as_json()
    assert summary == {"mean": 51.0, "p50": 51.0, "p99": 100.0, "max": 101}
    assert list(summary) == ["mean", "p50", "p99", "max"]
    assert isinstance(summary["max"], int)


def test_without_packets_nothing_is_known():
    assert Latency.of(np.zeros(0, np.int64)) == Latency()
    assert set(Latency().as_json().values()) == {None}


def test_a_single_value_has_no_spread():
    assert half_width_95([3.0]) == 0.0


@pytest.mark.parametrize(
    ("count", "factor"), [(2, 12.7062), (10, 2.2622), (21, 2.0860), (31, 2.0423), (101, 1.9840)]
)
def test_it_is_that_of_students_t(count, factor):
    values = np.arange(count, dtype=float)
    error = np.std(values, ddof=1) / np.sqrt(count)
    assert half_width_95(values) == pytest.approx(factor * error, rel=1e-4)


LATENCIES = st.lists(st.integers(1, 300_000), min_size=1, max_size=60)


@settings(max_examples=40)
@given(LATENCIES)
def test_every_latency_is_in_the_bin_that_has_it(cycles):
    made = Histogram.of(np.array(cycles))
    assert len(made.edges) == len(made.counts) + 1
    for (low, high), count in zip(itertools.pairwise(made.edges), made.counts, strict=True):
        assert low < high
        assert count == sum(low <= each < high for each in cycles)
    assert sum(made.counts) == len(cycles)
    assert made.counts[0] and made.counts[-1]


def test_bins_are_a_cycle_wide_and_then_a_32nd_of_the_latency():
    edges = bin_edges(5000)
    widths = np.diff(edges)
    assert (widths[:64] == 1).all()
    assert edges[-2] <= 5000 < edges[-1]
    assert (widths * 32 <= np.maximum(edges[:-1], 32)).all()
    assert (widths[64:] * 64 >= edges[64:-1]).all()
    assert len(bin_edges(1)) == 3
    assert len(bin_edges(63)) == 65


@settings(max_examples=40)
@given(LATENCIES, LATENCIES)
def test_the_sum_of_two_is_that_of_all_packets(one, other):
    parts = [Histogram.of(np.array(each)) for each in (one, other)]
    assert Histogram.sum(parts) == Histogram.of(np.array(one + other))
    assert Histogram.sum([Histogram(), parts[0]]) == parts[0]


def test_without_packets_there_is_nothing():
    empty = Histogram.of(np.zeros(0, np.int64))
    assert empty == Histogram() == Histogram.sum([empty])
    assert empty.as_json() == {"edges": [], "counts": []}
    assert empty.bars() == []
    assert len(empty.table) == 0


def test_bars_are_as_long_as_their_counts():
    made = Histogram.of(np.array([3] * 8 + [5] * 4 + [6]))
    bars = [("3", 8, "████████"), ("4", 0, ""), ("5", 4, "████"), ("6", 1, "█")]
    assert made.bars(width=8) == bars
    assert made.as_json() == {"edges": [3, 4, 5, 6, 7], "counts": [8, 0, 4, 1]}
    assert made.table.rows()[0] == {"from": 3, "below": 4, "packets": 8}


@pytest.mark.parametrize("highest", [30, 500, 100_000])
def test_many_bins_share_few_rows(highest):
    made = Histogram.of(np.arange(1, highest))
    bars = made.bars(rows=10)
    assert len(bars) <= 10
    assert sum(count for _, count, _ in bars) == highest - 1
    ranges = [tuple(map(int, cycles.split("-"))) for cycles, _, _ in bars]
    for (_, end), (begin, _) in itertools.pairwise(ranges):
        assert begin == end + 1
