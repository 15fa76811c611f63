"""How large a file, a class, a function and a folder may be."""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .sources import Module

FILE = 300
CLASS = 150
ELABORATE = 60
FUNCTION = 60
FOLDER = 15
PARAMETERS = 9

NETWORK_FOLDERS = (
    "hdl/knotwork/topology",
    "hdl/knotwork/routing",
    "hdl/knotwork/gateware/networks",
)
"""Folders in which a file that bears a network's name does not count."""


def oversized(module: Module) -> dict[str, str]:
    """What of a module is too large: its place, and the size beside the limit."""
    found = {}
    lines = len(module.source.splitlines())
    if lines > FILE:
        found[module.name] = f"{lines} lines, at most {FILE}"
    for name, node in _definitions(module.tree, module.name):
        size = (node.end_lineno or node.lineno) - node.lineno + 1
        if isinstance(node, ast.ClassDef):
            limit = CLASS
        else:
            limit = ELABORATE if node.name == "elaborate" else FUNCTION
            parameters = len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs)
            own = node.args.args[:1] and node.args.args[0].arg in {"self", "cls"}
            if parameters - bool(own) > PARAMETERS and not _is_compiled(node):
                found[f"{name}()"] = f"{parameters - bool(own)} parameters, at most {PARAMETERS}"
        if size > limit:
            found[name] = f"{size} lines, at most {limit}"
    return found


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _definitions(tree: ast.AST, prefix: str) -> list[tuple[str, Definition]]:
    """Classes and functions, however deep, by their full names."""
    found = []
    for node in ast.iter_child_nodes(tree):
        name = prefix
        if isinstance(node, Definition):
            name = f"{prefix}.{node.name}"
            found.append((name, node))
        found += _definitions(node, name)
    return found


def _is_compiled(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether Numba compiles a function: such take no objects, and many parameters."""
    names = {
        part.id if isinstance(part, ast.Name) else part.attr
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
        if isinstance(part, ast.Name | ast.Attribute)
    }
    return bool(names & {"part", "loop", "register_jitable", "njit", "kept_on_disk", "intrinsic"})


def judged(found: Mapping[Any, str], exceptions: Mapping[Any, str]) -> list[str]:
    """What breaks a rule without a reason, and reasons for what breaks none."""
    too_large = [f"{name}: {size}" for name, size in found.items() if name not in exceptions]
    stale = [f"{name} is no exception any more" for name in exceptions if name not in found]
    return too_large + stale


def crowded(paths: Iterable[str], networks: Iterable[str]) -> dict[str, str]:
    """Folders with too many Python files; those of networks, and ``__init__.py``, do not count."""
    counts: Counter[str] = Counter()
    own_files = {f"{network}.py" for network in networks} | {"__init__.py"}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name != "__init__.py" and not (folder in NETWORK_FOLDERS and name in own_files):
            counts[folder] += 1
    return {
        folder: f"{count} files, at most {FOLDER}"
        for folder, count in sorted(counts.items())
        if count > FOLDER
    }
