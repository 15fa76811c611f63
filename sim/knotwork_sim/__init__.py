"""Simulation of networks: traffic, golden model, RTL runs, their comparison, and load sweeps.

`simulate`, `sweep` and `write_sweep` are what users call. Each is imported when it is first used,
so that a command's help loads none.
"""

from importlib import import_module

__all__ = ["simulate", "sweep", "write_sweep"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name == "simulate":
        value: object = import_module(".check.from_python", __name__).simulate
    elif name == "sweep":
        value = import_module(".sweep", __name__)  # the room can be called
    elif name == "write_sweep":
        value = import_module(".sweep.from_python", __name__).write_sweep
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
