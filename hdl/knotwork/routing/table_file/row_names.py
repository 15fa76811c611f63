"""Fields of the rows of a routing table as numbers: indices, labels and names of ports."""

from collections.abc import Mapping

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ...wording import parse_index
from ..compiled.tables import CLASSES
from .route_file import RouteFile

ANY = -1
"""Number in place of an empty field that may be empty."""


class _Names:
    """What a column's fields can be.

    Parameters
    ----------
    count : int
        Indices 0..count - 1.
    rule : str
        What a field must be, in words.
    words : mapping
        Number of each word beside the indices.
    """

    def __init__(self, count: int, rule: str, words: Mapping[str, int]) -> None:
        self._count = count
        self.rule = rule
        self._words = words

    def number(self, field: str) -> int | None:
        """Number that a field names; None where it names none."""
        if field in self._words:
            return self._words[field]
        return parse_index(field, self._count)


def row_numbers(file: RouteFile, topology: Topology) -> dict[str, np.ndarray]:
    """Columns of a file as numbers, int64.

    Raises
    ------
    ConfigurationError
        A field that names nothing; names the line.
    """
    nodes = _labelled(topology.nodes, [topology.label(node) for node in range(topology.nodes)])
    names = [topology.router_label(router) for router in range(topology.routers)]
    ports = topology.ports
    rule = f"one of {', '.join(ports)} or an index in 0..{len(ports) - 1}"
    words = {port: index for index, port in enumerate(ports)}
    vcs = f"an integer in 0..{CLASSES - 1}"
    kinds = {
        "router": _labelled(topology.routers, names),
        "destination": nodes,
        "port": _Names(len(ports), rule, words),
        "vc": _Names(CLASSES, vcs, {}),
        "input": _Names(len(ports), f"{rule}, or empty", words | {"": ANY}),
        "input_vc": _Names(CLASSES, f"{vcs}, or empty", {"": ANY}),
    }
    return {name: _column(file, name, kind) for name, kind in kinds.items()}


def _labelled(count: int, labels: list[str]) -> _Names:
    rule = f"an index in 0..{count - 1} or a label @{labels[0]}..@{labels[-1]}"
    return _Names(count, rule, {f"@{label}": index for index, label in enumerate(labels)})


def _column(file: RouteFile, name: str, kind: _Names) -> np.ndarray:
    known: dict[str, int] = {}  # fields repeat
    for place, field in enumerate(file.columns[name]):
        if field not in known:
            number = kind.number(field)
            if number is None:
                raise ConfigurationError(
                    f"{file.where(place)}: {name} must be {kind.rule}, not {field!r}"
                )
            known[field] = number
    return np.array([known[field] for field in file.columns[name]], np.int64)
