"""Executables of Verilog and a C++ program, compiled by Verilator and kept by content."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from knotwork.files import write_whole

from .verilator import (
    block_marks,
    cache_directory,
    digest,
    failure,
    keep_library,
    library,
    locked,
    require_compiler,
    tool_environment,
)
from .wrapper import TOP

_OPTIONS = ("--cc", "--exe", "--build", "-j", "0", "-O3", "-Wno-fatal", "--output-split", "20000")

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
    options = [*_OPTIONS, "--assert" if asserts else "--no-assert", "--top-module", TOP]
    # Verilator's own library is always optimised: at -O0 its coverage takes minutes to set up half
    # a million points.
    options += ["-Mdir", ".", "-MAKEFLAGS", f"OPT_FAST={level} OPT_SLOW={level} OPT_GLOBAL=-O2"]
    for name, width in widths.items():
        options += ["-CFLAGS", f"-D{name}={width}"]
    sources = dict(sources)
    if blocks:
        sources["blocks.vlt"] = block_marks(blocks)
        options.append("--hierarchical")
    options += _COVERAGE if coverage else ()
    directory = cache_directory() / f"driver-{digest(sorted(sources.items()), options)}"
    with locked(directory):
        if not (directory / "done").exists():
            require_compiler()
            for name, text in sources.items():
                write_whole(directory / name, text)
            kind = "driver-coverage" if coverage else "driver"
            _compile(directory, list(sources), options, kind)
            (directory / "done").touch()
    return directory / f"V{TOP}"


def _compile(directory: Path, sources: Sequence[str], options: Sequence[str], kind: str) -> None:
    """Compile the sources in a folder, with the objects of Verilator's library if they are kept."""
    kept = []
    for path in library(kind).glob("*.o"):
        shutil.copy(path, directory)
        # The objects depend on the makefile, which is newer: Make would compile them again.
        kept += ["-MAKEFLAGS", f"--old-file={path.name}"]
    files = [name for name in sources if not name.endswith(".h")]
    with tool_environment():
        done = subprocess.run(
            ["verilator", *options, *kept, *files],
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
    log = directory / "build.log"
    write_whole(log, done.stdout + done.stderr)
    if done.returncode or not (directory / f"V{TOP}").exists():
        raise failure("Verilator", log, "no executable")
    keep_library(directory, kind)
