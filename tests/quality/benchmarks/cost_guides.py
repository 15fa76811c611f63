"""Estimated costs in the guides: the tables of the networks' own pages."""

import re
from pathlib import Path

from knotwork.costs import estimated_cost
from knotwork.network import Network

HEAD = "| network | nodes | links | diameter | LUTeq of the largest router | LUTeq of all |"
"""Beginning of such a table: the estimate tells its last columns, in most of them MHz too."""
_PAGES = sorted(Path(__file__).parents[3].glob("hdl/docs/*.md"))
GUIDES = [page for page in _PAGES if HEAD in page.read_text(encoding="utf-8")]
"""Pages that have one."""
_ROW = re.compile(r"(\| `(.+)` (?:\| [\d,]+ ){3})((?:\| [\d,]+ ){2,3})\|")


def with_costs(text: str) -> str:
    """A page's text with its table of costs as the estimate tells them now."""
    before, head, rest = text.partition(HEAD)
    lines = rest.split("\n\n", 1)
    return before + head + "\n\n".join([_ROW.sub(_told, lines[0]), *lines[1:]])


def _told(row: re.Match[str]) -> str:
    """Row of a network, anew."""
    cost = estimated_cost(Network.from_words(row[2].split()))
    told = cost.router.luteq, cost.network.luteq, cost.fmax_mhz
    cells = "".join(f"| {round(number):,} " for number in told[: row[3].count("|")])
    return f"{row[1]}{cells}|"
