"""Routing by a table from a file: its rule looks up the rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...errors import ConfigurationError
from ...parameters import FromFile, parameter
from ..base import Routing
from ..compiled.compilable import compilable
from ..compiled.tables import CLASSES
from ..compiled.walking import RuleUse
from ..options import RoutingOptions
from ..rules import Rule
from .bound_table import BoundTable, bound_table
from .route_file import RouteFile

_HEAD = 4  # parameters before the entries


@compilable
def by_table(parameters, router, port, channel_class, destination):
    """Entry of the router's table; port -1 where there is none."""
    ports, classes, nodes, last_class = parameters[0], parameters[1], parameters[2], parameters[3]
    if router == destination:
        return 0, 0
    row = router * ports + (port if ports > 1 else 0)
    row = row * classes + (channel_class if classes > 1 else 0)
    entry = parameters[_HEAD + row * nodes + destination]
    if entry < 0:
        return -1, 0
    return entry // CLASSES, min(entry % CLASSES, last_class)


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


class Table(Routing):
    """By a table from a file: the output port and virtual channel for each destination.

    The classes are the virtual channels that the file names. The rule is the user's, so it is
    checked before anything follows it.
    """

    name: ClassVar[str] = "table"
    options_class: ClassVar[type[RoutingOptions]] = TableOptions
    is_adaptable: ClassVar[bool] = False
    options: TableOptions

    def __init__(self, *arguments: Any, **keys: Any) -> None:
        super().__init__(*arguments, **keys)
        self.is_trusted = False

    @cached_property
    def _table(self) -> BoundTable:
        return bound_table(self.options.table_file, self.topology)

    def needed_virtual_channels(self) -> int:
        """Those that the file names."""
        return self._table.classes

    @property
    def rule(self) -> Rule:
        """See `by_table`."""
        return by_table

    @cached_property
    def parameters(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Inputs and classes of the table, nodes, the last class, and the entries."""
        entries = self._table.entries
        return np.concatenate([[*entries.shape[1:], self.classes - 1], entries.ravel()]).astype(
            np.int64
        )

    @property
    def rule_use(self) -> RuleUse:
        """Rule whose errors name the rows that are missing."""
        use = super().rule_use
        return _TableUse(**use._asdict())
