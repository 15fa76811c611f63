"""Proofs about a module given as Verilog, by Yosys and an SMT solver."""

import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..builds.folders import work_folder
from ..errors import ToolError
from ..extras import install_hint
from ..progress import progress
from ..tools import FailedRunError, run_tool, search_path
from .harness import Harness
from .problems import write_problems
from .property import BOUNDED, FAILED, PROVEN, Property, Result, with_lemmas


def prove(
    module: str,
    verilog: str,
    harness: Callable[[], Harness],
    properties: Sequence[Property],
    *,
    traces: Path | None = None,
) -> Iterator[Result]:
    """Prove properties of a Verilog module, one after the other, and the lemmas they rest on.

    Parameters
    ----------
    module : str
        Name of the module.
    verilog : str
        Text that holds it and what it instantiates.
    harness : callable
        Makes a harness for the module.
    properties : sequence of Property
        What to prove.
    traces : Path, optional
        Folder for waveforms of counterexamples.

    Raises
    ------
    ToolError
        A tool is missing or fails.
    """
    properties = with_lemmas(properties)
    with work_folder() as folder:
        begun = time.monotonic()
        write_problems(folder, module, verilog, harness, properties)
        share = (time.monotonic() - begun) / max(len(properties), 1)
        done: dict[str, Result] = {}
        with progress(f"proving {module}", total=len(properties), unit="properties") as advance:
            for one in properties:
                begun = time.monotonic()
                found = _limited(_solve(folder, one), [done[lemma.name] for lemma in one.lemmas])
                found = replace(found, seconds=round(time.monotonic() - begun + share, 2))
                trace = folder / f"{one.name}.vcd"
                if traces is not None and trace.exists():
                    traces.mkdir(parents=True, exist_ok=True)
                    shutil.copy(trace, traces / trace.name)
                done[one.name] = found
                yield found
                advance()


def _limited(found: Result, lemmas: Iterable[Result]) -> Result:
    """Result of a property that rests on others."""
    for lemma in lemmas:
        if found.result == FAILED:
            break
        if lemma.result == FAILED:
            reason = f"it rests on {lemma.name}, which failed"
            found = replace(found, result=FAILED, depth=0, reason=reason)
        elif lemma.result == BOUNDED:
            depth = min(lemma.depth, found.depth) if found.result == BOUNDED else lemma.depth
            found = replace(found, result=BOUNDED, depth=depth)
    return found


def _solve(folder: Path, one: Property) -> Result:
    """Result of an induction, of a search through the first cycles, and of the covers."""
    log = _smtbmc(folder, one, "-i", "-t", str(one.induction), name="induction")
    steps = [int(number) for number in re.findall(r"induction in step (\d+)", log)]
    holds = "induction successful" in log
    length = one.induction - min(steps) if holds else one.depth
    log = _smtbmc(folder, one, "-t", str(length + 2 if holds else length), name="base")
    if "Status: PASSED" not in log:
        cycle = max(int(number) for number in re.findall(r"in step (\d+)", log))
        return _failed(one, cycle, f"counterexample: {_source_line(log)}")
    cover = _smtbmc(folder, one, "-c", "-t", str(one.cover), name="cover")
    if "Status: PASSED" not in cover:
        reason = f"vacuous: {_source_line(cover)} is not reached in {one.cover} cycles"
        return _failed(one, one.cover, reason)
    kind = PROVEN if holds else BOUNDED
    return Result(name=one.name, text=one.text, result=kind, depth=length, seconds=0)


def _failed(one: Property, depth: int, reason: str) -> Result:
    return Result(
        name=one.name, text=one.text, result=FAILED, depth=depth, seconds=0, reason=reason
    )


def _source_line(log: str) -> str:
    """Source line of the claim or the cover that the solver named last."""
    places = re.findall(r"(?:failed in|Unreached cover statement at) [^\n]*?([\w.]+:\d+)", log)
    return places[-1] if places else "no source line named"


_SOLVER = "yices-smt2"

_TRIES = 5
"""Runs of a solver until one comes to an answer: in rare cases one dies as it starts."""


def _smtbmc(folder: Path, one: Property, *arguments: str, name: str) -> str:
    trace = ["--dump-vcd", f"{one.name}.vcd"] if name == "base" else []
    command = ["yosys-smtbmc", "--noprogress", "-s", "yices", *trace, *arguments]
    log = ""
    for _ in range(_TRIES):
        try:
            log = run_tool([*command, f"{one.name}.smt2"], folder)
        except FailedRunError as error:  # a counterexample, too, gives an exit status of failure
            log = error.log
        if "Status:" in log:
            return log
    if shutil.which(_SOLVER, path=search_path()) is None:
        raise ToolError(install_hint(_SOLVER, "formal"))
    lines = [line for line in log.splitlines() if line.strip()] or ["no output"]
    raise ToolError(f"{command[0]}: must come to an answer, but its last line is: {lines[-1]}")
