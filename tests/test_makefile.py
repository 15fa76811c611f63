"""What `make` asks of the machine before it installs anything."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def machine(python):
    """What `make machine` says with this interpreter, and its status."""
    unset = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    made = subprocess.run(
        ["make", "-C", ROOT, "--no-print-directory", "machine", f"PYTHON={python}"],
        capture_output=True,
        text=True,
        env=unset,
        check=False,
    )
    return made.stderr.splitlines(), made.returncode


def test_the_machine_that_runs_the_tests_has_all():
    assert machine(sys.executable) == ([], 0)


@pytest.mark.parametrize(
    ("asked", "line"),
    {
        "version_info": "Missing: Python 3.11 or newer as '{}'; or name one with make PYTHON=... "
        "(Debian: apt install python3 python3-venv)",
        "ensurepip": "Missing: Python's venv module (Debian: apt install python3-venv)",
        "INSTSONAME": "Missing: Python's shared library, libpython; simulators load it (Debian: "
        "apt install libpython3-dev)",
    }.items(),
)
def test_what_python_lacks_is_named_with_its_package(asked, line, tmp_path):
    """An interpreter that answers no to one of the questions."""
    python = tmp_path / "python"
    real = shlex.quote(sys.executable)
    python.write_text(f'#!/bin/sh\ncase "$2" in *{asked}*) exit 1;; esac\nexec {real} "$@"\n')
    python.chmod(0o755)
    (told, *_), status = machine(python)
    assert told == line.format(python)
    assert status == 2
