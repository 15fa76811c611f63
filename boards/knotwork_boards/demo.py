"""The demonstration that ``make demo`` runs: from the name of a network to a bitstream.

It runs the ``knotwork`` command as a user would, and prints each command line.
"""

import json
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from knotwork.cli.output import console, facts, text

from .untyped import JsonObject

KNOTWORK = (str(Path(sysconfig.get_path("scripts")) / "knotwork"),)
NETWORK = ("moebius", "n=3", "data_width=16")
BOARD = "ulx3s_85f"
COLUMN = 56  # characters: the table fits a terminal of 100
OUTPUT = Path("build/demo")
PROGRESS, ERROR = "knotwork: ", "knotwork: error:"  # how lines of a command's progress begin


class Outcome(NamedTuple):
    """Outcome of a command line: its exit status, and its answer if it gave one."""

    status: int
    answer: JsonObject | None


class Demonstration:
    """Commands of the demonstration, run from the current folder.

    Parameters
    ----------
    knotwork : sequence of str
        Command line that starts ``knotwork``.
    output : Path
        Folder of the results.
    """

    def __init__(self, *, knotwork: Sequence[str] = KNOTWORK, output: Path = OUTPUT) -> None:
        self._knotwork = knotwork
        self._output = output
        self._console = console()

    def call(self, *words: str) -> Outcome:
        """Run one verb; print its command line, its progress, its duration and its errors."""
        self._console.print("$ knotwork " + " ".join(words), style="bold")
        start, messages = time.monotonic(), list[str]()
        with (
            tempfile.TemporaryFile("w+") as answer,  # it may be longer than a pipe holds
            subprocess.Popen(
                [*self._knotwork, *words], stdout=answer, stderr=subprocess.PIPE, text=True
            ) as running,
        ):
            assert running.stderr is not None
            for line in running.stderr:
                if line.startswith(ERROR) or not line.startswith(PROGRESS):
                    messages.append(line)
                else:
                    step = line.removeprefix(PROGRESS).removeprefix(f"{words[0]} ").rstrip()
                    self._console.print(f"{words[0]}: {step}", style="dim")
            running.wait()
            answer.seek(0)
            printed = answer.read()
        status, seconds = running.returncode, time.monotonic() - start
        if status:
            self._console.print(f"{words[0]} failed with exit status {status}:")
            self._console.print("".join(messages).rstrip() or "(no message)", style="red")
        else:
            self._console.print(f"{words[0]}: done after {seconds:.1f} s", style="dim")
        try:
            return Outcome(status, json.loads(printed))
        except json.JSONDecodeError:
            return Outcome(status or 1, None)

    def run(self) -> int:
        """Generate, simulate and build; print the table; return the exit status."""
        verilog = self._output / "moebius_n3"
        traffic = ("rate=0.3", "packets=5000")
        files = str(self._output)
        # The three are independent. To place and route takes longest, on one core.
        with ThreadPoolExecutor() as pool:
            building = pool.submit(
                self.call, "bitstream", *NETWORK, "--board", BOARD, "-o", files, "--json"
            )
            generated = self.call("generate", *NETWORK, "-o", str(verilog), "--json")
            simulated = self.call("simulate", *NETWORK, *traffic, "--json")
            built = building.result()
        if simulated.answer is not None and built.answer is not None and not generated.status:
            manifest = json.loads((verilog / "manifest.json").read_text())
            facts("Demonstration", summary(manifest, simulated.answer, built.answer))
        return generated.status or simulated.status or built.status


def summary(manifest: JsonObject, simulated: JsonObject, built: JsonObject) -> JsonObject:
    """Rows of the closing table, from the manifest and the two answers."""
    return {
        "network": textwrap.fill(f"{manifest['network']} {text(manifest['parameters'])}", COLUMN),
        "nodes": len(manifest["nodes"]),
        "packets delivered": simulated["delivered"],
        "packets lost": simulated["lost"],
        "packets duplicated": simulated["duplicated"],
        "mismatches with the golden model": simulated["mismatches"],
        "board": built["board"],
        "Fmax": f"{built['fmax_mhz']:.1f} MHz (clock {built['clock_mhz']:g} MHz)",
        "utilization": used_cells(built["utilization"]),
        "bitstream": built["bitstream"],
    }


def used_cells(utilization: Mapping[str, Mapping[str, int]]) -> str:
    """Cells that the bitstream uses, one line per kind: used, available, percent."""
    lines = [
        f"{cell} {count['used']}/{count['available']} ({count['used'] / count['available']:.1%})"
        for cell, count in utilization.items()
        if count["used"]
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        sys.exit(Demonstration().run())
    except KeyboardInterrupt:  # the commands that are running got the signal too
        sys.exit(130)
