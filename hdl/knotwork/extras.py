"""Optional packages: which extra installs a module that a verb cannot import."""

import re

_COMBINED = ("all", "dev")
"""Extras that only bring what others do, or what checks the project."""


def packages_of(extra: str) -> list[str]:
    """Names of the packages that an extra brings; none where there is no such extra."""
    return [name for name, of in _extras() if of == extra]


def extra_of(module: str) -> str | None:
    """Extra that brings a module or a package, or None where none does.

    Parameters
    ----------
    module : str
        Its dotted name; that of its package but for ``_``.
    """
    package = module.split(".", 1)[0].lower().replace("_", "-")
    return next((extra for name, extra in _extras() if name.lower() == package), None)


def import_hint(error: ImportError) -> str | None:
    """Line about the extra that an import lacks; None where it failed for another reason."""
    extra = extra_of(error.name or "")
    return None if extra is None else install_hint(str(error.name), extra)


def install_hint(name: str, extra: str) -> str:
    """Line about what an extra brings, and how to get it."""
    # In a source tree on the path no extra is known.
    packages = " ".join(packages_of(extra)) or name
    return (
        f"{name}: must be installed, with the extra {extra!r}: run `make setup`, or "
        f"`pip install {packages}`"
    )


def _extras() -> list[tuple[str, str]]:
    """Packages of extras, each with its extra."""
    from importlib.metadata import PackageNotFoundError, requires  # takes long to import

    try:
        lines = requires("knotwork") or []
    except PackageNotFoundError:  # a source tree on the path
        return []
    found = (re.match(r"([\w.-]+)[^;]*;.*\bextra == ['\"]([\w-]+)['\"]", line) for line in lines)
    pairs = [(match[1], match[2]) for match in found if match is not None]
    return [(name, extra) for name, extra in pairs if extra not in _COMBINED]
