"""Rule of a routing as the rows of a table, for people to start from."""

from collections.abc import Iterator

import numpy as np

from ...errors import ConfigurationError
from ..base import Routing
from ..compiled.rule_check import TABLE_LIMIT
from ..compiled.tables import CLASSES, UNREACHED
from .route_file import RouteFile

Row = tuple[int, int, str, int, str, str]


def export_table(routing: Routing) -> RouteFile:
    """Table of a routing's rule; a row names its input only where the rule depends on that.

    A routing without a rule may have rows to give in its place (`Routing.table_rows`).

    Raises
    ------
    ConfigurationError
        The routing has no rule, or one that no table can express.
    """
    rows = routing.table_rows()
    if rows is not None:
        ports = routing.topology.ports
        return RouteFile.of((router, node, ports[port], vc) for router, node, port, vc in rows)
    _require_table(routing)
    return RouteFile.of(_rows(routing))


def _require_table(routing: Routing) -> None:
    topology = routing.topology
    owner = f"{topology.name}: routing={routing.name} must"
    end = "to be written as a table"
    if routing.settled is not None or not topology.is_direct:
        raise ConfigurationError(f"{owner} have a rule by destination {end}, not none")
    if routing.escape_class is not None:
        raise ConfigurationError(
            f"{owner} give each packet one way {end}, not an escape class beside it"
        )
    if tuple(routing.injection_classes) != (0,):
        raise ConfigurationError(
            f"{owner} inject packets in class 0 {end}, not in "
            f"{', '.join(map(str, routing.injection_classes))}"
        )
    states = routing.rule_use.states
    if states > TABLE_LIMIT:
        raise ConfigurationError(
            f"{owner} have at most {TABLE_LIMIT} states (router, input port, class, destination) "
            f"{end}, not {states}"
        )


def _rows(routing: Routing) -> Iterator[Row]:
    ports = routing.topology.ports
    answers = routing.answer_table
    homes = routing.topology.node_ports_table[0].tolist()
    for router in range(routing.topology.routers):
        for destination in range(routing.topology.nodes):
            if router == homes[destination]:
                continue
            for into, into_vc, entry in _cases(answers[router, :, :, destination]):
                port, vc = divmod(entry, CLASSES)
                named = "" if into is None else ports[into], "" if into_vc is None else str(into_vc)
                yield router, destination, ports[port], vc, *named


def _cases(entries: np.ndarray) -> Iterator[tuple[int | None, int | None, int]]:
    """Input port, class and entry; None where that does not matter.

    Parameters
    ----------
    entries : ndarray
        Entries by input port and class.
    """
    for by_port, by_vc in ((False, False), (False, True), (True, False), (True, True)):
        found: dict[tuple[int | None, int | None], set[int]] = {}
        for port, vc in np.argwhere(entries != UNREACHED).tolist():
            key = port if by_port else None, vc if by_vc else None
            found.setdefault(key, set()).add(int(entries[port, vc]))
        if all(len(cases) == 1 for cases in found.values()):
            for (port, vc), cases in sorted(found.items(), key=lambda case: str(case[0])):
                yield port, vc, cases.pop()
            return
