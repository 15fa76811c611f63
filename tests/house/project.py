"""The project around the sources: top level, dependencies, links, the tree in CONTRIBUTING."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from pathlib import PurePosixPath

from .sources import Module

TOP_LEVEL = {
    *{"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"},
    *{"Makefile", "mkdocs.yml", "uv.lock", "hdl", "sim", "boards", "tests", "build"},
}

IMPORT_NAMES = {
    "amaranth-stubs": (),
    "basedpyright": (),
    "cocotbext-axi": ("cocotbext",),
    "pytest-cov": ("pytest_cov", "coverage"),
    "pytest-timeout": ("pytest_timeout",),
    "pytest-xdist": ("xdist",),
    "python-sat": ("pysat",),
    "knotwork": (),
}
"""What is imported of a dependency, where that is not its own name."""


def strays(listed: Iterable[str]) -> list[str]:
    """Files of git's list that have no place at the top, or in build/."""
    found = [
        name for name in listed if not name.startswith(".") and name.split("/")[0] not in TOP_LEVEL
    ]
    return found + [
        name for name in listed if name.startswith("build/") and name != "build/README.md"
    ]


def _requirements(project: Mapping) -> dict[str, list[str]]:
    """Requirements by the table that has them."""
    extras = project["project"].get("optional-dependencies", {})
    build = project["build-system"]["requires"]
    return {"build": build, "": project["project"]["dependencies"], **extras}


def unexplained(pyproject: str) -> list[str]:
    """Dependencies whose line has no comment."""
    tables = _requirements(tomllib.loads(pyproject))
    return [
        requirement
        for requirements in tables.values()
        for requirement in requirements
        if not re.search(rf'"{re.escape(requirement)}"\]?,? *# *\w', pyproject)
    ]


def development_imports(pyproject: str, modules: Iterable[Module]) -> list[str]:
    """Imports of what only the extra ``dev`` installs."""
    project = tomllib.loads(pyproject)
    wanted = _requirements(project)
    own = {_distribution(requirement) for requirement in wanted[""]}
    names = {
        name
        for requirement in wanted["dev"]
        if (distribution := _distribution(requirement)) not in own
        for name in IMPORT_NAMES.get(distribution, (distribution.replace("-", "_"),))
    }
    return [
        f"{module.name} imports {name}"
        for module in modules
        for name in module.imported_names
        if name.split(".")[0] in names
    ]


def _distribution(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0]  # pyright: ignore[reportOptionalSubscript]


def drawn_tree(page: str) -> list[str]:
    """Folders that a page's code blocks list, each at the beginning of its line."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return re.findall(r"^((?:hdl|sim|boards)/\S+?)/?(?=\s|$)", "\n".join(blocks), re.MULTILINE)


def real_tree(paths: Iterable[str]) -> list[str]:
    """Folders that have Python files."""
    return sorted({str(PurePosixPath(path).parent) for path in paths})


def untested(
    modules: Mapping[str, Module], tests: Mapping[str, str], reasons: Mapping[str, str]
) -> list[str]:
    """Modules that no test in the mirror of their folder names; reasons that are stale.

    A test has the name of the module, or of its folder, or it stands where the folder's tests do
    and imports the module. `reasons` have modules that need none, as patterns, and why; a test that
    a reason names must be there.
    """
    missing = [module.name for module in modules.values() if not _tested(module, tests)]
    found = [
        f"{name} has no test"
        for name in missing
        if not any(fnmatch(name, pattern) for pattern in reasons)
    ]
    for pattern, reason in reasons.items():
        if not any(fnmatch(name, pattern) for name in missing):
            found.append(f"{pattern} needs no reason")
        named = re.findall(r"tests/[\w/]+\.py", reason)
        found += [f"{pattern}: {test} must be a test" for test in named if test not in tests]
    return found


def _tested(module: Module, tests: Mapping[str, str]) -> bool:
    root, package, *folders, name = module.path.split("/")
    own = {"knotwork": [], "knotwork_soc": ["soc"]}.get(package, [root])
    mirror = "/".join(["tests", *own, *folders])
    above, _, folder = mirror.rpartition("/")
    named = f"{mirror}/test_{name}", f"{mirror}/test_{folder}.py", f"{above}/test_{folder}.py"
    if name == "__init__.py" or not tests.keys().isdisjoint(named):
        return True  # a package's files have their tests
    package, _, last = module.name.rpartition(".")
    imports = re.compile(
        rf"^from {re.escape(module.name)} import|^from {re.escape(package)} import .*\b{last}\b",
        re.MULTILINE,
    )
    return any(
        imports.search(text) for path, text in tests.items() if path.rpartition("/")[0] == mirror
    )
