import numpy as np
from knotwork_boards.measuring.drawn import Drawn
from knotwork_boards.measuring.expected import (
    Seen,
    expected_measures,
    queue_room,
    stamp_width,
    times_kept,
)
from knotwork_boards.measuring.settings import Settings


def column(*values):
    return np.array(values, np.int64)


def test_the_words_of_a_run():
    settings = Settings(cycles=10, warmup=5)
    drawn = Drawn(
        source=column(0, 0, 1, 1), destination=column(1, 1, 0, 0), time=column(4, 6, 5, 14)
    )
    seen = Seen(
        entered=column(4, 6, 5, 14),
        flit_cycle=column(4, 5, 14, 15),
        ended=column(9, 7, 8, 54),
    )
    words = expected_measures(drawn, settings, seen, stamp=5, dropped=2)
    # The first packet is of the warm-up. The last takes 40 cycles, which five bits tell as 8.
    some = {"dropped": 2, "overrun": 0, "flits": 2, "samples": 3}
    some |= {"latency_min": 1, "latency_sum": 44, "latency_max": 8}
    some |= {"h0": 1, "h1": 1, "h2": 0, "h3": 1}
    assert {name: words[name] for name in some} == some
    assert sum(words[f"h{k}"] for k in range(16)) == 3


def test_without_samples_all_words_are_zero():
    nothing = column()
    words = expected_measures(
        Drawn(nothing, nothing, nothing), Settings(), Seen(nothing, nothing, nothing), stamp=12
    )
    assert set(words.values()) == {0}


def test_a_full_queue_keeps_no_times_until_those_without_have_left():
    room = queue_room(10)
    assert room == 16
    count = room + 4
    drawn = Drawn(np.zeros(count, np.int64), np.ones(count, np.int64), np.arange(count))
    far = np.full(count, 1000)
    assert times_kept(drawn, far, room).tolist() == [True] * room + [False] * 4
    # Two leave early, which makes room for times; the first without one has not left.
    early = far.copy()
    early[:2] = 0
    early_room = times_kept(drawn, early, room)
    assert early_room.tolist()[: room + 2] == [True] * (room + 2)
    late = far.copy()
    late[: room + 1] = np.arange(room + 1) + room
    assert not times_kept(drawn, late, room)[room:].any()


def test_widths_of_stamps():
    assert stamp_width(16, 3) == 12
    assert stamp_width(32, 5) == 16
    assert [queue_room(width) for width in (10, 12, 16)] == [16, 64, 256]
