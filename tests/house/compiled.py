"""Which sources decide what a compiled function is, by an independent reading of the imports."""

import ast
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from .sources import PROJECT, Module

KEPT = {"kept_on_disk", "loop", "RuleLoop"}
"""Decorators of functions that Numba keeps on disk."""


def keeps(module: Module) -> bool:
    """Whether a module has functions that are kept on disk."""
    return any(
        isinstance(part, ast.Name) and part.id in KEPT
        for node in module.nodes
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
    )


def reached(module: Module, known: Mapping[str, Module]) -> set[str]:
    """Paths of a module and of all that it imports, with packages that members come from."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        here = waiting.pop()
        if here.path in found:
            continue
        found.add(here.path)
        for name in here.imported_names:
            names = {name, name.rpartition(".")[0]}
            waiting += [known[one] for one in sorted(names) if one in known]
    return found


def wrong_digests(
    known: Mapping[str, Module], claimed: Callable[[Path], Collection[Path]]
) -> list[str]:
    """Modules with functions kept on disk whose digest is of other files than they depend on."""
    found = []
    for name, module in known.items():
        if not keeps(module):
            continue
        files = {path.relative_to(PROJECT).as_posix() for path in claimed(PROJECT / module.path)}
        if wrong := sorted(files ^ reached(module, known)):
            found.append(f"{name}: its digest and its imports differ in {', '.join(wrong)}")
    return found
