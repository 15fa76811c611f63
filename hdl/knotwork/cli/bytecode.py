"""Bytecode of all that the verbs import, compiled once: ``python -m knotwork.cli.bytecode``.

Set-up runs it, because many containers set ``PYTHONDONTWRITEBYTECODE``, and then every command
would compile a thousand modules again.
"""

import sys
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages

from ..entry_points import entry_points


def roots() -> list[str]:
    """Top packages of the verbs."""
    entries = entry_points(group="knotwork.commands")
    return list(dict.fromkeys(entry.module.split(".", 1)[0] for entry in entries))


def import_all() -> int:
    """Import every module below the roots; return how many could be.

    A module that needs an extra that is not installed, or a simulator around it, is left out.
    """
    sys.dont_write_bytecode = False
    imported = 0
    for root in roots():
        folders = import_module(root).__path__
        names = [m.name for m in walk_packages(folders, f"{root}.", onerror=lambda _: None)]
        for name in names:
            if not name.endswith("__main__"):
                with suppress(ImportError):
                    import_module(name)
                    imported += 1
    return imported


if __name__ == "__main__":
    import_all()
