"""Estimates of work, and the limits that it must keep."""

import math
import resource
import time
from functools import partial

import pytest
from knotwork import Hypercube, Mesh, Network, Torus
from knotwork.errors import ConfigurationError
from knotwork.estimates.networks import (
    check_work,
    compare_work,
    cost_work,
    dependence_graph_work,
    describe_work,
    draw_work,
    export_work,
    generate_work,
    schedule_work,
    table_work,
    verify_work,
)
from knotwork.estimates.work import DEFAULT_SECONDS, Limit, Work, size, usable_memory

ESTIMATES = {
    "check": check_work,
    "check --graphml": dependence_graph_work,
    "generate": generate_work,
    "verify": partial(verify_work, every=False),
    "describe": partial(describe_work, with_walks=True),
    "describe --cost": cost_work,
    "compare": compare_work,
    "table": table_work,
    "export": partial(export_work, files=2),
    "draw": draw_work,
    "schedule": schedule_work,
}


@pytest.mark.parametrize("verb", ESTIMATES)
def test_larger_networks_take_more_and_are_estimated_at_once(verb):
    began = time.process_time()
    network = Network(Hypercube(n=20))
    large, small = ESTIMATES[verb](network), ESTIMATES[verb](Network(Hypercube(n=4)))
    assert time.process_time() - began < 2
    assert large.memory >= small.memory > 0
    assert large.seconds > 0
    assert small.seconds > 0
    assert "neighbours" not in vars(network.topology)


def test_large_networks_and_all_kinds_take_long_and_settled_ones_nothing():
    work = generate_work(Network(Hypercube(n=20)))
    assert work.seconds > DEFAULT_SECONDS
    assert work.memory > 8e9  # what it had taken when it was stopped
    mesh = Network(Mesh(x=3, y=3))
    one, every = (verify_work(mesh, every=every).seconds for every in (False, True))
    assert every > 2 * one
    assert check_work(Network.from_word("lcan:d=2,u=2,levels=8")) == Work(0.3, 60e6)


@pytest.mark.parametrize(
    "network", [Network(Hypercube(n=4)), Network(Torus(x=8, y=8)), Network(Hypercube(n=14))]
)
def test_ordinary_networks_are_within_the_default_limit(network):
    assert generate_work(network).seconds < DEFAULT_SECONDS
    assert generate_work(network).memory < 1e9


@pytest.mark.parametrize(
    ("estimate", "network", "seconds"),  # of a core, measured: the whole command
    [
        (check_work, Network(Hypercube(n=12)), 2.7),
        (check_work, Network(Hypercube(n=20)), 0.9),
        (check_work, Network(Torus(x=64, y=64)), 3.1),
        (dependence_graph_work, Network(Hypercube(n=12)), 7.0),
        (dependence_graph_work, Network(Torus(x=64, y=64)), 3.9),
        (generate_work, Network(Hypercube(n=6)), 2.4),
        (generate_work, Network(Hypercube(n=12)), 7.5),
        (generate_work, Network(Torus(x=8, y=8)), 6.7),
        (generate_work, Network(Hypercube(n=2), data_width=512), 1.3),
        (generate_work, Network(Mesh(x=3, y=3), data_width=512), 3.8),
        (generate_work, Network(Mesh(x=3, y=3), data_width=8), 2.3),
        (generate_work, Network.from_word("ccc:n=6"), 3.5),
        (generate_work, Network.from_word("lcan:d=2,u=2,levels=6"), 0.9),
        (generate_work, Network.from_word("tcpg:k=2,m=2"), 20.5),
        (partial(verify_work, every=False), Network(Hypercube(n=2), pipeline=1), 37.7),
        (partial(verify_work, every=False), Network(Mesh(x=3, y=3), pipeline=1), 93.0),
        (
            partial(verify_work, every=False),
            Network.from_word("hypercube:n=1,virtual_channels=2,buffer_depth=4,pipeline=2"),
            17.5,
        ),
        (table_work, Network(Hypercube(n=12)), 8.1),
        (partial(export_work, files=2), Network(Hypercube(n=14)), 1.6),
        (draw_work, Network(Hypercube(n=10)), 6.1),
    ],
)
def test_estimates_are_within_a_factor_of_three_of_what_was_measured(estimate, network, seconds):
    assert 1 / 3 < estimate(network).seconds / seconds < 3


@pytest.mark.parametrize(
    ("text", "seconds", "memory"),
    [
        ("90s", 90, None),
        ("2h", 7200, None),
        ("1.5 min", 90, None),
        ("16GB", DEFAULT_SECONDS, 16e9),
        ("500MB,1d", 86400, 500e6),
        ("none", math.inf, math.inf),
    ],
)
def test_a_limit_is_a_time_and_a_memory(text, seconds, memory):
    limit = Limit.from_text(text)
    assert limit.seconds == seconds
    if memory is None:
        assert 0 < limit.memory < 1e15  # of this machine
    else:
        assert limit.memory == memory


@pytest.mark.parametrize("text", ["", "2", "h", "2 weeks", "-1h", "0s", "1h,2h", "1GB,2GB", "1h,"])
def test_other_words_are_refused(text):
    with pytest.raises(ConfigurationError) as refusal:
        Limit.from_text(text)
    assert str(refusal.value) == (
        "--limit must be a time in s, min, h or d, a memory in MB, GB or TB, both as in 2h,16GB, "
        f"or none, not {text!r}"
    )


def test_limits_allow_what_is_within_them():
    assert Limit.default().seconds == 600
    assert 0.5 < Limit.default().memory / usable_memory() < 2
    Limit(600, 2e9).require("noc", Work(600, 2e9))
    assert Work(2, 5).then(Work(3, 4)) == Work(5, 5)
    assert 0 < usable_memory() < 2**50
    assert usable_memory() > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (Work(700), "noc must stay within 10 min, but takes about 12 min and 0 MB; --limit 15min"),
        (
            Work(8000, 3e9),
            "noc must stay within 10 min and 2.0 GB, but takes about 2 h 13 min and 3.0 GB; "
            "--limit 3h,4GB",
        ),
        (
            Work(1, 2.1e9),
            "noc must stay within 2.0 GB, but takes about 1 s and 2.1 GB; --limit 3GB",
        ),
    ],
)
def test_work_beyond_the_limit_is_refused_with_the_limit_that_allows_it(work, message):
    with pytest.raises(ConfigurationError) as refusal:
        Limit(600, 2e9).require("noc", work)
    assert str(refusal.value) == f"{message} allows it"
    allowing = Limit.from_text(message.rpartition(" ")[2])
    Limit(allowing.seconds, max(allowing.memory, 4e9)).require("noc", work)


@pytest.mark.parametrize(
    ("memory", "text"),
    [(0, "0 MB"), (999e6, "999 MB"), (1e9, "1.0 GB"), (12.34e9, "12 GB"), (2e12, "2.0 TB")],
)
def test_a_size_has_two_digits(memory, text):
    assert size(memory) == text


def test_a_containers_limit_counts(monkeypatch):
    files = {
        "/proc/meminfo": ["MemTotal: 900 kB", "MemAvailable:  800 kB"],
        "/sys/fs/cgroup/memory.max": ["max"],
        "/sys/fs/cgroup/memory.current": ["1000"],
    }
    monkeypatch.setattr("knotwork.estimates.work._lines", files.__getitem__)
    assert usable_memory() == 800 * 1024
    files["/sys/fs/cgroup/memory.max"] = ["5000"]
    assert usable_memory() == 4000


def test_routings_are_compared_where_that_takes_seconds():
    small, larger, large = (
        describe_work(Network(Mesh(x=size, y=size)), with_walks=True).seconds for size in (8, 9, 17)
    )
    assert small > larger > 0  # without the routings that are searched for
    bare = check_work(Network(Mesh(x=17, y=17))).seconds
    assert large == pytest.approx(bare, abs=1)
