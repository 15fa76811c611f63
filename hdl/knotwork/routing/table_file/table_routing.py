"""Routings by a table: the rule that looks it up, tables of files, and any rule as a table."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...errors import ConfigurationError
from ...parameters import FromFile, parameter
from ..base import Routing
from ..compiled.compilable import compilable
from ..compiled.rule_check import TABLE_LIMIT, RuleUse
from ..compiled.tables import CLASSES, UNREACHED
from ..options import RoutingOptions
from ..rules import Rule
from .route_file import BoundTable, RouteFile, bind_table

_HEAD = 4  # parameters before the entries
_LANES = 4  # entries of 16 bits in a parameter


@compilable
def by_table(parameters, router, port, channel_class, destination):
    """Entry of the router's table; port -1 where there is none."""
    ports, classes, nodes, last_class = parameters[0], parameters[1], parameters[2], parameters[3]
    row = router * ports + (port if ports > 1 else 0)
    row = row * classes + (channel_class if classes > 1 else 0)
    place = row * nodes + destination
    entry = parameters[_HEAD + place // _LANES] >> (place % _LANES * 16) & 65535
    if entry == 65535:
        return -1, 0
    return entry // CLASSES, min(entry % CLASSES, last_class)


class TableRouting(Routing):
    """By a table: the output port and virtual channel for each destination.

    Members
    -------
    table : BoundTable
        Entries of all routers, those to their own nodes included.
    """

    is_adaptable: ClassVar[bool] = False

    @property
    @abstractmethod
    def table(self) -> BoundTable:
        """Table, generated or read once."""

    def needed_virtual_channels(self) -> int:
        """Classes that the table names."""
        return self.table.classes

    @property
    def rule(self) -> Rule:
        """See `by_table`."""
        return by_table

    @cached_property
    def parameters(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Inputs and classes of the table, nodes, the last class; the entries, four a number."""
        entries = self.table.entries
        cells = np.full(-(-entries.size // _LANES) * _LANES, -1, "<i2")
        cells[: entries.size] = entries.ravel()
        head = np.array([*entries.shape[1:], self.classes - 1], np.int64)
        return np.concatenate([head, cells.view("<i8").astype(np.int64, copy=False)])


class _TableUse(RuleUse):
    """Rule that looks up a table, as its check reads it."""

    def refusal(self, row: tuple[int, int, int, int], what: str) -> ConfigurationError:
        """Error that names the row that is missing, if one is."""
        output, _ = self.rule(self.parameters, *row)
        if output >= 0:
            return super().refusal(row, what)
        router, port, vc, destination = row
        return ConfigurationError(
            f"{self.owner}: a row must say where router {router} "
            f"(@{self.topology.router_label(router)}) sends packets to {destination} "
            f"(@{self.topology.label(destination)}) that come by input "
            f"{self.topology.ports[port]}, input_vc {vc}, not be missing"
        )


@dataclass(frozen=True, kw_only=True)
class TableOptions(RoutingOptions):
    """Keys of a routing by a table.

    Parameters
    ----------
    table_file : RouteFile
        Rows of the table, or a CSV file of them.
    """

    table_file: RouteFile = parameter(  # noqa: RUF009 - as every field
        FromFile("a CSV file with the columns router,destination,port,vc", RouteFile),
        help="routing table: where each router sends packets to each node",
    )


class Table(TableRouting):
    """By a table from a file: the output port and virtual channel for each destination.

    The classes are the virtual channels that the file names. The rule is the user's, so it is
    checked before anything follows it.
    """

    name: ClassVar[str] = "table"
    options_class: ClassVar[type[RoutingOptions]] = TableOptions
    options: TableOptions

    def __init__(self, *arguments: Any, **keys: Any) -> None:
        super().__init__(*arguments, **keys)
        self.is_trusted = False

    @cached_property
    def table(self) -> BoundTable:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Rows of the file, bound to the network."""
        return bind_table(self.options.table_file, self.topology)

    @property
    def rule_use(self) -> RuleUse:
        """Rule whose errors name the rows that are missing."""
        use = super().rule_use
        return _TableUse(**use._asdict())


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
            f"{owner} give each packet one path {end}, not an escape class as well"
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
