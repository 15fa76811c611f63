import io
import time

import numpy as np
import pytest
from knotwork import progress
from knotwork_sim.model.log import Log
from knotwork_sim.model.watched import filled, watched


def log_of(beats: int) -> Log:
    none = np.zeros(0, np.int64)
    return Log(np.zeros(beats, np.int64), none, none, none, none, none)


@pytest.mark.parametrize("count", [0, 1, 7, 63, 64])
def test_filled_entries_are_counted(count):
    clock = np.zeros(64, np.int64)
    clock[:count] = np.arange(count) // 3 + 1
    assert filled(clock) == count


def test_a_loop_s_outcome_and_progress(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.1)
    stream, log = io.StringIO(), log_of(4)
    progress.show_progress(stream)

    def loop(log, word):
        log.clock[:3] = 1
        time.sleep(1)
        return word

    assert watched(loop, log, "done", log=log) == "done"
    progress.hide_progress()
    assert "knotwork: running the golden model, 3 of 4 flits, after " in stream.getvalue()


def test_what_a_loop_raises_is_raised():
    def loop():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        watched(loop, log=log_of(1))
