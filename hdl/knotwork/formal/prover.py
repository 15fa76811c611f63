"""Provers: properties of a module by Yosys and an SMT solver, and its resets by its gates.

A module and its harness, joined by Yosys, are a problem for the solver. Every proof begins with one
cycle of reset in any state, so what is proven holds whatever registers and memories without a reset
hold. A register of which no property says anything would not be missed there: so each must have
its reset, unless it is known to hold data only (`prove_reset`).
"""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..builds.folders import work_folder
from ..errors import ToolError
from ..extras import install_hint
from ..progress import progress
from ..tools import FailedRunError, run_tool, search_path
from .harness import Harness
from .property import BOUNDED, FAILED, PROVEN, Property, Result, with_lemmas

# Flattening comes first, so that wires inside keep their paths. What a harness does not refer to is
# removed when its problem is written.
_PREPARE = """
read_verilog -formal module.v
hierarchy -check -top {module}
proc -norom
delete t:$print
flatten
memory_collect
"""

_DROP_ASSERTIONS = "chformal -remove"

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

# Before the reset, which may come in mid-traffic, registers hold anything. In that cycle the
# Verilog's own assertions may be false.
_ANY_STATE = """
setattr -unset init w:*
chformal -assert -skip 1
"""

_PROBLEM = """
dffunmap
opt_clean -purge
write_smt2 -wires {name}.smt2
design -load module
"""

# What Yosys writes of the state's type, of a memory, and of a word that one begins with.
_SORT = re.compile(r"^\(declare-sort \|(.+)\| 0\)$", re.M)
_MEMORY = re.compile(r"^; yosys-smt2-memory (\S+) \d+ \d+ \d+ (\d+) ", re.M)
_FIRST_WORD = re.compile(
    r"^  \(= \(bvand (?P<word>\(select .+\)) #b1+\) #b(?P<value>[01]+)\) ; (?P<memory>\S+)\[\d+\]$",
    re.M,
)

FACTS = "facts"
"""Name of the module that `facts_rtlil` gives."""


def write_problems(
    folder: Path,
    module: str,
    verilog: str,
    harness: Callable[[], Harness],
    properties: Sequence[Property],
) -> None:
    """Write each property's problem for the solver, ``<name>.smt2``."""
    (folder / "module.v").write_text(verilog)
    script: list[str] = []
    begin_anywhere: list[Path] = []
    for one in properties:
        built = harness()
        for lemma in one.lemmas:
            with built.assuming():
                (lemma.guarantee or lemma.claim)(built)
        one.claim(built)
        (folder / f"{one.name}.il").write_text(built.rtlil(one.name))
        # Memories whose words a claim reads become registers; the others stay arrays.
        memories = dict.fromkeys(wire.partition("[")[0] for wire in built.wires if "[" in wire)
        words = [f"memory_map {module}/c:{memory}" for memory in memories]
        if not built.keeps_memories:
            words = [f"memory_map {module}"]
        if built.has_clocks:
            words.append("clk2fflogic")
        if built.begins_anywhere:
            words.append(_ANY_STATE)
            begin_anywhere.append(folder / f"{one.name}.smt2")
        script.append(_join(one.name, module, built, words, keeps_assertions=one.claims_assertions))
        script.append(_PROBLEM.format(name=one.name))
    prepare = _PREPARE.format(module=module)
    text = "\n".join([prepare, "design -save module", *script])
    (folder / "prove.ys").write_text(text)
    run_tool(["yosys", "-q", "prove.ys"], folder)
    for problem in begin_anywhere:
        problem.write_text(_with_any_words(problem.read_text()))


def _with_any_words(problem: str) -> str:
    """Problem in which memories that are written begin with any words, each of which has a name.

    Yices 2.6.5 dies of a memory of whose first words nothing is said.
    """
    written = {name for name, ports in _MEMORY.findall(problem) if int(ports)}
    begin = _SORT.search(problem)
    assert begin is not None
    declared: list[str] = []
    found_in: set[str] = set()

    def named(found: re.Match[str]) -> str:
        if found["memory"] not in written:
            return found[0]
        word, bits = f"|word_{len(declared)}|", len(found["value"])
        found_in.add(found["memory"])
        declared.append(f"(declare-fun {word} (|{begin[1]}|) (_ BitVec {bits}))")
        return f"(= {found['word']} ({word} state)) ; {found['memory']}"

    rest = _FIRST_WORD.sub(named, problem[begin.end() :])
    # Otherwise Yosys writes another form, and the proof would begin with the words at power-up.
    assert found_in == written, f"first words of {written - found_in} are not in the problem"
    return "\n".join([problem[: begin.end()], *declared]) + rest


def _join(
    name: str,
    module: str,
    harness: Harness,
    words: Sequence[str],
    *,
    keeps_assertions: bool = False,
) -> str:
    """Commands that make one module of a harness and the module inside."""
    wires = " ".join(_selected(module, wire) for wire in harness.wires)
    drop = _DROP_ASSERTIONS
    if keeps_assertions:
        drop = "\n".join(f"{_DROP_ASSERTIONS} c:{cells}" for cells in harness.unclaimed_assertions)
    return _JOIN.format(name=name, drop=drop, words="\n".join(words), wires=wires)


def _selected(module: str, wire: str) -> str:
    """Selection of a wire, in which brackets would be a choice of characters."""
    return f"{module}/w:" + re.sub(r"[\[\]]", "?", wire)


def facts_rtlil(module: str, verilog: str, harness: Harness, properties: Iterable[Property]) -> str:
    """Verilog module with its ports, and what is known of it in every cycle after the reset.

    Parameters
    ----------
    module, verilog : str
        As in `prover.prove`.
    harness : Harness
        Harness of the module, not used before.
    properties : iterable of Property
        What was proven. A claim about any one flit says little here, where the flit is chosen once;
        what such a property lets others assume says more.

    Returns
    -------
    str
        Module `FACTS` in Yosys's intermediate language: the facts are its cells ``$assume``.
    """
    with harness.assuming():
        for one in with_lemmas(properties):
            one.claim(harness)
            if one.guarantee is not None:
                one.guarantee(harness)
    with work_folder() as folder:
        (folder / "module.v").write_text(verilog)
        (folder / f"{FACTS}.il").write_text(harness.open_rtlil(FACTS))
        join = _join(FACTS, module, harness, [f"memory_map {module}"])
        script = [_PREPARE.format(module=module), join, "opt_clean", "write_rtlil out.il"]
        (folder / "facts.ys").write_text("\n".join(script))
        run_tool(["yosys", "-q", "facts.ys"], folder)
        return (folder / "out.il").read_text()


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


# A mutant's Verilog, which Yosys wrote, has its assertions for synthesis too.
_SCRIPT = """
read_verilog -formal module.v
hierarchy -check -top {module}
proc -norom
delete t:$print
chformal -remove
flatten
opt_clean
write_json registers.json
"""

_DATA = (
    r"to_\w+",  # deflection: a packet on its way to a port
    r"kept_\w+",  # deflection: what came on a link; adapters: of beats that become one, or many
    r"gate_\w+",  # credits: a flit that was granted, until the next is
    r"crossing_flit",  # credits: a flit in the crossbar's own cycle
    r"row_\d+",  # buses: a transaction under way
    r"out_of_\w+",  # what was read from a RAM
)
"""Names of registers that hold data only; others, which are reset, say whether they are valid."""

_Bit = int | str
"""Bit of a net: its number, or the constant ``0`` or ``1``."""


class Register(NamedTuple):
    """Register of a module.

    Members
    -------
    path : str
        Its name in the flattened module.
    is_reset : bool
        Whether a cycle of reset brings it to its value at power-up, in any state.
    """

    path: str
    is_reset: bool

    @property
    def holds_data(self) -> bool:
        """Whether it is one of those that need no reset."""
        return re.fullmatch("|".join(_DATA), self.path.rpartition(".")[2]) is not None


def registers(module: str, verilog: str) -> list[Register]:
    """Registers of a module of this Verilog, sorted by their paths.

    A register is reset if the last choice before it is that of the reset, for the value at
    power-up. That is read from the gates, so it holds in any state.
    """
    with work_folder() as folder:
        (folder / "module.v").write_text(verilog)
        (folder / "registers.ys").write_text(_SCRIPT.format(module=module))
        run_tool(["yosys", "-q", "registers.ys"], folder)
        found = json.loads((folder / "registers.json").read_text())["modules"][module]
    nets, cells = found["netnames"], [one["connections"] for one in found["cells"].values()]
    reset = _pairs((one for one in cells if one.get("S") == nets["rst"]["bits"]), "Y", "B")
    following = _pairs((one for one in cells if "Q" in one), "Q", "D")
    return [
        Register(path, all(reset.get(following[bit]) == value for bit, value in bits))
        for path, bits in sorted(_initial(nets).items())
        if all(bit in following for bit, _ in bits)
    ]


def _pairs(cells: Iterable[dict[str, list[_Bit]]], key: str, value: str) -> dict[_Bit, _Bit]:
    """Bits at one port of these cells, and the bits at another."""
    return {one: other for cell in cells for one, other in zip(cell[key], cell[value], strict=True)}


def _initial(nets: dict[str, dict]) -> dict[str, list[tuple[_Bit, _Bit]]]:
    """Bits of every net that has a value at power-up, and that value."""
    found = {path: (net["bits"], net["attributes"].get("init")) for path, net in nets.items()}
    return {
        path: [*zip(bits, reversed(init), strict=True)]
        for path, (bits, init) in found.items()
        if init is not None
    }


def prove_reset(module: str, verilog: str) -> Result:
    """Prove that a cycle of reset sets every register of a module that does not hold data only."""
    begun = time.monotonic()
    found = registers(module, verilog)
    lacking = [one.path for one in found if not (one.is_reset or one.holds_data)]
    return Result(
        name="reset",
        text="in any state, one cycle of rst brings every register to its value at power-up, but "
        "for those that hold data only",
        result=FAILED if lacking else PROVEN,
        depth=1,
        seconds=round(time.monotonic() - begun, 2),
        reason=f"not {', '.join(lacking)}" if lacking else "",
    )
