"""Tools by the names that Edalize calls: a PATH on which the wheels' programs have these names.

Edalize drives Yosys by a Tcl script, and the Yosys of the wheel has no Tcl; here Python's own runs
the script, and the commands that it gives are a Yosys script.
"""

import os
import sys
from pathlib import Path

from knotwork.builds.compilation import tool_environment
from knotwork.tools import find_tool

_YOSYS = """#!{python}
import subprocess, sys, tkinter
tcl, commands = tkinter.Tcl(), []
tcl.createcommand("command", lambda *words: commands.append(" ".join(words)) or "")
tcl.eval("proc yosys args {{}}; proc unknown args {{command {{*}}$args}}")
tcl.evalfile(sys.argv[sys.argv.index("-p") + 1].removeprefix("tcl "))
open("script.ys", "w").write("\\n".join(commands) + "\\n")
sys.exit(subprocess.call(["{yosys}", "-q", "-s", "script.ys"]))
"""


def edalize_environment(folder: Path) -> dict[str, str]:
    """Environment for a command that runs Edalize; the programs are made in a folder."""
    folder.mkdir()
    programs = {"yosys": _YOSYS.format(python=sys.executable, yosys=find_tool("yosys"))}
    for name in ("nextpnr-ecp5", "ecppack"):
        programs[name] = f'#!/bin/sh\nexec {find_tool(name)} "$@"\n'
    for name, text in programs.items():
        path = folder / name
        path.write_text(text)
        path.chmod(0o755)
    with tool_environment():
        environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(folder), environment["PATH"]])
    # What Verilator's own configuration would have found out of the compiler.
    environment["MAKEFLAGS"] = environment.get("MAKEFLAGS", "") + (
        " CFG_CXXFLAGS_COROUTINES=-std=c++20"
    )
    return environment
