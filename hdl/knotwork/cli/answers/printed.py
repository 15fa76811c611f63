"""What papers print of a network beside what it has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...network import Network
from ...topology.metrics import Bounds
from .. import output
from .measures import Measured


@dataclass(frozen=True)
class PrintedFact:
    """Fact as a paper prints it; the members have the names that the answers promise.

    Members
    -------
    fact, formula, source : str
        Name of the fact, the formula in the paper's letters, and where it is printed.
    relation : str
        ``"is"``, or ``"at least"`` or ``"at most"`` for a bound.
    printed, measured : int, float or None
        What the formula gives, and what the network has; None where that is not known.
    why : str or None
        Why they differ, where they do.
    """

    fact: str
    formula: str
    source: str
    relation: str
    printed: float
    measured: float | None
    why: str | None

    @property
    def row(self) -> str:
        """Name of its row in a table."""
        bound = "" if self.relation == "is" else f" {self.relation}"
        return f"{self.fact}{bound} as printed"

    @property
    def cell(self) -> str:
        """Fact as a table shows it, without the reason of a difference."""
        value = output.text(self.printed)
        shown = value if self.formula == value else f"{self.formula} = {value}"
        if self.measured is None:
            return f"{shown}, not measured"
        return shown if self.why is None else f"{shown}, not {output.text(self.measured)}"


def printed_facts(
    network: Network, found: Mapping[str, Any], groups: Mapping[int, Bounds | None]
) -> list[PrintedFact]:
    """What papers print of a network of these facts, with groups of these sizes and distances."""
    known, facts = Measured(network, found, groups), []
    for row in network.topology.published_facts(list(groups)):
        measured = known.measure(row)
        why = None if measured is None or row.holds(measured) else row.why
        facts.append(
            PrintedFact(row.name, row.formula, row.source, row.relation, row.value, measured, why)
        )
    return facts
