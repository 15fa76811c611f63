"""Problems for the solver: a module of Verilog and its harness, joined by Yosys."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..builds.folders import work_folder
from ..tools import run_tool
from .harness import Harness
from .property import Property, with_lemmas

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
