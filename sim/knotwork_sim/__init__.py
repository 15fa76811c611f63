"""Simulation of networks: traffic, golden model, RTL runs, their comparison, and load sweeps.

`simulate` and `sweep` are what users call. Each is imported when it is first used, so that a
command's help loads neither.
"""

from importlib import import_module

__all__ = ["simulate", "sweep"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name == "simulate":
        value: object = import_module(".check.from_python", __name__).simulate
    elif name == "sweep":
        value = import_module(".sweep", __name__)  # the room can be called
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
