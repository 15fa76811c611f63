"""Entry points of the installed packages: verbs, and what users and other packages add.

As `importlib.metadata` finds them; but that takes longer to import than all else that a verb may
need.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from .errors import ConfigurationError


class EntryPoint(NamedTuple):
    """Object that an installed package offers under a name.

    Members
    -------
    name : str
        Name.
    value : str
        Module and object: ``package.module:object``.
    group : str
        What it is offered for.
    package : str
        Package that offers it, as it is installed; empty where that is not known.
    """

    name: str
    value: str
    group: str
    package: str = ""

    @property
    def module(self) -> str:
        """Name of the module."""
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Import the module, and get the object."""
        found: Any = import_module(self.module)
        for attribute in self.value.partition(":")[2].partition("[")[0].strip().split("."):
            found = getattr(found, attribute) if attribute else found
        return found

    def load_for(self, owner: str) -> Any:
        """Import the module of other people's, and get the object.

        Raises
        ------
        ConfigurationError
            It cannot be imported; names the `owner`.
        """
        try:
            return self.load()
        except Exception as error:  # it is the package's code
            fault = " ".join(f"{type(error).__name__}: {error}".split())
            raise ConfigurationError(f"{owner}: {self.value} must be importable: {fault}") from None


def entry_points(*, group: str, name: str | None = None) -> list[EntryPoint]:
    """Entry points of a group, or those of a name; each package's in the order of its list."""
    lists = _lists(tuple(sys.path))
    found = [each for package in lists for each in _read(lists[package], group, package)]
    return [each for each in found if name in {None, each.name}]


@cache
def _lists(path: tuple[str, ...]) -> dict[str, str]:
    """Lists by package, of all packages on a path; of several versions the first counts."""
    lists: dict[str, str] = {}
    for folder in dict.fromkeys(path):
        with suppress(OSError):
            for entry in sorted(entry.name for entry in Path(folder or ".").iterdir()):
                stem, dot, kind = entry.rpartition(".")
                if not dot or kind not in {"dist-info", "egg-info"}:
                    continue
                package = re.sub(r"[-_.]+", "-", stem.partition("-")[0]).lower()
                if package not in lists:
                    lists[package] = ""
                    with suppress(OSError):
                        file = Path(folder, entry, "entry_points.txt")
                        lists[package] = file.read_text(encoding="utf-8")
    return lists


def _read(text: str, group: str, package: str) -> Iterator[EntryPoint]:
    """Entry points of a group in a list."""
    here = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            here = line.strip("[]")
        elif here == group and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip(), group, package)
