"""What must not be written: names compared or guessed, attributes probed, text twice, odd words."""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import pairwise
from operator import itemgetter
from typing import TypeGuard

from .sources import Module

_ODD = (
    r"\b(?:flits?|words?|cycles?|beats?|packets?|bits?|LUTs?|times|moves) "
    r"a (?:clock|cycle|node|link|port|router|packet|second)\b",
    r"\ba clock later\b",
    r"\bkeeps nothing\b",
    r"\bthat are none\b",
)
ODD_ENGLISH = re.compile("|".join(_ODD))

GUESSED = frozenset(
    [
        "alone",
        "ask",
        "asked",
        "asks",
        "hear",
        "heard",
        "hears",
        "lone",
        "mate",
        "mates",
        "pictured",
        "remade",
        "tell",
        "tells",
        "told",
        "whole",
    ]
)
"""Parts of names whose meaning a reader must guess; the field has a word for each."""

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

PROBED = {"hardware", "routing", "options"}
"""Objects whose attributes are typed: nobody asks them with a default."""

TWICE = 10
"""Lines that may not stand twice."""


def compared(module: Module, router_classes: Collection[str]) -> list[str]:
    """Comparisons with the name of a router class: a registry is looked up instead."""

    def names(node: ast.expr) -> bool:
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return any(map(names, node.elts))
        return isinstance(node, ast.Constant) and node.value in router_classes

    found = []
    for node in module.nodes:
        if isinstance(node, ast.Compare) and any(map(names, [node.left, *node.comparators])):
            found.append(f"{module.name}:{node.lineno} compares {ast.unparse(node)}")
        if isinstance(node, ast.MatchValue) and names(node.value):
            found.append(f"{module.name}:{node.value.lineno} matches {ast.unparse(node)}")
    return found


def probed(module: Module) -> list[str]:
    """Questions to typed objects whether they have an attribute."""
    return [
        f"{module.name}:{node.lineno} probes {ast.unparse(node)}"
        for node in module.nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and (node.func.id, len(node.args)) in {("getattr", 3), ("hasattr", 2)}
        and PROBED & {ast.unparse(node.args[0]).rpartition(".")[2]}
    ]


def guessed_names(module: Module) -> list[str]:
    """Names that a reader must guess: of functions and classes, and what a module makes public."""
    found = [] if _is_plain(module.name.rpartition(".")[2]) else [module.name]
    names = set(_public_names(module.tree)) | {
        (node.name, node.lineno)
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return found + [
        f"{module.name}:{line} {name}"
        for name, line in sorted(names, key=itemgetter(1, 0))
        if not _is_plain(name)
    ]


def _is_plain(name: str) -> bool:
    return not GUESSED & {part.lower() for part in _PARTS.findall(name)}


def _public_names(scope: ast.Module | ast.ClassDef) -> Iterable[tuple[str, int]]:
    """Names that a module or a class defines without a leading underscore, with their lines."""
    for node in scope.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                arguments = node.args
                listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                names += [argument.arg for argument in listed]
        elif isinstance(node, ast.AnnAssign):
            names = [ast.unparse(node.target)]
        elif isinstance(node, ast.Assign):
            names = [part.id for part in ast.walk(node) if _is_stored_name(part)]
        else:
            names = []
        yield from ((name, node.lineno) for name in names if not name.startswith("_"))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public_names(node)


def _is_stored_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def odd_english(place: str, text: str) -> list[str]:
    """Phrases that no engineer of the field would write, with the lines that they begin in."""
    return [
        f"{place}:{text.count(chr(10), 0, found.start()) + 1}: {found[0]}"
        for found in ODD_ENGLISH.finditer(text)
    ]


def twice(modules: Iterable[Module], lines: int = TWICE) -> dict[tuple[str, str], str]:
    """Pairs of modules with the same lines, by name, and where; docstrings and imports are free."""
    places: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for module in modules:
        kept = list(_counted_lines(module))
        for first in range(len(kept) - lines + 1):
            window = kept[first : first + lines]
            places[tuple(text for _, text in window)].append((module.name, window[0][0]))
    found: dict[tuple[str, str], str] = {}
    for stands in places.values():
        for (one, line), (other, there) in pairwise(stands):
            found.setdefault((one, other), f"{one}:{line} and {other}:{there}")
    return found


def _counted_lines(module: Module) -> Iterable[tuple[int, str]]:
    """Lines of code with their numbers: no docstrings, imports, comments and blank lines."""
    skipped: set[int] = set()
    for node in module.nodes:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            skipped |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(module.source.splitlines(), 1):
        text = line.strip()
        if text and number not in skipped and not text.startswith("#"):
            yield number, text
