import math
import resource

import pytest
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import DEFAULT_SECONDS, Limit, Work, size, usable_memory


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


def test_the_default_is_ten_minutes_and_the_free_memory():
    assert Limit.default().seconds == 600
    assert 0.5 < Limit.default().memory / usable_memory() < 2


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


def test_work_within_the_limit_is_allowed():
    Limit(600, 2e9).require("noc", Work(600, 2e9))


def test_works_one_after_the_other_share_memory():
    assert Work(2, 5).then(Work(3, 4)) == Work(5, 5)


@pytest.mark.parametrize(
    ("memory", "text"),
    [(0, "0 MB"), (999e6, "999 MB"), (1e9, "1.0 GB"), (12.34e9, "12 GB"), (2e12, "2.0 TB")],
)
def test_a_size_has_two_digits(memory, text):
    assert size(memory) == text


def test_there_is_as_much_as_the_system_says():
    assert 0 < usable_memory() < 2**50
    assert usable_memory() > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


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
