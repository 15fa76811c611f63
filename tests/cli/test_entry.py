import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_still_being_imported_ends_in_one_line(number):
    lines = (
        "from knotwork.cli import entry\n"
        "import sys, time\n"
        "class Slow:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click': print('importing', flush=True); time.sleep(60)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "entry.main()\n"
    )
    made = subprocess.Popen(
        [sys.executable, "-c", lines], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert made.stdout is not None
    assert made.stdout.readline() == "importing\n"
    time.sleep(0.1)
    made.send_signal(number)
    _, err = made.communicate(timeout=20)
    word = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}[number]
    assert (err, made.returncode) == (f"knotwork: {word}\n", 128 + number)
