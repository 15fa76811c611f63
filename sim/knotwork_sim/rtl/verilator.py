"""Verilator's simulators, compiled once and kept by content, and runs of them under cocotb."""

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO
from xml.etree.ElementTree import ParseError

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import Verilator
from knotwork.builds.compilation import (
    MADE,
    CompilationError,
    block_marks,
    compile_steps,
    compiled,
    digest,
    failure,
    keep_log,
    run_process,
    tool_environment,
)
from knotwork.errors import ToolError

TRACES = {"vcd": "--trace", "fst": "--trace-fst"}
"""Waveform formats, each with Verilator's option for it."""

_RUNNER_ERRORS = (RuntimeError, ValueError, OSError, ParseError, SystemExit)
"""What cocotb's runner raises when a tool is missing, fails or leaves partial results."""


class _Builder(Verilator):
    """cocotb's runner, but not every signal of the design is public.

    The wrapper marks the signals that a testbench needs, and Verilator may optimise the rest: a
    simulator then builds and runs several times faster.
    """

    trace: str | None = None
    blocks = False

    def _build_command(self) -> list[Any]:
        verilate, make = super()._build_command()
        # Names of files go into messages and must not tell of a folder that is renamed.
        here = f"{self.build_dir.parent}{os.sep}"
        verilate = [word.removeprefix(here) for word in verilate if word != "--public-flat-rw"]
        if self.trace:
            verilate.insert(1, TRACES[self.trace])
            make = [*make[:-1], "VM_TRACE=1"]
        if self.blocks:
            verilate[1:1] = ["--hierarchical", "--build-jobs", str(os.cpu_count() or 1)]
            # A block is small: one file without precompiled headers takes a third less.
            make = [*make, "VM_PARALLEL_BUILDS=0"]
        # A cycle costs Python more than it costs the gates: not optimised, a simulator is there in
        # half the time, and runs 8,600 cycles of 16 routers in 10.6 s in place of 8.8.
        return [verilate, [*make, "OPT_FAST=-O0"]]

    def _execute(self, cmds: Any, cwd: Any) -> None:
        verilate, make = cmds
        compile_steps(Path(cwd), verilate, make, self.trace)


class _Run(Verilator):
    """cocotb's runner, but a simulator ends when this process ends.

    Members
    -------
    while_running : callable or None
        Called again and again until the simulator has ended.
    """

    while_running: Callable[[], None] | None = None

    def _execute_cmds(self, cmds: Any, cwd: Any, stdout: TextIO | None = None) -> None:
        for command in cmds:
            done = run_process(
                command, folder=cwd, environment=self.env, while_running=self.while_running
            )
            if stdout is not None:
                stdout.write(done.stdout.decode(errors="replace"))
            if done.returncode:
                raise RuntimeError(f"{command[0]} ended with status {done.returncode}")


@dataclass(frozen=True)
class Simulator:
    """Compiled simulator of a Verilog module.

    Members
    -------
    directory : Path
        Folder with its sources, the log of its build and its executable.
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
        while_running: Callable[[], None] | None = None,
    ) -> None:
        """Run the cocotb tests of a Python module in the folder `work`.

        Parameters
        ----------
        test_module : str
            Name of the module.
        work : Path
            Where the simulator runs.
        environment : mapping of str to str
            Variables for the simulator.
        trace_file : Path, optional
            Waveform to write.
        while_running : callable, optional
            Called again and again until the simulator has ended.

        Raises
        ------
        ToolError
            The simulator did not finish, or a test in it failed; names the log.
        """
        runner = _Run()
        runner.while_running = while_running
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
        kept = keep_log(self.directory, log.read_bytes() if log.exists() else b"")
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
    ToolError, ConfigurationError
        As `compiled` does.
    """
    if blocks:
        sources = {**sources, "blocks.vlt": block_marks(blocks)}

    def build(folder: Path) -> None:
        runner = _Builder()
        runner.trace, runner.blocks = trace, bool(blocks)
        with tool_environment(), _quiet():
            try:
                runner.build(
                    sources=[folder / name for name in sources],
                    hdl_toplevel=top,
                    build_dir=folder / MADE,
                    cwd=folder,
                    build_args=["--assert", "-Wno-fatal", "--output-split", "20000"],
                    timescale=("1ns", "1ps"),
                )
            except _RUNNER_ERRORS as error:
                raise CompilationError(error) from None

    facts = trace, sorted(sources.items()), top, version("cocotb")
    name = digest(*facts, written_by=[__file__])
    return Simulator(compiled(name, sources, top, build), top, trace)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the runner's log lines off the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)
