import io
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from contextvars import copy_context

import pytest
from knotwork import progress as module
from knotwork.progress import Display, Task, duration, hide_progress, progress, show_progress


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    stream = io.StringIO()
    show_progress(stream)
    yield stream
    hide_progress()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (75, "1 min 15 s"),
        (1234, "21 min"),
        (3600, "1 h"),
        (4900, "1 h 22 min"),
        (10 * 86400, "10 days"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("total", "unit", "done", "far"),
    [
        (None, "", 0, ""),
        (None, "cycles", 1234, "1,234 cycles"),
        (5000, "cycles", 1000, "1,000 of 5,000 cycles"),
        (8, "", 2, "25%"),
    ],
)
def test_a_task_says_how_far_it_is(total, unit, done, far):
    task = Task("simulating", total, unit)
    task(done)
    assert task.far() == far


def test_a_task_says_how_long_it_will_still_take():
    task = Task("simulating", 400, "cycles", began=time.monotonic() - 10)
    task(100)
    assert task.line() == "simulating, 100 of 400 cycles, after 10 s, 30 s left"
    assert Task("waiting", began=time.monotonic() - 70).line() == "waiting, after 1 min 10 s"
    placing = Task("placing", expected=25, began=time.monotonic() - 10)
    assert placing.line() == "placing, after 10 s, 15 s left"
    placing.began -= 20
    assert placing.line() == "placing, after 30 s"  # longer than expected


def test_nothing_is_shown_unless_a_program_asks_for_it(capsys, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    threads = threading.active_count()
    with progress("sleeping") as advance:
        advance(1)
        time.sleep(0.05)
    assert capsys.readouterr() == ("", "")
    assert threading.active_count() == threads


def test_quick_work_is_not_shown(quick):
    with progress("sleeping"):
        pass
    assert quick.getvalue() == ""


def test_a_plain_stream_gets_lines_of_the_innermost_work(quick):
    with progress("sweeping", total=2, unit="points") as advance:
        advance(1)
        time.sleep(0.15)
        with progress("compiling"):
            time.sleep(0.5)
    lines = quick.getvalue().splitlines()
    assert lines[0].startswith("knotwork: sweeping, 1 of 2 points, after 0 s")
    assert lines[-1] == "knotwork: compiling, after 0 s"


def test_lines_become_seldom(quick):
    with progress("sleeping"):
        time.sleep(0.5)
    assert 2 <= len(quick.getvalue().splitlines()) <= 5  # 0.05, 0.1, 0.2, 0.4 s


def test_an_exception_ends_the_display_and_its_thread(quick):
    threads = threading.active_count()
    with pytest.raises(ValueError), progress("outer"), progress("inner"):
        time.sleep(0.1)
        raise ValueError
    told = quick.getvalue()
    time.sleep(0.2)
    assert quick.getvalue() == told
    assert threading.active_count() == threads


def test_a_stream_that_is_gone_does_not_end_the_work(quick):
    with progress("sleeping"):
        quick.close()
        time.sleep(0.2)
    show_progress(io.StringIO())


def test_a_fork_shows_nothing(monkeypatch):
    threads = threading.active_count()
    display = Display(io.StringIO())
    monkeypatch.setattr(os, "getpid", lambda: -1)
    task = Task("sleeping")
    display.begin(task)
    display.end(task)
    assert threading.active_count() == threads


SLEEPER = """
import time
from knotwork import progress
progress.PATIENCE = 0.1
progress.show_progress()
with progress.progress("counting", total=150, unit="sheep") as advance:
    for _ in range(150):
        advance(1)
        time.sleep(0.01)
        if progress._display is not None and _ == 60:
            progress.report("half of them")
            print("middle", flush=True)
"""


def on_terminal(*, interrupt: bool) -> tuple[str, str]:
    """What a program with a bar wrote to a terminal of 80 columns, and to stdout."""
    ours, theirs = pty.openpty()
    size = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    made = subprocess.Popen(
        [sys.executable, "-c", SLEEPER],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | size,
        text=True,
    )
    os.close(theirs)
    assert made.stdout is not None
    out = made.stdout.readline()
    if interrupt:
        made.send_signal(signal.SIGINT)
    screen = b""
    while True:
        try:
            screen += os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
    out += made.stdout.read()
    made.wait()
    os.close(ours)
    return screen.decode(), out


@pytest.mark.parametrize("interrupt", [False, True])
def test_a_terminal_shows_a_bar_and_is_left_clean(interrupt):
    screen, out = on_terminal(interrupt=interrupt)
    assert out == "middle\n"
    assert "counting" in screen
    assert "of 150 sheep" in screen
    assert " left" in screen
    assert "\x1b[2Kknotwork: half of them\r\n" in screen  # above the bar
    assert screen.count("\x1b[?25l") == screen.count("\x1b[?25h") == 1  # cursor hidden, shown
    after = screen.rpartition("\x1b[?25h")[2]
    assert "\x1b[2K" in after  # the bar's line is cleared
    assert ("KeyboardInterrupt" in after) == interrupt


def test_rich_is_loaded_only_for_a_bar():
    lines = SLEEPER + "import sys; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert done.stdout == "middle\nFalse\n"
    assert "knotwork: counting, " in done.stderr


def test_work_of_other_threads_is_a_part_of_what_is_done_here():
    """Half of one of four points is an eighth."""
    begun, ended = threading.Event(), threading.Event()

    def measure():
        with progress("running", total=10) as part:
            part(5)
            begun.set()
            ended.wait(10)

    with progress("sweeping", total=4, unit="points") as task:
        thread = threading.Thread(target=copy_context().run, args=(measure,))
        thread.start()
        assert begun.wait(10)
        assert task.share == 1 / 8
        assert task.far() == "0 of 4 points"
        ended.set()
        thread.join()
        assert task.share == 1 / 8  # the rest of the unit goes on
        task()
        assert task.share == 1 / 4
