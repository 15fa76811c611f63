"""Screens of every verb on a terminal of 80 columns."""

import fcntl
import json
import os
import pty
import re
import shlex
import struct
import sys
import termios

import pytest

WIDTH = 80
LINES = [
    "networks",
    *("networks hypercube", "networks torus", "networks lcan", "networks wk"),
    "describe moebius n=4 --routing",
    "describe hypercube n=3 torus x=4 y=4",
    "compare hypercube:n=6 moebius:n=6,twist=1 torus:x=8,y=8 wk:w=4,levels=3 ccc:n=6",
    "route moebius n=4 twist=1 3 @1001",
    "route mesh x=6 y=6 --table",
    "multicast moebius n=4 5 0 2 3 8 11 14 15",
    "broadcast wk w=4 levels=2 @20",
    "schedule ccc n=6 --permutation reversal",
    "schedule lcan d=4 u=2 levels=2 --permutation random",
    "schedule hypercube n=4 routing=lc1 --permutation transpose",
    "check moebius n=7 virtual_channels=1",
    "check moebius n=4 routing=spr virtual_channels=1",
    "boards",
    "simulate hypercube n=3 packets=50 --engine model",
    "sweep hypercube n=3 --rates 0.1:0.3:0.2 --measure 200",
    "sweep lcan d=2 u=2 levels=2-4 --permutation random --repeat 5",
    "survive mesh x=3 y=3 --dead 1 --measure 100",
    "search --nodes 12 --degree 3 --effort 20 --starts 1",
    "doctor hdl",
]
PROGRAM = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from knotwork.cli.main import run
from knotwork_sim.sweep.workers import LocalWorkers
LocalWorkers._start = lambda self: ThreadPoolExecutor(1)  # no further processes
for words in json.loads(sys.argv[1]):
    print("<<<", *words)
    run(words)
"""


def on_a_terminal(lines, columns):
    """What the commands print on a terminal of so many columns, by command."""
    words = json.dumps([shlex.split(line) for line in lines])
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover - the program under test
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.environ |= {"TERM": "xterm", "COLUMNS": str(columns)}
        os.execv(sys.executable, [sys.executable, "-c", PROGRAM, words])
    said = bytearray()
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the program has closed it
            break
        if not part:
            break
        said += part
    os.waitpid(pid, 0)
    os.close(terminal)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).replace("\r\n", "\n")
    return dict(re.findall(r"<<< ([^\n]*)\n(.*?)(?=<<< |\Z)", text, re.DOTALL))


@pytest.fixture(scope="module")
def screens():
    return on_a_terminal(LINES, WIDTH)


@pytest.mark.parametrize("line", LINES)
def test_tables_fit_80_columns_and_nothing_is_cut(line, screens):
    shown = screens[line]
    assert shown.strip()
    assert "error:" not in shown
    assert max(len(each.rstrip()) for each in shown.splitlines()) <= WIDTH
    assert "…" not in shown
    assert "saturated" in shown or not line.startswith("sweep hypercube")  # in one piece


def test_a_narrow_terminal_has_all_of_tables_and_matrices(screens):
    (line,) = [line for line in LINES if line.startswith("compare")]
    names = ["hypercube_n6", "moebius_n6_twist1", "torus_x8_y8", "wk_w4_levels3", "ccc_n6"]
    shown = screens[line]
    heads = [each for each in shown.splitlines() if "┃ fact" in each]
    assert [sum(name in head for name in names) for head in heads] == [2, 2, 1]
    parts = shown.split("Comparison")[1:]
    assert ["│ x " in part for part in parts] == [False, True, False]  # a row of the torus
    assert ["│ levels " in part for part in parts] == [False, True, False]  # of wk
    assert ["│ steps of lc2" in part for part in parts] == [False, False, True]  # of ccc
    rows = [
        re.findall(r"-?\d+", line) for line in screens["route mesh x=6 y=6 --table"].splitlines()
    ]
    entries = [row for row in rows if row]
    assert sum(len(row) for row in entries) == 36 * 36 + 2 * 36 + 36  # entries, rows, columns
