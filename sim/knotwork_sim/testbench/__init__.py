"""Testbenches for networks, in cocotb: what `knotwork generate --testbench` writes is made of it.

`NetworkTestbench` binds to the ports of a network by its manifest, wherever it stands in a design.
`SystemTestbench` puts a manager, a memory, or a source and a sink at each node of a system.
`Scoreboard` checks what comes out and knows no simulator. `run_tests` runs cocotb tests under
Verilator or Icarus.
"""

# pyright: reportUnsupportedDunderAll=false

from importlib import import_module

__all__ = [
    "Arrival",
    "Manifest",
    "Mismatch",
    "NetworkTestbench",
    "Scoreboard",
    "SystemTestbench",
    "rounds",
    "run_tests",
    "table_entries",
    "upset",
]

_MODULES = {
    "Arrival": ".checker",
    "Manifest": ".manifest",
    "Mismatch": "..scoreboard",
    "NetworkTestbench": ".network_testbench",
    "Scoreboard": "..scoreboard",
    "SystemTestbench": "..soc_testbench.system_testbench",
    "rounds": ".scheduled",
    "run_tests": ".runner",
    "table_entries": ".scheduled",
    "upset": ".upsets",
}


def __getattr__(name: str) -> object:
    # A script that runs tests needs no cocotb, and a scoreboard no simulator.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
