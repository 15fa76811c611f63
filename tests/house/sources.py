"""Modules of the three source roots, and what each imports, wherever the import stands."""

import ast
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PROJECT = Path(__file__).parents[2]
ROOTS = ("hdl", "sim", "boards")
PACKAGES = ("knotwork", "knotwork_soc", "knotwork_sim", "knotwork_boards")


@dataclass(frozen=True)
class Module:
    """Module of the house."""

    name: str  # dotted name
    source: str  # text
    is_package: bool = False  # whether it is an ``__init__.py``
    path: str = ""  # path below the project

    @cached_property
    def tree(self) -> ast.Module:
        """Syntax tree."""
        return ast.parse(self.source)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the syntax tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def imported_names(self) -> list[str]:
        """Absolute names of all imports: deferred ones and those for types included.

        ``from x import y`` counts as ``x.y``, so that a module taken from its package is seen.
        """
        package = self.name.split(".") if self.is_package else self.name.split(".")[:-1]
        names = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = package[: len(package) - node.level + 1] if node.level else []
                prefix = [*base, *([node.module] if node.module else [])]
                names += [".".join([*prefix, alias.name]) for alias in node.names]
        return names


def modules() -> dict[str, Module]:
    """Every module of the three roots, by its dotted name."""
    found = {}
    for root in ROOTS:
        for path in sorted((PROJECT / root).rglob("*.py")):
            parts = list(path.relative_to(PROJECT / root).with_suffix("").parts)
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            place = path.relative_to(PROJECT).as_posix()
            found[name] = Module(name, path.read_text(), is_package, place)
    return found


def imports_of(module: Module, known: Iterable[str]) -> set[str]:
    """Modules of the house that a module imports."""
    known = set(known)
    return {_known_part(name, known) for name in module.imported_names} - {""}


def _known_part(name: str, known: Container[str]) -> str:
    """Module that an imported name is from or is; empty if it is none of the house."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def import_graph(known: Mapping[str, Module]) -> dict[str, set[str]]:
    """Modules that each module of the house imports."""
    return {name: imports_of(module, known) for name, module in known.items()}


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Groups of modules that import each other, directly or through others; sorted."""
    reached = {name: set(_reached(graph, name)) for name in graph}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in graph
        if name in reached[name]
    }
    return sorted(map(list, groups))


def _reached(graph: Mapping[str, Iterable[str]], name: str) -> Iterator[str]:
    """All that a module imports, through others too; itself only if a circle leads back."""
    seen, waiting = set(), list(graph[name])
    while waiting:
        other = waiting.pop()
        if other not in seen:
            seen.add(other)
            yield other
            waiting += graph.get(other, ())


VERSION = "knotwork.__version__"
"""Known to all, though the front door has it."""


def placed_imports(known: Mapping[str, Module]) -> dict[str, list[str]]:
    """Imports of each module, where packages are named by their ``__init__``; for floors.

    The version counts for none: all may know it.
    """

    def full(name: str) -> str:
        return f"{name}.__init__" if known[name].is_package else name

    found = {}
    for name, module in known.items():
        names = [one for one in module.imported_names if one != VERSION]
        imported = {_known_part(one, known) for one in names} - {""}
        found[full(name)] = sorted(map(full, imported))
    return found
