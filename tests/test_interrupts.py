import os
import signal
import subprocess
import sys
import time

import pytest
from knotwork import interrupts
from knotwork.interrupts import Interrupted, end_children, ending, shielded

HEAD = """
import os, signal, subprocess, sys, time
from knotwork.interrupts import *
from knotwork.interrupts import _State
catch_signals()
def said(word): print(word, flush=True)
"""


def program(lines: str, *, wait: str | None = "ready") -> subprocess.Popen:
    """Python program with these lines; returned when it has said the word."""
    made = subprocess.Popen(
        [sys.executable, "-c", HEAD + lines],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert made.stdout is not None
    if wait is not None:
        assert made.stdout.readline() == f"{wait}\n"
    return made


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("number", "word"),
    [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated"), (signal.SIGHUP, "hung up")],
)
def test_a_signal_raises_and_cleans_up(number, word):
    made = program(
        "try:\n said('ready'); time.sleep(60)\n"
        "except Interrupted as stop:\n said(stop); sys.exit(stop.status)\n"
        "finally:\n said('cleaned')\n"
    )
    made.send_signal(number)
    out, err = made.communicate(timeout=20)
    assert (out, err, made.returncode) == (f"{word}\ncleaned\n", "", 128 + number)


def interrupted(made: subprocess.Popen) -> tuple[str, str]:
    """What a program writes once it is interrupted."""
    made.send_signal(signal.SIGINT)
    return made.communicate(timeout=20)


def test_children_and_theirs_end():
    made = program(
        "inner = \"import subprocess, time; made = subprocess.Popen(['sleep', '60']);"
        'print(made.pid, flush=True); time.sleep(60)"\n'
        "child = subprocess.Popen([sys.executable, '-c', inner])\n"
        "said(child.pid)\n"
        "try: time.sleep(60)\n"
        "except Interrupted: end_children()\n",
        wait=None,
    )
    assert made.stdout is not None
    pids = [int(made.stdout.readline()) for _ in range(2)]
    assert all(map(is_running, pids))
    made.send_signal(signal.SIGTERM)
    assert made.communicate(timeout=20)[1] == ""
    assert not any(map(is_running, pids))


def test_a_child_that_does_not_end_is_killed():
    made = program(
        'inner = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);'
        "print('ready', flush=True); time.sleep(60)\"\n"
        "child = subprocess.Popen([sys.executable, '-c', inner])\n"
        "try: time.sleep(60)\n"
        "except Interrupted: end_children(0.2); said(child.pid)\n"
    )
    made.send_signal(signal.SIGINT)
    out, err = made.communicate(timeout=20)
    assert err == ""
    assert not is_running(int(out))


def test_a_second_signal_ends_at_once():
    made = program(
        "try:\n said('ready'); time.sleep(60)\nfinally:\n said('cleaning'); time.sleep(60)\n"
    )
    assert made.stdout is not None
    made.send_signal(signal.SIGTERM)
    assert made.stdout.readline() == "cleaning\n"
    made.send_signal(signal.SIGINT)
    out, err = made.communicate(timeout=20)
    assert (out, err, made.returncode) == ("", "", 130)


def test_a_shield_holds_a_signal_back():
    made = program(
        "try:\n"
        " with shielded():\n"
        "  said('ready'); time.sleep(0.5); said('whole')\n"
        " said('late')\n"
        "except Interrupted as stop:\n said(stop)\n"
    )
    assert interrupted(made) == ("whole\ninterrupted\n", "")


def test_an_interruption_in_a_finalizer_is_not_lost():
    made = program(
        "class Slow:\n def __del__(self):\n  said('ready'); time.sleep(60)\n"
        "try:\n thing = Slow(); del thing; time.sleep(60)\n"
        "except Interrupted as stop:\n said(stop)\n"
    )
    assert interrupted(made) == ("interrupted\n", "")


def test_what_a_program_ignores_stays_ignored():
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    done = subprocess.run(
        [sys.executable, "-c", f"{ignoring}{HEAD}signal.raise_signal(signal.SIGHUP); said('on')"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "on\n"


def test_the_end_of_a_command_is_not_interrupted():
    made = program("ignore_signals()\nsaid('ready')\ntime.sleep(0.5)\n")
    made.send_signal(signal.SIGINT)
    assert (*made.communicate(timeout=20), made.returncode) == ("", "", 0)


def test_who_catches_nothing_keeps_children_and_shields_change_nothing():
    assert os.getpid() != interrupts._State.owner
    with subprocess.Popen(["sleep", "60"]) as child:
        end_children(0)
        time.sleep(0.05)
        assert child.poll() is None
        child.kill()
    assert ending() is None
    with shielded(), shielded():
        pass
    assert Interrupted(signal.SIGINT).status == 130
