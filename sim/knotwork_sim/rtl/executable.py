"""Executables of Verilog and a C++ program, compiled by Verilator and kept by content."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from knotwork.builds.compilation import (
    MADE,
    block_marks,
    compile_steps,
    compiled,
    digest,
    tool_environment,
)

from .wrapper import TOP

_OPTIONS = ("--cc", "--exe", "-Wno-fatal", "--output-split", "20000", "-Mdir", MADE)

# What can be synthesised: failures of invariants are not meant to be covered. A module that is not
# inlined is compiled once; in blocks (`--hierarchical`) Verilator mixes up the counts.
_COVERAGE = ("--coverage-line", "--coverage-toggle", "-DSYNTHESIS", "-fno-inline")


def compiled_sources(program: str) -> dict[str, str]:
    """C++ sources of this package by name: a program, and the header that all of them include."""
    files = [Path(__file__).parent / name for name in (program, "ports.h")]
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def build_executable(
    sources: Mapping[str, str],
    *,
    blocks: Sequence[str] = (),
    asserts: bool = False,
    level: str = "-O2",
    coverage: bool = False,
    **widths: int,
) -> Path:
    """Executable of a Verilog module `TOP` and a C++ program; if it was built before, that one.

    Parameters
    ----------
    sources : mapping of str to str
        Verilog, control files and C++ by name.
    blocks : sequence of str
        Modules that are compiled once each, however often they are placed.
    asserts : bool
        Whether to check assertions, which costs time.
    level : str
        Optimisation of the compiler.
    coverage : bool
        Whether to count lines and toggles.
    widths : int
        Macros that the program reads.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    """
    verilate = ["verilator", *_OPTIONS, "--assert" if asserts else "--no-assert"]
    verilate += ["--top-module", TOP, "-O3", *(_COVERAGE if coverage else ())]
    for name, width in widths.items():
        verilate += ["-CFLAGS", f"-D{name}={width}"]
    sources = dict(sources)
    if blocks:
        sources["blocks.vlt"] = block_marks(blocks)
        verilate.append("--hierarchical")
    verilate += [name for name in sources if not name.endswith(".h")]
    # Verilator's own library is always optimised: at -O0 its coverage takes minutes to set up half
    # a million points.
    make = [f"OPT_FAST={level}", f"OPT_SLOW={level}", "OPT_GLOBAL=-O2"]
    program, kind = f"V{TOP}", "driver-coverage" if coverage else "driver"

    def build(folder: Path) -> None:
        jobs = str(os.cpu_count() or 1)
        command = ["make", "-j", jobs, "-C", MADE, "-f", f"{program}.mk", *make]
        with tool_environment():
            compile_steps(folder, verilate, command, kind)

    name = f"driver-{digest(sorted(sources.items()), verilate, make, written_by=[__file__])}"
    return compiled(name, sources, program, build, kind) / program
