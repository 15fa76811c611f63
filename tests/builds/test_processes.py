import signal
import subprocess
import sys
import time

import pytest
from knotwork.builds.compilation import run_process

# A program with a child and a grandchild, which tell their numbers, and write on and on.
FAMILY = """
sh -c 'sh -c "echo \\$\\$ >> told; while :; do echo >> grown; sleep 0.01; done" & wait' &
echo $$ >> told
wait
"""
RUN = f"""
from knotwork.builds.compilation import run_process
run_process(["sh", "-c", {FAMILY!r}])
"""


def test_what_a_program_writes_and_how_it_ends_is_reported(tmp_path):
    done = run_process(["sh", "-c", "pwd; echo no >&2; exit 3"], folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, f"{tmp_path}\nno\n".encode())
    done = run_process(
        ["sh", "-c", "cat; echo $A >&2"], given=b"in", environment={"A": "b"}, stderr=-1
    )
    assert (done.stdout, done.stderr) == (b"in", b"b\n")
    assert run_process(["sh", "-c", "kill -SEGV $$"]).returncode == -signal.SIGSEGV
    assert run_process(["cat"]).stdout == b""
    with pytest.raises(FileNotFoundError):
        run_process(["no-such-program"])


def test_the_caller_hears_while_a_program_runs():
    calls = []
    run_process(["sleep", "0.5"], while_running=lambda: calls.append(time.monotonic()))
    assert 2 <= len(calls) <= 5


def test_what_a_program_leaves_running_ends_with_it(tmp_path):
    run_process(
        ["sh", "-c", "sh -c 'while :; do sleep 0.01; echo >> grown; done' >&- 2>&- &"],
        folder=tmp_path,
    )
    assert_nothing_grows(tmp_path)


def wait_for_family(folder):
    deadline = time.monotonic() + 10
    while not (folder / "grown").exists() or len((folder / "told").read_text().split()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def assert_nothing_grows(folder):
    def size():
        return (folder / "grown").stat().st_size if (folder / "grown").exists() else 0

    deadline = time.monotonic() + 5
    while True:
        before = size()
        time.sleep(0.2)
        if size() == before:
            return
        assert time.monotonic() < deadline, "a process still writes"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_no_child_outlives_the_process(tmp_path, number):
    parent = subprocess.Popen([sys.executable, "-c", RUN], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        wait_for_family(tmp_path)
        parent.send_signal(number)
        parent.wait(10)
    finally:
        parent.kill()
    assert_nothing_grows(tmp_path)
    for child in (tmp_path / "told").read_text().split():
        assert not is_running(int(child))


def is_running(process):
    """Whether a process runs; one whose parent has not asked for its status does not."""
    asked = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip()[:1] not in {"", "Z"}


def test_after_an_interruption_nothing_writes_any_more(tmp_path):
    def interrupt():
        if (tmp_path / "grown").exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_process(["sh", "-c", FAMILY], folder=tmp_path, while_running=interrupt)
    before = (tmp_path / "grown").stat().st_size
    time.sleep(0.2)
    assert (tmp_path / "grown").stat().st_size == before


ALONE = """
import os
from knotwork.builds.compilation import run_process
run_process(["true"])
before = len(os.listdir("/dev/fd"))
for _ in range(3):
    run_process(["true"])
print(len(os.listdir("/dev/fd")) - before)
os.waitpid(-1, os.WNOHANG)
"""


def test_no_descriptor_and_no_process_is_left():
    done = subprocess.run(
        [sys.executable, "-c", ALONE], capture_output=True, text=True, check=False
    )
    assert done.stdout == "0\n"
    assert "ChildProcessError" in done.stderr  # there is no child to wait for
