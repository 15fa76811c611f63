"""Bytecode of all that the verbs import, compiled once: ``python -m knotwork.cli.bytecode``.

Set-up runs it, because many containers set ``PYTHONDONTWRITEBYTECODE``, and then every command
would compile a thousand modules again.
"""

import ast
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
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
    for name in sorted(set().union(*map(_imported_later, _files()))):
        with suppress(ImportError):
            import_module(name)
    return imported


def _files() -> list[Path]:
    """Files of all modules of the roots that are imported."""
    owners = tuple(f"{root}." for root in roots())
    places = [getattr(m, "__file__", None) for n, m in sys.modules.items() if n.startswith(owners)]
    return [Path(place) for place in places if place is not None]


def _imported_later(file: Path) -> set[str]:
    """Other packages' modules that functions of a file import when they are called."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            for part in ast.walk(node):
                if isinstance(part, ast.Import):
                    found |= {alias.name for alias in part.names}
                elif isinstance(part, ast.ImportFrom) and part.level == 0 and part.module:
                    found |= {part.module, *(f"{part.module}.{one.name}" for one in part.names)}
    return found


if __name__ == "__main__":
    import_all()
