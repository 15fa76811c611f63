"""Proofs about a module given as Verilog, by Yosys and an SMT solver."""

import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import ToolError
from ..tools import FailedRunError, run_tool
from .harness import Harness

PROVEN, BOUNDED, FAILED = "proven", "bounded", "failed"


@dataclass(frozen=True, kw_only=True)
class Property:
    """Something claimed of a module.

    Members
    -------
    name : str
        Its name, one word.
    text : str
        What it says, for people.
    claim : callable
        Adds assumptions, claims and covers to a harness.
    lemmas : tuple of Property
        What it rests on; it is proven no better than they are.
    given : callable
        What it lets others assume; the claims themselves if unnamed.
    own : bool
        Whether the assertions in the Verilog are claims too.
    induction : int
        Longest induction tried, in clocks.
    depth : int
        Clocks after the reset that are searched where induction fails.
    cover : int
        Clocks in which every cover must be reached.
    """

    name: str
    text: str
    claim: Callable[[Any], None]
    lemmas: tuple["Property", ...] = ()
    given: Callable[[Any], None] | None = None
    own: bool = False
    induction: int = 2
    depth: int = 12
    cover: int = 20


@dataclass(frozen=True, kw_only=True)
class Result:
    """Outcome of a property.

    Members
    -------
    name, text : str
        The property's.
    result : str
        `PROVEN` for all time; `BOUNDED`: no counterexample in `depth` clocks; `FAILED`.
    depth : int
        Clocks of the induction, clocks searched, or the clock of the counterexample.
    seconds : float
        Time it took.
    reason : str
        Why it failed; empty otherwise.
    """

    name: str
    text: str
    result: str
    depth: int
    seconds: float
    reason: str = ""


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
    properties = _with_lemmas(properties)
    with tempfile.TemporaryDirectory(prefix="knotwork_verify_") as name:
        folder = Path(name)
        begun = time.monotonic()
        _write_problems(folder, module, verilog, harness, properties)
        share = (time.monotonic() - begun) / max(len(properties), 1)
        done: dict[str, Result] = {}
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


def _with_lemmas(properties: Iterable[Property]) -> list[Property]:
    """Properties and their lemmas, each once, and after what it rests on."""
    found: dict[str, Property] = {}
    for one in properties:
        for lemma in _with_lemmas(one.lemmas):
            found.setdefault(lemma.name, lemma)
        found.setdefault(one.name, one)
    return list(found.values())


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


# Flattening first, so that wires inside keep their paths; what a harness does not look at goes when
# its own problem is written.
_PREPARE = """
read_verilog -formal module.v
hierarchy -check -top {module}
proc -norom
delete t:$print
flatten
memory_collect
"""

_DROP_OWN = "chformal -remove"

_JOIN = """
{drop}
{words}
expose {wires}
read_rtlil {name}.il
hierarchy -check -top {name}
flatten
proc -norom
opt_expr
opt_clean
async2sync
chformal -lower
"""

_PROBLEM = """
dffunmap
opt_clean -purge
write_smt2 -wires {name}.smt2
design -load module
"""

FACTS = "facts"
"""Name of the module that `facts_rtlil` gives."""


def _write_problems(
    folder: Path,
    module: str,
    verilog: str,
    harness: Callable[[], Harness],
    properties: Sequence[Property],
) -> None:
    """Write each property's problem for the solver, ``<name>.smt2``."""
    (folder / "module.v").write_text(verilog)
    script = []
    for one in properties:
        made = harness()
        for lemma in one.lemmas:
            with made.assuming():
                (lemma.given or lemma.claim)(made)
        one.claim(made)
        (folder / f"{one.name}.il").write_text(made.rtlil(one.name))
        # Words that are looked at become registers; other memories stay whole for the solver.
        memories = dict.fromkeys(wire.partition("[")[0] for wire in made.wires if "[" in wire)
        words = [f"memory_map {module}/c:{memory}" for memory in memories]
        if not made.keeps_memories:
            words = [f"memory_map {module}"]
        script.append(_join(one.name, module, made, words, keeps_own=one.own))
        script.append(_PROBLEM.format(name=one.name))
    prepare = _PREPARE.format(module=module)
    text = "\n".join([prepare, "design -save module", *script])
    (folder / "prove.ys").write_text(text)
    run_tool(["yosys", "-q", "prove.ys"], folder)


def _join(
    name: str, module: str, harness: Harness, words: Sequence[str], *, keeps_own: bool = False
) -> str:
    """Commands that make one module of a harness and what is in it."""
    # In a selection brackets are a choice of characters.
    wires = " ".join(f"{module}/w:" + re.sub(r"[\[\]]", "?", wire) for wire in harness.wires)
    drop = "" if keeps_own else _DROP_OWN
    return _JOIN.format(name=name, drop=drop, words="\n".join(words), wires=wires)


def facts_rtlil(module: str, verilog: str, harness: Harness, properties: Iterable[Property]) -> str:
    """Verilog module with its ports, and what is known of it in every clock after the reset.

    Parameters
    ----------
    module, verilog : str
        As in `prove`.
    harness : Harness
        Harness of the module, not used before.
    properties : iterable of Property
        What was proven. What is claimed of any flit says little here, where one is chosen: then
        what the property lets others assume says more.

    Returns
    -------
    str
        Module `FACTS` in Yosys's intermediate language: the facts are its cells ``$assume``.
    """
    with harness.assuming():
        for one in _with_lemmas(properties):
            one.claim(harness)
            if one.given is not None:
                one.given(harness)
    with tempfile.TemporaryDirectory(prefix="knotwork_verify_") as name:
        folder = Path(name)
        (folder / "module.v").write_text(verilog)
        (folder / f"{FACTS}.il").write_text(harness.open_rtlil(FACTS))
        join = _join(FACTS, module, harness, [f"memory_map {module}"])
        script = [_PREPARE.format(module=module), join, "opt_clean", "write_rtlil out.il"]
        (folder / "facts.ys").write_text("\n".join(script))
        run_tool(["yosys", "-q", "facts.ys"], folder)
        return (folder / "out.il").read_text()


def _solve(folder: Path, one: Property) -> Result:
    """Induction, then the first clocks, then the covers."""
    said = _smtbmc(folder, one, "-i", "-t", str(one.induction), name="induction")
    steps = [int(number) for number in re.findall(r"induction in step (\d+)", said)]
    holds = "induction successful" in said
    length = one.induction - min(steps) if holds else one.depth
    said = _smtbmc(folder, one, "-t", str(length + 2 if holds else length), name="base")
    if "Status: PASSED" not in said:
        clock = max(int(number) for number in re.findall(r"in step (\d+)", said))
        return _failed(one, clock, f"counterexample: {_place(said)}")
    cover = _smtbmc(folder, one, "-c", "-t", str(one.cover), name="cover")
    if "Status: PASSED" not in cover:
        reason = f"vacuous: {_place(cover)} is not reached in {one.cover} clocks"
        return _failed(one, one.cover, reason)
    kind = PROVEN if holds else BOUNDED
    return Result(name=one.name, text=one.text, result=kind, depth=length, seconds=0)


def _failed(one: Property, depth: int, reason: str) -> Result:
    return Result(
        name=one.name, text=one.text, result=FAILED, depth=depth, seconds=0, reason=reason
    )


def _place(said: str) -> str:
    """Line of the claim or the cover that a solver's last words are about."""
    places = re.findall(r"(?:failed in|Unreached cover statement at) [^\n]*?([\w.]+:\d+)", said)
    return places[-1] if places else "no place told"


def _smtbmc(folder: Path, one: Property, *arguments: str, name: str) -> str:
    trace = ["--dump-vcd", f"{one.name}.vcd"] if name == "base" else []
    command = ["yosys-smtbmc", "--noprogress", "-s", "yices", *trace, *arguments]
    try:
        said = run_tool([*command, f"{one.name}.smt2"], folder)
    except FailedRunError as error:  # so it ends with a counterexample, too
        said = error.log
    if "Status:" not in said:  # it did not come to an answer: no solver, say
        lines = [line for line in said.splitlines() if line.strip()] or ["nothing said"]
        raise ToolError(f"{command[0]}: must come to an answer, but said: {lines[-1]}")
    return said
