"""Routing by a table from a file: its rule looks up the rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from ...errors import ConfigurationError
from ...parameters import FromFile, parameter
from ..compiled.rule_check import RuleUse
from ..options import RoutingOptions
from .bound_table import BoundTable, bind_table
from .route_file import RouteFile
from .table_routing import TableRouting


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
