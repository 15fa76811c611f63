"""Programs that Verilator and the C++ compiler make of Verilog, without Python: drivers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from knotwork.builds.compilation import (
    MADE,
    block_marks,
    cache_directory,
    compile_program,
    compiled,
    digest,
    library,
    library_kind,
)
from knotwork.builds.folders import is_complete
from knotwork.network import Network

from .wrapper import TOP

# Every message of a failed assertion has the time in cocotb's unit.
_OPTIONS = (
    "--cc",
    "-Wno-fatal",
    "--output-split",
    "20000",
    "--timescale",
    "1ns/1ps",
    "-Mdir",
    MADE,
)

# What can be synthesised: failures of invariants are not meant to be covered. A module that is not
# inlined is compiled once; in blocks (`--hierarchical`) Verilator mixes up the counts.
_COVERAGE = ("--coverage-line", "--coverage-toggle", "-DSYNTHESIS", "-fno-inline")

BLOCK_LINES = 1_000
"""Lines of Verilog that a block must save: as many, compiled flat, cost what a block costs."""
BLOCK_NAME = 100
"""Longest name of a block. Of a longer one Verilator shortens the names of its functions where it
calls them, and not where it defines them."""


def compiled_sources(program: str) -> dict[str, str]:
    """C++ sources of this package by name: a program, and the header that all of them include."""
    files = [Path(__file__).parent / name for name in (program, "ports.h")]
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def router_blocks(network: Network, verilog: str, least: int = BLOCK_LINES) -> tuple[str, ...]:
    """Router modules that are worth a block: placed often enough for their size.

    Parameters
    ----------
    verilog : str
        The network's Verilog.
    least : int
        Lines that a block must save.
    """
    lines, placed = router_lines(network, verilog)
    spared = ((placed - 1) * lines).tolist()
    return tuple(
        kind.name
        for kind, many in zip(network.router_kinds, spared, strict=True)
        if many >= least and len(kind.name) <= BLOCK_NAME
    )


def router_lines(network: Network, verilog: str) -> tuple[np.ndarray, np.ndarray]:
    """Lines of Verilog of each kind of router, and how often it is placed, int64.

    Parameters
    ----------
    verilog : str
        The network's Verilog, in which `network_verilog` puts one kind of router after another,
        before all else.
    """
    names = [kind.name for kind in network.router_kinds]
    # The modules of a kind end with its own.
    own = [re.search(rf"^module {name} *\(", verilog, re.MULTILINE) for name in names]
    ends = [verilog.index("\nendmodule", found.start()) for found in own if found]
    lines = np.diff([0, *(verilog.count("\n", 0, end) for end in ends)])
    return lines, np.bincount(network.router_number, minlength=len(names))


@dataclass(frozen=True)
class Program:
    """Program of a Verilog module `TOP` and a C++ program.

    Members
    -------
    sources : dict of str to str
        Verilog, control files and C++ by name: one ``.cpp``, which is the program.
    verilate : tuple of str
        Command that writes the module's C++.
    defines : tuple of str
        Macros that the program reads.
    level : str
        Optimisation of the compiler.
    coverage : bool
        Whether it counts lines and toggles.
    """

    sources: dict[str, str]
    verilate: tuple[str, ...]
    defines: tuple[str, ...]
    level: str
    coverage: bool

    @cached_property
    def _folder(self) -> str:
        facts = sorted(self.sources.items()), self.verilate, self.defines, self.level
        return f"driver-{digest(*facts, written_by=[__file__])}"

    @property
    def is_built(self) -> bool:
        """Whether it was built before."""
        return is_complete(cache_directory() / self._folder)

    @property
    def has_library(self) -> bool:
        """Whether Verilator's own library was compiled before, which takes longer than most."""
        return library(library_kind(coverage=self.coverage)).exists()

    def build(self, while_running: Callable[[], None] = lambda: None) -> Path:
        """Executable, built now or before.

        Parameters
        ----------
        while_running : callable
            Called again and again while tools run; an exception ends them.

        Raises
        ------
        ToolError
            Verilator or the C++ compiler is missing or failed; names the log.
        """
        (main,) = (name for name in self.sources if name.endswith(".cpp"))

        def build(folder: Path) -> None:
            compile_program(
                folder,
                self.verilate,
                main,
                level=self.level,
                defines=self.defines,
                coverage=self.coverage,
                while_running=while_running,
            )

        program = f"V{TOP}"
        kind = "blocks" if "--hierarchical" in self.verilate else "flat"
        work = f"program {kind} {self.level}"
        return compiled(self._folder, self.sources, program, build, work=work) / program


def program_of(
    sources: Mapping[str, str],
    *,
    blocks: Sequence[str] = (),
    asserts: bool = False,
    level: str = "-O2",
    coverage: bool = False,
    **widths: int,
) -> Program:
    """Program, which need not be built yet.

    Parameters
    ----------
    sources : mapping of str to str
        Verilog, control files and C++ by name: one ``.cpp``, which is the program.
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
    """
    verilate = ["verilator", *_OPTIONS, "--assert" if asserts else "--no-assert"]
    verilate += ["--top-module", TOP, "-O3", *(_COVERAGE if coverage else ())]
    sources = dict(sources)
    if blocks:
        sources["blocks.vlt"] = block_marks(blocks)
        verilate.append("--hierarchical")
    verilate += [name for name in sources if name.endswith((".v", ".vlt"))]
    defines = tuple(f"{name}={width}" for name, width in widths.items())
    return Program(sources, tuple(verilate), defines, level, coverage)


def build_executable(sources: Mapping[str, str], **options: Any) -> Path:
    """Executable of `program_of`; if it was built before, that one.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    """
    return program_of(sources, **options).build()
