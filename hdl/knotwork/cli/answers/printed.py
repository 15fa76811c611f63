"""What papers print of a network beside what it has, for `compare`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...topology import Topology
from ...topology.comparison import Bounds
from .. import output
from .describe import Description


@dataclass(frozen=True)
class PrintedFact:
    """Fact as a paper prints it; the members have the names that `compare` promises.

    Members
    -------
    fact, formula, source : str
        Name of the fact, the formula in the paper's letters, and where it is printed.
    printed, measured : int, float or None
        What the formula gives, and what the network has; None where that is not known.
    why : str or None
        Why they differ, where they do.
    """

    fact: str
    formula: str
    source: str
    printed: float
    measured: float | None
    why: str | None

    @property
    def cell(self) -> str:
        """Fact as a table shows it."""
        value = output.text(self.printed)
        given = value if self.formula == value else f"{self.formula} = {value}"
        return given if self.why is None else f"{given}, not {self.measured}: {self.why}"


def printed_facts(
    topology: Topology, found: Description, groups: Mapping[int, Bounds | None]
) -> list[PrintedFact]:
    """What papers print of a network, with groups of these sizes and distances."""
    low, high = found.degree.min, found.degree.max
    measured = {
        "degree": low if low == high else None,
        "links": found.links,
        "simple_links": found.simple_links,
        "diameter": found.diameter,
        "bisection": found.bisection and found.bisection.exact,
    }
    measured |= {f"group of {size}": known and known.exact for size, known in groups.items()}
    told = []
    for fact, formula, value, source, why in topology.printed(list(groups)):
        ours = measured[fact]
        differs = ours is not None and ours != value
        told.append(PrintedFact(fact, formula, source, value, ours, why if differs else None))
    return told


def printed_cells(facts: Sequence[PrintedFact]) -> dict[str, str]:
    """Facts as a table shows them, a row each."""
    return {f"{told.fact} as printed": told.cell for told in facts}
