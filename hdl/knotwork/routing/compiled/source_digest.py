"""Digest of the sources that decide what a compiled function does.

Numba's own cache keeps a compiled function until the function's own file changes. The function also
contains constants and other functions from the modules that its file imports, so the digest of all
those files decides whether it is still good.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PROJECT = "knotwork"
"""Start of the names of the project's packages; other imports are not followed."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]+"
    r"(?P<names>\([^)]*\)|[^\n]*)|import[ \t]+(?P<modules>[\w., \t]+))",
    re.MULTILINE,
)


@cache
def transitive_imports(path: Path) -> frozenset[Path]:
    """Files of a module and of all modules of the project that it imports, directly or not.

    A package that is only passed through on the way to a module does not count.
    """
    found: set[Path] = set()
    open_paths = [path]
    while open_paths:
        here = open_paths.pop()
        if here not in found:
            found.add(here)
            open_paths += _imported(here)
    return frozenset(found)


def digest(path: Path) -> str:
    """Digest of a module's file and of its transitive imports, in hexadecimal."""
    import hashlib  # loads a library of its own, which a verb may not need

    parts = sorted(_content_digest(found) for found in transitive_imports(path))
    return hashlib.sha256(b"".join(parts)).hexdigest()


@cache
def _content_digest(path: Path) -> bytes:
    import hashlib

    return hashlib.sha256(path.read_bytes()).digest()


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Files of the project's modules that a file names in its imports, wherever these stand."""
    package = _package_of(path)
    found = []
    for name in _imported_names(path.read_text(encoding="utf-8"), package):
        if name.startswith(PROJECT):
            file = _file_of(name)
            if file is not None:
                found.append(file)
    return tuple(found)


def _imported_names(source: str, package: list[str]) -> Iterator[str]:
    """Dotted names of what a source imports: modules, and their members, which may be modules."""
    for match in _IMPORT.finditer(source):
        dots, module, names, modules = match.group("dots", "module", "names", "modules")
        if modules is not None:
            yield from (name.split()[0] for name in modules.split(",") if name.strip())
            continue
        above = package[: len(package) - len(dots) + 1] if dots else []
        prefix = ".".join([*above, *([module] if module else [])])
        yield prefix
        for name in re.sub(r"#[^\n]*|[()]", "", names).split(","):
            if name.strip():
                yield f"{prefix}.{name.split()[0]}"


def _package_of(path: Path) -> list[str]:
    """Names of the package that a module's file is in, the outermost first."""
    names: list[str] = []
    folder = path.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    return names


@cache
def _file_of(name: str) -> Path | None:
    """File of a module of the project; None where the name is no module."""
    top, *rest = name.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    place = Path(spec.origin).parent.joinpath(*rest)
    files = (place / "__init__.py", place.with_suffix(".py"))
    return next((file for file in files if file.exists()), None)
