"""Runs of cocotb tests under Verilator or Icarus, for scripts of the user's own."""

import argparse
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from cocotb_tools.runner import get_runner
from knotwork.builds.compilation import require_compiler, tool_environment
from knotwork.errors import ConfigurationError, KnotworkError, ToolError
from knotwork.wording import parse_integer

from .manifest import checked_files

SIMULATORS = {"verilator": "verilator", "icarus": "iverilog"}
"""Simulators by the name that cocotb has for them, each with its program."""

_BUILD = {
    # Invariants of the routers stop a simulation; other people's Verilog may have warnings.
    "verilator": ["--assert", "-Wno-fatal"],
    "icarus": ["-g2012"],  # assertions
}

# Asserts show their values in tests alone: in all that they import, it takes seconds.
_ENVIRONMENT = {"COCOTB_REWRITE_ASSERTION_FILES": "test_*.py"}

_RUNNER_ERRORS = (RuntimeError, ValueError, OSError, SystemExit)
"""What cocotb's runner raises when a tool is missing or fails, or a test does."""


def run_tests(
    *,
    top: str,
    tests: str | Sequence[str],
    sources: Sequence[str | Path] = (),
    manifest: str | Path | None = None,
    version: str | None = None,
    build_args: Sequence[str] = (),
    arguments: Sequence[str] | None = None,
) -> int:
    """Run cocotb tests as a command that takes a simulator's name; its exit status.

    0 if all have passed, 1 if one has failed, 2 if they could not be run.

    Parameters
    ----------
    top : str
        Module at the top of the design.
    tests : str or sequence of str
        Python modules with the tests, which stand in the folder of the manifest, or of the first
        source if there is none, or can be imported.
    sources : sequence of str or Path
        Verilog files beside those that the manifest names.
    manifest : str or Path, optional
        Manifest of the network or the system, which is checked before anything is compiled.
    version : str, optional
        Version of Knotwork for which the tests were made.
    build_args : sequence of str
        More arguments for the simulator's compiler.
    arguments : sequence of str, optional
        Words of the command; those of this process if unnamed.
    """
    options = _parser(tests).parse_args(arguments)
    try:
        files = [] if manifest is None else checked_files(Path(manifest), version)
        if not (sources or files):
            raise ConfigurationError("run_tests: a manifest or sources must be given, not neither")
        paths = [Path(file).absolute() for file in (*files, *sources)]
        design = _Design([*dict.fromkeys(paths)], top, tests, build_args)
        _require_tools(options.simulator)
        with tool_environment():
            return report(_simulate(design, options))
    except KnotworkError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _parser(tests: str | Sequence[str]) -> argparse.ArgumentParser:
    """Words that the command takes."""
    parser = argparse.ArgumentParser(description=f"Run {tests} in a simulator.")
    parser.add_argument("simulator", nargs="?", choices=[*SIMULATORS], default="verilator")
    parser.add_argument("--test", metavar="NAME", help="run only this test")
    parser.add_argument(
        "--seed", type=parse_integer, metavar="N", help="what Python's random begins with"
    )
    parser.add_argument("--waves", action="store_true", help="write a waveform, in sim_build")
    return parser


class _Design(NamedTuple):
    """What `run_tests` is asked for."""

    sources: Sequence[Path]
    top: str
    tests: str | Sequence[str]
    build_args: Sequence[str]


def _simulate(design: _Design, options: argparse.Namespace) -> Path:
    """Compile and run; the file with the results."""
    name, folder = options.simulator, design.sources[0].parent
    # What was compiled without waveforms would be used again, and would write none.
    build = folder / "sim_build" / (f"{name}_waves" if options.waves else name)
    results = build / "results.xml"
    runner = get_runner(name)
    try:
        runner.build(
            sources=design.sources,
            hdl_toplevel=design.top,
            build_dir=build,
            build_args=[*_BUILD[name], *design.build_args],
            timescale=("1ns", "1ps"),
            always=True,  # the times of the sources do not tell of other arguments
            waves=options.waves,
        )
    except _RUNNER_ERRORS as error:
        raise ToolError(f"{name} must compile {design.top}, but failed: {error}") from None
    results.unlink(missing_ok=True)
    try:
        with _importable(folder):
            runner.test(
                test_module=design.tests,
                hdl_toplevel=design.top,
                hdl_toplevel_lang="verilog",
                build_dir=build,
                test_dir=build,
                results_xml=str(results),
                test_filter=options.test,
                seed=options.seed,
                waves=options.waves,
                extra_env=_ENVIRONMENT,
            )
    except _RUNNER_ERRORS as error:
        if not results.exists():
            raise ToolError(f"the simulation must finish, but failed: {error}") from None
    return results


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let the simulator import from a folder: cocotb's runner gives it the path of this process."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _require_tools(name: str) -> None:
    """Refuse to go on without the simulator or what it needs."""
    if name == "verilator":
        require_compiler()
    elif shutil.which(SIMULATORS[name]) is None:
        raise ToolError(
            f"{name} must be installed as {SIMULATORS[name]} (Debian: apt install iverilog)"
        )


def report(results: Path) -> int:
    """Tell the tests that have failed, each with its reason; the command's exit status."""
    try:
        cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        raise ToolError(f"the simulation must leave {results}, and did not") from None
    failed = [(case.get("name"), _reason(case)) for case in cases if _reason(case) is not None]
    for name, reason in failed:
        sys.stderr.write(f"{name}: {reason}\n")
    sys.stderr.write(f"{len(cases) - len(failed)} of {len(cases)} tests passed\n")
    return 1 if failed or not cases else 0


def _reason(case: Any) -> str | None:
    """Why a test failed; None if it passed."""
    for child in case:
        if child.tag in ("failure", "error"):
            return child.get("error_msg") or child.get("message") or "failed"
    return None
