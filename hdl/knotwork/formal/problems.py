"""Problems that a solver is given: a module of Verilog and its harness, joined by Yosys."""

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


def write_problems(
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
        # Memories of which a claim reads words become registers; others stay whole for the solver.
        memories = dict.fromkeys(wire.partition("[")[0] for wire in made.wires if "[" in wire)
        words = [f"memory_map {module}/c:{memory}" for memory in memories]
        if not made.keeps_memories:
            words = [f"memory_map {module}"]
        if made.has_clocks:
            words.append("clk2fflogic")
        if one.any_words:
            registers = " ".join(_selected(module, wire) for wire in made.wires if "[" in wire)
            words.append(f"setattr -unset init {registers}")
        script.append(_join(one.name, module, made, words, keeps_own=one.own))
        script.append(_PROBLEM.format(name=one.name))
    prepare = _PREPARE.format(module=module)
    text = "\n".join([prepare, "design -save module", *script])
    (folder / "prove.ys").write_text(text)
    run_tool(["yosys", "-q", "prove.ys"], folder)


def _join(
    name: str, module: str, harness: Harness, words: Sequence[str], *, keeps_own: bool = False
) -> str:
    """Commands that make one module of a harness and the module inside."""
    wires = " ".join(_selected(module, wire) for wire in harness.wires)
    drop = "" if keeps_own else _DROP_OWN
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
            if one.given is not None:
                one.given(harness)
    with work_folder() as folder:
        (folder / "module.v").write_text(verilog)
        (folder / f"{FACTS}.il").write_text(harness.open_rtlil(FACTS))
        join = _join(FACTS, module, harness, [f"memory_map {module}"])
        script = [_PREPARE.format(module=module), join, "opt_clean", "write_rtlil out.il"]
        (folder / "facts.ys").write_text("\n".join(script))
        run_tool(["yosys", "-q", "facts.ys"], folder)
        return (folder / "out.il").read_text()
